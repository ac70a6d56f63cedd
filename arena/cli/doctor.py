"""What this machine offers to a referee, what is missing, and the command that installs it."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.core.limits import Limits
from arena.sandbox import policy
from arena.sandbox.linux import cgroup, landlock, procfs, seccomp

SECCOMP = "apt-get install libseccomp2"
CGROUPS = Path("/sys/fs/cgroup")
TOOLS = {  # what bots are written in, and the Debian package of each
    "cc": "gcc",
    "c++": "g++",
    "python3": "python3",
    "node": "nodejs",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "rustc": "rustc",
    "go": "golang",
    "ruby": "ruby",
    "perl": "perl",
}


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what was found, whether that is all one could wish for, and else what to do."""

    name: str
    found: str
    good: bool = True
    advice: str = ""


def examine() -> Iterator[Finding]:
    """Everything there is to say about this machine."""
    yield Finding("system", f"{platform.system()} {platform.release()} {platform.machine()}", linux())
    yield Finding("python", f"{platform.python_version()} ({sys.executable})")
    yield Finding("cores", str(len(os.sched_getaffinity(0)) if linux() else os.cpu_count()))
    yield from examine_sandbox()
    yield examine_cgroup()
    yield examine_file("/proc/self/schedstat", "schedstat", "fair clocks", "a kernel with CONFIG_SCHEDSTATS")
    yield examine_file("/proc/self/smaps_rollup", "memory", "shared memory counts once", "Linux 4.14")
    if linux():
        words = "a bot's processes are found" if procfs.LISTS_CHILDREN else "those of a bot are not found"
        advice = "" if procfs.LISTS_CHILDREN else "a kernel with CONFIG_PROC_CHILDREN"
        yield Finding("processes", words, procfs.LISTS_CHILDREN, advice)
    for tool, package in TOOLS.items():
        path = shutil.which(tool)
        yield Finding(tool, path or "not found", bool(path), "" if path else f"apt-get install {package}")


def examine_sandbox() -> Iterator[Finding]:
    """The tier that `sandbox: auto` means here, the program for it, and the namespaces it is made of."""
    chosen, reason = policy.choose(Limits()), policy.bubblewrap_problem()
    words = chosen.summary.removeprefix("sandbox: ").partition("; not promised")[0]
    yield Finding("sandbox", words, not reason)
    if linux():
        bwrap = shutil.which("bwrap")
        number = ".".join(map(str, policy.version(bwrap))) if bwrap else "not found"
        advice = policy.INSTALL if reason.endswith(policy.INSTALL) else policy.userns_advice()
        words = reason.removesuffix(f": {advice}").removeprefix("bubblewrap ") or number
        yield Finding("bubblewrap", words, not reason, advice if reason else "")
        number = landlock.version()
        good = number >= landlock.SCOPES_SINCE
        words = f"version {number}" if number else "none"
        yield Finding("landlock", words, good, "" if good else "Linux 6.12, and landlock among lsm= at boot")
        good = seccomp.load() is not None
        yield Finding("seccomp", seccomp.LIBRARY if good else "not found", good, SECCOMP if not good else "")
        advice = policy.userns_advice(default="")
        yield Finding("user namespaces", "restricted" if advice else "allowed", not advice, advice)


def examine_cgroup() -> Finding:
    """Which control groups there are. Each box gets one where they are ours; else it is only watched."""
    if group := cgroup.claim():
        return Finding("cgroup", f"v2, delegated: {group}")
    if (CGROUPS / "cgroup.controllers").is_file():
        return Finding("cgroup", "v2, not delegated to us", False, f"{cgroup.DELEGATE} arena run ...")
    if (CGROUPS / "unified" / "cgroup.procs").is_file():
        return Finding("cgroup", "v1 has the controllers, v2 is beside it")
    return Finding("cgroup", "v1" if CGROUPS.is_dir() and any(CGROUPS.iterdir()) else "none")


def examine_file(path: str, name: str, use: str, advice: str) -> Finding:
    """Whether the kernel tells something that we use."""
    try:
        good = any(word not in (b"0", b"0\n") for word in Path(path).read_bytes().split(b" "))
    except OSError:
        good = False
    return Finding(name, f"{use}: {'yes' if good else 'no'}", good, "" if good else advice)


def linux() -> bool:
    return sys.platform == "linux"
