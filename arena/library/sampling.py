"""Positions that fit what a seat has heard, drawn with their probabilities: what bots that search begin with.

Theory of operation
-------------------
A world is made by playing the game from its beginning. The seat's own answers are known. What it has not seen
is drawn: each outcome of chance with its probability, each answer of another seat with all options alike, or
as probable as `likelihood` says. After every step the news for the seat must be the lines that it has heard;
otherwise the attempt has failed. So what comes out is a game that may have been played.

If this were all, most attempts would fail. `Game.foresee` looks at the lines that come and says which
replies can fit, and how well. These are then drawn more often than they are probable, and the weight of the
world makes up for it: for each reply its probability divided by that with which it was drawn (importance
sampling). The first world is drawn from several by their weights. After that each new one, of weight w',
replaces the last, of weight w, with the probability min(1, w'/w) (independent Metropolis-Hastings). So in the
long run worlds come as often as they are probable. While weights are equal, all worlds are independent.

Often there are few courses that the game can have taken, for example a single one in a game without hidden
cards. The first attempts tell about how many: 1 divided by the probability of an attempt is on average the
number of all (Knuth 1975). If they are few, all are played once, and worlds are drawn from them by their
probabilities: they are independent then, and each costs a copy.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.library.attempts import Attempt, ByChance, Dice, InTurn, Likelihood, Question, Start, pick_at
from arena.library.errors import NoWorld
from arena.library.stepping import State
from arena.library.tables import Table, table
from arena.library.views import opening_seat
from arena.rules.chance import Chance
from arena.rules.match import Match

_PILOT = 8  # worlds of which the first is chosen
_TRIES = 2000  # attempts for one world
_FEW = 64  # courses that the game can have taken, all of which are played
_MOST = 4 * _FEW  # courses that are tried, with those that do not fit


def worlds(
    table: Any,
    lines: Sequence[str],
    rng: Dice,
    likelihood: Likelihood | None = None,
    start: Start | None = None,
    state: Mapping[str, Mapping[str, str]] | None = None,
) -> Iterator[State]:
    """Draw positions, without end, that fit what a seat has heard: `View.information` or `State.information`.

    They come as often as they are probable if the other seats answer without regard to their cards; with
    `likelihood`, if they answer as that says. In each, chance goes on by a seed of its own. `start` is the
    given position from which the game began, or a function that draws one that it may have begun from. With
    `state`, a `View.state`, the seat also sees that in each: it may show more than the lines tell. `table` is
    a Table, or the `Seating` of a `Reader`.

    LibraryError: the lines are of another table. NoWorld, when a position is drawn: none was found.
    """
    own = _as_table(table)
    seat = opening_seat(own, lines)
    shown = None if state is None else {name: dict(words) for name, words in state.items()}
    found = _drawn(Question(own, seat, list(lines[1:]), likelihood, start, shown), rng)
    return (State(own, match.copy(), Chance(f"world {rng.random()}")) for match in found)


def _as_table(given: Any) -> Table:
    """The given Table, or one from the given `Seating`, without the words there that are no options."""
    if isinstance(given, Table):
        return given
    known = {key: value for key, value in given.options.items() if key in table(given.name).options}
    return table(given.name, given.seats, **known)


def _drawn(question: Question, rng: Dice) -> Iterator[Match]:
    found = [_fitting(question, rng)]
    if found[0].courses > 1 or callable(question.start):  # there may be others
        found += [_fitting(question, rng) for _ in range(_PILOT - 1)]
    courses = sum(attempt.courses for attempt in found) / len(found)
    everything = _all(question) if courses <= _FEW and not callable(question.start) else []
    while everything:
        yield _one_of(everything, rng).match
    current = _one_of(found, rng)
    while True:
        yield current.match
        other = _fitting(question, rng)
        if rng.random() * current.weight < other.weight:
            current = other


def _fitting(question: Question, rng: Dice) -> Attempt:
    for _ in range(_TRIES):
        attempt = Attempt(question, question.match(), ByChance(rng))
        if attempt.run():
            return attempt
    raise NoWorld(f"no position that fits these lines was found in {_TRIES} attempts")


def _all(question: Question) -> list[Attempt]:
    """All courses that the game can have taken; [] if more than `_MOST` would have to be tried."""
    found, guide = [], InTurn()
    for _ in range(_MOST):
        attempt = Attempt(question, question.match(), guide)
        if attempt.run():
            found.append(attempt)
        if not guide.advance():
            return found
    return []


def _one_of(attempts: Sequence[Attempt], rng: Dice) -> Attempt:
    """A random one of the attempts, by their weights."""
    weights = {number: each.weight for number, each in enumerate(attempts)}
    return attempts[pick_at(weights, sum(weights.values()) * rng.random())]
