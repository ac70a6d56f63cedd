"""A bot: its name, its command, and a fingerprint of its files."""

import errno
import os
import re
import unicodedata
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.config.document import ConfigError, Document
from arena.config.text import SURROGATE, one_line
from arena.programs.executables import INTERPRETERS, check_script, resolve, shebang
from arena.programs.files import Shared, chosen, files_of, fingerprint
from arena.programs.installation import (
    granted,
    granted_by_shebang,
    in_real_folder,
    installation,
    is_in,
    real,
    with_interpreter,
)
from arena.referee.conditions import MODEL, REMOTE, TIMED, UNTIMED

if TYPE_CHECKING:
    from arena.models.spec import ModelSpec
    from arena.programs.manifest import GameKeys, Manifest

MAX_NAME_LENGTH = 32
BOT_NAME = re.compile(rf"[^\W_][\w.+-]{{0,{MAX_NAME_LENGTH - 1}}}")
NAMING = (
    f"a name has letters, digits and . + - _ alone, at most {MAX_NAME_LENGTH}, "
    "and begins with a letter or a digit"
)


def naming_problem(name: str) -> str:
    """Why a bot cannot have this name, or ""."""
    if len(name) > MAX_NAME_LENGTH:
        return f"a name has at most {MAX_NAME_LENGTH} characters, not {len(name)}"
    return "" if BOT_NAME.fullmatch(name) else NAMING


MANIFEST = "bot.yaml"
_MAX_MANIFEST_BYTES = 2**16
HOUSE = "house:"  # begins the name of a house bot, in place of a path
HUMAN = "human"  # stands for a person in place of a path
_COMPILED = (".c", ".cc", ".cpp", ".cs", ".go", ".hs", ".java", ".kt", ".rs", ".zig")


@dataclass(frozen=True)
class Support:
    """What a bot says that it supports of a game: numbers of `seats`, and the values of `options`.

    If `seats` is empty, it supports every number of seats; of an option that is not named, every value.
    """

    seats: tuple[int, ...] = ()
    options: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


def _support_of(keys: "GameKeys | None") -> Support:
    if keys is None:
        return Support()

    def several(value: object) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, list) else (value,)

    seats = () if keys.seats is None else several(keys.seats)
    return Support(seats, {name: several(value) for name, value in keys.options.items()})


@dataclass(frozen=True)
class Bot:
    """A program that plays; it sees its files, those shared with it, the system, and `installed` programs.

    Or a person, a language model or a remote bot, which play without a process of this machine.
    """

    name: str
    command: tuple[str, ...]  # with its program resolved
    folder: Path  # in which it runs
    fingerprint: str  # 16 hex digits; of a bot without a process a word, such as `TIMED`
    author: str = ""
    games: Mapping[str, Support] = field(default_factory=dict, hash=False)  # that it says it plays
    build: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # or its whole folder; and then shared files
    broken: str = ""  # why it cannot play: it is not started, and loses its games
    installed: tuple[Path, ...] = ()  # programs that the organiser lets it use, with their installations
    version: str = ""  # for people: the fingerprint says which version has played
    model: "ModelSpec | None" = None  # a language model, in place of a program

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
    """Bots that cannot be built or started: the reasons by name. `said`: the output of builds, or ""."""

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
    """A name that a bot may have, as near as possible to `text`."""
    return re.sub(r"[^\w.+-]", "-", text).lstrip("._+-")[:MAX_NAME_LENGTH] or "bot"


def distinct_name(wanted: str, taken: Container[str]) -> str:
    """A name that a bot may have, like `wanted` but not among `taken`: a second `bot` is `bot-2`."""
    wanted = to_bot_name(wanted)
    endings = chain([""], (f"-{number}" for number in count(2)))
    names = (wanted[: MAX_NAME_LENGTH - len(ending)] + ending for ending in endings)
    return next(each for each in names if each not in taken)


def own_name(path: Path) -> str:
    """The name of the folder of an entry, or of its file without the suffix."""
    path = Path(os.path.abspath(path))
    name = path.name if path.is_dir() else path.stem
    return unicodedata.normalize("NFC", name)  # macOS may write an accent as a character of its own


