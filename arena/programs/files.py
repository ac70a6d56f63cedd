"""The files of bots: their limits, their hash, and files that several bots share."""

import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePath
from typing import NamedTuple

from arena.config.document import ConfigError, MachineError, open_regular
from arena.programs.bot import Bot

BUILD_FOLDER = "build"  # at the top of a bot, for the output of its build
# Python and Numba make these, with their temporary files.
_COMPILED = re.compile(r".*\.(pyc(\.\d+)?|nb[ci](\.tmp\.\w+)?)")
_NAMES = "surrogateescape"  # a file name may have any bytes
_MAX_FILES = 10_000  # files and folders of an entry
_MAX_DEPTH = 50
_MAX_BYTES = 2**30  # of all its files, by length: the holes of a sparse file are hashed as well


def belongs(path: PurePath, builds: bool) -> bool:
    """Whether a path, relative to a bot's folder, belongs to the bot, and is not made on each machine.

    If the bot `builds`, everything in `build` at the top of its folder is made, and so is the code that
    Python and Numba compile into folders `__pycache__`. All other files belong, whatever their names:
    fingerprints, copies, and contest entries include them.
    """
    if builds and path.parts[:1] == (BUILD_FOLDER,):
        return False
    return not (path.parent.name == "__pycache__" and _COMPILED.fullmatch(path.name))


def copy_folder(folder: Path, to: Path, builds: bool) -> None:
    """Copy the files and links of a bot (`belongs`) from its folder to `to`, a new folder."""

    def ignored(above: str, names: Iterable[str]) -> set[str]:
        paths = [Path(above, name) for name in names]
        return {
            path.name
            for path in paths
            if not (belongs(path.relative_to(folder), builds) and (path.is_dir() or _is_hashed(path)))
        }

    shutil.copytree(folder, to, symlinks=True, ignore=ignored)


def files_of(folder: Path, builds: bool) -> list[Path]:
    """The files of a bot (`belongs`), or of a shared folder, which never `builds`; sorted.

    Links are among them, even links to folders, which are not followed.

    Raises:
        ConfigError: The files are too many, or nested too deeply.
    """
    files, seen, depth = [], 0, len(folder.parts)
    for above, folders, names in os.walk(folder):
        inside = Path(above).relative_to(folder)
        if len(Path(above).parts) - depth > _MAX_DEPTH:
            raise ConfigError(f"{folder}: has folders that are more than {_MAX_DEPTH} deep")
        folders[:], names = (
            [name for name in each if belongs(inside / name, builds)] for each in (folders, names)
        )
        seen += len(folders) + len(names)
        if seen > _MAX_FILES:
            outside = f", outside {BUILD_FOLDER}/" if builds else ""
            raise ConfigError(f"{folder}: has more than {_MAX_FILES} files and folders{outside}")
        links = [name for name in folders if os.path.islink(os.path.join(above, name))]  # to folders
        files += [path for name in (*names, *links) if _is_hashed(path := Path(above, name))]
    return sorted(files)


def _is_hashed(path: Path) -> bool:
    """Whether a path is a regular file or a link, wherever that leads: pipes and devices are not hashed."""
    try:
        mode = path.lstat().st_mode
    except OSError:  # it was removed meanwhile
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def fingerprint(files: Sequence[Path], command: Sequence[str], folder: Path | None = None) -> str:
    """A hash, 16 hex digits, of a command and of the names and contents of files.

    With `folder`, the names are relative to it, and a link is hashed by the path of its target. Without it,
    the names have no folders, and links are followed.

    Raises:
        ConfigError: The files are too large, or unreadable.
    """
    follow_links, entry = folder is None, folder or Path(*files[:1])
    try:
        size = sum(path.stat(follow_symlinks=follow_links).st_size for path in files)
    except OSError as error:
        raise ConfigError(f"{entry}: cannot be read: {error.strerror}") from None
    if size > _MAX_BYTES:
        raise ConfigError(f"{entry}: has more than {_MAX_BYTES // 2**30} GB of files")
    total = sha256("\0".join(command).encode(errors=_NAMES))
    for path in files:
        name = path.relative_to(folder) if folder else Path(path.name)
        try:
            total.update(f"\n{name.as_posix()}\n".encode(errors=_NAMES) + _digest(path, follow_links))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    return total.hexdigest()[:16]


def _digest(path: Path, follow_links: bool) -> bytes:
    """A hash of a file's content; without `follow_links`, a link is hashed by the path of its target."""
    if path.is_symlink() and not follow_links:  # in an untrusted folder the target may be any file
        return sha256(os.fsencode(path.readlink())).digest()
    with open_regular(path, follow_links) as file:
        return hashlib.file_digest(file, "sha256").digest()


class Shared(NamedTuple):
    """A file or folder that several bots may read, and its hash, which is part of their fingerprints."""

    path: Path
    made: str


def share(path: Path) -> Shared:
    """A file or folder for several bots, with its hash.

    Raises:
        ConfigError: It does not exist, or cannot be read.
    """
    try:
        path = Path(os.path.realpath(path, strict=True))
        if path.is_dir():
            return Shared(path, fingerprint(files_of(path, builds=False), [path.name], path))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    return Shared(path, fingerprint([path], [path.name]))


def chosen(wanted: str, folder: Path, shared: Sequence[Shared]) -> list[Shared]:
    """The shared file or folder that an item of `files:` in a bot.yaml names; [] if it is the bot's own.

    Raises:
        ConfigError: It is missing, or neither shared nor the bot's own.
    """
    # Links are followed first. The error reveals nothing about other files, not even that they exist.
    path = Path(os.path.realpath(folder / wanted))
    own = path.is_relative_to(folder)
    if not own and not any(path.is_relative_to(each.path) for each in shared):
        raise ConfigError(f"{wanted}: is not in the folder of the bot; share it by the plan or --files")
    return [] if own and path.exists() else [share(path)]


def with_shared(bot: Bot, shared: Sequence[Shared] | None) -> Bot:
    """The bot with more readable files, which are part of its fingerprint; unchanged without any."""
    if not shared:
        return bot
    made = sha256(" ".join([bot.fingerprint, *(each.made for each in shared)]).encode()).hexdigest()[:16]
    return replace(bot, fingerprint=made, files=(*bot.files, *(each.path for each in shared)))


def cache_folder() -> Path:
    """The folder for copies of bots, made if missing.

    Raises:
        MachineError: Other users can write to it.
    """
    folder = Path(tempfile.gettempdir(), f"arena.bots-{os.getuid()}")
    with suppress(FileExistsError):  # a folder or another thing: the next lines check
        folder.mkdir(mode=0o711)
    found = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise MachineError(f"{folder}: should be a folder that only this user can write")
    return folder


def put_folder(place: Path, fill: Callable[[Path], object]) -> None:
    """Make the folder `place`, unless it exists; `fill` writes into a new folder, given by its path.

    Other processes never see a half filled `place`.
    """
    if place.is_dir():
        return
    new = Path(tempfile.mkdtemp(prefix="new-", dir=place.parent))
    try:
        fill(new)
        new.chmod(0o755)
        new.rename(place)
    except OSError:
        if not place.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
