"""Builds bots: in the sandbox, because a build runs untrusted code; once per fingerprint, before any game."""

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from arena.config.document import ConfigError
from arena.config.text import one_line
from arena.config.values import MB
from arena.programs.bot import Bot, BotError
from arena.programs.executables import describe_status, resolve
from arena.programs.files import BUILD_FOLDER
from arena.programs.installation import granted
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.linux.folders import take_rights
from arena.programs.sandbox.policy import Sandbox
from arena.referee.conditions import Limits

LIMITS = Limits(memory=2048 * MB, processes=256, cpu=600.0, disk=512 * MB)
TIMEOUT_S = 300.0
_STAMP = ".fingerprint"  # the file in the build folder that says of which version of the bot it is
_SOURCE_LINE = re.compile(r"\s*\d*\s*\|")  # a line of source code, as gcc and rustc quote it


class _BuildFailed(Exception):
    """A build has failed: why, in one line, and its whole output."""


def build(bots: Iterable[Bot], sandbox: Sandbox) -> None:
    """Run the builds that are due. BotError: some have failed."""
    named = {bot.name: bot for bot in bots}
    if failed := run_builds(named.values(), sandbox):
        said = "".join(said for _, said in failed.values())
        raise BotError(named, {name: why for name, (why, _) in failed.items()}, {}, said)


def run_builds(bots: Iterable[Bot], sandbox: Sandbox) -> dict[str, tuple[str, str]]:
    """Run the builds that are due. Returns why some have failed, and their output, by the name of the bot."""
    bots = list(bots)
    due = [bot for bot in bots if bot.build and not bot.broken and not _is_built(bot)]
    if not due:
        return {}
    with closing(SupervisorClient(replace(sandbox, limits=LIMITS).for_bots(bots))) as supervisor:
        return {bot.name: failure for bot in due if (failure := _try_to_build(bot, supervisor))}


def _try_to_build(bot: Bot, supervisor: SupervisorClient) -> tuple[str, str] | None:
    """Build a bot unless another arena has just done so. Returns why that failed and the output, or None."""
    try:
        with _lock(bot):
            if not _is_built(bot):
                _build_one(bot, supervisor)
    except _BuildFailed as failure:
        why, said = failure.args
        return why, said
    except ConfigError as error:  # its program is not on this machine, or not for this bot
        return str(error), ""
    except OSError as error:  # it does not start, or its files are in the way, such as a file named `build`
        return (f"{error.strerror}: {error.filename}" if error.filename else str(error)), ""
    return None


@contextmanager
def _open_build_folder(bot: Bot) -> Iterator[int]:
    # All that the arena does there is relative to it, and follows no link that an entry or a build has made.
    folder = os.open(bot.folder / BUILD_FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)


def _is_built(bot: Bot) -> bool:
    """Whether its program is there, and the stamp of its build."""
    with suppress(OSError), _open_build_folder(bot) as folder:  # a build may have taken away our rights
        if Path(bot.command[0]).is_file():
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # it may be a FIFO
            with open(os.open(_STAMP, flags, dir_fd=folder), "rb") as file:  # or very long
                return file.read(64) == bot.fingerprint.encode()
    return False


@contextmanager
def _lock(bot: Bot) -> Iterator[None]:
    """Lock a bot against builds by other arenas. _BuildFailed: it stays locked."""
    folder = os.open(bot.folder, os.O_RDONLY)
    end = time.monotonic() + TIMEOUT_S
    try:
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise _BuildFailed("its folder is locked by another process", "") from None
                time.sleep(0.05)
        yield
    finally:
        os.close(folder)


def _build_one(bot: Bot, supervisor: SupervisorClient) -> None:
    with suppress(FileExistsError):  # a folder, or something that is none, as the next line finds
        (bot.folder / BUILD_FOLDER).mkdir()
    with _open_build_folder(bot) as folder, suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(_STAMP, dir_fd=folder)
    with tempfile.TemporaryFile() as output, open(os.devnull, "rb") as nothing:
        descriptors = (nothing.fileno(), output.fileno(), output.fileno())
        command = resolve(bot.build, bot.folder)
        bot = replace(bot, installed=granted(bot.build, bot.folder, bot.files))  # what its build may use
        pid = supervisor.start(bot, command, descriptors, writable=[bot.folder])
        status = supervisor.end(pid, TIMEOUT_S)
        # Nothing of the build runs any more, and nothing that it made runs yet.
        left = take_rights(str(bot.folder))
        if status is None:
            _, why = supervisor.violation(pid) or ("", f"took longer than {TIMEOUT_S:g} s")
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
    """The first lines of a compiler, as one."""
    lines = [line for line in text.splitlines() if line.strip() and not _SOURCE_LINE.match(line)]
    return one_line(" | ".join(line[:200] for line in lines[:3]))
