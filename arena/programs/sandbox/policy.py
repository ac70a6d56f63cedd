"""The tier that confines the bots of a run, and the command line that starts a bot in this tier."""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.executables import PACKAGE, SYSTEM, in_system, is_in, programs, required_paths
from arena.programs.sandbox import promises
from arena.programs.sandbox.linux import cgroup, rlimits, seccomp, users
from arena.programs.sandbox.supervisor.process import UNSHARE
from arena.referee.conditions import Limits

Tier = Literal["limits", "bubblewrap"]

_MIN_VERSION = (0, 8)  # of bubblewrap: the first with --disable-userns
INSTALL = "apt-get install bubblewrap"
_ETC = ("/etc/alternatives", "/etc/ld.so.cache")  # needed to find programs and libraries
_ETC_IN_LIMITS = ("passwd", "group", "nsswitch.conf", "localtime", "ssl/openssl.cnf", "perl")
_DEVICES = ("null", "zero", "urandom")
_LINKS = {"random": "urandom", "fd": "/proc/self/fd", "shm": "/tmp"}
_LINKS |= {name: f"/proc/self/fd/{number}" for number, name in enumerate(("stdin", "stdout", "stderr"))}


@dataclass(frozen=True)
class Sandbox:
    """The confinement of the bots in a run."""

    limits: Limits = Limits()
    tier: Tier = "limits"
    bwrap: str = ""  # the path of bubblewrap, in the tier of that name
    why_not_stronger: str = ""  # why this is not bubblewrap; "" if it is, or by choice
    group: str = ""  # a control group that contains one for each bot
    bots: tuple[Path, ...] = ()  # files of all bots: none sees another's

    def for_bots(self, bots: Iterable[Bot]) -> "Sandbox":
        """A copy with the files of these bots as `bots`, which hides them from each other."""
        own = tuple(path for bot in bots for path in bot.files if path not in bot.installed)
        return replace(self, bots=own)

    @property
    def boxed(self) -> bool:
        """Whether each bot runs in a box of bubblewrap."""
        return self.tier == "bubblewrap"

    @property
    def title(self) -> str:
        """The name of the tier, with "control groups" if it has them."""
        return f"{self.tier} with control groups" if self.group else self.tier

    @property
    def summary(self) -> str:
        """One line for users: the tier, and the promises that it lacks on this machine."""
        name = self.title + ("" if self.boxed else ", for bots that you trust")
        lacking = ", ".join(promises.not_promised("+ cgroup" if self.group else self.tier))
        more = f"; for a stronger one: {self.why_not_stronger}" if self.why_not_stronger else ""
        return f"sandbox: {name}; not promised: {lacking} (arena doctor){more}"

    def has_own_user(self, bot: Bot, command: Sequence[str]) -> bool:
        """Whether a bot gets its own user id: without a box, under root, if all users can read its files."""
        if self.boxed or not users.can_be_given():
            return False
        folders = bot.folder, Path(tempfile.gettempdir())
        # Few bots import the arena: for the rest its modes do not matter.
        needed = (path for path in required_paths(bot.installed, (), command) if path != PACKAGE)
        reached = (*folders, *needed, *bot.files)
        return all(map(users.all_can_read, reached)) and all(map(users.all_can_read_inside, bot.files))

    def warning(self, bots: Iterable[Bot]) -> str:
        """A warning if bots of several authors play in the tier limits; else ""."""
        authors = {bot.author for bot in bots if bot.author}
        if self.boxed or len(authors) < 2:
            return ""
        advice = self.why_not_stronger or "remove `sandbox: limits`"
        return f"bots of {len(authors)} authors play in the tier limits, for bots that you trust: {advice}"

    def root_note(self, bots: Iterable[Bot]) -> str:
        """A note on bots that run as root because other users cannot read their files; "" if none do."""
        bots = list(bots)
        names = [bot.name for bot in bots if not self.has_own_user(bot, bot.command)]
        if self.boxed or not users.can_be_given() or not names:
            return ""
        which = "all bots run" if len(names) == len(bots) else f"run: {', '.join(names)}"
        return f"as root {which}: other users cannot read their files, or the program that runs them"

    def command(self, bot: Bot, command: Sequence[str], writable: Sequence[Path] = ()) -> list[str]:
        """The command line that runs a command of a bot: in a box, bwrap's (`launch` adds options)."""
        if not self.boxed:
            return list(command)
        binds = [
            word for path in self.reachable(bot, command) for word in ("--ro-bind", str(path), str(path))
        ]
        binds += [word for path in writable for word in ("--bind", str(path), str(path))]
        box = _box_options(self.limits.disk, [*binds, "--dir", str(bot.folder)])
        return [self.bwrap, *box, "--chdir", str(bot.folder), "--", *rlimits.command_in_box(command)]

    def reachable(self, bot: Bot, command: Sequence[str]) -> list[Path]:
        """The paths outside `SYSTEM` that a bot may read: its own and shared files, and its programs."""
        own = (path for path in bot.files if path not in bot.installed)
        wanted = (*bot.files, *required_paths(bot.installed, (*self.bots, *own), command))
        found = {path for path in wanted if not in_system(path)}
        return sorted(path for path in found if found.isdisjoint(path.parents))

    def readable_paths(self, bot: Bot, command: Sequence[str]) -> list[str]:
        """All paths that a bot may read without a box: the `reachable` ones and the system's."""
        system = [
            path for path in SYSTEM if os.path.exists(path) and not os.path.realpath(path).startswith("/usr/")
        ]
        etc = [f"/etc/{name}" for name in _ETC_IN_LIMITS]
        return [*system, *_ETC, *etc, "/proc", "/sys", *map(str, self.reachable(bot, command))]

    def path(self, bot: Bot, command: Sequence[str]) -> str:
        """The $PATH of a bot: folders of its own programs, then the user's $PATH, or a fixed one in a box."""
        # Its own programs come first: cargo must find its rustc before a rustup proxy. A box does not contain
        # the folders of the user's $PATH.
        named = [path for path in programs(command) if is_in(path, (*bot.files, *bot.installed))]
        own = [str(path.parent) for path in dict.fromkeys((*named, *bot.installed)) if not in_system(path)]
        others = "/usr/local/bin:/usr/bin:/bin" if self.boxed else os.environ.get("PATH", os.defpath)
        return ":".join([*own, others])


