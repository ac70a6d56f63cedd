"""The machine: its memory, what decides the speed of the arena (CPU, builds), and how its processes end."""

import os
import platform
import signal
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container
_HOT = "arena.rules.match"  # one of the modules that a compiled build has as extensions


def cpu_model() -> str:
    """The model of the CPU, or its architecture if the system does not tell the model."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(named), platform.processor() or platform.machine())


def python_build() -> str:
    """How this Python was built, as far as it says so, such as "-O3 with PGO LTO".

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
    """The bytes of memory that are free on this machine, but no more than the limit of the container."""
    import psutil  # slow to import, and not needed by other commands

    free = int(psutil.virtual_memory().available)
    try:
        return min(free, int(MEMORY_LIMIT.read_text()))
    except (OSError, ValueError):  # no limit that is visible here, or "max"
        return free


def is_compiled() -> bool:
    """Whether the modules that every ask passes through are compiled extensions, as one of them shows."""
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
