"""Seccomp: a thread gives up system calls, for itself and its new processes (seccomp(2)).

libseccomp knows the numbers on each architecture, and compiles the filter; a thread installs it by prctl(2).
"""

import ctypes
import errno
import functools
import os
import socket
import stat
import sys
import tempfile
from typing import NamedTuple

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000  # actions; the second with an errno
_NOT_EQUAL, _MASKED_EQUAL = 1, 7
_INT = 0xFFFFFFFF  # the bits of an int that the kernel reads; a filter sees 64 bits
_CLONE_NEWUSER = 0x10000000
_SOCK_TYPES = 0xF  # the bits of a socket's type that are not flags
_S_IFMT = 0o170000
LIBRARY = "libseccomp.so.2"
_UNKNOWN = -1  # the library does not know the name

# An errno that language runtimes handle, and the calls that fail with it.
_REFUSED = (
    # Without sockets there is no network and no access to services. A joined pair stays possible, see
    # `socketpair` below, but cannot be used in another way.
    (errno.EACCES, "socket bind connect listen accept accept4"),
    # These send descriptors. The kernel counts descriptors in transit for each user of the host, in all boxes
    # together: a few hundred of one bot would keep its rivals from sending any.
    (errno.EACCES, "sendmsg sendmmsg"),
    # These look into other processes.
    (errno.EPERM, "ptrace process_vm_readv process_vm_writev pidfd_getfd perf_event_open"),
    # Most holes in the kernel are behind these, and ordinary programs need none of them.
    (errno.EPERM, "bpf userfaultfd unshare setns mount keyctl request_key add_key ioprio_set"),
    (errno.ENOSYS, "io_uring_setup"),
    # The kernel counts these requests for all users together, and says how many there are.
    (errno.ENOSYS, "io_setup"),
    # The objects of these outlive the process.
    (errno.ENOSYS, "shmget semget msgget mq_open"),
    # A filter cannot read the arguments of these, which could request a user namespace or a set-user-ID file.
    # If they do not exist, programs use clone(2) and openat(2), which are filtered below.
    (errno.ENOSYS, "clone3 openat2"),
    # Two bots could communicate by a watch on a file that both can read. A user may have few of them.
    (errno.ENOSYS, "inotify_init inotify_init1 fanotify_init"),
)
# Builds need these: a linker makes its output executable, and package managers lock their caches.
_REFUSED_TO_BOTS = (
    # Landlock does not cover the owner, the mode, the times and the attributes of files: a bot could leave a
    # message to its next process on any file of the user, or lock other bots out of their folders. C
    # libraries fall back to the older calls if they are told that a newer one does not exist.
    (errno.EPERM, "chmod fchmod fchmodat chown fchown lchown fchownat utime utimes futimesat utimensat"),
    (errno.EPERM, "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr"),
    (errno.ENOSYS, "fchmodat2 setxattrat removexattrat file_setattr"),
    # Two bots could communicate by a lock on a file that both can read.
    (errno.ENOLCK, "flock"),
    # A worker may be bound to a core: then wall time limits the CPU time of its bots.
    (errno.EPERM, "sched_setaffinity"),
)
# The numbers of recent calls, the same on all architectures; the library may be older.
_RECENT = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469}
# Of fcntl: locks of processes and of files; F_SETLEASE, F_NOTIFY; F_SET_RW_HINT and F_SET_FILE_RW_HINT, which
# stay with a file. Of ioctl: FS_IOC_SETFLAGS (also of 32 bits), FS_IOC_FSSETXATTR, FS_IOC_SETVERSION (also of
# 32 bits), FS_IOC_ENABLE_VERITY.
_REFUSED_COMMANDS = {
    "fcntl": (*range(5, 8), *range(36, 39), 1024, 1026, 1036, 1038),
    "ioctl": (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x40806685),
}
# These act on any process of the same user, unless these arguments are all 0, for the caller.
_ON_OTHERS = {"prlimit64": (0,), "setpriority": (0, 1), "sched_setaffinity": (0,)}
_ON_OTHERS |= {name: (0,) for name in ("sched_setscheduler", "sched_setparam", "sched_setattr")}

# The argument of each call that is a mode. open(2) uses it only with one of these flags.
_MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1}
_MODES |= {"mkdir": 1, "mkdirat": 2, "mknod": 1, "mknodat": 2, "open": 2, "openat": 3}
_FLAGS = {"open": 1, "openat": 2}
_CREATING = (os.O_CREAT, os.O_TMPFILE & ~os.O_DIRECTORY) if sys.platform == "linux" else ()

_libc = ctypes.CDLL(None, use_errno=True)


