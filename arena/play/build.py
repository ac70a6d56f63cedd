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

from arena.core.bot import Bot
from arena.core.config import ConfigError
from arena.core.files import BUILD_FOLDER
from arena.core.installation import granted
from arena.core.limits import Limits
from arena.core.programs import describe_status, resolve
from arena.core.regular import open_regular
from arena.core.values import MB
from arena.sandbox.client import SupervisorClient
from arena.sandbox.policy import Sandbox

LIMITS = Limits(memory=2048 * MB, processes=256, cpu=600.0, disk=512 * MB)
TIMEOUT_S = 300.0
SOURCE_LINE = re.compile(r"\s*\d*\s*\|")  # a line of source code, as gcc and rustc quote it


class BuildFailed(ConfigError):
    """`why` is one line, `said` the whole output of the build."""

    def __init__(self, bot: Bot, why: str, said: str = ""):
        super().__init__(f"{bot.folder}: build failed: {why}")
        self.why, self.said = why, said


def build(bots: Iterable[Bot], sandbox: Sandbox) -> None:
    """Run the builds that are due. ConfigError: some have failed; it has a line for each."""
    failed = list(failed_builds(bots, sandbox).values())
    if len(failed) > 1:
        raise ConfigError(*map(str, failed))
    if failed:
        raise failed[0]


def failed_builds(bots: Iterable[Bot], sandbox: Sandbox) -> dict[str, BuildFailed]:
    """Run the builds that are due. Returns those that have failed, by the name of the bot."""
    bots = list(bots)
    due = [bot for bot in bots if bot.build and not bot.broken and not is_built(bot)]
    if not due:
        return {}
    with closing(SupervisorClient(replace(sandbox, limits=LIMITS).for_bots(bots))) as supervisor:
        return {bot.name: failure for bot in due if (failure := try_to_build(bot, supervisor))}


def try_to_build(bot: Bot, supervisor: SupervisorClient) -> BuildFailed | None:
    try:
        with locked(bot):
            if not is_built(bot):
                build_one(bot, supervisor)
    except BuildFailed as failure:
        return failure
    except ConfigError as error:  # its program is not on this machine, or not for this bot
        return BuildFailed(bot, str(error))
    except OSError as error:  # it does not start, or its files are in the way, such as a file named `build`
        return BuildFailed(bot, f"{error.strerror}: {error.filename}" if error.filename else str(error))
    return None


def stamp(bot: Bot) -> Path:
    return bot.folder / BUILD_FOLDER / ".fingerprint"


def is_built(bot: Bot) -> bool:
    with suppress(OSError):  # a build may have taken away our rights
        if stamp(bot).is_file() and Path(bot.command[0]).is_file():
            with open_regular(stamp(bot), follow_link=False) as file:  # the entry may have brought it
                return file.read(64) == bot.fingerprint.encode()
    return False


@contextmanager
def locked(bot: Bot) -> Iterator[None]:
    """Lock a bot against builds by other arenas. BuildFailed: another process keeps the lock for too long."""
    folder = os.open(bot.folder, os.O_RDONLY)
    end = time.monotonic() + TIMEOUT_S
    try:
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise BuildFailed(bot, "its folder is locked by another process") from None
                time.sleep(0.05)
        yield
    finally:
        os.close(folder)


def build_one(bot: Bot, supervisor: SupervisorClient) -> None:
    if stamp(bot).parent.is_symlink():
        raise BuildFailed(bot, f"it has put something at {stamp(bot).parent}: a link")
    stamp(bot).parent.mkdir(exist_ok=True)
    if not stamp(bot).is_dir():  # a build may have made a folder of this name
        stamp(bot).unlink(missing_ok=True)
    with tempfile.TemporaryFile() as output, open(os.devnull, "rb") as nothing:
        descriptors = (nothing.fileno(), output.fileno(), output.fileno())
        command, bot = resolve(bot.build, bot.folder), for_build(bot)
        pid = supervisor.start(bot, command, descriptors, writable=[bot.folder])
        status = supervisor.end(pid, TIMEOUT_S)
        if status is None:
            _, why = supervisor.violation(pid) or ("", f"took longer than {TIMEOUT_S:g} s")
            raise BuildFailed(bot, why)
        if status:
            output.seek(0)
            text = output.read(65536).decode(errors="replace")
            raise BuildFailed(bot, first_lines(text) or describe_status(status), text)
    if not Path(bot.command[0]).is_file():
        raise BuildFailed(bot, f"it has not made {bot.command[0]}")
    try:  # by descriptors that follow no link: the build itself may have put a link there
        folder = os.open(stamp(bot).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with open(os.open(stamp(bot).name, flags, 0o644, dir_fd=folder), "w") as file:
                file.write(bot.fingerprint)
        finally:
            os.close(folder)
    except OSError:
        raise BuildFailed(bot, f"it has put something at {stamp(bot)}") from None


def for_build(bot: Bot) -> Bot:
    """The bot with the programs that its build may use. ConfigError: the build needs one elsewhere."""
    return replace(bot, installed=granted(bot.build, bot.folder, bot.files))


def first_lines(text: str) -> str:
    """The first lines of a compiler's output, in one line that is safe to show."""
    lines = [line for line in text.splitlines() if line.strip() and not SOURCE_LINE.match(line)]
    text = " | ".join(line[:200] for line in lines[:3])
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
