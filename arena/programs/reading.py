"""Reads bots: `read_bot` makes a `Bot` of a program, of a folder with a `bot.yaml`, or of `house:NAME`.

A bot may be a stranger's, so reading starts none of its programs. It takes three steps: the bot.yaml
(`Manifest`), the files and their hash (`files`), the command and the permitted installed programs
(`executables`).
"""

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from arena.config.document import ConfigError, Document
from arena.config.text import SURROGATE, one_line
from arena.programs.bot import COMPILED, HOUSE, MANIFEST, Bot, Support, naming_problem, own_name
from arena.programs.executables import (
    INTERPRETERS,
    command_of_entry,
    command_of_plan,
    command_of_program,
    is_in,
    real,
)
from arena.programs.files import Shared, chosen, files_of, fingerprint, with_shared
from arena.programs.house import find_house_bot

_MAX_MANIFEST_BYTES = 2**16

Trust = Sequence[Shared] | None
"""The files and folders that a bot may read besides its own. None: they are not checked."""


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GameKeys(_Keys):
    """The support that the bot declares for a game."""

    seats: int | list[int] | None = None
    options: dict[str, Any] = {}

    @field_validator("seats", mode="before")
    @classmethod
    def check_seats(cls, value: object) -> object:
        if value == []:
            raise ValueError("should be a number of seats, or several")
        return value


class Manifest(_Keys):
    """The keys of a `bot.yaml`."""

    name: str | None = None
    author: str | None = None
    version: str | None = None
    games: list[str] | dict[str, GameKeys | None] | None = None
    build: list[str] | None = None
    run: list[str]
    files: list[str] | None = None

    @field_validator("run", "build")
    @classmethod
    def check_command(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and value[:1] in ([], [""]):
            raise ValueError("should be a command, as a list of words")
        return value


def read_bot(path: Path, trust: Trust = (), name: str | None = None, arguments: Sequence[str] = ()) -> Bot:
    """Read a bot.

    Args:
        path: A program, a folder with a `bot.yaml`, or `house:NAME`.
        trust: A bot.yaml may choose some of these files (`files:`), but no others and no programs elsewhere.
            House bots read none.
        name: The name of the bot; if None, the bot.yaml, the file or the folder names it.
        arguments: Words to add to the command.

    Raises:
        ConfigError: It is not a bot, or has errors.
    """
    if str(path).startswith(HOUSE):
        own, path, role = find_house_bot(path)
        trust, name, arguments = (), name or own, (*role, *arguments)
    bot = _read(path, trust, name)
    return _with_arguments(bot, arguments) if arguments else bot


def _read(path: Path, trust: Trust, name: str | None) -> Bot:
    path = Path(os.path.realpath(path))  # links in a circle raise no error
    try:
        folder, file = path.is_dir(), path.is_file()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if path.is_symlink():  # otherwise it would have been resolved
        raise ConfigError(f"{path}: cannot be read: {os.strerror(errno.ELOOP)}")
    if SURROGATE.search(str(path)):  # records and pages could not store or show it
        raise ConfigError(f"{path}: the name of a file or folder of it is not in UTF-8")
    if folder:
        return _read_folder(path, trust, name)
    if not file:
        raise ConfigError(f"{path}: {'is not a file or folder' if path.exists() else 'no such bot'}")
    return _read_program(path, trust, name)


def _read_program(path: Path, trust: Trust, name: str | None) -> Bot:
    if path.suffix in COMPILED:
        raise ConfigError(f"{path}: has to be compiled; make a folder with a bot.yaml, see bots/README.md")
    if path.suffix not in INTERPRETERS and not os.access(path, os.X_OK):
        why = "not executable, and its suffix is not a known language; chmod +x, or use run:"
        raise ConfigError(f"{path}: {why}")
    bot = Bot(name or own_name(path), (), path.parent, fingerprint([path], [path.name]), files=(path,))
    bot = with_shared(bot, trust)
    command, installed = command_of_program(path, None if trust is None else bot.files)
    return replace(bot, command=command, installed=installed)


def _read_folder(folder: Path, trust: Trust, name: str | None) -> Bot:
    document, manifest = read_manifest(folder)
    games = _supports(manifest)
    if manifest.name is not None and (problem := naming_problem(manifest.name)):
        raise document.error(("name",), problem)
    bot = Bot(
        name or manifest.name or own_name(folder),
        (),
        folder,
        fingerprint(files_of(folder, bool(manifest.build)), manifest.run, folder),
        manifest.author or "",
        games,
        tuple(manifest.build or ()),
        (folder,),
        version=manifest.version or "",
    )
    if manifest.files is not None and trust is not None:
        try:
            trust = [each for wanted in manifest.files for each in chosen(wanted, folder, trust)]
        except ConfigError as error:
            raise document.error(("files",), str(error)) from None
    bot = with_shared(bot, trust)
    try:
        own = None if trust is None else bot.files
        command, installed = command_of_entry(manifest.run, folder, own, bool(manifest.build))
    except ConfigError as error:
        raise document.error(("run",), str(error)) from None
    return replace(bot, command=command, installed=installed)


def read_manifest(folder: Path) -> tuple[Document, Manifest]:
    """The bot.yaml of a folder, and its keys.

    Raises:
        ConfigError: It cannot be read, leads out of the folder, or has errors.
    """
    path = folder / MANIFEST
    if path.is_file() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ConfigError(f"{path}: is a link to a file outside the folder of the bot")
    document = Document(path, _MAX_MANIFEST_BYTES, regular=True)
    if "model" in document.data:
        raise document.error(("model",), "an entry cannot name a language model; only the bots: of a plan do")
    return document, document.check(Manifest)


def _supports(manifest: Manifest) -> dict[str, Support]:
    """The support that a bot declares, by game."""

    def several(value: object) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, list) else (value,)

    games = manifest.games if isinstance(manifest.games, dict) else dict.fromkeys(manifest.games or ())
    found = {}
    for name, keys in games.items():
        seats = () if keys is None or keys.seats is None else several(keys.seats)
        options = keys.options if keys else {}
        found[name] = Support(seats, {option: several(value) for option, value in options.items()})
    return found


def bot_from_command(name: str, command: Sequence[str], folder: Path, trust: Trust = None) -> Bot:
    """A bot given by `run:` in a YAML file in `folder`; the command names its files.

    If `trust` is None, the file is the plan, which is trusted. Otherwise the file is among the entries: like
    a bot.yaml, it may name only programs and files of its `folder`, of `trust`, and installed programs.

    Raises:
        ConfigError: It names other files, or the program is missing.
    """
    below = Path("/") if trust is None else folder
    files = [path for word in command if (path := folder / word).is_file() and is_in(real(path), [below])]
    made = fingerprint(files, command)
    own = None if trust is None else [folder, *(each.path for each in trust)]
    words, installed = command_of_plan(command, folder, files, own)
    own_files = tuple(Path(os.path.normpath(path)) for path in files)
    return Bot(name, words, folder, made, files=own_files, installed=installed)


def _with_arguments(bot: Bot, arguments: Sequence[str]) -> Bot:
    """The bot with arguments added to its command, which change its fingerprint."""
    made = sha256("\0".join([bot.fingerprint, *arguments]).encode()).hexdigest()[:16]
    return replace(bot, fingerprint=made, command=(*bot.command, *arguments))


def broken_bot(name: str | None, path: Path, why: str) -> Bot:
    """A bot for an unusable entry, with the reason `why`. If `name` is None, it has its own name.

    Its fingerprint changes with its files; it is all zeros if they cannot be read.
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
