"""The machine: its memory and speed, how its processes end, and how to install packages."""

import os
import platform
import shlex
import shutil
import signal
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from arena import __distribution__

MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container
_HOT = "arena.rules.match"  # one of the modules that a compiled build has as extensions


def cpu_model() -> str:
    """The model of the CPU, or its architecture if the model is unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(named), platform.processor() or platform.machine())


def python_build() -> str:
    """How this Python was built, as far as known, such as "-O3 with PGO LTO".

    The builds differ in speed by a third.
    """
    options = str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    flags = str(sysconfig.get_config_var("PY_CFLAGS") or "")
    if sysconfig.get_config_var("Py_DEBUG"):
        return "a debug build"
    known = {"PGO": "--enable-optimizations", "LTO": "--with-lto"}
    found = [word for word, flag in known.items() if flag in options]
    level = next((word for word in reversed(flags.split()) if word.startswith("-O")), "")
    return " ".join([*filter(None, [level]), "with" if found else "without PGO in its options", *found])


def free_memory() -> int:
    """The free memory of this machine in bytes, but at most the limit of the container."""
    import psutil  # slow to import, and not needed by other commands

    free = int(psutil.virtual_memory().available)
    try:
        return min(free, int(MEMORY_LIMIT.read_text()))
    except (OSError, ValueError):  # no visible limit, or "max"
        return free


def is_compiled() -> bool:
    """Whether the modules on the path of every ask are compiled extensions; one of them is checked."""
    spec = find_spec(_HOT)
    return bool(spec and spec.origin and spec.origin.endswith(tuple(EXTENSION_SUFFIXES)))


def arena_build() -> str:
    return "compiled" if is_compiled() else "interpreted"


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe_status(status: int) -> str:
    """How a process ended, such as "killed by SIGKILL"; a negative status is a signal."""
    if status >= 0:
        return f"exited with status {status}"
    known = {each.value: each.name for each in signal.Signals}
    return f"killed by {known.get(-status, f'signal {-status}')}"


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra of pyproject.toml into this Python.

    It names these packages and never the arena, which is on no index. So it works in a checkout and beside an
    installed wheel.
    """
    from importlib.metadata import PackageNotFoundError, requires  # slow to import

    try:
        found = [line.partition(";") for line in requires(__distribution__) or ()]
    except PackageNotFoundError:  # the arena runs from a folder on PYTHONPATH
        found = []
    packages = [name.strip() for name, _, marker in found if f'extra == "{extra}"' in marker]
    if not packages:
        return f"install the arena with its extra {extra}"
    pip = shutil.which("pip")
    is_ours = pip and Path(pip).parent == Path(sys.executable).parent
    return shlex.join([*(["pip"] if is_ours else [sys.executable, "-m", "pip"]), "install", *packages])
