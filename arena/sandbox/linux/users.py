"""User ids: root gives each bot one of its own, so that no file and no process of another belongs to it."""

import ctypes
import functools
import os
from pathlib import Path

from arena.sandbox.linux import seccomp

FIRST, COUNT = (
    0x70000000,
    2**27,
)  # ids that systemd's list of user ids calls unused, none of them in a database
# Bits of linux/capability.h: CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, SYS_PTRACE. They are
# needed to check and to kill processes of other users, and to remove their files.
CAPABILITIES = sum(1 << bit for bit in (0, 1, 3, 5, 6, 7, 19))


@functools.cache
def can_be_given() -> bool:
    """Whether this process may start processes of other users, and still control them."""
    if os.geteuid() != 0 or seccomp.load() is None:
        return False
    words = Path("/proc/self/status").read_text().partition("CapEff:")[2].split()
    is_mapped = any(  # a container may have fewer ids
        int(first) <= FIRST and int(first) + int(count) >= FIRST + COUNT
        for first, _, count in map(str.split, Path("/proc/self/uid_map").read_text().splitlines())
    )
    return is_mapped and int(words[0], 16) & CAPABILITIES == CAPABILITIES


def new() -> int:
    """An id that, but for a rare chance, no other process has."""
    return FIRST + int.from_bytes(os.urandom(4), "big") % COUNT


def become(user: int) -> None:
    """Make this thread, and what it starts, a process of this user, for good. OSError: it may not."""
    library = seccomp.load()
    for name, *ids in (("setgroups", 0, None), ("setresgid", *[user] * 3), ("setresuid", *[user] * 3)):
        # setresuid(3) of the C library would change all threads of the process.
        ctypes.CDLL(None).syscall(library.seccomp_syscall_resolve_name(name.encode()), *ids)
    if (*os.getresuid(), *os.getresgid(), os.getgroups()) != (*[user] * 6, []):
        raise OSError(1, f"cannot become user {user}")


def all_can_read(path: Path) -> bool:
    """Whether every user can read a file, or list a folder, and reach it."""
    real = path.resolve()
    wanted = 0o005 if real.is_dir() else 0o004
    return all(
        each.stat().st_mode & mode == mode
        for each, mode in ((real, wanted), *((above, 0o001) for above in real.parents))
        if each.exists()
    )