def is_bot(path: Path) -> bool:
    """Whether a path is a folder with a bot.yaml, or a program; `why_no_bot` has the exact conditions."""
    return not why_no_bot(path)


def why_no_bot(path: Path) -> str:
    """Why a path is no bot, often with advice; "" if it is a bot, perhaps a broken one."""
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
    if path.suffix in _COMPILED:
        return f"has to be compiled; make a folder with a {MANIFEST}"
    unknown = f", and {path.suffix} is no known language" if path.suffix else ""
    return f"not executable{unknown}; chmod +x if it is a bot"


def broken_bot(name: str | None, path: Path, why: str) -> Bot:
    """A bot for an entry that cannot be used, because of `why`. If `name` is None, it has its own name.

    Its fingerprint changes with its files, or is all zeros if these cannot be read.
    """
    path = path.resolve() if path.exists() else path
    try:
        is_folder = path.is_dir()
        files = files_of(path, builds=True) if is_folder else [path]  # its bot.yaml may be unreadable
        made = fingerprint(files, [], path) if is_folder else fingerprint(files, [path.name])
    except ConfigError:
        made = "0" * 16
    name = name or own_name(path)
    why = one_line(why.replace(f"{path.parent}/", ""))  # the place differs between machines
    return Bot(name, (str(path),), path if path.is_dir() else path.parent, made, files=(path,), broken=why)


def bot_from_path(name: str | None, path: Path, shared: Sequence[Shared] | None = ()) -> Bot:
    """A bot that is a program file, or a folder with a `bot.yaml`. ConfigError: it is neither, or has errors.

    If `name` is None, it is that of the bot.yaml, or of the file or folder. The bot may read the `shared`
    files. A bot.yaml may choose some of them (`files:`), and cannot name any others, nor programs elsewhere.
    If `shared` is None, it is not checked what files and programs the bot.yaml names.
    """
    path = real(path)
    try:
        folder, file = path.is_dir(), path.is_file()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if path.is_symlink():  # else it would have been resolved
        raise ConfigError(f"{path}: cannot be read: {os.strerror(errno.ELOOP)}")
    if SURROGATE.search(str(path)):  # it could be neither stored nor shown
        raise ConfigError(f"{path}: the name of a file or folder of it is not in UTF-8")
    if folder:
        return _bot_from_folder(name, path, shared)
    if not file:
        raise ConfigError(f"{path}: {'is not a file or folder' if path.exists() else 'no such bot'}")
    interpreter = INTERPRETERS.get(path.suffix)
    if path.suffix in _COMPILED:
        raise ConfigError(f"{path}: has to be compiled; make a folder with a bot.yaml, see bots/README.md")
    if not interpreter and not os.access(path, os.X_OK):
        why = "not executable, and its suffix names no known language; chmod +x, or use run:"
        raise ConfigError(f"{path}: {why}")
    made = fingerprint([path], [path.name])
    own = [path, *(each.path for each in shared or ())]
    command = shebang(path)
    installed = () if shared is None else granted_by_shebang(path, own)
    if interpreter and not command:
        command = resolve((interpreter,), path.parent)
        installed = with_interpreter(Path(command[0]))
    command = (*command, str(path))
    check_script(command, path.parent, path)
    bot = Bot(name or own_name(path), command, path.parent, made, files=(path,), installed=installed)
    return with_shared(bot, shared)


def with_shared(bot: Bot, shared: Sequence[Shared] | None) -> Bot:
    """The bot with more files that it may read, which count into its fingerprint; unchanged without any."""
    if not shared:
        return bot
    made = sha256(" ".join([bot.fingerprint, *(each.made for each in shared)]).encode()).hexdigest()[:16]
    return replace(bot, fingerprint=made, files=(*bot.files, *(each.path for each in shared)))


def with_arguments(bot: Bot, arguments: Sequence[str]) -> Bot:
    """The bot with arguments added to its command, and so with another fingerprint."""
    if not arguments:
        return bot
    made = sha256("\0".join([bot.fingerprint, *arguments]).encode()).hexdigest()[:16]
    return replace(bot, fingerprint=made, command=(*bot.command, *arguments))


