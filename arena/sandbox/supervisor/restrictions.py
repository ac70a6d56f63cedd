"""The fence of the tier without a box: what each bot gives up before it begins. (Boxes take parts of it.)

A supervisor has no fence, or it could not end its bots. So each bot is started by a thread of its own, which
gives up everything first: what a thread gives up, the process that it starts has given up too, and nobody
else. (A `preexec_fn` would do it between fork and exec, and cost the more the larger the supervisor is.)
"""

import _thread
import errno
import functools
import subprocess
from collections.abc import Callable, Sequence

from arena.sandbox.linux import landlock, namespaces, seccomp

PR_SET_SECUREBITS, NO_ROOT = 28, 0b11  # a root without rights, for good
USABLE = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))


class Restrictions:
    """What this kernel and this machine can make of it.

    `boxed` is for a supervisor of boxes: if it can be `offline`, its boxes need no network of their own. Not
    without the filter: who can make a socket could speak to another box that shares its network.
    """

    def __init__(self, boxed: bool = False) -> None:
        self.filter = seccomp.compile_filter()
        self.offline = boxed and self.filter is not None and namespaces.leave()

    @functools.cached_property
    def build_filter(self) -> seccomp.Filter | None:
        return seccomp.compile_filter(build=True)

    def start(
        self,
        begin: Callable[[], subprocess.Popen],
        readable: Sequence[str],
        writable: Sequence[str],
        build: bool = False,
    ) -> subprocess.Popen:
        """What `begin` starts sees nothing but what is `readable`, and writes only where it is `writable`.

        OSError, ValueError: it cannot be started.
        """
        used = self.build_filter if build else self.filter  # to make one needs files
        outcome: list[subprocess.Popen | Exception] = []
        done = _thread.allocate_lock()

        def give_up_and_begin() -> None:
            try:
                landlock.libc.prctl(PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0)
                if landlock.version():
                    landlock.restrict(readable, USABLE, writable)
                if used:
                    used.install()
                outcome.append(begin())
            except (OSError, ValueError) as error:
                outcome.append(error)
            finally:
                done.release()

        done.acquire()
        try:
            _thread.start_new_thread(give_up_and_begin, ())  # threading.Thread takes three times as long
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, str(error)) from None
        done.acquire()
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]


def gaps() -> list[str]:
    """What bots can do in spite of the fence, because this kernel or this machine has only a part of it."""
    known, filtered = landlock.version(), seccomp.load() is not None
    return [
        words
        for words, there in {
            "read and write your files, and trace your processes": known == 0,
            "cut your files short": 0 < known < landlock.TRUNCATE_SINCE,
            "signal your processes": known < landlock.SCOPES_SINCE,
            "use the network": not filtered,
        }.items()
        if there
    ]
