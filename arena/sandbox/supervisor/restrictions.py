"""What the kernel keeps a bot from in the tier `limits`: Landlock, seccomp, rights, a user of its own.

The supervisor itself must not be restricted, or it could not kill its bots. Restrictions hold for a thread
and for the processes that it starts. So each bot is started by a thread of its own, which restricts itself
first. (A `preexec_fn` would do it after a fork, which costs another millisecond.) Boxes take only the
filter.
"""

import _thread
import errno
import os
import subprocess
from collections.abc import Callable, Sequence

from arena.sandbox.linux import landlock, seccomp, users

PR_SET_SECUREBITS, NO_ROOT = 28, 0b11  # the user id 0 brings no rights, for good
USABLE = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))


def start(
    begin: Callable[[], subprocess.Popen],
    readable: Sequence[str],
    writable: Sequence[str],
    build: bool,
    user: int | None,
) -> subprocess.Popen:
    """What `begin` starts sees nothing but what is `readable`, and writes only where it is `writable`.

    It runs as `user`, or as ours. OSError, ValueError: it cannot be started.
    """
    used = seccomp.compile_filter(build)  # before anything is restricted: it needs files
    outcome: list[subprocess.Popen | Exception] = []
    done = _thread.allocate_lock()

    def restrict_and_begin() -> None:
        try:
            if landlock.libc.prctl(PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0) and os.geteuid() == 0:
                raise OSError(errno.EPERM, "the rights of root cannot be given up")
            if landlock.version():
                landlock.restrict(readable, USABLE, writable)
            if used:
                used.install()
            if user is not None:
                users.become(user)
            outcome.append(begin())
        except (OSError, ValueError) as error:
            outcome.append(error)
        finally:
            done.release()

    done.acquire()
    try:
        _thread.start_new_thread(restrict_and_begin, ())  # threading.Thread takes three times as long
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from None
    done.acquire()
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
