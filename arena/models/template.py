"""The text of the prompt: a template of three parts, which a plan may replace."""

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from arena.config.document import ConfigError

_HEAD = re.compile(r"^=== *(\w+) *\n", re.M)


_SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "system": {
        "game": "complots",
        "seats": 2,
        "you": "p1",
        "aim": "Win.",
        "pages": ["## A turn"],
        "rules": "cast=ambassador",
    },
    "ask": {
        "pages": ["## A turn"],
        "news": ["p1 plays income."],
        "state": ["p1 coins=2"],
        "question": "What do you do?",
        "options": [("income", "take 1 coin")],
        "listed": False,
        "open": ["say p2 Hello"],
    },
    "again": {"problem": "Your reply was empty."},
}


class PromptTemplate:
    """The prompt as templates of its parts `system`, `ask` and `again`; `version` is a hash of its text.

    Raises:
        ConfigError: A part is missing, unknown, or not a template.
    """

    def __init__(self, text: str):
        self.version = sha256(text.encode()).hexdigest()[:8]
        _, *pieces = _HEAD.split(text)
        found = dict(zip(pieces[::2], pieces[1::2], strict=True))
        if found.keys() != _SAMPLES.keys():
            raise ConfigError(f"a prompt has the parts {', '.join(_SAMPLES)}, each below a line `=== NAME`")
        environment = SandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )
        try:
            self._parts: Mapping[str, Template] = {
                name: environment.from_string(part) for name, part in found.items()
            }
            self._used = {
                name: find_undeclared_variables(environment.parse(part)) for name, part in found.items()
            }
        except TemplateError as error:
            raise ConfigError(f"the prompt is not a template: {error}") from None

    def check(self) -> None:
        """Render each part with sample values.

        Raises:
            ConfigError: A part cannot be rendered.
        """
        for part, values in _SAMPLES.items():
            self.render(part, **values)

    def uses(self, part: str, value: str) -> bool:
        """Whether a part uses a value, such as `pages`."""
        return value in self._used[part]

    def render(self, part: str, **values: Any) -> str:
        """The text of a part with these values.

        Raises:
            ConfigError: It uses a value that is missing, or fails.
        """
        try:
            return self._parts[part].render(values).strip()
        except Exception as error:  # an expression in the template may raise anything
            raise ConfigError(f"the prompt, part {part}: {error}") from None


@lru_cache(16)
def prompt_template(text: str = "") -> PromptTemplate:
    """The template with this text; "" stands for the arena's own.

    Raises:
        ConfigError: See `PromptTemplate`.
    """
    return PromptTemplate(text or Path(__file__).with_name("prompt.txt").read_text(encoding="utf-8"))
