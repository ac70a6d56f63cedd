"""Measures the cost of an ask, with rules, clocks and record, and of a bare pipe, the lower limit."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from statistics import median
from tempfile import TemporaryDirectory
from time import clock_gettime, perf_counter, process_time
from typing import NamedTuple

import numpy as np
import psutil

from arena.bench.starts import BATCH, HELLO, bare, one_core, talk, talk_times
from arena.games import GAMES
from arena.programs.bot import Bot
from arena.programs.play.table import ProgramTable
from arena.programs.sandbox.linux.procfs import cpu_clock
from arena.referee.conditions import Conditions
from arena.referee.deals import deal
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.tournament.engine.interface import BATCH as BATCH_OF_GAMES
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.round_robin import FORMAT, Config
from arena.tournament.runs.stored_game import pack
from arena.tournament.schedule import due

__all__ = ("AskCost", "ask_costs")

SEATS = (2, 4)
_TURNS = 10  # The speed of a machine changes, so the bare pipe and the tables are measured in turns.


class AskCost(NamedTuple):
    """The cost of an ask in games with `seats` seats: medians of the turns, in microseconds.

    An ask is a question of the rules; `ready`, the start of a game and its record are part of the cost of its
    asks. `ask_us` is wall time, `bare_us` a round trip of a bare pipe, `overhead_us` the difference. `cpu_us`
    is CPU time, including the bots; it does not grow when other programs take the core. `p50_us` and so on
    are percentiles of the time that the clocks measure from an ask to its answer.
    """

    seats: int
    games: int
    asks: int
    ask_us: float
    bare_us: float
    overhead_us: float
    cpu_us: float
    games_per_s: float
    p50_us: float
    p99_us: float
    p999_us: float


class Turn(NamedTuple):
    seconds: float
    cpu: float
    games: int
    answers: Sequence[int]  # microseconds


def plan_of(bot: Bot, seats: int, games: int, conditions: Conditions | None = None) -> Plan:
    """A tournament of Complots between copies of one bot: about `games` games, in whole seed groups."""
    bots = {f"bot{number}": replace(bot, name=f"bot{number}") for number in range(1, seats + 1)}
    game = GAMES["complots"]
    return Plan(
        name="bench",
        game=game,
        seats=(seats,),
        options=game.defaults(),
        bots=bots,
        format=FORMAT,
        config=Config(groups=max(1, games // seats)),
        conditions=conditions or Conditions(),
        seed="1",
    )


def dealt(plan: Plan) -> Iterator[Fixture]:
    """The games of the plan in order, dealt with its seed."""
    assert plan.seed is not None
    return (deal(fixture, plan.seed, 0) for fixture in due(plan, {}) if fixture is not None)


def answer_times(record: Record) -> list[int]:
    """The microseconds of each answer to the rules. The first ask of each seat, `ready`, is left out."""
    times: Sequence[Sequence[int]] = record.trace["microseconds"]
    return [each for seat in times for each in seat[1:]]


def ask_costs(bot: Bot, games: int) -> list[AskCost]:
    """The cost of an ask with 2 and with 4 seats, on one core, each measured in about `games` games.

    Raises:
        ConfigError: The bot does not answer, or this system cannot pin processes to a core.
    """
    pipe: list[float] = []
    turns: dict[int, list[Turn]] = {seats: [] for seats in SEATS}
    with ExitStack() as stack:
        stack.enter_context(one_core())  # It comes first, because processes inherit the core.
        pipes = stack.enter_context(bare(bot, stack.enter_context(TemporaryDirectory())))
        talk(pipes, HELLO)
        tables = {}
        for seats in SEATS:
            plan = plan_of(bot, seats, games)
            tables[seats] = stack.enter_context(ProgramTable(plan.bots)), dealt(plan)
            _play(*tables[seats], seats)  # This starts all processes.
        gc.freeze()
        for _ in range(_TURNS):
            pipe.append(median(talk_times(pipes, max(BATCH, games))))
            for seats, (table, fixtures) in tables.items():
                if (turn := _play(table, fixtures, max(1, games // _TURNS))).games:
                    turns[seats].append(turn)
    return [ask_cost(seats, pipe, turns[seats]) for seats in SEATS]


def _play(table: ProgramTable, fixtures: Iterator[Fixture], games: int) -> Turn:
    """Play up to `games` of the fixtures, in batches, and pack each record as a worker does."""
    answers: list[int] = []
    played, began, cpu = 0, perf_counter(), _cpu_seconds()
    while batch := list(islice(fixtures, min(BATCH_OF_GAMES, games - played))):
        gc.disable()
        records = [table.play(fixture) for fixture in batch]
        for record in records:
            pack(record)
            answers += answer_times(record)
        gc.enable()
        played += len(records)
    return Turn(perf_counter() - began, _cpu_seconds() - cpu, played, answers)


def _cpu_seconds() -> float:
    """The CPU time of this process and its living descendants."""
    descendants = psutil.Process().children(recursive=True)
    return process_time() + sum(clock_gettime(cpu_clock(each.pid)) for each in descendants)


def ask_cost(seats: int, pipe: Sequence[float], turns: Sequence[Turn]) -> AskCost:
    whole = [turn.seconds / len(turn.answers) for turn in turns]
    own = [each - least for each, least in zip(whole, pipe, strict=False)]
    answers = [each for turn in turns for each in turn.answers]
    games = sum(turn.games for turn in turns)
    return AskCost(
        seats,
        games,
        len(answers),
        median(whole) * 1e6,
        median(pipe) * 1e6,
        median(own) * 1e6,
        median(turn.cpu / len(turn.answers) for turn in turns) * 1e6,
        games / sum(turn.seconds for turn in turns),
        *map(float, np.percentile(answers, (50, 99, 99.9))),
    )
