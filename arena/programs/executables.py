"""The programs of the machine that run bots: where they are, and which of them a bot may use.

A bot sees such a program with its installation. The organiser may name any in a plan. An entry, which is a
stranger's program or `bot.yaml`, may use the programs on the arena's $PATH, because the organiser has chosen
these. A path or a link of an entry grants nothing, because it could lead to a private file.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import arena
from arena.config.document import ConfigError, open_regular

INTERPRETERS = {".py": sys.executable, ".sh": "sh", ".js": "node", ".rb": "ruby", ".pl": "perl"}
_PATH_QUERIES = {  # options that make an interpreter print its own path
    "python": ("-c", "import sys; print(sys.executable)"),
    "node": ("-p", "process.execPath"),
    "ruby": ("-e", "puts RbConfig.ruby"),
    "perl": ("-e", "print $^X"),
}
_SHELL = re.compile(r"(?:^|[/ ])(?:ba|da|a|k|z)?sh(?: |$)")  # in a first line, or a path
_BOM = "begins with a byte order mark (BOM); UTF-8 needs none"
_BEGINNING = 2**16  # bytes of a script to inspect
_CRLF = r"its lines end with \r\n, as on Windows; they should end with \n"


SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
_LIBRARIES = ("lib", "lib64", "libexec")  # beside bin, in an installation
_OUTSIDE = {  # needed outside `SYSTEM` by programs whose paths begin so
    "/usr/lib/jvm/": "/etc/java*",
    "/usr/share/kotlin/": "/etc/java*",
    "/usr/bin/mono": "/etc/mono",
    "/usr/bin/mcs": "/etc/mono",
    "/usr/bin/ghc": "/var/lib/ghc",
}
_NOT_SHARED = "belongs neither to the bot nor to the system; share it by the plan or --files"
_MAX_LINKS = 40  # as many as Linux follows
PACKAGE = Path(arena.__file__).parent  # for bots that import the arena


def resolve(command: Sequence[str], folder: Path, built: bool = False) -> tuple[str, ...]:
    """The command with its program as a path.

    With `built`, a program named by a path need not exist yet: a build makes it.

    Raises:
        ConfigError: There is no such program.
    """
    program = command[0]
    if "/" in program:
        path = Path(os.path.normpath(folder / program))
        if not built and not path.is_file():
            raise ConfigError(f"{path}: no such program")
        return (str(path), *command[1:])
    found = shutil.which(program)
    if found is None:
        raise ConfigError(f"{program}: not found on this machine (needed to run {' '.join(command)})")
    return (resolve_shim(found), *command[1:])


@functools.cache
def resolve_shim(program: str) -> str:
    """The program behind a version manager's shim or a rustup proxy; other programs unchanged."""
    # Shims are slow scripts. Like rustup, they find their versions only with the user's home.
    path, folder = Path(program), None
    options = next((each for name, each in _PATH_QUERIES.items() if path.name.startswith(name)), ())
    if is_rustup_proxy(path):
        # A rust-toolchain.toml in the current folder could choose another toolchain, or install it.
        query, folder = [str(path.with_name("rustup")), "which", path.name], "/"
    elif path.parent.name == "shims" and options:
        query = [program, *options]
    else:
        return program
    done = subprocess.run(query, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder)
    answer = done.stdout.strip()
    return answer if done.returncode == 0 and os.access(answer, os.X_OK) else program


def is_rustup_proxy(path: Path) -> bool:
    """Whether a program, such as `cargo`, is rustup itself under another name."""
    rustup = path.with_name("rustup")
    return path.name != rustup.name and rustup.exists() and rustup.samefile(path)


def shebang(script: Path) -> tuple[str, ...]:
    """The interpreter in the `#!` line of a script, as a path, and its option; () without such a line.

    Raises:
        ConfigError: The interpreter is not on this machine, or the system cannot read the line.
    """
    line = _interpreter_line(script)
    try:
        return resolve(_shebang_words(line), script.parent) if line else ()
    except (ConfigError, IndexError):
        raise ConfigError(f"{script}: its first line, {line}, names no program on this machine") from None


