"""Builds bots in the sandbox, because a build runs untrusted code; once per fingerprint, before any game.

Builds run in parallel, each in a thread with its own supervisor. A Ctrl-C in the main thread ends the
supervisors, and with them the builds and the threads.
"""

import fcntl
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from arena.config.document import ConfigError
from arena.config.text import duration, one_line
from arena.config.values import MB
from arena.programs.bot import Bot, BotError
from arena.programs.executables import granted, resolve
from arena.programs.files import BUILD_FOLDER
from arena.programs.machine import describe_status
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.linux.folders import take_rights
from arena.programs.sandbox.policy import Sandbox
from arena.referee.conditions import Limits

LIMITS = Limits(memory=2048 * MB, processes=256, disk=512 * MB)  # the times follow from `limits: {build: 5m}`
_TELL_EVERY_S = 10.0
_MAX_NAMED = 5  # bots in one line
_STAMP = ".fingerprint"  # the file in the build folder with the fingerprint of its bot
_SOURCE_LINE = re.compile(r"\s*\d*\s*\|")  # a line of source code, as gcc and rustc quote it


class _BuildFailed(Exception):
    """A build has failed. Its arguments are the reason, in one line, and the output of the build, or ""."""


Tell = Callable[[str], None]
"""Shows a line on the builds in progress."""


def tell_nothing(message: str) -> None:
    pass


def build(bots: Iterable[Bot], sandbox: Sandbox, tell: Tell = tell_nothing) -> None:
    """Run the builds that are due.

    Raises:
        BotError: Some builds have failed.
    """
    named = {bot.name: bot for bot in bots}
    if failed := run_builds(named.values(), sandbox, tell=tell):
        said = "".join(said for _, said in failed.values())
        raise BotError(named, {name: why for name, (why, _) in failed.items()}, {}, said)


def run_builds(
    bots: Iterable[Bot], sandbox: Sandbox, jobs: int = 1, tell: Tell = tell_nothing
) -> dict[str, tuple[str, str]]:
    """Run the builds that are due, at most `jobs` at a time.

    Returns the reason and the output of each failed build, by the name of its bot.
    """
    bots = list(bots)
    due = [bot for bot in bots if bot.build and not bot.broken and not _is_built(bot)]
    if not due:
        return {}
    tell(f"building {_names([bot.name for bot in due])}")
    limit = sandbox.limits.build
    confined = replace(sandbox, limits=replace(LIMITS, cpu=2 * limit, build=limit)).for_bots(bots)
    free: SimpleQueue[SupervisorClient] = SimpleQueue()
    stopped, running = threading.Event(), dict[str, float]()

    def build_next(bot: Bot) -> tuple[str, str] | None:
        supervisor = free.get()
        running[bot.name] = time.monotonic()
        try:
            return _try_to_build(bot, supervisor, stopped)
        finally:
            del running[bot.name]
            free.put(supervisor)

    with ExitStack() as stack:
        supervisors = [
            stack.enter_context(closing(SupervisorClient(confined))) for _ in range(min(jobs, len(due)))
        ]
        for supervisor in supervisors:
            free.put(supervisor)
        pool = stack.enter_context(ThreadPoolExecutor(len(supervisors)))
        builds = {bot.name: pool.submit(build_next, bot) for bot in due}
        try:
            while wait(builds.values(), timeout=_TELL_EVERY_S).not_done:
                if names := sorted(running):
                    took = duration(time.monotonic() - min(running.copy().values(), default=time.monotonic()))
                    tell(f"still building {_names(names)}: {took} of at most {duration(limit)}")
            return {name: failure for name, build in builds.items() if (failure := build.result())}
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for supervisor in supervisors:
                supervisor.abandon()
            raise


def _names(names: list[str]) -> str:
    """Names of bots for a message, such as `bot crab` or `2 bots: crab, lynx`."""
    if len(names) == 1:
        return f"bot {names[0]}"
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f"{len(names)} bots: {', '.join(names[:_MAX_NAMED])}{more}"


