"""A bot as a value: its name, its command, a fingerprint of its files. `arena.programs.reading` reads one."""

import os
import re
import unicodedata
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from arena.config.document import ConfigError
from arena.programs.executables import INTERPRETERS
from arena.referee.conditions import MODEL, REMOTE, TIMED, UNTIMED

if TYPE_CHECKING:
    from arena.models.spec import ModelSpec

MAX_NAME_LENGTH = 32
BOT_NAME = re.compile(rf"[^\W_][\w.+-]{{0,{MAX_NAME_LENGTH - 1}}}")
NAMING = (
    f"a name has only letters, digits and . + - _, at most {MAX_NAME_LENGTH}, "
    "and begins with a letter or a digit"
)


def naming_problem(name: str) -> str:
    """Why a bot cannot have this name, or ""."""
    if len(name) > MAX_NAME_LENGTH:
        return f"a name has at most {MAX_NAME_LENGTH} characters, not {len(name)}"
    return "" if BOT_NAME.fullmatch(name) else NAMING


MANIFEST = "bot.yaml"
HOUSE = "house:"  # begins the name of a house bot, which replaces a path
HUMAN = "human"  # replaces the path of a person
COMPILED = (".c", ".cc", ".cpp", ".cs", ".go", ".hs", ".java", ".kt", ".rs", ".zig")


@dataclass(frozen=True)
class Support:
    """The support that a bot declares for a game: numbers of `seats`, and values of `options`.

    If `seats` is empty, it supports every number of seats; of an unnamed option, every value.
    """

    seats: tuple[int, ...] = ()
    options: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Bot:
    """A program that plays; it sees its files, those shared with it, the system, and `installed` programs.

    A person, a language model or a remote bot is also a `Bot`, without a process on this machine.
    """

    name: str
    command: tuple[str, ...]  # its program is a resolved path
    folder: Path  # in which it runs
    fingerprint: str  # 16 hex digits; a word such as `TIMED` for a bot without a process
    author: str = ""
    games: Mapping[str, Support] = field(default_factory=dict, hash=False)  # declared by the bot
    build: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # () for its whole folder; shared files follow
    broken: str = ""  # why it is not started and loses its games
    installed: tuple[Path, ...] = ()  # permitted programs, with their installations
    version: str = ""  # for people: the fingerprint identifies the version
    model: "ModelSpec | None" = None  # replaces the program

    @property
    def title(self) -> str:
        """Its name, with its version and its author if it has them."""
        return f"{self.name}{self.version and ' ' + self.version}{self.author and ' by ' + self.author}"

    @property
    def is_person(self) -> bool:
        return self.fingerprint in (TIMED, UNTIMED)

    @property
    def is_model(self) -> bool:
        """Whether a language model answers for it, by an API."""
        return self.fingerprint.startswith(MODEL)

    @property
    def is_remote(self) -> bool:
        """Whether it plays from its own machine, by `arena connect`."""
        return self.fingerprint == REMOTE


class BotError(ConfigError):
    """Bots that cannot be built or started: the reasons by name. `said` is the output of builds, or ""."""

    def __init__(
        self,
        bots: Mapping[str, Bot],
        unbuilt: Mapping[str, str],
        unstarted: Mapping[str, str],
        said: str = "",
    ):
        commands = {name: " ".join(bots[name].command) for name in unstarted}
        super().__init__(
            *(f"{bots[name].folder}: build failed: {why}" for name, why in unbuilt.items()),
            *(f"bot {name}: {why} ({commands[name]})" for name, why in unstarted.items()),
        )
        self.unbuilt, self.unstarted, self.said = unbuilt, unstarted, said


def to_bot_name(text: str) -> str:
    """A legal bot name, as near as possible to `text`."""
    return re.sub(r"[^\w.+-]", "-", text).lstrip("._+-")[:MAX_NAME_LENGTH] or "bot"


def distinct_name(wanted: str, taken: Container[str]) -> str:
    """A legal bot name like `wanted` but not among `taken`: a second `bot` is `bot-2`."""
    wanted = to_bot_name(wanted)
    endings = chain([""], (f"-{number}" for number in count(2)))
    names = (wanted[: MAX_NAME_LENGTH - len(ending)] + ending for ending in endings)
    return next(each for each in names if each not in taken)


def own_name(path: Path) -> str:
    """The name of the folder of an entry, or of its file without the suffix."""
    path = Path(os.path.abspath(path))
    name = path.name if path.is_dir() else path.stem
    return unicodedata.normalize("NFC", name)  # macOS may write an accent as a separate character


def is_bot(path: Path) -> bool:
    """Whether a path is a folder with a bot.yaml, or a program; `why_no_bot` has the exact conditions."""
    return not why_no_bot(path)


def why_no_bot(path: Path) -> str:
    """The reason why a path is not a bot, often with advice; "" if it is one, perhaps a broken one."""
    name = path.name
    if name.startswith((".", "_", HOUSE)):
        return f"its name begins with {HOUSE if name.startswith(HOUSE) else name[0]}"
    if path.is_dir():
        return "" if (path / MANIFEST).is_file() else f"a folder without {MANIFEST}"
    if not path.is_file():
        return "not a file" if path.exists() else "no such file"
    if path.suffix in INTERPRETERS or os.access(path, os.X_OK):
        return ""
    if name == MANIFEST:
        return "the bot is its folder"
    if path.suffix in COMPILED:
        return f"has to be compiled; make a folder with a {MANIFEST}"
    unknown = f", and {path.suffix} is not a known language" if path.suffix else ""
    return f"not executable{unknown}; chmod +x if it is a bot"


def remote_bot(name: str, author: str = "") -> Bot:
    """A bot that plays from its own machine, without files or a process here."""
    return Bot(name, (REMOTE,), Path.cwd(), REMOTE, author)
