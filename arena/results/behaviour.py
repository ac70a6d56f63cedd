"""How the bots of many games behave: the figures of their game, and how long they take to answer."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

from arena.core.config import ConfigError
from arena.records.record import Record
from arena.rules import Game, Log

BUCKET = log(1.02)  # how wide a bucket of answer times is, as a logarithm


@dataclass(frozen=True)
class Behaviour:
    """What one bot did in all its games.

    `games` counts its seats. `figures` has for each figure of the game how often, of how many; whole
    numbers, so that neither the order of the games nor the way they were split up matters. `p50` and
    `p99` are quantiles of its answer times in milliseconds, by nearest rank and right within 1 %;
    `limit` is the same 99 % as a share of the time per answer, above 1 where the bank has paid. They are
    None where no time was recorded.
    """

    bot: str
    games: int
    figures: Mapping[str, tuple[int, int]]
    p50: float | None
    p99: float | None
    limit: float | None


class Times:
    """Answer times in buckets 2 % wide: about a thousand numbers at most, however many the answers."""

    def __init__(self) -> None:
        self._buckets: Counter[tuple[float, int]] = Counter()  # by limit in seconds, and bucket

    def add(self, limit: float, microseconds: Iterable[int]) -> None:
        self._buckets.update([(limit, round(log(max(each, 1)) / BUCKET)) for each in microseconds])

    def milliseconds(self, percent: int) -> float | None:
        """The shortest time that so many percent of the answers did not pass; None without answers."""
        return self._least(percent, [(time / 1e3, many) for _, time, many in self._times()])

    def of_limit(self, percent: int) -> float | None:
        """The same, each time as a share of its limit."""
        return self._least(percent, [(time / 1e6 / limit, many) for limit, time, many in self._times()])

    def _times(self) -> Iterator[tuple[float, float, int]]:
        """The limit and the middle of each bucket, and how many answers are in it."""
        for (limit, bucket), many in self._buckets.items():
            yield limit, exp(bucket * BUCKET), many

    def _least(self, percent: int, times: list[tuple[float, int]]) -> float | None:
        rank = -(-self._buckets.total() * percent // 100)
        for time, many in sorted(times):
            rank -= many
            if rank <= 0:
                return time
        return None


@dataclass
class Tally:
    """The sums for one bot."""

    games: int = 0
    done: Counter[str] = field(default_factory=Counter)
    chances: Counter[str] = field(default_factory=Counter)
    times: Times = field(default_factory=Times)


def behaviour(game: Game, records: Iterable[tuple[Sequence[str], Record]]) -> list[Behaviour]:
    """The behaviour of each bot, by name, from records of this game with a name for each seat.

    A game with figures is played again from its record, which takes about a millisecond; the records
    are taken one by one and not kept. ConfigError: a record that these rules do not play.
    """
    tallies: dict[str, Tally] = defaultdict(Tally)
    for names, record in records:
        seats = [tallies[name] for name in names]
        for tally in seats:
            tally.games += 1
        limit = record.fixture.conditions.clock.move
        for tally, spent in zip(seats, record.trace.get("microseconds", ()), strict=False):
            tally.times.add(limit, spent)
        for figure, seat, count, of in game.observe(played_again(game, record)) if game.figures else ():
            seats[seat].done[figure] += count
            seats[seat].chances[figure] += of
    return [sum_up(game, bot, tallies[bot]) for bot in sorted(tallies)]


def sum_up(game: Game, bot: str, tally: Tally) -> Behaviour:
    return Behaviour(
        bot,
        tally.games,
        {figure: (tally.done[figure], tally.chances[figure]) for figure in game.figures},
        tally.times.milliseconds(50),
        tally.times.milliseconds(99),
        tally.times.of_limit(99),
    )


def played_again(game: Game, record: Record) -> Log:
    """The log of a recorded game."""
    fixture = record.fixture
    if (fixture.game, fixture.version) != (game.name, game.version):
        raise ConfigError(
            f"game {fixture.id}: recorded as {fixture.game} version {fixture.version}, "
            f"the figures are those of {game.name} version {game.version}"
        )
    try:
        match = fixture.match(game, record.replies)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ConfigError(f"game {fixture.id}: does not replay: {error}") from None
    if match.result is None:
        raise ConfigError(f"game {fixture.id}: does not replay: it ends before its rules do")
    return match.log