def _box_options(disk: int, binds: Sequence[str] = ()) -> list[str]:
    """The options of bwrap for a box: the system to read, a /tmp of `disk` bytes to write, and `binds`."""
    # `/` is a tmpfs without a size limit, so it becomes read-only at the end. Every mount costs time at each
    # start, so there are few: `/dev` is a plain folder, and its `shm` is /tmp. `/proc` is read-only, because
    # root's bot is user 0 in the box, and may write to kernel files even without capabilities. `/proc/1` is
    # bwrap. The supervisor adds `UNSHARE` and the filter, which forbids new user namespaces faster than
    # --disable-userns.
    system = []
    for path in (*SYSTEM, *_ETC):
        if os.path.islink(path):
            system += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            system += ["--ro-bind", path, path]
    devices = [word for name in _DEVICES for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")]
    devices += [word for name, target in _LINKS.items() for word in ("--symlink", target, f"/dev/{name}")]
    closed = () if seccomp.load() else ("--disable-userns",)
    return [
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", *closed,
        *system, "--proc", "/proc", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1", "--remount-ro", "/proc",
        *devices, "--size", str(disk), "--perms", "1777", "--tmpfs", "/tmp", *binds, "--remount-ro", "/",
    ]  # fmt: skip


@functools.cache
def bubblewrap_problem() -> str:
    """Why this machine cannot use the tier bubblewrap, and what to do; "" if it can."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    bwrap = shutil.which("bwrap")
    if not bwrap:
        return f"bubblewrap is not installed: {INSTALL}"
    number = version(bwrap)
    if number < _MIN_VERSION:
        return f"bubblewrap {'.'.join(map(str, number))} is too old, 0.8 is needed: {INSTALL}"
    command = [bwrap, *UNSHARE, *_box_options(2**20), "--", "/bin/sh", "-c", ":"]
    done = subprocess.run(command, capture_output=True, text=True, env={}, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return f"bubblewrap does not work here ({said[0]}): {userns_advice()}"


def version(bwrap: str) -> tuple[int, ...]:
    """The version of a bubblewrap program; () if it does not say."""
    done = subprocess.run([bwrap, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", done.stdout)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def userns_advice(default: str = "allow user namespaces (in a container: by its security options)") -> str:
    """How to allow user namespaces for bubblewrap: a sysctl command if one forbids them, or `default`."""
    for name, forbids, allows in (
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("user.max_user_namespaces", "0", "10000"),
    ):
        path = Path("/proc/sys", name.replace(".", "/"))
        if path.is_file() and path.read_text().strip() == forbids:
            return f"sysctl -w {name}={allows}"
    return default


LIMITS_ONLY = Sandbox()


def choose(limits: Limits, wanted: str = "auto", required: Tier = "limits") -> Sandbox:
    """The sandbox of the tier `wanted`; with "auto" the strongest of this machine.

    May move this process to another control group (`cgroup.claim`).

    Raises:
        ConfigError: This machine lacks the tier, or the tier is weaker than `required`.
    """
    reason = bubblewrap_problem() if "bubblewrap" in (wanted, required) or wanted == "auto" else ""
    if required == "bubblewrap" and wanted == "limits":
        raise ConfigError("`sandbox: limits` is less than `require: bubblewrap`")
    if reason and "bubblewrap" in (wanted, required):
        raise ConfigError(f"the plan needs the sandbox bubblewrap, and this machine has none; {reason}")
    if wanted == "limits" or reason:
        return Sandbox(limits, why_not_stronger=reason)
    return Sandbox(limits, "bubblewrap", shutil.which("bwrap") or "", group=cgroup.claim())
