"""The programs that run bots: where they are on this machine, the scripts that name them, how they exit."""

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from pathlib import Path

from arena.config.document import ConfigError
from arena.config.regular import open_regular

INTERPRETERS = {".py": sys.executable, ".sh": "sh", ".js": "node", ".rb": "ruby", ".pl": "perl"}
_PATH_QUERIES = {  # options with which an interpreter prints its own path
    "python": ("-c", "import sys; print(sys.executable)"),
    "node": ("-p", "process.execPath"),
    "ruby": ("-e", "puts RbConfig.ruby"),
    "perl": ("-e", "print $^X"),
}
_SHELL = re.compile(r"(?:^|[/ ])(?:ba|da|a|k|z)?sh(?: |$)")  # in a first line, or a path
_BOM = "begins with a byte order mark (BOM); UTF-8 needs none"
_BEGINNING = 2**16  # bytes of a script that are looked at
_CRLF = r"its lines end with \r\n, as on Windows; they should end with \n"


def resolve(command: Sequence[str], folder: Path, built: bool = False) -> tuple[str, ...]:
    """The command with its program as a path. ConfigError: there is no such program.

    With `built`, a program named by a path need not exist yet, as a build makes it.
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
    """The program that a shim of a version manager, or a proxy of rustup, starts; others unchanged."""
    # Shims are slow scripts, and neither they nor rustup find their versions without the home of the user.
    path, folder = Path(program), None
    options = next((each for name, each in _PATH_QUERIES.items() if path.name.startswith(name)), ())
    if is_rustup_proxy(path):
        # Not in a folder whose rust-toolchain.toml would choose another toolchain, or have it installed.
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

    ConfigError: the interpreter is not on this machine, or the system cannot read the line.
    """
    line = interpreter_line(script)
    try:
        return resolve(shebang_words(line), script.parent) if line else ()
    except (ConfigError, IndexError):
        raise ConfigError(f"{script}: its first line, {line}, names no program of this machine") from None


def shebang_words(line: str) -> list[str]:
    """The interpreter in a `#!` line, and its option; after `env`, the words that follow except `-S`."""
    program, _, option = line[2:].strip().partition(" ")
    if Path(program).name == "env":
        return [word for word in option.split() if word != "-S"]
    return [program, *filter(None, [option.strip()])]


def interpreter_line(script: Path) -> str:
    """The first line of a script if it begins with `#!`, else "".

    ConfigError: the file cannot be read, or a byte order mark or `\\r` keeps the system from reading it.
    """
    first = beginning(script, 256).split(b"\n")[0]
    if first.startswith(BOM_UTF8 + b"#!"):
        raise ConfigError(f"{script}: {_BOM}")
    if not first.startswith(b"#!"):
        return ""
    if first.endswith(b"\r"):
        raise ConfigError(f"{script}: {_CRLF}")
    return first.decode(errors="replace").strip()


def check_script(command: Sequence[str], folder: Path, below: Path = Path("/")) -> None:
    """Raise ConfigError if an interpreter cannot read the encoding or line ends of a script of `command`.

    Only files in the folder `below` are read, or `below` itself if it is a file.
    """
    program, *words = command
    # An entry may name files that it may not read: `below` excludes them.
    arguments = [folder / word for word in words if (folder / word).is_file()]
    for script in (folder / program, *arguments[:1]):
        if not (script.is_file() and os.access(script, os.R_OK)):  # it may be made by a build
            continue
        if not Path(os.path.realpath(script)).is_relative_to(below):
            continue
        interpreter = interpreter_line(script) if script == folder / program else program
        data = beginning(script, _BEGINNING)
        if data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
            raise ConfigError(f"{script}: is UTF-16 text; it should be UTF-8")
        if _SHELL.search(interpreter):  # other languages read both
            if data.startswith(BOM_UTF8):
                raise ConfigError(f"{script}: {_BOM}")
            if 2 * data.count(b"\r\n") > data.count(b"\n"):  # binary data may follow a script
                raise ConfigError(f"{script}: {_CRLF}")


def beginning(file: Path, size: int) -> bytes:
    """The first `size` bytes of a file. ConfigError: it cannot be read."""
    try:
        with open_regular(file) as opened:
            return opened.read(size)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None


def describe_status(status: int) -> str:
    """How a process ended, such as "killed by SIGKILL"; a negative status is a signal."""
    if status >= 0:
        return f"exited with status {status}"
    known = {each.value: each.name for each in signal.Signals}
    return f"killed by {known.get(-status, f'signal {-status}')}"
