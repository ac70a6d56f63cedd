"""Summarizes how bots behave in many games: the figures of their game, and their answer times."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

from arena.config.document import ConfigError
from arena.rating.outcomes import Tallied
from arena.referee.record import Record, reading
from arena.rules import Game, Log
from arena.tournament.runs.account import replay

_BUCKET = log(1.02)  # the width of a bucket of answer times, as a logarithm


@dataclass(frozen=True)
class Behaviour:
    """The behaviour of one bot in all its games. A game in which it had two seats counts twice in `games`.

    `figures` has two whole numbers for each figure of the game: how often, and out of how many times. `p50`
    and `p99` are quantiles of its answer times in milliseconds, within 1 %, including the answers to `ready`.
    `limit` is the 99 % quantile of these times, as shares of the time per answer (over 1 if answers used the
    bank). All three are None if no time was recorded.
    """

    bot: str
    games: int
    figures: Mapping[str, tuple[int, int]]
    p50: float | None
    p99: float | None
    limit: float | None


@dataclass
class AnswerTimes:
    """Counts answer times in buckets 2 % wide: about a thousand counts for any number of answers."""

    _buckets: Counter[tuple[float, int]] = field(default_factory=Counter)  # by (limit in seconds, bucket)

    def add(self, limit: float, microseconds: Iterable[int]) -> None:
        """Count the times of answers for which the bot had `limit` seconds each."""
        self._buckets.update([(limit, round(log(max(each, 1)) / _BUCKET)) for each in microseconds])

    def merge(self, other: "AnswerTimes") -> None:
        self._buckets.update(other._buckets)

    @property
    def limits(self) -> list[float]:
        """The times per answer under which the bot played, in seconds."""
        return sorted({limit for limit, _ in self._buckets})

    def distribution(self) -> list[tuple[float, int]]:
        """The non-empty buckets in order: the middle in milliseconds, and the number of answers."""
        counts: Counter[int] = Counter()
        for (_, bucket), count in self._buckets.items():
            counts[bucket] += count
        return [(exp(bucket * _BUCKET) / 1e3, count) for bucket, count in sorted(counts.items())]

    def milliseconds(self, percent: int) -> float | None:
        """The time that `percent` % of the answers took at most, in milliseconds; None without answers."""
        return self._quantile(percent, lambda limit, time: time / 1e3)

    def of_limit(self, percent: int) -> float | None:
        """The share of its limit that `percent` % of the answers took at most; None without answers."""
        return self._quantile(percent, lambda limit, time: time / 1e6 / limit)

    def _quantile(self, percent: int, value: Callable[[float, float], float]) -> float | None:
        """The quantile, over all answers, of `value(limit in s, time in µs)`; None without answers."""
        rank = -(-self._buckets.total() * percent // 100)
        times = [
            (value(limit, exp(bucket * _BUCKET)), count) for (limit, bucket), count in self._buckets.items()
        ]
        for time, count in sorted(times):
            rank -= count
            if rank <= 0:
                return time
        return None


@dataclass
class BehaviourTally:
    """The counts for one bot. Those of different games can be merged in any order."""

    games: int = 0
    figures: dict[str, Tallied] = field(default_factory=dict)
    times: AnswerTimes = field(default_factory=AnswerTimes)

    def merge(self, other: "BehaviourTally") -> None:
        self.games += other.games
        for name, counts in other.figures.items():
            self.figures.setdefault(name, Tallied()).merge(counts)
        self.times.merge(other.times)


Tallies = dict[str, BehaviourTally]
"""The counts for each bot, by name."""


def add_game(tallies: Tallies, game: Game, names: Sequence[str], record: Record, log: Log) -> None:
    """Add a game to the tallies of its bots; `names` are their names in the tallies, by seat.

    `log` is the log of the whole game; it is not read if the game has no figures.

    Raises:
        ValueError: A time per answer in the record is not above 0.
    """
    seats = [tallies.setdefault(name, BehaviourTally()) for name in names]
    for tally in seats:
        tally.games += 1
    limits = [record.fixture.control(seat).move for seat in range(len(seats))]
    if not min(limits) > 0:  # The division by it comes only when all games are counted.
        raise ValueError(f"{min(limits)} seconds for an answer")
    for tally, limit, spent in zip(seats, limits, record.trace.get("microseconds", ()), strict=False):
        tally.times.add(limit, spent)
    marks: dict[tuple[int, str], tuple[int, int]] = {}
    for figure, seat, count, of in game.observe(log) if game.figures else ():
        counted, out_of = marks.get((seat, figure), (0, 0))
        marks[seat, figure] = counted + count, out_of + of
    for (seat, figure), (count, of) in marks.items():
        seats[seat].figures.setdefault(figure, Tallied()).add(count, of, record.fixture.group)


def merge(tallies: Tallies, more: Tallies) -> None:
    for name, tally in more.items():
        tallies.setdefault(name, BehaviourTally()).merge(tally)


def behaviour(game: Game, records: Iterable[tuple[Sequence[str], Record]]) -> list[Behaviour]:
    """The behaviour of each bot, sorted by name, from pairs of names by seat and a record of this game.

    Records are read one at a time and not kept.

    Raises:
        ConfigError: A record does not replay, or is damaged.
    """
    tallies: Tallies = {}
    for names, record in records:
        with reading(f"a game of {', '.join(names)}"):
            add_game(tallies, game, names, record, log_of(game, record) if game.figures else [])
    return summaries(game, tallies)


def summaries(game: Game, tallies: Tallies) -> list[Behaviour]:
    """The behaviour of each bot from its counts, sorted by name."""
    found = []
    for bot, tally in sorted(tallies.items()):
        counts = {name: tally.figures.get(name, Tallied()) for name in game.figures}
        figures = {name: (each.counted, each.of) for name, each in counts.items()}
        p50, p99 = tally.times.milliseconds(50), tally.times.milliseconds(99)
        found.append(Behaviour(bot, tally.games, figures, p50, p99, tally.times.of_limit(99)))
    return found


def log_of(game: Game, record: Record) -> Log:
    """The log of a recorded game.

    Raises:
        ConfigError: The record does not replay, or is of another game.
    """
    if record.fixture.game != game.name:
        raise ConfigError(f"game {record.fixture.id}: of {record.fixture.game}, not of {game.name}")
    *_, (match, _) = replay(record)
    return match.log
