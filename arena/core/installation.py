"""What runs a bot: the programs of its command, and where they are installed."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from arena.core.bot import shebang
from arena.core.config import ConfigError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
JVM = ("/usr/lib/jvm", "/etc/java*")  # programs below the one need the other


def programs(command: Sequence[str]) -> list[Path]:
    """The programs that a command names by their paths, and what runs the first if it is a script."""
    words = [*command, *interpreter(Path(command[0]))]
    found = [Path(os.path.abspath(path)) for word in words if "/" in word and (path := shutil.which(word))]
    return list(dict.fromkeys(found))


def interpreter(program: Path) -> list[str]:
    """What the first line of a script names; of a bot given by a command, which may not be there."""
    try:
        return list(shebang(program)[:1])
    except ConfigError:
        return []


def needed(command: Sequence[str], bots: Sequence[Path] = ()) -> list[Path]:
    """Where the program of a command and its interpreter are installed; other programs that it names, alone.

    What is part of a bot is left out: bots are not installed.
    """
    found = []
    runs = [shutil.which(word) for word in (command[0], *interpreter(Path(command[0])))]
    for program in programs(command):
        real = program.resolve()
        for path in (program, real):
            if not any(each.is_relative_to(part) for part in bots for each in (path, real)):
                found.append(place(path, bots) if str(program) in runs else path)
        if str(program) == sys.executable:
            found += [Path(sys.prefix), Path(sys.base_prefix)]
        if real.is_relative_to(JVM[0]):
            found += Path("/").glob(JVM[1].lstrip("/"))
    return [path for path in found if path.exists()]


def place(program: Path, bots: Sequence[Path] = ()) -> Path:
    """The installation `.../` of `.../bin/program`, else the program; never a home or a folder of bots."""
    folder = program.parent
    private = folder.parent in (Path("/"), Path.home(), Path.home() / ".local", *Path.home().parents)
    private = private or any(part.is_relative_to(folder.parent) for part in bots)
    return folder.parent if folder.name == "bin" and not private else program


def in_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in SYSTEM)
