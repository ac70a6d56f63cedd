"""`arena doctor`: how well this machine can sandbox bots, and how to install missing features."""

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

import click
from tabulate import tabulate

import arena
from arena.cli.base import FORMAT, command, print_result
from arena.programs import kits
from arena.programs.executables import is_rustup_proxy, resolve_shim
from arena.programs.machine import arena_build, cpu_model, install_command, python_build, usable_cores
from arena.programs.sandbox import policy, promises
from arena.programs.sandbox.linux import cgroup, landlock, procfs, seccomp
from arena.referee.conditions import Limits
from arena.show.tables.grid import folded

EXTRAS = {
    "report": ("matplotlib", "pages and charts of a run: arena report"),
    "stepper": ("textual", "a recorded game in full screen: arena replay"),
    "web": ("uvicorn", "games of people and remote bots: arena serve, arena connect"),
    "cluster": ("distributed", "games on many machines: arena run --engine"),
    "pettingzoo": ("pettingzoo", "games as environments for learners: arena.pettingzoo, arena.gymnasium"),
    "openspiel": ("pyspiel", "games for algorithms that solve and search: arena.openspiel"),
    "pandas": ("pandas", "a run as data frames, for notebooks"),
    "parquet": ("pyarrow", "the decisions of a run for learners: arena export --format parquet"),
    "nash": ("scipy", "Nash averages: arena table nash"),
}
"""For each extra of pyproject.toml that users need: a package that it installs, and its use."""

_COMPILE = "in a checkout: ARENA_COMPILE=1 pip install . (not -e): minutes once, then more games per second"
_CGROUPS = Path("/sys/fs/cgroup")


@click.command()
@FORMAT
@command
def doctor(form: str) -> None:
    """Show what this machine offers to sandbox bots.

    For each missing feature, the command that installs it is shown.
    """
    features, levels = [*_examine()], promises.on_this_machine()
    rows = [
        dict(zip(("threat", *promises.COLUMNS), (each.threat, *each.levels), strict=True)) for each in levels
    ]
    values = [*map(vars, features), {"name": "promises", "found": rows}]
    lines = []
    for each in features:
        head = f"{'ok' if each.good else '--'}  {each.name:<16} "
        lines += folded(f"{each.found}  -> {each.advice}" if each.advice else each.found, head, len(head))
    lines += ["", "What the sandbox promises here, if a bot tries to:"]
    lines += [tabulate([[*row.values()] for row in rows], ("", *promises.COLUMNS), tablefmt="plain")]
    print_result(form, values, lines)


@dataclass(frozen=True)
class _Feature:
    """A feature of the machine: its state, whether that is good, and advice if it is not."""

    name: str
    found: str
    good: bool = True
    advice: str = ""


def _examine() -> Iterator[_Feature]:
    yield _Feature("system", f"{platform.system()} {platform.release()} {platform.machine()}", _linux())
    yield _Feature("python", f"{platform.python_version()} ({sys.executable}), {python_build()}")
    build = arena_build()
    advice = _COMPILE if build == "interpreted" else ""
    yield _Feature("arena", f"{arena.__version__}, rules and referee {build}", advice=advice)
    yield from _examine_namesakes()
    for extra, (package, use) in EXTRAS.items():
        is_there = find_spec(package) is not None
        yield _Feature(f"extra {extra}", use, is_there, "" if is_there else install_command(extra))
    yield _Feature("cores", f"{usable_cores()}, {cpu_model()}")
    yield from _examine_sandbox()
    yield _examine_cgroup()
    yield _examine_file("/proc/self/schedstat", "schedstat", "fair clocks", "a kernel with CONFIG_SCHEDSTATS")
    yield _examine_file("/proc/self/smaps_rollup", "memory", "shared memory counts once", "Linux 4.14")
    if _linux():
        words = "a bot's processes are found" if procfs.LISTS_CHILDREN else "a bot's processes are not found"
        advice = "" if procfs.LISTS_CHILDREN else "a kernel with CONFIG_PROC_CHILDREN"
        yield _Feature("processes", words, procfs.LISTS_CHILDREN, advice)
    for tool, package in {**kits.PACKAGES, "cargo": "cargo"}.items():
        yield _examine_tool(tool, package)


def _examine_namesakes() -> Iterator[_Feature]:
    """Other distributions called `arena`, such as one on PyPI: their files may replace ours."""
    for each in distributions(name="arena"):
        if each.read_text("RECORD") is not None:  # Without this file it is left over from a build.
            found = f"arena {each.version} of others, in the folder of the same name: {each.locate_file('')}"
            advice = "pip uninstall arena, then install this arena again"
            yield _Feature("namesake", found, False, advice)


def _examine_tool(tool: str, package: str) -> _Feature:
    """The path of a compiler or interpreter, or its missing part, such as the toolchain of a rustup proxy."""
    path = shutil.which(tool)
    if not path:
        return _Feature(tool, "not found", False, f"apt-get install {package}")
    program = resolve_shim(path)
    if is_rustup_proxy(Path(program)):
        return _Feature(tool, f"{path}: rustup has no toolchain for it", False, "rustup default stable")
    return _Feature(tool, program)


def _examine_sandbox() -> Iterator[_Feature]:
    """The tier that `sandbox: auto` chooses here, and the features on which the tier `bubblewrap` depends."""
    chosen, reason = policy.choose(Limits()), policy.bubblewrap_problem()
    words = chosen.summary.removeprefix("sandbox: ").partition("; not promised")[0]
    yield _Feature("sandbox", words, not reason)
    if _linux():
        bwrap = shutil.which("bwrap")
        number = ".".join(map(str, policy.version(bwrap))) if bwrap else "not found"
        advice = policy.INSTALL if reason.endswith(policy.INSTALL) else policy.userns_advice()
        words = reason.removesuffix(f": {advice}").removeprefix("bubblewrap ") or number
        yield _Feature("bubblewrap", words, not reason, advice if reason else "")
        abi = landlock.version()
        advice = "" if abi >= landlock.SCOPES_SINCE else "Linux 6.12, and landlock among lsm= at boot"
        yield _Feature("landlock", f"version {abi}" if abi else "none", not advice, advice)
        if seccomp.load():
            yield _Feature("seccomp", seccomp.LIBRARY)
        else:
            yield _Feature("seccomp", "not found", False, "apt-get install libseccomp2")
        advice = policy.userns_advice(default="")
        yield _Feature("user namespaces", "restricted" if advice else "allowed", not advice, advice)


def _examine_cgroup() -> _Feature:
    """The version of control groups. If they are delegated to us, each sandbox gets a group of its own."""
    if group := cgroup.claim():
        return _Feature("cgroup", f"v2, delegated: {group}")
    if (_CGROUPS / "cgroup.controllers").is_file():
        return _Feature("cgroup", "v2, not delegated to us", False, f"{cgroup.DELEGATE} arena run ...")
    if (_CGROUPS / "unified" / "cgroup.procs").is_file():
        return _Feature("cgroup", "v1 has the controllers, v2 is beside it")
    return _Feature("cgroup", "v1" if _CGROUPS.is_dir() and any(_CGROUPS.iterdir()) else "none")


def _examine_file(path: str, name: str, use: str, advice: str) -> _Feature:
    try:  # Without the feature, the file may exist with zeros.
        good = any(word not in (b"0", b"0\n") for word in Path(path).read_bytes().split(b" "))
    except OSError:
        good = False
    return _Feature(name, f"{use}: {'yes' if good else 'no'}", good, "" if good else advice)


def _linux() -> bool:
    return sys.platform == "linux"
