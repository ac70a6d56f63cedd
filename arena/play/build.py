"""Builds bots, which is running strangers' code: in the sandbox, once per fingerprint, before any game."""

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from arena.core.bot import BUILD_FOLDER, Bot, resolve
from arena.core.config import ConfigError
from arena.core.limits import MB, Limits
from arena.sandbox.client import SupervisorClient, status_words
from arena.sandbox.policy import Sandbox

LIMITS = Limits(memory=2048 * MB, processes=256, cpu=600.0, disk=512 * MB)
TIME = 300.0  # seconds
MARGIN = re.compile(r"\s*\d*\s*\|")  # of a line of the program itself, as gcc and rustc quote it


class BuildFailed(ConfigError):
    """`why` in a line, and all that the compiler `said`."""

    def __init__(self, bot: Bot, why: str, said: str = ""):
        super().__init__(f"{bot.folder}: build failed: {why}")
        self.why, self.said = why, said


def build(bots: Iterable[Bot], sandbox: Sandbox) -> None:
    """Run the builds that are due. ConfigError has the compiler's words, on each that has failed."""
    bots = list(bots)
    due = [bot for bot in bots if bot.build and not is_built(bot)]
    if due:
        with closing(SupervisorClient(replace(sandbox, limits=LIMITS).among(bots))) as supervisor:
            failed = [failure for bot in due if (failure := try_to_build(bot, supervisor))]
        if len(failed) > 1:
            raise ConfigError(*map(str, failed))
        if failed:
            raise failed[0]


def try_to_build(bot: Bot, supervisor: SupervisorClient) -> BuildFailed | None:
    try:
        with alone(bot):
            if not is_built(bot):
                build_one(bot, supervisor)
    except BuildFailed as failure:
        return failure
    except OSError as error:  # it does not start, or something stands in the way: a file called `build`
        return BuildFailed(bot, f"{error.strerror}: {error.filename}" if error.filename else error.strerror)
    return None


def stamp(bot: Bot) -> Path:
    return bot.folder / BUILD_FOLDER / ".fingerprint"


def is_built(bot: Bot) -> bool:
    with suppress(OSError):  # what a build has closed to us is none of ours
        if stamp(bot).is_file() and Path(bot.command[0]).is_file():
            with stamp(bot).open("rb") as file:  # it may be the entry's own, and endless
                return file.read(64) == bot.fingerprint.encode()
    return False


@contextmanager
def alone(bot: Bot) -> Iterator[None]:
    """No other arena builds this bot meanwhile. BuildFailed: that, or the bot itself, takes too long."""
    folder = os.open(bot.folder, os.O_RDONLY)
    end = time.monotonic() + TIME
    try:
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise BuildFailed(bot, "its folder is locked by somebody else") from None
                time.sleep(0.05)
        yield
    finally:
        os.close(folder)


def build_one(bot: Bot, supervisor: SupervisorClient) -> None:
    stamp(bot).parent.mkdir(exist_ok=True)
    if not stamp(bot).is_dir():  # which a build may have made
        stamp(bot).unlink(missing_ok=True)
    with tempfile.TemporaryFile() as said, open(os.devnull, "rb") as nothing:
        given = (nothing.fileno(), said.fileno(), said.fileno())
        pid = supervisor.start(bot, resolve(bot.build, bot.folder), given, writable=[bot.folder])
        status = supervisor.end(pid, TIME)
        if status is None:
            _, why = supervisor.violation(pid) or ("", f"took longer than {TIME:g} s")
            raise BuildFailed(bot, why)
        if status:
            said.seek(0)
            text = said.read(65536).decode(errors="replace")
            raise BuildFailed(bot, first_lines(text) or status_words(status), text)
    if not Path(bot.command[0]).is_file():
        raise BuildFailed(bot, f"there is no {bot.command[0]} after it")
    try:  # by descriptors that follow no link: a process of the build may still be there, and change things
        folder = os.open(stamp(bot).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with open(os.open(stamp(bot).name, flags, 0o644, dir_fd=folder), "w") as file:
                file.write(bot.fingerprint)
        finally:
            os.close(folder)
    except OSError:
        raise BuildFailed(bot, f"it has put something at {stamp(bot)}") from None


def first_lines(text: str) -> str:
    """What a compiler says, in one line that is safe to show."""
    lines = [line for line in text.splitlines() if line.strip() and not MARGIN.match(line)]
    text = " | ".join(line[:200] for line in lines[:3])
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
