"""Attempts to play a game again so that a seat hears the same news: `arena.worlds` are made of them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import frexp, fsum, inf, ldexp
from typing import Any, NamedTuple, Protocol, SupportsFloat, TypeVar

from arena.library.errors import LibraryError
from arena.library.reader import State, read_states
from arena.library.tables import Table, match_from_setup
from arena.library.views import MatchView, asked_text, told_to
from arena.rules import Answers, Ask, Choice, Draw, seat_number
from arena.rules.match import Match

_Key = TypeVar("_Key")

Likelihood = Callable[[MatchView, str], float]
"""The probability that a seat with this view gives this answer, perhaps times one factor for all views.

The `news` of the view is everything heard by the seat in the game.
"""


class Dice(Protocol):
    """A source of random numbers, such as `random.Random`."""

    def random(self) -> float:
        """The next random number, at least 0 and below 1."""


Start = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""The position of a setup file that a game began from, or a function that draws one."""


@dataclass(frozen=True)
class Question:
    """The knowledge of `seat`: its `lines` (`View.information` without the first one) and its `state`.

    `likelihood` describes the play of the others; None: all options are equally likely. With `alike` it is
    nearly uniform. With `start` None the game began as usual. With `state` None the seat's view is unknown.
    """

    table: Table
    seat: int
    lines: Sequence[str]
    likelihood: Likelihood | None
    start: Start | None
    state: State | None
    alike: bool = False

    def match(self) -> Match:
        """A match at the beginning; if `start` draws positions, from a new one."""
        return self.match_from(self.start() if callable(self.start) else self.start)

    def match_from(self, given: Mapping[str, Any] | None) -> Match:
        if given is not None and not isinstance(given, Mapping):
            raise LibraryError(f"start: should draw a position, not {given!r}")
        return match_from_setup(self.table, given)


class Product(NamedTuple):
    """A product of probabilities: `fraction` times 2 to the power of `exponent`. Products compare by size."""

    # The product of hundreds of probabilities may be below the smallest float.
    exponent: int = 1
    fraction: float = 0.5

    def times(self, factor: float) -> "Product":
        """This times a positive factor."""
        fraction, exponent = frexp(self.fraction * factor)
        return Product(self.exponent + exponent, fraction)

    def per(self, other: "Product") -> "Product":
        """This divided by the other."""
        return Product(self.exponent - other.exponent + 1, 0.5).times(self.fraction / other.fraction)

    def over(self, other: "Product") -> float:
        """The quotient (`per`) as a number, with an exponent of at most 400: its square is still a float."""
        return ldexp(self.fraction / other.fraction, max(-400, min(400, self.exponent - other.exponent)))


Place = tuple[int, int | None]
"""Where a reply is picked: the number of replies before it; the seat that is asked, or None for chance."""


class Pick(NamedTuple):
    """A reply that was picked from those `drawn`, with the probability `share`."""

    word: str
    share: float
    drawn: Mapping[str, float]


class _Guide(Protocol):
    """Decides which of several possible replies an attempt plays."""

    def pick(self, drawn: Mapping[str, float], place: Place) -> tuple[str, float]:
        """Pick one of the replies `drawn`, a mapping to their weights, at this place.

        Returns the reply, and the probability with which it was picked.
        """


class ByChance:
    """Picks a reply at random, by the weights."""

    def __init__(self, dice: Dice):
        self._dice = dice

    def pick(self, drawn: Mapping[str, float], place: Place) -> tuple[str, float]:
        # `sum` rounds otherwise in Python 3.11, but the same dice have to make the same worlds everywhere.
        total = fsum(drawn.values())
        word = pick_at(drawn, total * self._dice.random())
        return word, drawn[word] / total


class InTurn:
    """Picks so that each possible course of the game is played once, one in each attempt.

    `advance` is called between two attempts.
    """

    def __init__(self) -> None:
        self._turns: list[tuple[int, int]] = []  # for each pick of this course: index and number of replies
        self._at = 0

    def pick(self, drawn: Mapping[str, float], place: Place) -> tuple[str, float]:
        words = [word for word, weight in drawn.items() if weight > 0]
        if self._at == len(self._turns):
            self._turns.append((0, len(words)))
        self._at += 1
        # Each course is certain to be played, so its weight is its probability.
        return words[self._turns[self._at - 1][0]], 1.0

    def advance(self) -> bool:
        """Turn to the next course, and return whether there is one."""
        turns, self._at = self._turns, 0
        while turns and turns[-1][0] + 1 == turns[-1][1]:
            turns.pop()
        if turns:
            turns[-1] = turns[-1][0] + 1, turns[-1][1]
        return bool(turns)


