"""Positions that fit the lines heard by a seat, drawn with their probabilities: a search begins with them.

Theory of operation
-------------------
A world is made by playing the game from its beginning. The seat's own answers are known. Hidden replies are
drawn: outcomes of chance with their probabilities, answers of other seats with equal probabilities, or with
those of `likelihood`. After every step the news for the seat must be the lines that it has heard; otherwise
the attempt has failed. So the result is a game that may have been played.

By itself this would fail in most attempts. `Game.foresee` looks at the next lines and says which replies can
fit, and how well. These are then drawn more often than they are probable. The weight of the world corrects
for it: a product with a factor for each reply, its probability divided by the probability of the draw
(importance sampling). Without a likelihood these weights differ little. The first world is drawn from several
by their weights. After that each new one, of weight w', replaces the last, of weight w, with the probability
min(1, w'/w) (independent Metropolis-Hastings). So in the long run worlds are as frequent as they are
probable.

With a likelihood weights differ by many powers of ten, and such a chain would stay at one world. Then a
particle filter draws the worlds in batches (`filtering`).

Often the game has few possible courses, for example a single one in a game without hidden cards. The first
attempts estimate their number: 1 divided by the probability of an attempt is on average the number of all
(Knuth 1975). If they are few, all are played once, and worlds are drawn from them by their probabilities.
These worlds are independent, and each costs a copy.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from math import fsum
from typing import Any, NamedTuple

from arena.library.attempts import Attempt, ByChance, Dice, InTurn, Likelihood, Question, Start, pick_at
from arena.library.errors import FewWorlds, LibraryError, NoWorld
from arena.library.filtering import PARTICLES, filtered
from arena.library.stepping import State
from arena.library.tables import Table, table
from arena.library.views import opening_seat
from arena.rules.chance import Chance
from arena.rules.match import Match

_PILOT = 8  # attempts that estimate the number of courses; the first world is one of them
_TRIES = 2000  # attempts for one world
_BATCHES = 4  # batches that may fail one after the other
_FEW = 64  # up to so many possible courses are all played
_MAX_COURSES = 4 * _FEW  # courses that are tried, whether they fit or not
_MIN_SHARE = 0.1  # worth of the worlds drawn, as a share of their number; below it there is a warning
_MIN_DRAWN = 20  # worlds before there is a warning


def worlds(
    table: Any,
    lines: Sequence[str],
    rng: Dice,
    likelihood: Likelihood | None = None,
    start: Start | None = None,
    state: Mapping[str, Mapping[str, str]] | None = None,
) -> "Worlds":
    """Draw positions, without end, that fit the lines of a seat: `View.information` or `State.information`.

    They are as frequent as they are probable if the other seats answer without regard to their cards; with
    `likelihood`, if they answer accordingly. In each, chance goes on by a seed of its own. `start` is the
    given position from which the game began, or a function that draws a possible one. With `state`, a
    `View.state`, the seat sees the same state in each: it may show more than the lines. `table` is a Table,
    or the `Seating` of a `Reader`.

    Raises:
        LibraryError: An argument is wrong, such as lines of another table; or, when a position is drawn, a
            likelihood is no number.
        ConfigError: The start of a position that is drawn is impossible.
        NoWorld: No position was found.
    """
    own = _as_table(table)
    is_text = isinstance(lines, Sequence) and all(isinstance(line, str) for line in lines)
    _require(is_text and not isinstance(lines, str), "lines: should be those of an information", lines)
    can_draw = callable(getattr(rng, "random", None)) and not isinstance(rng, type)
    _require(can_draw, "rng: should be a source of random numbers, as random.Random(1)", rng)
    _require(likelihood is None or callable(likelihood), "likelihood: should be a function", likelihood)
    is_start = start is None or isinstance(start, Mapping) or callable(start)
    _require(is_start, "start: should be a position, or a function that draws one", start)
    _require(state is None or isinstance(state, Mapping), "state: should be that of a view", state)
    seat = opening_seat(own, lines)
    shown = None if state is None else {name: dict(words) for name, words in state.items()}
    return Worlds(Question(own, seat, list(lines[1:]), likelihood, start, shown), rng)


class World(State):
    """A state that may be the true one."""

    def __init__(self, table: Table, match: Match, chance: Chance, weight: float):
        super().__init__(table, match, chance)
        self.weight = weight
        """The weight of this world relative to the first, in means over many worlds.

        It is 1.0 without a likelihood, and the same for all worlds of a batch.
        """


class _Drawn(NamedTuple):
    match: Match
    weight: float
    batch: int
    family: int  # the worlds of a family are copies of one, so they are not independent


class Worlds(Iterator[World]):
    """Worlds, without end. A FewWorlds warning says that they are worth few independent ones."""

    def __init__(self, question: Question, rng: Dice):
        self._question, self._rng = question, rng
        self._drawn = _drawn(question, rng)
        self._batch, self._families = 0, dict[int, float]()  # the newest, and the weights of its families
        # The number of worlds, the sum of their weights, and the squares of the weights of families.
        self._number, self._weight, self._squares = 0, 0.0, 0.0
        self._has_warned = False

    def __next__(self) -> World:
        try:
            drawn = next(self._drawn)
            seed = self._rng.random()
        except BaseException as error:
            # A generator that has raised an exception ends: the next world would be a StopIteration.
            self._drawn = _drawn(self._question, self._rng)
            if isinstance(error, StopIteration):
                raise LibraryError("rng has no more random numbers") from error
            raise
        self._count(drawn)
        self._warn_if_few()
        chance = Chance(f"world {seed}")
        return World(self._question.table, drawn.match.copy(), chance, drawn.weight)

    @property
    def effective(self) -> float:
        """The number of independent worlds that the worlds so far are worth; 0.0 before the first."""
        return self._weight**2 / self._squares if self._number else 0.0

    def _count(self, drawn: _Drawn) -> None:
        if drawn.batch != self._batch:
            self._batch, self._families = drawn.batch, {}
        before, weight = self._families.get(drawn.family, 0.0), drawn.weight
        self._families[drawn.family] = before + weight
        self._number += 1
        self._weight += weight
        self._squares += (2 * before + weight) * weight

    def _warn_if_few(self) -> None:
        few = self._number >= _MIN_DRAWN and self.effective < _MIN_SHARE * self._number
        if few and not self._has_warned:
            self._has_warned = True
            worth = f"{self._number} worlds are worth about {self.effective:.1f} independent ones"
            warnings.warn(f"{worth}: estimates from them are rough", FewWorlds, stacklevel=3)


def _require(condition: bool, should: str, value: object) -> None:
    if not condition:
        raise LibraryError(f"{should}, not {value!r}")


def _as_table(given: Any) -> Table:
    """The given Table, or one from the given `Seating`, without the words there that are no options."""
    if isinstance(given, Table):
        return given
    is_seating = all(hasattr(given, name) for name in ("name", "seats", "options"))
    _require(is_seating, "table: should be a table, or the one of a view", given)
    known = {key: value for key, value in given.options.items() if key in table(given.name).options}
    return table(given.name, given.seats, **known)


def _drawn(question: Question, rng: Dice) -> Iterator[_Drawn]:
    pilots = _pilots(question, rng)
    courses = fsum(attempt.courses for attempt in pilots) / len(pilots)
    everything = _all(question) if courses <= _FEW and not callable(question.start) else []
    if everything:
        for number in count():
            yield _Drawn(_one_of(everything, rng).match, 1.0, number, 0)
    elif question.likelihood is None or question.alike:
        yield from _chained(question, [attempt for attempt in pilots if attempt.fits], rng)
    else:
        yield from _in_batches(question, rng)


def _pilots(question: Question, rng: Dice) -> list[Attempt]:
    """Some attempts; only one if there is a single course."""
    pilots: list[Attempt] = []
    while len(pilots) < _PILOT:
        attempt = Attempt(question, question.match(), ByChance(rng))
        attempt.run()
        pilots.append(attempt)
        if attempt.courses == 1 and not callable(question.start):
            break
    return pilots


def _chained(question: Question, pilots: Sequence[Attempt], rng: Dice) -> Iterator[_Drawn]:
    more = [_fitting(question, rng) for _ in range(_PILOT - len(pilots))]
    current, family = _one_of([*pilots, *more], rng), 0
    while True:
        yield _Drawn(current.match, 1.0, family, 0)
        other = _fitting(question, rng)
        if rng.random() < other.weight.over(current.weight):
            current, family = other, family + 1


def _in_batches(question: Question, rng: Dice) -> Iterator[_Drawn]:
    first = None
    for number in count():
        batch = next(filter(None, (filtered(question, rng) for _ in range(_BATCHES))), None)
        if batch is None:
            raise _no_world(_BATCHES * PARTICLES)
        first = first or batch.evidence
        weight = batch.evidence.over(first)
        for particle in batch.particles:
            yield _Drawn(particle.attempt.match, weight, number, particle.family)


def _fitting(question: Question, rng: Dice) -> Attempt:
    for _ in range(_TRIES):
        attempt = Attempt(question, question.match(), ByChance(rng))
        if attempt.run():
            return attempt
    raise _no_world(_TRIES)


def _no_world(tries: int) -> NoWorld:
    return NoWorld(f"no position that fits these lines was found in {tries} attempts")


def _all(question: Question) -> list[Attempt]:
    """All possible courses of the game; [] if more than `_MAX_COURSES` would have to be tried."""
    found, guide = [], InTurn()
    for _ in range(_MAX_COURSES):
        attempt = Attempt(question, question.match(), guide)
        if attempt.run():
            found.append(attempt)
        if not guide.advance():
            return found
    return []


def _one_of(attempts: Sequence[Attempt], rng: Dice) -> Attempt:
    """A random one of the attempts, by their weights."""
    largest = max(attempt.weight for attempt in attempts)
    weights = {number: each.weight.over(largest) for number, each in enumerate(attempts)}
    return attempts[pick_at(weights, fsum(weights.values()) * rng.random())]
