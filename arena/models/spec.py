"""The specification of a language model in a plan, with its fingerprint, prompt and greatest cost."""

import json
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from arena.config.document import ConfigError
from arena.models.calls import Messages
from arena.referee.conditions import MODEL

if TYPE_CHECKING:
    from arena.models.template import PromptTemplate

__all__ = ("ModelSpec", "Price", "is_model")

_PATH = "/chat/completions"
_PER_MESSAGE = 16  # tokens around a message, at most

_KEY_SUFFIX = "_API_KEY"  # of the variable: a stranger's plan must not send other secrets away


def is_model(fingerprint: str) -> bool:
    """Whether this is the fingerprint of a language model."""
    return fingerprint.startswith(MODEL)


@dataclass(frozen=True)
class Price:
    """The cost of a million tokens, in any currency; `cached` tokens are of prompts that the server knew."""

    input: float
    output: float
    cached: float | None = None  # None: as `input`

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """The cost of a call with these tokens; `cached` are part of `tokens_in`."""
        known = self.input if self.cached is None else self.cached
        return ((tokens_in - cached) * self.input + cached * known + tokens_out * self.output) / 1e6


@dataclass(frozen=True)
class ModelSpec:
    """A language model as a player. It travels to workers, and never contains the key."""

    model: str  # the server's name for it
    at: str  # the address that is followed by /chat/completions
    key_env: str = ""  # the variable with the key; "": the server needs none
    options: Literal["shown", "hidden"] = "shown"
    temperature: float | None = None  # None: the server's default
    max_tokens: int = 1000  # of one reply, thoughts included
    patience_s: float = 600.0  # how long a game waits for a failing server
    price: Price | None = None  # None: its calls count as free
    template: str = ""  # the text of the prompt; "": the arena's own
    parameters: str = "{}"  # a JSON object: further parameters of each request
    context: int = 16_000  # tokens, about: a longer conversation restarts
    rules: Literal["whole", "moment"] = "whole"  # at the start, or each section before its first ask

    @property
    def more_parameters(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.parameters)
        return read

    @property
    def fingerprint(self) -> str:
        """16 characters: a hash of the settings that decide how it plays. The price does not count."""
        asked = (self.model, self.at, self.temperature, self.max_tokens, self.parameters)
        told = (self.options, self.template, self.context, self.rules)
        digest = sha256(json.dumps([*asked, *told]).encode()).hexdigest()
        return (MODEL + digest)[:16]

    @property
    def host(self) -> str:
        """The host that receives the key, with its port if the address has one."""
        return urlsplit(self.at).netloc

    @property
    def path(self) -> str:
        """The path of its requests at the server."""
        return urlsplit(self.at).path.rstrip("/") + _PATH

    @property
    def prompt(self) -> "PromptTemplate":
        """The template of its prompt.

        Raises:
            ConfigError: The `template` is not one.
        """
        from arena.models.template import prompt_template  # Jinja is slow to import.

        return prompt_template(self.template)

    @staticmethod
    def check(at: str, key_env: str | None) -> None:
        """Check the address of a server and the name of the variable for its key, if there is one.

        Raises:
            ConfigError: One of them is wrong; the message begins with its key in the plan.
        """
        if problem := address_problem(at):
            raise ConfigError(f"at: {at} {problem}")
        if key_env is not None and (problem := key_problem(key_env)):
            raise ConfigError(f"key_env: {key_env} {problem}")

    def content_key(self, messages: Messages) -> str:
        """SHA-256, in hex, of path, model, messages and parameters: the `key` of a call's `CallId`."""
        # The schema is left out, because only a request shows whether the server accepts one. It follows from
        # the options, which the messages contain if the model is told them.
        parts = (self.path, self.model, messages, self.temperature, self.max_tokens, self.more_parameters)
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def max_cost(self, messages: Messages, counted: int = 0) -> float:
        """The greatest cost of a call with these messages, behind others of `counted` tokens.

        No token is shorter than a byte, so each byte may be a token.
        """
        if not self.price:
            return 0.0
        tokens = sum(len(text.encode(errors="replace")) + _PER_MESSAGE for _, text in messages)
        return self.price.cost(counted + tokens, self.max_tokens)


def address_problem(at: str) -> str:
    """What is wrong with the address of a server, and what would be right; "" if nothing is wrong."""
    try:
        parts = urlsplit(at)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        return f"is not an address: {error}"
    if parts.scheme not in ("http", "https") or not host:
        return "is not an address such as https://api.example.com/v1"
    if parts.username is not None or parts.password is not None:
        return "has a user or a password; the key belongs in a variable, which key_env names"
    if parts.query or parts.fragment:
        return "has a ? or a #; it should end with the path, such as /v1"
    if not at.isascii() or not at.isprintable() or " " in at:
        return "has a space, a control character or one that is not ASCII"
    if parts.scheme == "http" and not is_loopback(host):
        return "is not encrypted: only a server on this machine (127.0.0.1, localhost) may have http"
    return ""


def key_problem(name: str) -> str:
    """What is wrong with the name of the variable for the key; "" if nothing is wrong."""
    if name.endswith(_KEY_SUFFIX) and name.isascii() and name.isidentifier():
        return ""
    return f"is not the name of a key: it should end with {_KEY_SUFFIX}, such as OPENAI{_KEY_SUFFIX}"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or its address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