@dataclass
class Attempt:
    """A game that is being played again so that one seat hears the same."""

    question: Question
    match: Match
    guide: _Guide
    at: int = 0  # lines heard so far
    told: int = 0  # entries of the log that were compared with them
    weight: Product = Product()
    fits: bool = True
    courses: float = 1.0  # 1 divided by the probability of all picks, an estimate of the number of courses
    done: bool = False
    picks: dict[Place, Pick] = field(default_factory=dict)  # the picks at places with a choice

    def run(self) -> bool:
        """Play until the lines or the game end, or do not fit. Returns whether lines and state fit."""
        self.hear(len(self.question.lines) + 1)
        return self.fits

    def hear(self, count: int) -> None:
        """Play until so many of the lines were heard, or until `run` would stop."""
        while not self.done and self.at < count:
            if not self._take_news():
                self._fail()
            elif self.at < count and not self.match.go_on(self._pick, self._forfeits, self._answers):
                self._end()

    def copy(self) -> "Attempt":
        """A copy, which may go on differently."""
        return replace(self, match=self.match.copy(), picks=self.picks.copy())

    def _fail(self) -> None:
        self.fits, self.done = False, True

    def _end(self) -> None:
        self.done, self.fits = True, self.at == len(self.question.lines) and self._fits_state()

    def _fits_state(self) -> bool:
        """Whether the seat sees the `state` of the question. True if that is None."""
        # News need not say which pile a card is from.
        question, match = self.question, self.match
        if question.state is None:
            return True
        return read_states(match.game.view(match.position, question.seat)) == question.state

    def _take_news(self) -> bool:
        """Compare the news since the last step with the next lines, and go past these.

        Returns whether they are the same.
        """
        news = told_to(self.question.seat, self.match.log[self.told :])
        start, self.told = self.at, len(self.match.log)
        self.at += len(news)
        return news == self.question.lines[start : self.at]

    def _take_own_answer(self, step: Ask) -> str | None:
        """Go past the ask and the answer of the seat in the lines.

        Returns the answer; "" if the seat is not asked; None if the lines end or do not fit here.
        """
        seat, left = self.question.seat, self.question.lines[self.at : self.at + 2]
        if seat not in step.choices:
            return "" if left else None
        if left[:1] != [asked_text(step.choices[seat])]:
            return None
        self.at += len(left)
        return left[1].removeprefix("answer ") if len(left) == 2 else None

    def _pick(self, purpose: str, outcomes: Sequence[str]) -> str:
        step = self.match.step
        assert isinstance(step, Draw), "chance is to pick"
        return self._draw(step, None, outcomes, partial(_share, Counter(outcomes)))

    def _answers(self, step: Ask) -> Answers | None:
        """The answers to an ask; None if the lines end here, or do not fit."""
        me, own = self.question.seat, self._take_own_answer(step)
        if own is None:
            return None
        others = {
            seat: self._answer(step, seat, choice) for seat, choice in step.choices.items() if seat != me
        }
        if not own:
            return others
        if step.race:  # the order is by time: ours counts as the last, after possible answers of the others
            return {**others, me: own}
        return {seat: own if seat == me else others[seat] for seat in step.choices}

    def _answer(self, step: Ask, seat: int, choice: Choice) -> str:
        likelihood = self.question.likelihood
        view = MatchView(self.question.table, self.match, seat, choice, 0, 0)

        def prior(word: str) -> float:
            if not choice.accepts(word):
                return 0.0
            return _checked(likelihood(view, word), view, word) if likelihood else 1 / len(choice.options)

        return self._draw(step, seat, choice.options, prior)

    def _draw(
        self, step: Ask | Draw, asked: int | None, words: Sequence[str], prior: Callable[[str], float]
    ) -> str:
        """Pick the reply of the seat `asked`, or of chance (None), and correct the weight for that.

        It is one of `words`, or of the proposals of `Game.foresee`. If none can fit, the attempt has failed.
        """
        match, question = self.match, self.question
        coming = question.lines[self.at :]
        fits = match.game.foresee(match.position, step, asked, question.seat, coming)
        priors = {word: prior(word) for word in (words if fits is None else fits)}
        drawn = priors if fits is None else {word: fit * priors[word] for word, fit in fits.items()}
        if not any(weight > 0 for weight in drawn.values()):
            self._fail()
            return words[0]  # the match needs some reply
        place = len(match.replies), asked
        word, share = self.guide.pick(drawn, place)
        if share < 1:
            self.picks[place] = Pick(word, share, drawn)
        self.weight = self.weight.times(priors[word] / share)
        self.courses /= share
        return word

    def _forfeits(self) -> tuple[int, ...]:
        """The seats whose forfeits are next in the lines, in seat order."""
        found = []
        for line in self.question.lines[self.at :]:
            _, verb, *words = line.split(" ")
            # Forfeits of this roll call are before the next turn; later ones belong to another.
            if verb == "turn" or not line.startswith("event "):
                break
            if verb == "forfeit":
                found.append(seat_number(words[0]))
        return tuple(sorted(found))


def _checked(likelihood: object, view: MatchView, word: str) -> float:
    if isinstance(likelihood, SupportsFloat) and 0 <= (number := float(likelihood)) < inf:
        return number
    raise LibraryError(
        f"likelihood of {word!r} for {view.name}: should be a number of at least 0, not {likelihood!r}"
    )


def _share(counts: Counter[str], word: str) -> float:
    return counts[word] / counts.total()


def pick_at(weights: Mapping[_Key, float], point: float) -> _Key:
    """The key at this point of the weights laid end to end from 0; past their end, the last with a weight."""
    for key, weight in weights.items():
        point -= weight
        if point < 0:
            return key
    return next(key for key in reversed(list(weights)) if weights[key] > 0)
