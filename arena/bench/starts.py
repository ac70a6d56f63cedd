"""What a sandbox costs a bot: the time to its first answer, and each round trip from then on."""

import os
import select
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from functools import partial
from statistics import median
from time import perf_counter
from typing import NamedTuple

from arena.core.bot import Bot, environment
from arena.core.config import ConfigError
from arena.core.limits import Limits
from arena.play.player import GRACE, Player
from arena.referee.protocol import hello_line
from arena.sandbox.client import SupervisorClient
from arena.sandbox.policy import LIMITS_ONLY, bubblewrap_problem, choose

HELLO = f"{hello_line(1, 10.0)}\n".encode()
ASK = b"ask 2 challenge 1000 on=p1 claim=captain action=captain:p2 : pass challenge\n"
MANY = 100  # round trips that are timed together
PATIENCE = 10_000  # milliseconds

Pipes = tuple[int, int]  # a bot's stdin and stdout
Opening = Callable[[], AbstractContextManager[Pipes]]  # starts a process, and ends it


class Cost(NamedTuple):
    """Seconds, medians: from the order to start a bot to its answer, and of a round trip from then on."""

    around: str
    start: float
    round_trip: float


def costs(bot: Bot, starts: int, rounds: int) -> Iterator[Cost]:
    """Of a bot with nothing around it, and in each tier of this machine. A round trip is one core's work."""
    sandboxes = [LIMITS_ONLY] if bubblewrap_problem() else [LIMITS_ONLY, choose(Limits(), "bubblewrap")]
    with tempfile.TemporaryDirectory() as folder:
        yield cost("nothing", lambda stack: partial(bare, bot, folder), starts, rounds)
    for sandbox in sandboxes:

        def confine(stack: ExitStack, sandbox=sandbox) -> Opening:
            return partial(confined, bot, stack.enter_context(closing(SupervisorClient(sandbox))))

        yield cost(sandbox.tier, confine, starts, rounds)


def cost(around: str, prepare: Callable[[ExitStack], Opening], starts: int, rounds: int) -> Cost:
    with ExitStack() as stack:
        process = prepare(stack)
        first = median(until_answer(process) for _ in range(starts))
    with ExitStack() as stack:
        stack.enter_context(one_core())  # of which the supervisor is to be, too
        return Cost(around, first, round_trip(prepare(stack), rounds))


def seconds_of(deed: Callable[[], None]) -> float:
    began = perf_counter()
    deed()
    return perf_counter() - began


def until_answer(process: Opening) -> float:
    began = perf_counter()
    with process() as pipes:
        talk(pipes, HELLO)
        return perf_counter() - began


def round_trip(process: Opening, rounds: int) -> float:
    with process() as pipes:
        talk(pipes, HELLO)
        return median(seconds_of(lambda: talk(pipes, ASK, MANY)) for _ in range(rounds // MANY)) / MANY


def talk(pipes: Pipes, line: bytes, rounds: int = 1) -> None:
    """Ask and read the answer: the least that a referee could do."""
    into, out = pipes
    poller = select.poll()
    poller.register(out, select.POLLIN)
    try:
        for _ in range(rounds):
            os.write(into, line)
            if not poller.poll(PATIENCE) or not os.read(out, 65536):
                raise BrokenPipeError
    except BrokenPipeError:
        raise ConfigError(f"the bot does not answer {line.decode().split()[2]}") from None


@contextmanager
def bare(bot: Bot, folder: str) -> Iterator[Pipes]:
    """A process with nothing around it, but in a session of its own: to switch between two takes longer."""
    given = {
        "cwd": bot.folder,
        "env": environment(folder, os.defpath),
        "start_new_session": True,
        "bufsize": 0,
    }
    with subprocess.Popen(bot.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **given) as process:
        yield process.stdin.fileno(), process.stdout.fileno()
        process.stdin.close()


@contextmanager
def confined(bot: Bot, supervisor: SupervisorClient) -> Iterator[Pipes]:
    """A process in a sandbox."""
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
    """What is done and started meanwhile keeps to one core. ConfigError: this system cannot do that."""
    if not hasattr(os, "sched_setaffinity"):
        raise ConfigError("the benchmark pins processes to cores, which this system cannot do")
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(everywhere)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)
