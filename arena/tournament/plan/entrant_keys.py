"""The keys of a plan that name the bots: by name, as a list of paths and globs, or in included files."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag
from pydantic.config import JsonDict

from arena.config.values import KEYS, Switch, Text
from arena.tournament.plan.models import ModelKeys

_KINDS = {dict: "by name", list: "a list", str: "a folder"}  # These tags cannot be names of bots.


_ONE_OF: JsonDict = {"oneOf": [{"required": [key]} for key in ("run", "path", "remote")]}


@dataclass(frozen=True, kw_only=True)
class BotKeys:
    """A bot given by the command that starts it, or by its path; or one that plays from its own machine."""

    __pydantic_config__ = KEYS | {"json_schema_extra": _ONE_OF}

    run: Annotated[list[Text], Field(min_length=1)] | None = None
    """The command and its arguments."""
    path: Text | None = None
    """Instead of a command: a program, or a folder with a bot.yaml."""
    remote: Switch = False
    """Instead of a command: whether it plays from its own machine."""
    author: Text | None = None
    """Its author, instead of the one in its bot.yaml; `teams: apart` uses it."""
    files: list[Text] = field(default_factory=list)
    """Files and folders that it may read, besides the files in the command."""


def _kind_of(given: object) -> str:
    return "a model" if isinstance(given, dict) and "model" in given else "a program"


Player = Annotated[
    Annotated[BotKeys, Tag("a program")] | Annotated[ModelKeys, Tag("a model")], Discriminator(_kind_of)
]
Named = dict[Text, Text | Player]


Bots = Annotated[
    Annotated[Named, Tag("by name")]
    | Annotated[list[Text | Named], Tag("a list")]
    | Annotated[Text, Tag("a folder")],
    Discriminator(
        lambda given: _KINDS.get(type(given)),
        custom_error_type="bots",
        custom_error_message="should be names with programs, or a list of programs and folders",
    ),
]


@dataclass(frozen=True, kw_only=True)
class EntrantKeys:
    """The keys of a plan that name the bots."""

    __pydantic_config__ = KEYS

    bots: Bots = field(default_factory=dict)
    """Names with programs, or a list of programs, globs and names with programs; for a ladder, a folder.

    A program is a file, a folder with a bot.yaml, or a house bot (`house:NAME`). By name it may also be
    {run: [any, command]}, {remote: true} for a bot that plays from its own machine, or {model: NAME, at: URL}
    for a language model. "!entries/old*" in a list excludes bots from its globs. Paths are relative to this
    file.
    """
    name_from: Literal["bot.yaml", "folder"] = "bot.yaml"
    """The source of names that `bots` does not give: bot.yaml, if it has a name, or the folder or file."""
    include: Text | list[Text] = field(default_factory=list)
    """A YAML file, or several, with more `bots:`; the paths in a file are relative to it."""
    files: list[Text] = field(default_factory=list)
    """Files and folders that all bots may read, such as adapters and data; paths as in `bots`."""


@dataclass(frozen=True, kw_only=True)
class IncludedKeys:
    """The keys of a file that a plan includes."""

    __pydantic_config__ = KEYS

    bots: Bots
    """As in a plan."""


Item = tuple[tuple[Any, ...], str | None, str | BotKeys | ModelKeys]
"""The path of a key in a document, the name of a bot or None, and the value of the key for its program.

Without a name the value is a path, a glob, or a pattern to exclude, which begins with `!`.
"""


def items_of(bots: Bots) -> Iterator[Item]:
    """The items of a key `bots`, in order; none if it is a folder."""
    if isinstance(bots, dict):
        yield from ((("bots", name), name, program) for name, program in bots.items())
    for number, item in enumerate(bots if isinstance(bots, list) else ()):
        if isinstance(item, str):
            yield ("bots", number), None, item
        else:
            yield from ((("bots", number, name), name, program) for name, program in item.items())


def paths_of(items: Iterable[Item]) -> list[str]:
    """The paths and globs of bots, without those to exclude."""
    programs = [each.path if isinstance(each, BotKeys) else each for _, _, each in items]
    return [each for each in programs if isinstance(each, str) and each and not each.startswith("!")]
