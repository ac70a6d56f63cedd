"""The programs of the machine that a bot may use, and where they are installed.

A bot sees such a program with its installation. The organiser may name any in a plan. An entry, which is a
program or a `bot.yaml` of a stranger, may use those on the $PATH of the arena: the organiser has chosen them,
too. A path or a link of an entry grants nothing, since it could lead to a private file.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import arena
from arena.config.document import ConfigError
from arena.programs.executables import interpreter_line, resolve, resolve_shim, shebang, shebang_words

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
_LIBRARIES = ("lib", "lib64", "libexec")  # beside bin, in an installation
_OUTSIDE = {  # what programs whose paths begin so need outside `SYSTEM`
    "/usr/lib/jvm/": "/etc/java*",
    "/usr/share/kotlin/": "/etc/java*",
    "/usr/bin/mono": "/etc/mono",
    "/usr/bin/mcs": "/etc/mono",
    "/usr/bin/ghc": "/var/lib/ghc",
}
_NOT_SHARED = "is neither of the bot nor of the system; the plan, or --files, has to share it"
_MAX_LINKS = 40  # that Linux follows, too
PACKAGE = Path(arena.__file__).parent  # for bots that import the arena


def programs(command: Sequence[str]) -> list[Path]:
    """The programs that a command names by paths, and the interpreter of the first one if it is a script."""
    words = [*command]
    with suppress(ConfigError):  # no interpreter that is installed here
        words += shebang(Path(command[0]))[:1]
    found = [Path(os.path.abspath(path)) for word in words if "/" in word and (path := shutil.which(word))]
    return list(dict.fromkeys(found))


def granted(command: Sequence[str], folder: Path, own: Sequence[Path]) -> tuple[Path, ...]:
    """The installed programs that an entry may use, beside its `own` files.

    ConfigError: its command names a program that it may not use, or that is missing.
    """
    program = Path(resolve(command, folder, built=True)[0])
    found = _granted_by_word(command[0], program, own)
    return (*found, *granted_by_shebang(program, own)) if is_in(real(program), own) else found


def granted_by_shebang(script: Path, own: Sequence[Path]) -> tuple[Path, ...]:
    """The installed programs that the first line of an entry's script lets it use; () without an interpreter.

    ConfigError: the entry may not use the interpreter.
    """
    try:
        words = shebang_words(interpreter_line(script))
        program = Path(resolve(words, script.parent, built=True)[0])
    except (ConfigError, IndexError):  # no script, or one that will not start
        return ()
    try:
        return _granted_by_word(words[0], program, own)
    except ConfigError as error:
        raise ConfigError(f"{script}: its first line: {error}") from None


def _granted_by_word(word: str, program: Path, own: Sequence[Path]) -> tuple[Path, ...]:
    if "/" not in word:
        return with_interpreter(program)
    place = in_real_folder(program)
    if in_system(place) or _is_python_of_environment(place, own[1:]):
        return with_interpreter(place)
    found = _found_on_path(place)
    seen = (*own, *map(Path, SYSTEM), *required_paths(found))
    if not (is_in(place, seen) and is_in(real(place), seen)):
        raise ConfigError(f"{word}: {_NOT_SHARED}")
    return found


def with_interpreter(program: Path) -> tuple[Path, ...]:
    """A program that the organiser has chosen, with its interpreter if it is a script."""
    return tuple(programs([str(program)]))


def _found_on_path(program: Path) -> tuple[Path, ...]:
    """The arena's Python, or the program on its $PATH, that is the same file as `program`; () if neither is.

    An interpreter that it needs comes after it.
    """
    # An entry could use it by its name in any case.
    names = [path.name for path in _links(program)]
    found = [resolve_shim(path) for name in dict.fromkeys(names) if (path := shutil.which(name))]
    same = [path for path in (sys.executable, *found) if real(Path(path)) == real(program)]
    return with_interpreter(Path(same[0])) if same else ()


def _is_python_of_environment(program: Path, shared: Sequence[Path]) -> bool:
    """Whether a program is the Python of a virtual environment in `shared`, even if it links elsewhere."""
    environment = program.parent.parent
    named = program.name.startswith("python") and (environment / "pyvenv.cfg").is_file()
    return named and is_in(environment, shared)


def _links(program: Path) -> list[Path]:
    """The path of a program and of each link after it, up to one in a system folder; last the real file."""
    found = [program]
    while found[-1].is_symlink() and not in_system(found[-1]) and len(found) < _MAX_LINKS:
        found.append(Path(os.path.normpath(real(found[-1].parent) / found[-1].readlink())))
    return [*found, real(program)]


def required_paths(
    installed: Sequence[Path], bots: Sequence[Path] = (), command: Sequence[str] = ()
) -> list[Path]:
    """The installations of programs, and what they and the programs of a `command` need in /etc and /var.

    Files of `bots` are left out: they are not installed.
    """
    found = []
    for program in installed:
        for path in _links(program):
            if not is_in(path, bots) and not is_in(real(path), bots):
                found.append(installation(path, bots))
        if str(program) == sys.executable:
            found += [Path(sys.prefix), Path(sys.base_prefix)]
        # Where the arena is an editable install, the environment has only the place of its package, in a
        # checkout. Nothing else of the checkout is shown: it may have plans, runs and other bots.
        is_ours = program.name.startswith("python") and Path(sys.prefix) in found
        if is_ours and not is_in(PACKAGE, bots) and not any(bot.is_relative_to(PACKAGE) for bot in bots):
            found.append(PACKAGE)
    for program in (*installed, *(programs(command) if command else ())):
        for beginning, needs in _OUTSIDE.items():
            if str(real(program)).startswith(beginning):
                found += Path("/").glob(needs.lstrip("/"))
    return [path for path in dict.fromkeys(found) if path.exists()]


def installation(program: Path, bots: Sequence[Path] = ()) -> Path:
    """FOLDER for a program `FOLDER/bin/NAME` if `FOLDER/lib`, `lib64` or `libexec` exists; else the program.

    `/`, the user's home or a folder above it, `~/.local`, and a folder with files of `bots` do not count as
    FOLDER.
    """
    folder = program.parent
    private = folder.parent in (Path("/"), Path.home(), Path.home() / ".local", *Path.home().parents)
    private = private or any(file.is_relative_to(folder.parent) for file in bots)
    is_installed = folder.name == "bin" and any((folder.parent / name).is_dir() for name in _LIBRARIES)
    return folder.parent if is_installed and not private else program


def in_system(path: Path) -> bool:
    return is_in(path, SYSTEM)


def is_in(path: Path, folders: Iterable[str | Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def in_real_folder(path: Path) -> Path:
    """The path with the links in its folder resolved; its last part may still be a link."""
    return real(path.parent) / path.name


def real(path: Path) -> Path:
    """The path with all links resolved; links in a circle raise no error."""
    return Path(os.path.realpath(path))