def _shebang_words(line: str) -> list[str]:
    """The interpreter in a `#!` line and its option; after `env`, the following words except `-S`."""
    program, _, option = line[2:].strip().partition(" ")
    if Path(program).name == "env":
        return [word for word in option.split() if word != "-S"]
    return [program, *filter(None, [option.strip()])]


def _interpreter_line(script: Path) -> str:
    """The first line of a script if it begins with `#!`, else "".

    Raises:
        ConfigError: The file cannot be read, or a byte order mark or `\\r` keeps the system from reading it.
    """
    first = beginning(script, 256).split(b"\n")[0]
    if first.startswith(BOM_UTF8 + b"#!"):
        raise ConfigError(f"{script}: {_BOM}")
    if not first.startswith(b"#!"):
        return ""
    if first.endswith(b"\r"):
        raise ConfigError(f"{script}: {_CRLF}")
    return first.decode(errors="replace").strip()


def _check_script(command: Sequence[str], folder: Path, below: Path = Path("/")) -> None:
    """Raise ConfigError if an interpreter cannot read the encoding or line ends of a script of `command`.

    Only files in the folder `below` are read, or `below` itself if it is a file.
    """
    program, *words = command
    # An entry can name files that it must not read: `below` excludes them.
    arguments = [folder / word for word in words if (folder / word).is_file()]
    for script in (folder / program, *arguments[:1]):
        if not (script.is_file() and os.access(script, os.R_OK)):  # a build may make it
            continue
        if not Path(os.path.realpath(script)).is_relative_to(below):
            continue
        interpreter = _interpreter_line(script) if script == folder / program else program
        data = beginning(script, _BEGINNING)
        if data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
            raise ConfigError(f"{script}: is UTF-16 text; it should be UTF-8")
        if _SHELL.search(interpreter):  # other languages accept both
            if data.startswith(BOM_UTF8):
                raise ConfigError(f"{script}: {_BOM}")
            if 2 * data.count(b"\r\n") > data.count(b"\n"):  # binary data may follow a script
                raise ConfigError(f"{script}: {_CRLF}")


def beginning(file: Path, size: int) -> bytes:
    """The first `size` bytes of a file.

    Raises:
        ConfigError: It cannot be read.
    """
    try:
        with open_regular(file) as opened:
            return opened.read(size)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None


Command = tuple[tuple[str, ...], tuple[Path, ...]]
"""A command, with its program as a path, and the installed programs that its bot may use."""


def command_of_program(script: Path, own: Sequence[Path] | None) -> Command:
    """The command of an entry that is one program. `own` is as for `command_of_entry`."""
    command = shebang(script)
    installed = () if own is None else _granted_by_shebang(script, own)
    if not command and (interpreter := INTERPRETERS.get(script.suffix)):
        command = resolve((interpreter,), script.parent)
        installed = _with_interpreter(Path(command[0]))
    command = (*command, str(script))
    _check_script(command, script.parent, script)
    return command, installed


def command_of_entry(run: Sequence[str], folder: Path, own: Sequence[Path] | None, is_built: bool) -> Command:
    """The command of an entry in `folder`, given by its `run` words; a build may make its program.

    `own` are the files and folders that it may read. If `own` is None, the command is not checked, and grants
    nothing.

    Raises:
        ConfigError: The program may not be used, is missing, or cannot be read by its interpreter.
    """
    if own is None:
        return resolve(run, folder, built=True), ()
    installed = granted(run, folder, own)
    program, *words = resolve(run, folder, is_built)
    place = _in_real_folder(Path(program))
    if is_in(place, own):  # a box contains no link to a shared folder
        program = str(place)
    command = (program, *words)
    _check_script(command, folder, folder)
    return command, installed


