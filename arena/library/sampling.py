"""Positions that fit what a seat has heard, drawn as they are probable: the primitive of searching bots.

Theory of operation
-------------------
A world is made by playing the game from its beginning. The seat's own answers are known. What it has not seen
is drawn: each outcome of chance with its probability, each answer of another seat with all options alike, or
as probable as `likelihood` says. After every step the news for the seat must be the lines that it has heard;
otherwise the attempt has failed. So what comes out is a game that may have been played.

If this were all, most attempts would fail. `Game.foresee` looks at the lines that come and says which
replies can fit, and how well. These are then drawn more often than they are probable, and the weight of the
world makes up for it: for each reply its probability divided by that with which it was drawn (importance
sampling). A world is drawn from several by their weights; after that each new one replaces the last with the
probability w'/w (independent Metropolis-Hastings), so that in the long run worlds come as often as they are
probable. While weights are equal, all worlds are independent.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from arena.library.errors import NoWorld
from arena.library.stepping import State
from arena.library.tables import Table, table
from arena.library.views import MatchView, asked_text, opening_seat, told_to
from arena.rules import Ask, Choice, Draw, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

_PILOT = 8  # worlds of which the first is chosen
_TRIES = 2000  # attempts for one world

_Key = TypeVar("_Key")

Likelihood = Callable[[MatchView, str], float]
"""How probable it is that a seat with this view gives this answer, up to a factor for each view."""


class Dice(Protocol):
    """A source of random numbers, such as `random.Random`."""

    def random(self) -> float:
        """A number from 0 to 1."""


@dataclass
class _Attempt:
    """A game that is being played again as one seat has heard it."""

    table: Any
    match: Match
    seat: int
    lines: Sequence[str]
    dice: Dice
    likelihood: Likelihood | None
    at: int = 0  # lines that were heard
    told: int = 0  # entries of the log that were compared with them
    weight: float = 1.0

    def run(self) -> bool:
        """Play until all lines were heard. Returns whether the game fits them."""
        match = self.match
        while self._hears():
            step = match.step
            if step is None:
                return self.at == len(self.lines)
            if isinstance(step, Ask):
                own = self._own_answer(step)
                if own is None:
                    return self.at == len(self.lines)
                match.reply(self._answers(step, own))
            elif isinstance(step, Draw):
                match.reply(self._draw(step, None, step.outcomes, partial(_share, Counter(step.outcomes))))
            else:
                match.reply(self._forfeits())
            if not self.weight:
                return False
        return False

    def _hears(self) -> bool:
        """Whether the news since the last step are the lines that come next."""
        news = told_to(self.seat, self.match.log[self.told :])
        start, self.told = self.at, len(self.match.log)
        self.at += len(news)
        return news == list(self.lines[start : self.at])

    def _own_answer(self, step: Ask) -> str | None:
        """The answer of the seat, "" if it is not asked; None if the lines end or do not fit here."""
        left = self.lines[self.at : self.at + 2]
        if self.seat not in step.choices:
            return "" if left else None
        if left[:1] != [asked_text(step.choices[self.seat])]:
            return None
        self.at += len(left)
        return left[1].removeprefix("answer ") if len(left) == 2 else None

    def _answers(self, step: Ask, own: str) -> dict[int, str]:
        seats = [seat for seat in step.choices if seat != self.seat]
        others = {seat: self._answer(step, seat, step.choices[seat]) for seat in seats}
        if not own:
            return others
        if step.race:  # if another came first, so it did in time
            return {**others, self.seat: own}
        return {seat: own if seat == self.seat else others[seat] for seat in step.choices}

    def _answer(self, step: Ask, seat: int, choice: Choice) -> str:
        view = MatchView(self.table, self.match, seat, choice, 0, 0)

        def prior(word: str) -> float:
            if not choice.accepts(word):
                return 0.0
            return self.likelihood(view, word) if self.likelihood else 1 / len(choice.options)

        return self._draw(step, seat, choice.options, prior)

    def _draw(
        self, step: Ask | Draw, asked: int | None, words: Sequence[str], prior: Callable[[str], float]
    ) -> str:
        """One of these replies, or of those that the game proposes; the weight makes up for its choice."""
        match = self.match
        fits = match.game.foresee(match.position, step, asked, self.seat, self.lines[self.at :])
        if fits is None:
            fits = dict.fromkeys(words, 1.0)
        drawn = {word: fit * prior(word) for word, fit in fits.items()}
        total = sum(drawn.values())
        if not total > 0:
            self.weight = 0.0
            return words[0]
        word = _pick(drawn, total * self.dice.random())
        self.weight *= total / fits[word]
        return word

    def _forfeits(self) -> tuple[int, ...]:
        """The seats of which all hear next that they have forfeited."""
        found = []
        for line in self.lines[self.at :]:
            _, verb, *words = line.split(" ")
            if verb == "turn" or not line.startswith("event "):
                break
            if verb == "forfeit":
                found.append(seat_number(words[0]))
        return tuple(sorted(found))


def worlds(
    table: Any, lines: Sequence[str], rng: Dice, likelihood: Likelihood | None = None
) -> Iterator[State]:
    """Positions that fit what a seat has heard: `View.information` or `State.information`. They never end.

    They come as often as they are probable if the other seats answer without regard to their cards; or, with
    `likelihood`, if they answer as that says. In each, chance goes on by its own seed.

    NoWorld: none was found. LibraryError: the lines are of another table.
    """
    own = _as_table(table)
    seat = opening_seat(own, lines)
    chain = _chain(own, seat, list(lines[1:]), rng, likelihood)
    return (State(own, match.copy(), Chance(f"world {rng.random()}")) for match in chain)


def _as_table(given: Any) -> Table:
    """A table of the library, also from the `Seating` of a `Reader`, which may have more options."""
    if isinstance(given, Table):
        return given
    known = {key: value for key, value in given.options.items() if key in table(given.name).options}
    return table(given.name, given.seats, **known)


def _chain(
    own: Table, seat: int, lines: list[str], rng: Dice, likelihood: Likelihood | None
) -> Iterator[Match]:
    found = [_fitting(own, seat, lines, rng, likelihood) for _ in range(_PILOT)]
    weights = {number: each.weight for number, each in enumerate(found)}
    current = found[_pick(weights, sum(weights.values()) * rng.random())]
    while True:
        yield current.match
        other = _fitting(own, seat, lines, rng, likelihood)
        if rng.random() * current.weight < other.weight:
            current = other


def _fitting(own: Table, seat: int, lines: list[str], rng: Dice, likelihood: Likelihood | None) -> _Attempt:
    for _ in range(_TRIES):
        attempt = _Attempt(own, Match(own.game, own.options, own.seats), seat, lines, rng, likelihood)
        if attempt.run():
            return attempt
    raise NoWorld(f"no position that fits these lines was found in {_TRIES} attempts")


def _share(counts: Counter[str], word: str) -> float:
    return counts[word] / counts.total()


def _pick(weights: Mapping[_Key, float], point: float) -> _Key:
    """The key at this point of all weights in a row."""
    for key, weight in weights.items():
        point -= weight
        if point < 0:
            return key
    return next(key for key in reversed(list(weights)) if weights[key] > 0)