def _try_to_build(bot: Bot, supervisor: SupervisorClient, stopped: threading.Event) -> tuple[str, str] | None:
    """Build a bot unless another arena has just built it.

    Returns None if it is built, else the reason for the failure and the output of the build.
    """
    try:
        with _lock(bot, supervisor.sandbox.limits.build, stopped):
            if not _is_built(bot):
                _build_one(bot, supervisor)
    except _BuildFailed as failure:
        why, said = failure.args
        return why, said
    except ConfigError as error:  # its program is missing, or not permitted for this bot
        return str(error), ""
    except OSError as error:  # it does not start, or a file is in the way, such as one named `build`
        return (f"{error.strerror}: {error.filename}" if error.filename else str(error)), ""
    return None


@contextmanager
def _open_build_folder(bot: Bot) -> Iterator[int]:
    # The arena works there relative to this descriptor, and follows no link of an entry or a build.
    folder = os.open(bot.folder / BUILD_FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)


def _is_built(bot: Bot) -> bool:
    """Whether a bot's program exists, and the stamp of its build contains the fingerprint of the bot."""
    with suppress(OSError), _open_build_folder(bot) as folder:  # a build may have removed our rights
        if Path(bot.command[0]).is_file():
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # it may be a FIFO
            with open(os.open(_STAMP, flags, dir_fd=folder), "rb") as file:  # or very long
                return file.read(64) == bot.fingerprint.encode()
    return False


@contextmanager
def _lock(bot: Bot, limit: float, stopped: threading.Event) -> Iterator[None]:
    """Lock a bot against builds by other arenas.

    Raises:
        _BuildFailed: Another arena holds the lock for `limit` seconds, or `stopped` is set.
    """
    folder = os.open(bot.folder, os.O_RDONLY)
    end = time.monotonic() + limit
    try:
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end or stopped.wait(0.05):
                    raise _BuildFailed("its folder is locked by another process", "") from None
        yield
    finally:
        os.close(folder)


def _build_one(bot: Bot, supervisor: SupervisorClient) -> None:
    with suppress(FileExistsError):  # a folder or another thing: the next line checks
        (bot.folder / BUILD_FOLDER).mkdir()
    with _open_build_folder(bot) as folder, suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(_STAMP, dir_fd=folder)
    with tempfile.TemporaryFile() as output, open(os.devnull, "rb") as nothing:
        descriptors = (nothing.fileno(), output.fileno(), output.fileno())
        command = resolve(bot.build, bot.folder)
        bot = replace(bot, installed=granted(bot.build, bot.folder, bot.files))  # for its build
        pid = supervisor.start(bot, command, descriptors, writable=[bot.folder])
        limit = supervisor.sandbox.limits.build
        status = supervisor.end(pid, limit)
        # The build's processes have ended, and its program does not run yet.
        left = take_rights(str(bot.folder))
        if status is None:
            too_long = f"took longer than {limit:g} s; the limit is in the plan (limits: build)"
            _, why = supervisor.violation(pid) or ("", too_long)
            raise _BuildFailed(why, "")
        if status:
            output.seek(0)
            text = output.read(65536).decode(errors="replace")
            raise _BuildFailed(_first_lines(text) or describe_status(status), text)
    if left:
        raise _BuildFailed(f"it has left {one_line(left[0])}", "")
    if not Path(bot.command[0]).is_file():
        raise _BuildFailed(f"it has not made {bot.command[0]}", "")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with (
            _open_build_folder(bot) as folder,
            open(os.open(_STAMP, flags, 0o644, dir_fd=folder), "w") as file,
        ):
            file.write(bot.fingerprint)
    except OSError:
        stamp = bot.folder / BUILD_FOLDER / _STAMP
        raise _BuildFailed(f"it has put something at {stamp}", "") from None


def _first_lines(text: str) -> str:
    """The first three lines of a build's output without quoted source code, joined into one."""
    lines = [line for line in text.splitlines() if line.strip() and not _SOURCE_LINE.match(line)]
    return one_line(" | ".join(line[:200] for line in lines[:3]))
