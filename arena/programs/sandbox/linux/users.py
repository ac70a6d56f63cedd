"""User ids: without a box, root gives a bot an id of its own if all users can read the bot's files."""

import ctypes
import functools
import os
from pathlib import Path

from arena.programs.sandbox.linux import seccomp

FIRST, _COUNT = 0x70000000, 2**27  # unused according to systemd's "Users, Groups, UIDs and GIDs"
# CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, SYS_PTRACE of linux/capability.h: these are needed to
# check and kill processes of other users, and to remove their files.
_CAPABILITIES = sum(1 << bit for bit in (0, 1, 3, 5, 6, 7, 19))


@functools.cache
def can_be_given() -> bool:
    """Whether this process may start and control processes of the users of `random_id`."""
    if os.geteuid() != 0 or seccomp.load() is None:
        return False
    effective = Path("/proc/self/status").read_text().partition("CapEff:")[2].split()[0]
    is_mapped = any(  # a container may have fewer ids
        int(first) <= FIRST and int(first) + int(count) >= FIRST + _COUNT
        for first, _, count in map(str.split, Path("/proc/self/uid_map").read_text().splitlines())
    )
    return is_mapped and int(effective, 16) & _CAPABILITIES == _CAPABILITIES


def random_id() -> int:
    """A random user id, almost certainly unused by other processes."""
    return FIRST + int.from_bytes(os.urandom(4), "big") % _COUNT


def become(user: int) -> None:
    """Make this thread and its new processes run as this user id, for good.

    Raises:
        OSError: The kernel refuses.
    """
    library = seccomp.load()
    assert library, "see can_be_given"
    for name, ids in ((b"setgroups", [0, None]), (b"setresgid", [user] * 3), (b"setresuid", [user] * 3)):
        # The raw system call: setresuid(3) of the C library changes all threads of the process.
        ctypes.CDLL(None).syscall(library.seccomp_syscall_resolve_name(name), *ids)
    if (*os.getresuid(), *os.getresgid(), os.getgroups()) != (*[user] * 6, []):
        raise OSError(1, f"cannot become user {user}")


def all_can_read(path: Path) -> bool:
    """Whether every user can reach a path, and read the file or list the folder there, if it exists."""
    real = path.resolve()
    reached = all(above.stat().st_mode & 0o001 for above in real.parents if above.exists())
    return reached and _is_public(real)


def all_can_read_inside(folder: Path) -> bool:
    """Whether every user who can read a folder can read its whole content; True for a file."""
    # Links do not count: an entry could contain a link to a private file, which it cannot read anyway.
    return all(path.is_symlink() or _is_public(path) for path in folder.rglob("*"))


def _is_public(path: Path) -> bool:
    """Whether every user may read a file, or list and enter a folder, by its mode; True if it is missing."""
    if not path.exists():
        return True
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted
