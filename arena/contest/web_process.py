"""The web process of a contest: `python -m arena.contest.web_process`, started by the parent.

It takes the archives of strangers, so it confines itself: it and its child processes may write the state of
the server and temporary files, and nothing else. A mistake in a page then cannot change a run, an entry that
plays or a plan.
"""

import os
from pathlib import Path

from arena.contest import handin
from arena.contest.pages import entrant, organiser, public
from arena.contest.pages.server import ContestServer, contest_server
from arena.programs.sandbox.linux import landlock
from arena.web.log import log
from arena.web.process import run_web_process
from arena.web.settings import ServerSettings

_PR_SET_NO_NEW_PRIVS = 38
ROUTES = (*public.ROUTES, *entrant.ROUTES, *organiser.ROUTES)


def _make_confined(settings: ServerSettings) -> ContestServer:
    server = contest_server(settings)
    handin.clean_up(server.contest, server.state, is_start=True)
    confine(settings.folder, settings.runtime)
    return server


def confine(*writable: Path) -> None:
    """Let this thread, and the processes that it starts, write only below the folders `writable`.

    Running threads are not confined. If the kernel cannot do it, that is only logged. The last
    folder is used for temporary files.
    """
    os.environ["SQLITE_TMPDIR"] = os.environ["TMPDIR"] = str(writable[-1])
    if not landlock.version():
        log("not confined", why="this kernel has no Landlock: the web process could write run files")
        return
    try:
        if landlock.libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError("no_new_privs was refused")
        landlock.restrict(["/"], ["/dev/null"], map(str, writable))
    except OSError as error:
        log("not confined", why=str(error))


if __name__ == "__main__":
    run_web_process(_make_confined, ROUTES)
