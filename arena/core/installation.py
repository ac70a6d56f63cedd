"""The programs that a command needs, and where they are installed."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from arena.core.config import ConfigError
from arena.core.programs import shebang

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
OUTSIDE = {  # what programs whose paths begin so need outside `SYSTEM`
    "/usr/lib/jvm/": "/etc/java*",
    "/usr/share/kotlin/": "/etc/java*",
    "/usr/bin/mono": "/etc/mono",
    "/usr/bin/mcs": "/etc/mono",
    "/usr/bin/ghc": "/var/lib/ghc",
}


def programs(command: Sequence[str]) -> list[Path]:
    """The programs that a command names by their paths, and the interpreter if the first is a script."""
    words = [*command, *interpreter(Path(command[0]))]
    found = [Path(os.path.abspath(path)) for word in words if "/" in word and (path := shutil.which(word))]
    return list(dict.fromkeys(found))


def interpreter(program: Path) -> list[str]:
    """The interpreter of a script; empty if the program is no script, or its interpreter is not installed."""
    try:
        return list(shebang(program)[:1])
    except ConfigError:
        return []


def required_paths(command: Sequence[str], bots: Sequence[Path] = ()) -> list[Path]:
    """The installations of a command's program and interpreter, and the other programs that it names.

    Files of `bots` are left out: they are not installed.
    """
    found = []
    runs = [shutil.which(word) for word in (command[0], *interpreter(Path(command[0])))]
    for program in programs(command):
        real = program.resolve()
        for path in (program, real):
            if not any(each.is_relative_to(file) for file in bots for each in (path, real)):
                found.append(installation(path, bots) if str(program) in runs else path)
        if str(program) == sys.executable:
            found += [Path(sys.prefix), Path(sys.base_prefix)]
        for beginning, needs in OUTSIDE.items():
            if str(real).startswith(beginning):
                found += Path("/").glob(needs.lstrip("/"))
    return [path for path in found if path.exists()]


def installation(program: Path, bots: Sequence[Path] = ()) -> Path:
    """The folder of `FOLDER/bin/program`, else the program alone; never a home or a folder with bots."""
    folder = program.parent
    private = folder.parent in (Path("/"), Path.home(), Path.home() / ".local", *Path.home().parents)
    private = private or any(file.is_relative_to(folder.parent) for file in bots)
    return folder.parent if folder.name == "bin" and not private else program


def in_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in SYSTEM)