def command_of_plan(
    command: Sequence[str], folder: Path, files: Sequence[Path], own: Sequence[Path] | None
) -> Command:
    """The command of a bot given by `run:`, which names files; these `files` are the bot's own.

    If `own` is None, the organiser has chosen the command; else `own` is as for `command_of_entry`.
    """
    normal = [os.path.normpath(word) if (folder / word) in files else word for word in command[1:]]
    resolved = resolve([command[0], *normal], folder)  # in a box, `missing/../bot.py` fails
    if own is None:
        named = [Path(os.path.normpath(path)) for path in files]
        # A lone file, or one beside the plan, is a file of the bot, not an installed program.
        found = _with_interpreter(Path(resolved[0]))
        installed = tuple(path for path in found if path not in named or installation(path, [folder]) != path)
    else:
        installed = granted(command, folder, own)
    _check_script(resolved, folder, Path("/") if own is None else folder)
    return resolved, installed


def programs(command: Sequence[str]) -> list[Path]:
    """The programs that a command names by paths, and the interpreter of the first one if it is a script."""
    words = [*command]
    with suppress(ConfigError):  # its interpreter is not installed here
        words += shebang(Path(command[0]))[:1]
    found = [Path(os.path.abspath(path)) for word in words if "/" in word and (path := shutil.which(word))]
    return list(dict.fromkeys(found))


def granted(command: Sequence[str], folder: Path, own: Sequence[Path]) -> tuple[Path, ...]:
    """The installed programs that an entry may use besides its `own` files.

    Raises:
        ConfigError: Its command names a program that it may not use, or that is missing.
    """
    program = Path(resolve(command, folder, built=True)[0])
    found = _granted_by_word(command[0], program, own)
    return (*found, *_granted_by_shebang(program, own)) if is_in(real(program), own) else found


def _granted_by_shebang(script: Path, own: Sequence[Path]) -> tuple[Path, ...]:
    """The installed programs that the first line of an entry's script lets it use; () without an interpreter.

    Raises:
        ConfigError: The entry may not use the interpreter.
    """
    try:
        words = _shebang_words(_interpreter_line(script))
        program = Path(resolve(words, script.parent, built=True)[0])
    except (ConfigError, IndexError):  # not a script, or one that will not start
        return ()
    try:
        return _granted_by_word(words[0], program, own)
    except ConfigError as error:
        raise ConfigError(f"{script}: its first line: {error}") from None


def _granted_by_word(word: str, program: Path, own: Sequence[Path]) -> tuple[Path, ...]:
    if "/" not in word:
        return _with_interpreter(program)
    place = _in_real_folder(program)
    if in_system(place) or _is_python_of_environment(place, own[1:]):
        return _with_interpreter(place)
    found = _found_on_path(place)
    seen = (*own, *map(Path, SYSTEM), *required_paths(found))
    if not (is_in(place, seen) and is_in(real(place), seen)):
        raise ConfigError(f"{word}: {_NOT_SHARED}")
    return found


def _with_interpreter(program: Path) -> tuple[Path, ...]:
    """A program chosen by the organiser, with its interpreter if it is a script."""
    return tuple(programs([str(program)]))


def _found_on_path(program: Path) -> tuple[Path, ...]:
    """The arena's Python or a program on its $PATH, if it is the same file as `program`; else ().

    Its interpreter, if it needs one, follows it.
    """
    # An entry could use it by its name anyway.
    names = [path.name for path in _links(program)]
    found = [resolve_shim(path) for name in dict.fromkeys(names) if (path := shutil.which(name))]
    same = [path for path in (sys.executable, *found) if real(Path(path)) == real(program)]
    return _with_interpreter(Path(same[0])) if same else ()


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
    """The installations of programs, with their needs and those of a `command` in /etc and /var.

    Files of `bots` are left out, because they are not installed.
    """
    found = []
    for program in installed:
        for path in _links(program):
            if not is_in(path, bots) and not is_in(real(path), bots):
                found.append(installation(path, bots))
        if str(program) == sys.executable:
            found += [Path(sys.prefix), Path(sys.base_prefix)]
        # The environment of an editable install contains only the path of the arena's package, in a checkout.
        # The rest of the checkout stays hidden: it may contain plans, runs and other bots.
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


def _in_real_folder(path: Path) -> Path:
    """The path with all links resolved except the last part."""
    return real(path.parent) / path.name


def real(path: Path) -> Path:
    """The path with all links resolved; circular links raise no error."""
    return Path(os.path.realpath(path))