class _Compare(ctypes.Structure):
    """struct scmp_arg_cmp"""

    _fields_ = [
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("datum", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    ]


class _Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


class Filter(NamedTuple):
    """A compiled filter, as the kernel reads it: `code` has 8 bytes for each instruction."""

    code: bytes

    def install(self) -> None:
        """Filter this thread and its new processes.

        Raises:
            OSError: The kernel refuses, for example without no_new_privs.
        """
        program = _Program(len(self.code) // 8, self.code)
        if _libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0):
            error = ctypes.get_errno()
            raise OSError(error, f"seccomp: {os.strerror(error)}")

    def open(self) -> int:
        """The descriptor of a new file with the filter, for bubblewrap; each box needs its own."""
        file = os.memfd_create("filter")
        os.write(file, self.code)
        os.lseek(file, 0, os.SEEK_SET)
        return file


@functools.cache
def compile_filter(build: bool, group_bit: bool = False) -> Filter | None:
    """The filter for a bot or a `build`; `group_bit` allows the set-group-ID bit. None without seccomp."""
    library = load()
    if library is None:
        return None
    context = ctypes.c_void_p(library.seccomp_init(_ALLOW))
    try:
        # A filter allows calls that it does not name: language runtimes use hundreds, and new ones.
        for error, names in _REFUSED if build else _REFUSED + _REFUSED_TO_BOTS:
            for name in names.split():
                _add(library, context, name, error)
        for name, commands in () if build else _REFUSED_COMMANDS.items():
            for command in commands:
                _add(library, context, name, errno.EPERM, _Compare(1, _MASKED_EQUAL, _INT, command))
        _add(library, context, "clone", errno.EPERM, _with_bit(0, _CLONE_NEWUSER))
        for name, argument in _MODES.items():
            # Tools set the set-group-ID bit of all folders within a folder that has it.
            for bit in (stat.S_ISUID,) if group_bit else (stat.S_ISUID, stat.S_ISGID):
                # A rule compares an argument once, so "one of these flags" needs a rule for each.
                for flag in _CREATING if name in _FLAGS else (0,):
                    asked = [_with_bit(_FLAGS[name], flag)] if flag else []
                    _add(library, context, name, errno.EPERM, _with_bit(argument, bit), *asked)
            for kind in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK) if name.startswith("mknod") else ():
                _add(library, context, name, errno.EPERM, _Compare(argument, _MASKED_EQUAL, _S_IFMT, kind))
        # These pairs stay joined: Node needs the first, Rust the second. Others send to any address.
        _add(library, context, "socketpair", errno.EACCES, _Compare(0, _NOT_EQUAL, socket.AF_UNIX, 0))
        # A rule cannot say "none of these", so all other types are named.
        for kind in set(range(_SOCK_TYPES + 1)) - {socket.SOCK_STREAM, socket.SOCK_SEQPACKET}:
            _add(library, context, "socketpair", errno.EACCES, _Compare(1, _MASKED_EQUAL, _SOCK_TYPES, kind))
        _add(library, context, "sendto", errno.EACCES, _Compare(4, _NOT_EQUAL, 0, 0))
        for name, arguments in _ON_OTHERS.items():
            for argument in arguments:
                _add(library, context, name, errno.EPERM, _Compare(argument, _NOT_EQUAL, 0, 0))
        # The library writes to a descriptor only.
        with tempfile.TemporaryFile() as file:
            if failure := library.seccomp_export_bpf(context, file.fileno()):
                raise OSError(-failure, f"seccomp: {os.strerror(-failure)}")
            file.seek(0)
            return Filter(file.read())
    finally:
        library.seccomp_release(context)


def _with_bit(argument: int, bit: int) -> _Compare:
    return _Compare(argument, _MASKED_EQUAL, bit, bit)


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, name: str, error: int, *when: _Compare) -> None:
    """Add a rule: the system call `name` fails with the errno `error` if all conditions (`when`) hold.

    Raises:
        OSError: libseccomp refuses the rule. If it does not know the call, there is no rule.
    """
    number = library.seccomp_syscall_resolve_name(name.encode())
    if number == _UNKNOWN:
        number = _RECENT.get(name, _UNKNOWN)
    failure = library.seccomp_rule_add_array(
        context, _REFUSE | error, number, len(when), (_Compare * len(when))(*when) if when else None
    )
    if failure and number != _UNKNOWN:
        raise OSError(-failure, f"seccomp: {name}: {os.strerror(-failure)}")


@functools.cache
def load() -> ctypes.CDLL | None:
    """libseccomp, or None if it is not installed or the kernel has no seccomp."""
    if sys.platform != "linux" or not os.path.exists("/proc/sys/kernel/seccomp"):
        return None
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Compare)
    ]  # fmt: skip
    return library
