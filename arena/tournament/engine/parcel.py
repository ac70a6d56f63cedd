"""Bots as parcels: packed by the coordinator, and laid out by workers with the same relative paths.

The files of a bot travel as *parts*, each a file or folder under the hash of its content, so that bots share
parts. A worker lays them out as they were below their nearest common folder. The fingerprint comes from the
coordinator. Programs of the system and installed programs do not travel: they must be the same there.
"""

import hashlib
import io
import os
import shutil
import sys
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from arena.config.document import ConfigError, MachineError
from arena.config.regular import open_regular
from arena.programs.bot import Bot
from arena.programs.executables import in_system, resolve
from arena.programs.files import belongs, put_folder

_ITEM = "item"  # the name of a part within its archive


@dataclass(frozen=True)
class Parcel:
    """A bot on its way to a worker, with its paths on the coordinator.

    `parts` has its files and folders below `root`, each with the hash of its part. `installed` has the
    programs that do not travel, each with the SHA-256 of its file. `python` is the interpreter of the
    coordinator.
    """

    bot: Bot
    root: Path
    parts: tuple[tuple[Path, str], ...]
    installed: tuple[tuple[Path, str], ...]
    python: str = sys.executable


def pack(bots: Iterable[Bot]) -> tuple[dict[str, Parcel], dict[str, bytes]]:
    """The parcels of bots, by name, and their parts, by hash. ConfigError: a file cannot be read."""
    parcels: dict[str, Parcel] = {}
    parts: dict[str, bytes] = {}
    known: dict[tuple[Path, bool], str] = {}
    for bot in bots:
        own: list[tuple[Path, str]] = []
        installed: list[tuple[Path, str]] = []
        for path in () if bot.broken else bot.files:
            try:
                if in_system(path) or path in bot.installed:  # an installed program works only where it is
                    installed.append((path, _file_hash(path)))
                    continue
                key = path, path == bot.folder and bool(bot.build)
                if key not in known:
                    data = _archive(*key)
                    known[key] = hashlib.sha256(data).hexdigest()
                    parts[known[key]] = data
                own.append((path, known[key]))
            except OSError as error:
                raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        root = Path(os.path.commonpath([bot.folder, *(path for path, _ in own)]))
        parcels[bot.name] = Parcel(bot, root, tuple(own), tuple(installed))
    return parcels, parts


def _archive(path: Path, builds: bool) -> bytes:
    """A file or folder as a compressed archive, whose bytes depend on content and executable bits alone.

    It has what `belongs` to the folder.
    """
    buffer = io.BytesIO()

    def add(path: Path, name: str) -> None:
        entry = tarfile.TarInfo(name)  # no times, no owner
        if path.is_symlink():
            entry.type, entry.linkname = tarfile.SYMTYPE, str(path.readlink())
            tar.addfile(entry)
        elif path.is_dir():
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
            for each in sorted(path.iterdir()):
                inside = PurePath(name, each.name)
                if belongs(inside.relative_to(_ITEM), builds):
                    add(each, str(inside))
        elif path.is_file():  # not a pipe or socket, which is not part of the fingerprint
            with open_regular(path, follow_link=False) as file:
                found = os.fstat(file.fileno())
                entry.size, entry.mode = found.st_size, 0o755 if found.st_mode & 0o100 else 0o644
                tar.addfile(entry, file)

    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        add(path.resolve(), _ITEM)
    return zlib.compress(buffer.getvalue(), 1)


def _file_hash(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def missing(hashes: Iterable[str], cache: Path) -> list[str]:
    """Those of these hashes whose parts are not in the cache of this machine."""
    return [each for each in hashes if not (cache / each).is_dir()]


def unpack(parts: Mapping[str, bytes], cache: Path) -> None:
    """Unpack parts, given by their hashes, into folders of the cache. MachineError: one is damaged."""
    for digest, data in parts.items():
        if hashlib.sha256(data).hexdigest() != digest:
            raise MachineError(f"part {digest} was damaged on its way")

        def fill(folder: Path, data: bytes = data) -> None:
            with tarfile.open(fileobj=io.BytesIO(zlib.decompress(data))) as tar:
                tar.extraction_filter = lambda entry, _: entry  # of newer Pythons: all is checked already
                tar.extractall(folder, _safe_entries(tar, folder.resolve()))

        put_folder(cache / digest, fill)


def _safe_entries(tar: tarfile.TarFile, folder: Path) -> Iterator[tarfile.TarInfo]:
    """The entries of an archive, each checked. MachineError: one is not as `_archive` makes them."""
    # Each is checked just before it is extracted, because those before it may be links that lead out of the
    # folder. `extractall(filter=...)` would do, but Python has it only since 3.11.4.
    for entry in tar:
        if not (entry.isfile() or entry.isdir() or entry.issym()):
            raise MachineError(f"a part of a bot has {entry.name}, which is no file, folder or symbolic link")
        if not (folder / entry.name).resolve().is_relative_to(folder):
            raise MachineError(f"a part of a bot has {entry.name}, which is outside its folder")
        entry.mode &= 0o755  # no set-user-id, and nothing that other users can write
        yield entry


def lay_out(parcel: Parcel, cache: Path) -> Bot:
    """Put the files of a bot, from parts in the cache, into a folder of the cache.

    Returns the bot with its paths on this machine; a broken bot or a model as it is, as it has no files.
    ConfigError: a program that the bot needs is not here, or is another one than on the coordinator.
    """
    bot = parcel.bot
    if bot.broken or bot.is_model:
        return bot
    for path, digest in parcel.installed:
        if not path.is_file() or _file_hash(path) != digest:
            raise ConfigError(f"{path}: is not here, or not the same file as on the coordinator")
    named = repr((bot.fingerprint, bot.command, bot.build, parcel.parts, parcel.root))
    place = cache / f"bot-{hashlib.sha256(named.encode()).hexdigest()[:32]}"

    def moved(path: Path) -> Path:
        return place / path.relative_to(parcel.root)

    def fill(new: Path) -> None:
        (new / bot.folder.relative_to(parcel.root)).mkdir(parents=True, exist_ok=True)
        for path, digest in parcel.parts:
            item, target = cache / digest / _ITEM, new / path.relative_to(parcel.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            # A build writes into the folder of its bot, so the files there must not be those of another.
            copy = shutil.copy2 if path == bot.folder else os.link
            if item.is_dir():
                shutil.copytree(item, target, symlinks=True, dirs_exist_ok=True, copy_function=copy)
            else:
                os.link(item, target)
        for folder in new.rglob("*"):
            if folder.is_dir() and not folder.is_symlink():
                folder.chmod(0o755)

    put_folder(place, fill)

    def word_here(word: str) -> str:
        path = Path(word)
        is_part = path.is_absolute() and any(path.is_relative_to(part) for part, _ in parcel.parts)
        return str(moved(path)) if is_part else word

    def program_here(program: str) -> str:
        if word_here(program) != program or program in {str(path) for path, _ in parcel.installed}:
            return word_here(program)
        if program == parcel.python:
            return sys.executable
        try:
            return resolve((os.path.basename(program),), place)[0]
        except ConfigError:
            if os.access(program, os.X_OK):
                return program
            raise

    program, *words = bot.command
    return replace(
        bot,
        command=(program_here(program), *map(word_here, words)),
        folder=moved(bot.folder),
        build=tuple(map(word_here, bot.build)),
        installed=tuple(Path(program_here(str(path))) for path in bot.installed),
        files=tuple([moved(path) for path, _ in parcel.parts] + [path for path, _ in parcel.installed]),
    )
