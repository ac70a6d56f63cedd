"""Landlock: an unprivileged thread restricts what it may do to files and other processes (Linux 5.13).

Processes that it starts from then on inherit the restrictions. See the kernel's
Documentation/userspace-api/landlock.rst; the numbers are those of `linux/landlock.h`. There is no maintained
library for it, and no wrapper in libc.
"""

import ctypes
import functools
import os
import stat
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls; the same on all architectures
ASK_VERSION, PATH_BENEATH = 1, 1
FILES_SINCE = {1: 0x1FFF, 2: 1 << 13, 3: 1 << 14}  # rights by the version that added them
SCOPES_SINCE, SCOPES = 6, 0b11  # only within the domain: abstract sockets and signals
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
READ = EXECUTE | READ_FILE | READ_DIR
USE = WRITE_FILE | READ_FILE | TRUNCATE  # of a device
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # rights that apply to files

libc = ctypes.CDLL(None, use_errno=True)


class Attributes(ctypes.Structure):
    """struct landlock_ruleset_attr"""

    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class PathBeneath(ctypes.Structure):
    """struct landlock_path_beneath_attr"""

    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("parent", ctypes.c_int32)]


@functools.cache
def version() -> int:
    """The version of this kernel's Landlock; 0 if it has none, or has disabled it."""
    if sys.platform != "linux":
        return 0
    answer: int = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    return max(0, answer)


def restrict(readable: Iterable[str], usable: Iterable[str], writable: Iterable[str]) -> None:
    """Let this thread, and what it starts, use only these files, and signal or trace only its descendants.

    `readable` may be read and run, `usable` are devices, `writable` are folders with all rights. Missing
    paths are skipped. OSError: the kernel refuses; no_new_privs has to be set first.
    """
    known = version()
    files = sum(rights for since, rights in FILES_SINCE.items() if since <= known)
    # 0 for TCP: the seccomp filter closes the network.
    wanted = Attributes(files, 0, SCOPES if known >= SCOPES_SINCE else 0)
    size = 24 if known >= SCOPES_SINCE else 8  # of the structure in this version
    ruleset = call(CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    try:
        for paths, rights in ((readable, READ), (usable, USE), (writable, files)):
            for path in paths:
                allow(ruleset, path, rights & files)
        call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def allow(ruleset: int, path: str, rights: int) -> None:
    """Add a rule: these rights to a file, or to a folder with all below it. A missing path is skipped."""
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = rights if stat.S_ISDIR(os.fstat(file).st_mode) else rights & ON_FILES
        call(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(PathBeneath(rights, file)), 0)
    finally:
        os.close(file)


def call(number: int, *arguments: object) -> int:
    answer: int = libc.syscall(number, *arguments)
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"landlock: {os.strerror(error)}")
    return answer
