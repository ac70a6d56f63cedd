"""Reads and checks the keys of a plan that describe a language model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from arena.config.document import ConfigError
from arena.config.values import KEYS, MAX_COUNT, Checked, Count, Text, Time
from arena.models.spec import ModelSpec, Price
from arena.programs.bot import Bot

NotNegative = Annotated[float, Checked(strict=True, ge=0, allow_inf_nan=False)]
_MAX_TEMPLATE_BYTES = 2**16
_OURS = (
    "model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature",
    "response_format", "n", "tools", "functions",
)  # fmt: skip
_BESIDES = "the arena sets it, or the plan has a key for it"


@dataclass(frozen=True, kw_only=True)
class PriceKeys:
    """What a million tokens cost, in one currency for the whole plan."""

    __pydantic_config__ = KEYS

    in_: Annotated[NotNegative, Field(alias="in")]
    """For a prompt."""
    out: NotNegative
    """For a reply, with its thoughts."""
    cached: NotNegative | None = None
    """For the part of a prompt that is in the server's cache; by default as `in`."""


@dataclass(frozen=True, kw_only=True)
class ModelKeys:
    """A language model, by any server with the chat API of OpenAI."""

    __pydantic_config__ = KEYS

    model: Text
    """Its name at the server."""
    at: Text
    """The address of the server, without /chat/completions: https, or http on this machine."""
    key_env: Text | None = None
    """The variable of the environment with the key; its name ends with _API_KEY. Without it the server
    gets no key."""
    options: Literal["shown", "hidden"] = "shown"
    """Whether its prompt lists the options of an answer."""
    rules: Literal["whole", "moment"] = "whole"
    """Whether its prompt begins with the whole rules of the game, or gets each section before the first ask
    that needs it: fewer tokens, for a model with a small context.
    """
    temperature: NotNegative | None = None
    """The sampling temperature, as in the API; by default the server chooses it."""
    max_tokens: Count = 1000
    """The most tokens of one reply, with its thoughts."""
    context: Annotated[int, Checked(strict=True, ge=1000, le=MAX_COUNT)] = 16_000
    """The most tokens of a conversation; a longer one begins again, with the facts that the model needs."""
    patience: Annotated[float, Time("0s")] = 600.0
    """How long a game waits for a server that fails; 10m by default."""
    price: PriceKeys | None = None
    """What a million tokens cost: {in: 0.5, cached: 0.1, out: 2}."""
    template: Text | None = None
    """A file with the text of the prompt, instead of the usual one."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """More parameters of each request, as in the API of the server."""
    author: Text | None = None
    """Its author; `teams: apart` uses it."""


def model_bot(name: str, keys: ModelKeys, folder: Path) -> Bot:
    """A language model as a bot.

    The path of its template is relative to `folder`.

    Raises:
        ConfigError: A key is wrong; the message begins with the key.
    """
    ModelSpec.check(keys.at, keys.key_env)
    spec = ModelSpec(
        keys.model,
        keys.at.rstrip("/"),
        keys.key_env or "",
        keys.options,
        keys.temperature,
        keys.max_tokens,
        keys.patience,
        None if keys.price is None else Price(keys.price.in_, keys.price.out, keys.price.cached),
        context=keys.context,
        rules=keys.rules,
    )
    spec = replace(spec, template=_template(keys, folder))
    if keys.template is not None:
        _check_template(spec, keys.template)
    spec = replace(spec, parameters=_parameters(keys.parameters))
    return Bot(name, (keys.model,), folder, spec.fingerprint, keys.author or "", model=spec)


def _template(keys: ModelKeys, folder: Path) -> str:
    """The text of the template; "" without one.

    Raises:
        ConfigError: The template cannot be read.
    """
    name = keys.template
    if name is None:
        return ""
    try:
        with (folder / name).open("rb") as file:
            data = file.read(_MAX_TEMPLATE_BYTES + 1)
        text = data.decode()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise ConfigError(f"template: {name}: cannot be read: {why}") from None
    if len(data) > _MAX_TEMPLATE_BYTES or not text.strip():
        raise ConfigError(f"template: {name}: should have from 1 to {_MAX_TEMPLATE_BYTES} bytes of text")
    return text


def _check_template(spec: ModelSpec, name: str) -> None:
    """Check the template of a model, from the file `name`.

    Raises:
        ConfigError: It is wrong.
    """
    try:
        template = spec.prompt
        template.check()
    except ConfigError as error:
        raise ConfigError(f"template: {name}: {error}") from None
    part, other = ("system", "ask") if spec.rules == "whole" else ("ask", "system")
    if template.uses(other, "pages") and not template.uses(part, "pages"):
        raise ConfigError(
            f"template: {name}: with rules: {spec.rules} the pages are for the part {part}, "
            f"and it has them only in the part {other}: the model would never see the rules"
        )


def _parameters(given: Mapping[str, Any]) -> str:
    """The parameters as JSON.

    Raises:
        ConfigError: The arena sets one of them itself, or a value is not JSON.
    """
    for name in _OURS:
        if name in given:
            raise ConfigError(f"parameters: {name}: {_BESIDES}")
    try:
        return json.dumps(dict(given), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        raise ConfigError("parameters: should be texts, numbers, true or false, lists and keys") from None
