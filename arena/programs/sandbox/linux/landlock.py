"""Landlock: an unprivileged thread restricts what it may do to files and other processes (Linux 5.13).

Processes that it starts later inherit the restrictions. See the kernel's
Documentation/userspace-api/landlock.rst; the numbers are from `linux/landlock.h`. It has no maintained
library, and no wrapper in libc.
"""

import ctypes
import functools
import os
import stat
import sys
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls; the same on all architectures
_ASK_VERSION, _PATH_BENEATH = 1, 1
_FILES_SINCE = {1: 0x1FFF, 2: 1 << 13, 3: 1 << 14}  # rights by the version that added them
SCOPES_SINCE, _SCOPES = 6, 0b11  # only within the domain: abstract sockets and signals
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_USE = _WRITE_FILE | _READ_FILE | _TRUNCATE  # of a device
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE  # rights that apply to files

libc = ctypes.CDLL(None, use_errno=True)


class _Attributes(ctypes.Structure):
    """struct landlock_ruleset_attr"""

    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    """struct landlock_path_beneath_attr"""

    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("parent", ctypes.c_int32)]


@functools.cache
def version() -> int:
    """The version of this kernel's Landlock; 0 if it is missing or disabled."""
    if sys.platform != "linux":
        return 0
    answer: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    return max(0, answer)


def restrict(readable: Iterable[str], usable: Iterable[str], writable: Iterable[str]) -> None:
    """Let this thread and its processes open only these files, and trace and signal only each other.

    Signals are restricted from version 6 on. `readable` files and folders may be read and run, `usable` are
    devices, `writable` are folders with all rights. Missing paths are skipped.

    Raises:
        OSError: The kernel refuses, for example without no_new_privs.
    """
    known = version()
    files = sum(rights for since, rights in _FILES_SINCE.items() if since <= known)
    # The rights for TCP are 0: the seccomp filter closes the network.
    wanted = _Attributes(files, 0, _SCOPES if known >= SCOPES_SINCE else 0)
    size = 24 if known >= SCOPES_SINCE else 8  # of the structure in this version
    ruleset = _call(_CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    try:
        for paths, rights in ((readable, _READ), (usable, _USE), (writable, files)):
            for path in paths:
                _allow(ruleset, path, rights & files)
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Add a rule to a ruleset: these rights to a file or a folder and its content, if it exists."""
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = rights if stat.S_ISDIR(os.fstat(file).st_mode) else rights & _ON_FILES
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(_PathBeneath(rights, file)), 0)
    finally:
        os.close(file)


def _call(number: int, *arguments: object) -> int:
    answer: int = libc.syscall(number, *arguments)
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"landlock: {os.strerror(error)}")
    return answer
