"""Measures the cost of a sandbox for a bot: the time to its first answer, and the time of a round trip."""

import os
import select
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from statistics import median
from time import perf_counter
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.play.player import GRACE, Player
from arena.programs.sandbox.client import SupervisorClient, environment
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox, bubblewrap_problem, choose
from arena.referee.conditions import Limits
from arena.referee.protocol import hello_line

__all__ = ("Cost", "costs")

HELLO = f"{hello_line(1, 10.0)}\n".encode()
_ASK = b"ask 2 challenge 1000 on=p1 claim=captain action=captain:p2 : pass challenge\n"
BATCH = 100  # round trips that are timed together
_ANSWER_TIMEOUT_MS = 10_000

Pipes = tuple[int, int]  # a bot's stdin and stdout
_Opening = Callable[[], AbstractContextManager[Pipes]]  # starts a process and ends it


class Cost(NamedTuple):
    """The cost of a sandbox for a bot, as medians; `around` is its tier, or "nothing" without a sandbox.

    `start_ms` is the time from the request to start the bot to its first answer, `round_trip_us` the time of
    a later ask and its answer on one core.
    """

    around: str
    start_ms: float
    round_trip_us: float


def costs(bot: Bot, starts: int, rounds: int) -> Iterator[Cost]:
    """The cost without a sandbox, with only limits and, where it works, in bubblewrap.

    Each is measured with `starts` starts and about `rounds` asks.

    Raises:
        ConfigError: The bot does not start or answer, or this system cannot pin processes to a core.
    """
    sandboxes = [LIMITS_ONLY] if bubblewrap_problem() else [LIMITS_ONLY, choose(Limits(), "bubblewrap")]
    with tempfile.TemporaryDirectory() as folder:
        yield _cost("nothing", lambda: nullcontext(partial(bare, bot, folder)), starts, rounds)
    for sandbox in sandboxes:
        yield _cost(sandbox.tier, partial(_open_sandbox, bot, sandbox), starts, rounds)


_Prepare = Callable[[], AbstractContextManager[_Opening]]  # starts the process that all others share


def _cost(around: str, prepare: _Prepare, starts: int, rounds: int) -> Cost:
    with prepare() as process:
        first = median(_until_answer(process) for _ in range(starts))
    # This comes before the supervisor, which inherits the core.
    with one_core(), prepare() as process, process() as pipes:
        talk(pipes, HELLO)
        return Cost(around, first * 1e3, median(talk_times(pipes, rounds)) * 1e6)


def seconds_of(function: Callable[[], None]) -> float:
    began = perf_counter()
    function()
    return perf_counter() - began


def _until_answer(process: _Opening) -> float:
    began = perf_counter()
    with process() as pipes:
        talk(pipes, HELLO)
        return perf_counter() - began


def talk_times(pipes: Pipes, rounds: int) -> list[float]:
    """The mean seconds of a round trip, for each batch of up to `BATCH` rounds."""
    batch = min(rounds, BATCH)
    return [seconds_of(lambda: talk(pipes, _ASK, batch)) / batch for _ in range(rounds // batch)]


def talk(pipes: Pipes, line: bytes, rounds: int = 1) -> None:
    """Write the line and wait for an answer, `rounds` times.

    Raises:
        ConfigError: The bot does not answer it.
    """
    into, out = pipes
    poller = select.poll()
    poller.register(out, select.POLLIN)
    try:
        for _ in range(rounds):
            os.write(into, line)
            if not poller.poll(_ANSWER_TIMEOUT_MS) or not os.read(out, 65536):
                raise BrokenPipeError
    except BrokenPipeError:
        raise ConfigError(f"the bot does not answer {line.decode().split()[2]}") from None


@contextmanager
def bare(bot: Bot, folder: str) -> Iterator[Pipes]:
    """Start the bot without a sandbox, with `folder` for temporary files; yields its pipes.

    It has its own session, like a bot in a sandbox: a switch between sessions takes longer.
    """
    with subprocess.Popen(
        bot.command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=bot.folder,
        env=environment(folder, os.defpath),
        start_new_session=True,
    ) as process:
        assert process.stdin and process.stdout
        yield process.stdin.fileno(), process.stdout.fileno()
        process.stdin.close()


@contextmanager
def _open_sandbox(bot: Bot, sandbox: Sandbox) -> Iterator[_Opening]:
    with closing(SupervisorClient(sandbox)) as supervisor:
        yield partial(_start_in_sandbox, bot, supervisor)


@contextmanager
def _start_in_sandbox(bot: Bot, supervisor: SupervisorClient) -> Iterator[Pipes]:
    player = Player(bot, supervisor)
    if player.fault:
        raise ConfigError(f"bot {bot.name} {player.fault}")
    try:
        yield player.stdin, player.out
    finally:
        player.dismiss()
        player.end(GRACE)


@contextmanager
def one_core() -> Iterator[None]:
    """Pin this process, and the processes that it starts meanwhile, to one core.

    Raises:
        ConfigError: The system cannot do that.
    """
    if not hasattr(os, "sched_setaffinity"):
        raise ConfigError("the benchmark pins processes to cores, which this system cannot do")
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(everywhere)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)
