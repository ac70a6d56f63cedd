"""The restrictions of the tier `limits`: Landlock, seccomp, no capabilities, a user id of its own.

The supervisor itself must not be restricted, or it could not kill its bots. But the kernel can restrict one
thread and its new processes. So a new thread starts each bot, and restricts itself first. (A `preexec_fn`
could do it after the fork, but costs another millisecond.) Boxes need only the filter.
"""

import _thread
import errno
import os
import stat
import subprocess
from collections.abc import Callable

from arena.programs.sandbox.linux import landlock, seccomp, users
from arena.programs.sandbox.supervisor.messages import StartRequest

_PR_SET_SECUREBITS, _NO_ROOT = 28, 0b11  # the user id 0 permanently gives no capabilities
# The devices that programs expect to open; they only produce or swallow bytes.
_USABLE = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))


def filter_for(request: StartRequest) -> seccomp.Filter | None:
    """The system call filter for a bot or a build, which has writable folders; None without seccomp."""
    # Each of the few combinations is compiled once.
    folders = request["writable"]
    return seccomp.compile_filter(
        build=bool(folders), group_bit=any(os.stat(folder).st_mode & stat.S_ISGID for folder in folders)
    )


def start(
    begin: Callable[[], subprocess.Popen[bytes]], request: StartRequest, user: int | None
) -> subprocess.Popen[bytes]:
    """Call `begin` in a new, restricted thread; returns the process that it starts.

    `user` is the user id of the thread and the process; None for this process's own.

    Raises:
        OSError: The start fails.
        ValueError: The command contains a zero byte.
    """
    compiled = filter_for(request)  # before the restrictions, because it needs files
    outcome: list[subprocess.Popen[bytes] | Exception] = []
    done = _thread.allocate_lock()

    def restrict_and_begin() -> None:
        # `become` is the last step, because the others need the rights of the arena's user: a capability for
        # the securebits, and access to the paths for Landlock. All of them change only this thread.
        try:
            if landlock.libc.prctl(_PR_SET_SECUREBITS, _NO_ROOT, 0, 0, 0) and os.geteuid() == 0:
                raise OSError(errno.EPERM, "root cannot give up its capabilities")
            if landlock.version():
                landlock.restrict(request["readable"], _USABLE, [request["home"], *request["writable"]])
            if compiled:
                compiled.install()
            if user is not None:
                users.become(user)
            outcome.append(begin())
        except (OSError, ValueError) as error:
            outcome.append(error)
        finally:
            done.release()

    done.acquire()  # released by the thread: the second `acquire` below waits for that
    try:
        _thread.start_new_thread(restrict_and_begin, ())  # threading.Thread takes three times as long
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from None
    done.acquire()
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
