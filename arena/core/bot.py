"""A bot: its name, its command, and a fingerprint of its files."""

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, field_validator

from arena.core.config import ConfigError, Document
from arena.core.programs import INTERPRETERS, check_script, resolve, shebang

BOT_NAME = re.compile(r"[\w.+-]{1,32}")
NAMING = "a name has letters, digits and . + - _ alone, at most 32"
MANIFEST = "bot.yaml"
BUILD_FOLDER = "build"  # for the output of a build, which is not part of the fingerprint
NOT_HASHED = {BUILD_FOLDER, "__pycache__"}
MAX_MANIFEST_BYTES = 2**16
MAX_FILES = 10_000  # files and folders of an entry
MAX_DEPTH = 50
MAX_BYTES = 2**30  # of all its files, by their lengths: the holes of a sparse file are hashed, too
COMPILED = (".c", ".cc", ".cpp", ".cs", ".go", ".hs", ".java", ".kt", ".rs", ".zig")


class Manifest(BaseModel):
    """The keys of a `bot.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str | None = None
    author: str | None = None
    games: list[str] | None = None
    build: list[str] | None = None
    run: list[str]

    @field_validator("name")
    @classmethod
    def check_name(cls, value: str | None) -> str | None:
        if value is not None and not BOT_NAME.fullmatch(value):
            raise ValueError(NAMING)
        return value

    @field_validator("run", "build")
    @classmethod
    def check_command(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and value[:1] in ([], [""]):
            raise ValueError("should be a command, as a list of words")
        return value


@dataclass(frozen=True)
class Bot:
    """`command`, with its program resolved, is run in `folder`; `fingerprint` has 16 hex digits.

    `files` are its files, or its whole folder. In a sandbox it sees no others.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    fingerprint: str
    author: str = ""
    games: tuple[str, ...] = ()  # that it says it plays
    build: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def is_bot(path: Path) -> bool:
    """Whether a path is a folder with a bot.yaml, or a program."""
    if path.name.startswith((".", "_")):
        return False
    if path.is_dir():
        return (path / MANIFEST).is_file()
    return path.is_file() and (path.suffix in INTERPRETERS or os.access(path, os.X_OK))


def bot_from_path(name: str | None, path: Path) -> Bot:
    """A bot that is a program file, or a folder with a `bot.yaml`. ConfigError: it is neither."""
    try:
        path = path.resolve()
        folder, file = path.is_dir(), path.is_file()
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from None
    if folder:
        return bot_from_folder(name, path)
    if not file:
        raise ConfigError(f"{path}: no such bot")
    interpreter = INTERPRETERS.get(path.suffix)
    if path.suffix in COMPILED:
        raise ConfigError(f"{path}: has to be compiled; make a folder with a bot.yaml, see bots/README.md")
    if not interpreter and not os.access(path, os.X_OK):
        raise ConfigError(
            f"{path}: not executable, and its suffix names no known language; chmod +x, or use run:"
        )
    check_size([path], path)
    command = shebang(path) or (resolve((interpreter,), path.parent) if interpreter else ())
    command = (*command, str(path))
    check_script(command, path.parent)
    return Bot(name or path.stem, command, path.parent, fingerprint([path], [path.name]), files=(path,))


def bot_from_folder(name: str | None, folder: Path) -> Bot:
    document = Document(folder / MANIFEST, MAX_MANIFEST_BYTES)
    manifest = document.check(Manifest)
    files = files_of(folder)
    try:
        command = resolve(manifest.run, folder, built=bool(manifest.build))
        check_script(command, folder)
    except ConfigError as error:
        raise document.error(("run",), str(error)) from None
    return Bot(
        name or manifest.name or folder.name,
        command,
        folder,
        fingerprint(files, manifest.run, folder),
        manifest.author or "",
        tuple(manifest.games or ()),
        tuple(manifest.build or ()),
        (folder,),
    )


def files_of(folder: Path) -> list[Path]:
    """All files of an entry without the output of its build, sorted. ConfigError: too many or too large."""
    files, seen, depth = [], 0, len(folder.parts)
    for above, folders, names in os.walk(folder):
        if len(Path(above).parts) - depth > MAX_DEPTH:
            raise ConfigError(f"{folder}: has folders that are more than {MAX_DEPTH} deep")
        folders[:] = [name for name in folders if name not in NOT_HASHED]
        seen += len(folders) + len(names)
        if seen > MAX_FILES:
            raise ConfigError(
                f"{folder}: has more than {MAX_FILES} files and folders, outside {BUILD_FOLDER}/"
            )
        files += [path for name in names if name not in NOT_HASHED and (path := Path(above, name)).is_file()]
    check_size(files, folder)
    return sorted(files)


def check_size(files: Iterable[Path], entry: Path) -> None:
    try:
        size = sum(path.lstat().st_size for path in files)
    except OSError as error:
        raise ConfigError(f"{entry}: cannot be read: {error.strerror}") from None
    if size > MAX_BYTES:
        raise ConfigError(f"{entry}: has more than {MAX_BYTES // 2**30} GB of files")


def bot_from_command(name: str, command: Sequence[str], folder: Path) -> Bot:
    """A bot given by `run:` in a plan; its files are those that the command names."""
    files = [folder / word for word in command if (folder / word).is_file()]
    normal = [os.path.normpath(word) if (folder / word) in files else word for word in command[1:]]
    resolved = resolve([command[0], *normal], folder)  # a box has no `missing` in `missing/../bot.py`
    check_script(resolved, folder)
    return Bot(
        name,
        resolved,
        folder,
        fingerprint(files, command),
        files=tuple(Path(os.path.normpath(path)) for path in files),
    )


def fingerprint(files: Sequence[Path], command: Sequence[str], folder: Path | None = None) -> str:
    """A hash of files and command that does not depend on their location."""
    total = sha256("\0".join(command).encode())
    for path in files:
        name = path.relative_to(folder) if folder else Path(path.name)
        try:
            total.update(f"\n{name.as_posix()}\n".encode() + digest(path, follow_links=folder is None))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    return total.hexdigest()[:16]


def digest(path: Path, follow_links: bool) -> bytes:
    """A hash of a file; or of a link itself in an untrusted folder, as its target may be a pipe."""
    if path.is_symlink() and not follow_links:
        return sha256(os.fsencode(path.readlink())).digest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def environment(temporary: str, path: str) -> dict[str, str]:
    """The environment of a bot: the same in every game, and without the user's variables."""
    return {
        "PATH": path,
        "HOME": temporary,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # the same order of sets in every run
    }
