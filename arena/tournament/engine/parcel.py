"""Packs bots into parcels on the coordinator. Workers lay them out with the same relative paths.

The files of a bot travel as *parts*, each a file or folder under the hash of its content, so bots can share
parts. A worker lays them out as they were below their nearest common folder. The coordinator sends the
fingerprint. Programs of the system and installed programs do not travel: they must be the same there.
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

from arena.config.document import ConfigError, MachineError, open_regular
from arena.programs.bot import Bot
from arena.programs.executables import in_system, resolve
from arena.programs.files import belongs, put_folder

_ITEM = "item"  # the name of a part within its archive


@dataclass(frozen=True)
class Parcel:
    """A bot on its way to a worker, with its paths on the coordinator.

    `parts` has the files and folders below `root`, each with the hash of its part. `installed` has the
    programs that do not travel, each with the SHA-256 of its file. `python` is the coordinator's interpreter.
    """

    bot: Bot
    root: Path
    parts: tuple[tuple[Path, str], ...]
    installed: tuple[tuple[Path, str], ...]
    python: str = sys.executable


def pack(bots: Iterable[Bot]) -> tuple[dict[str, Parcel], dict[str, bytes]]:
    """The parcels of bots, by name, and their parts, by hash.

    Raises:
        ConfigError: A file cannot be read.
    """
    parcels: dict[str, Parcel] = {}
    parts: dict[str, bytes] = {}
    known: dict[tuple[Path, bool], str] = {}
    for bot in bots:
        own: list[tuple[Path, str]] = []
        installed: list[tuple[Path, str]] = []
        for path in () if bot.broken else bot.files:
            try:
                if in_system(path) or path in bot.installed:  # An installed program works only in its place.
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
    """A file or folder as a compressed archive. Its bytes depend only on contents and executable bits.

    It has the files that `belong` to the folder.
    """
    buffer = io.BytesIO()

    def add(path: Path, name: str) -> None:
        entry = tarfile.TarInfo(name)  # without times and owner
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
        elif path.is_file():  # Pipes and sockets are not part of the fingerprint.
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
    """The hashes, among these, whose parts are not in the cache of this machine."""
    return [each for each in hashes if not (cache / each).is_dir()]


def unpack(parts: Mapping[str, bytes], cache: Path) -> None:
    """Unpack parts, given by their hashes, into folders of the cache.

    Raises:
        MachineError: A part is damaged.
    """
    for digest, data in parts.items():
        if hashlib.sha256(data).hexdigest() != digest:
            raise MachineError(f"part {digest} was damaged on its way")

        def fill(folder: Path, data: bytes = data) -> None:
            with tarfile.open(fileobj=io.BytesIO(zlib.decompress(data))) as tar:
                # for newer Pythons: the entries are already checked
                tar.extraction_filter = lambda entry, _: entry
                tar.extractall(folder, _safe_entries(tar, folder.resolve()))

        put_folder(cache / digest, fill)


def _safe_entries(tar: tarfile.TarFile, folder: Path) -> Iterator[tarfile.TarInfo]:
    """The entries of an archive, each checked.

    Raises:
        MachineError: `_archive` does not make such an entry.
    """
    # Each is checked just before it is extracted, because earlier ones may be links out of the folder.
    # `extractall(filter=...)` would do, but needs Python 3.11.4.
    for entry in tar:
        if not (entry.isfile() or entry.isdir() or entry.issym()):
            raise MachineError(f"a part of a bot has {entry.name}, which is no file, folder or symbolic link")
        if not (folder / entry.name).resolve().is_relative_to(folder):
            raise MachineError(f"a part of a bot has {entry.name}, which is outside its folder")
        entry.mode &= 0o755  # This removes set-user-id and write permission for other users.
        yield entry


def lay_out(parcel: Parcel, cache: Path) -> Bot:
    """Put the files of a bot, from parts in the cache, into a folder of the cache.

    Returns the bot with its paths on this machine. A broken bot or a model has no files, so it is unchanged.

    Raises:
        ConfigError: A program that the bot needs is missing here, or differs from the coordinator's.
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
            # A build writes into its bot's folder, so this must not share files with another bot.
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
