"""The restrictions of the tier `limits`: Landlock, seccomp, no capabilities, a user id of its own.

The supervisor itself must not be restricted, or it could not kill its bots. But the kernel restricts a thread
with the processes that it starts. So each bot is started by a new thread, which restricts itself first. (A
`preexec_fn` could do it after the fork, but costs another millisecond.) Boxes need only the filter.
"""

import _thread
import errno
import os
import stat
import subprocess
from collections.abc import Callable

from arena.programs.sandbox.linux import landlock, seccomp, users
from arena.programs.sandbox.supervisor.messages import StartRequest

_PR_SET_SECUREBITS, _NO_ROOT = 28, 0b11  # the user id 0 gives no capabilities, for good
# The devices that programs expect to be able to open; all they do is to give or to swallow bytes.
_USABLE = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))


def filter_for(request: StartRequest) -> seccomp.Filter | None:
    """The system call filter for a bot, or a build, which has writable folders; None without seccomp."""
    # It is compiled once for each of the few combinations.
    folders = request["writable"]
    return seccomp.compile_filter(
        build=bool(folders), group_bit=any(os.stat(folder).st_mode & stat.S_ISGID for folder in folders)
    )


def start(
    begin: Callable[[], subprocess.Popen[bytes]], request: StartRequest, user: int | None
) -> subprocess.Popen[bytes]:
    """Call `begin` in a new, restricted thread; returns the process that it starts.

    `user` is the user id of the thread and the process; None: that of this process. OSError, ValueError:
    nothing was started.
    """
    compiled = filter_for(request)  # before the restrictions: it needs files
    outcome: list[subprocess.Popen[bytes] | Exception] = []
    done = _thread.allocate_lock()

    def restrict_and_begin() -> None:
        # `become` is the last step, as those before it need the rights of the arena's user: a capability for
        # the securebits, and to open the paths for Landlock. All of them change this thread alone.
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