def _bot_from_folder(name: str | None, folder: Path, shared: Sequence[Shared] | None) -> Bot:
    if (folder / MANIFEST).is_file() and not is_in(real(folder / MANIFEST), [folder]):
        raise ConfigError(f"{folder / MANIFEST}: is a link to a file outside the folder of the bot")
    document = Document(folder / MANIFEST, _MAX_MANIFEST_BYTES, regular=True)
    if "model" in document.data:
        raise document.error(("model",), "an entry cannot name a language model; only the bots: of a plan do")
    from arena.programs.manifest import Manifest  # imports pydantic, which workers do without

    manifest = document.check(Manifest)
    if manifest.name is not None and (problem := naming_problem(manifest.name)):
        raise document.error(("name",), problem)
    files = files_of(folder, bool(manifest.build))
    if manifest.files is not None and shared is not None:
        try:
            shared = [each for name in manifest.files for each in chosen(name, folder, shared)]
        except ConfigError as error:
            raise document.error(("files",), str(error)) from None
    try:
        command, installed = _command_of_entry(manifest, folder, shared)
    except ConfigError as error:
        raise document.error(("run",), str(error)) from None
    games = manifest.games if isinstance(manifest.games, dict) else dict.fromkeys(manifest.games or ())
    bot = Bot(
        name or manifest.name or own_name(folder),
        command,
        folder,
        fingerprint(files, manifest.run, folder),
        manifest.author or "",
        {name: _support_of(keys) for name, keys in games.items()},
        tuple(manifest.build or ()),
        (folder,),
        installed=installed,
        version=manifest.version or "",
    )
    return with_shared(bot, shared)


def _command_of_entry(
    manifest: "Manifest", folder: Path, shared: Sequence[Shared] | None
) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """The command, with its program resolved, and the installed programs that it may use.

    If `shared` is None, it is not checked, and the installed programs are left out.
    """
    if shared is None:
        return resolve(manifest.run, folder, built=True), ()
    own = [folder, *(each.path for each in shared)]
    installed = granted(manifest.run, folder, own)
    program, *words = resolve(manifest.run, folder, built=bool(manifest.build))
    place = in_real_folder(Path(program))
    if is_in(place, own):  # a box has no link that leads to a shared folder
        program = str(place)
    command = (program, *words)
    check_script(command, folder, folder)
    return command, installed


def bot_from_command(
    name: str, command: Sequence[str], folder: Path, shared: Sequence[Shared] | None = None
) -> Bot:
    """A bot given by `run:` in a YAML file in `folder`; its files are those that the command names.

    If `shared` is None, the file is the plan, which is trusted. Otherwise it is a file among the entries:
    like a bot.yaml, it may name only programs and files of its `folder`, the `shared` ones (perhaps none),
    and installed programs. ConfigError: it names others, or the program is missing.
    """
    below = Path("/") if shared is None else folder
    files = [path for word in command if (path := folder / word).is_file() and is_in(real(path), [below])]
    normal = [os.path.normpath(word) if (folder / word) in files else word for word in command[1:]]
    resolved = resolve([command[0], *normal], folder)  # a box has no `missing` in `missing/../bot.py`
    own = tuple(Path(os.path.normpath(path)) for path in files)
    if shared is None:
        # Not a file that lies alone, or with the plan: such a one is a file of the bot.
        found = with_interpreter(Path(resolved[0]))
        installed = tuple(path for path in found if path not in own or installation(path, [folder]) != path)
    else:
        installed = granted(command, folder, [folder, *(each.path for each in shared)])
    check_script(resolved, folder, below)
    return Bot(name, resolved, folder, fingerprint(files, command), files=own, installed=installed)


def remote_bot(name: str, author: str = "") -> Bot:
    """A bot that plays from its own machine: it has no files here, and starts no process here."""
    return Bot(name, (REMOTE,), Path.cwd(), REMOTE, author)


def environment(temporary: str, path: str) -> dict[str, str]:
    """All environment variables of a bot. None is the user's, unless the caller gives the user's $PATH.

    `temporary` is its home and temporary folder, `path` its $PATH.
    """
    same = {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}  # the second: the same order of sets in every run
    return {"PATH": path, "HOME": temporary, "TMPDIR": temporary, **same}
