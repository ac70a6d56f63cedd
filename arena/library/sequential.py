"""Games in which one seat or chance acts at a time, by the number of an action, in the form of OpenSpiel.

Theory of operation
-------------------
Seats that are asked at once act one after the other. The match gets their answers together: no seat hears
another's answer before all have acted.

The information of a seat is a text that only grows: its news, asks and answers, the same lines as in
`State.information`. The game adds to it instead of making it anew, and copies share it.

Actions and outcomes of chance have the numbers of the game's encoding. The number of an action means the same
for every seat, seen from there. In a game without an encoding, the number of an option is its place among the
options of the ask. The number of an outcome is its place among the outcomes of the draw.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Protocol

from arena.games.encodings import ENCODINGS
from arena.library.attempts import Question
from arena.library.encoding import Encoder, encoders
from arena.library.errors import LibraryError
from arena.library.extent import Extent, extent
from arena.library.reader import read_states
from arena.library.resampling import next_world
from arena.library.stepping import rewards
from arena.library.tables import Table
from arena.library.views import MatchView, asked_text, information
from arena.rules import SEAT_NAMES, Ask, Choice, Draw, Tell
from arena.rules.match import Match

__all__ = ("CHANCE", "OVER", "Sequential", "TableLayout")

CHANCE, OVER = -1, -4  # OpenSpiel's numbers in place of a seat


class _Numbers(Protocol):
    """The numbers of the answers of a seat."""

    def legal(self, choice: Choice) -> Mapping[int, str]: ...


class _Places:
    """The answers of a game without an encoding: their places among the options."""

    def __init__(self, most: int):
        self._most = most

    def legal(self, choice: Choice) -> dict[int, str]:
        if len(choice.options) > self._most:
            raise LibraryError(f"{choice.kind} has {len(choice.options)} options, more than {self._most}")
        return dict(enumerate(choice.options))


class TableLayout:
    """The common part of all positions of a table: the numbers of actions and outcomes, and the game's size.

    With `by_score` the returns are the scores, if the game has any; otherwise they follow from places.
    """

    def __init__(self, table: Table, by_score: bool):
        self.table = table
        self.extent: Extent = extent(table)
        self.by_score = by_score and self.extent.scores is not None
        scores = self.extent.scores if self.by_score else None
        self.range: tuple[float, float] = (-1.0, 1.0) if scores is None else scores
        self.total: float | None = 0.0 if scores is None else self.extent.total
        encoding = ENCODINGS.get(table.name)
        self.encoders: list[Encoder] = encoders(table) if encoding else []
        self.numbers: Sequence[_Numbers] = self.encoders or [_Places(self.extent.actions)] * table.seats
        outcomes = encoding.outcomes(SEAT_NAMES[: table.seats], table.options) if encoding else []
        self._outcomes = {word: number for number, word in enumerate(outcomes)}
        self.first = Sequential(self, Match(table.game, table.options, table.seats))
        """The position at the beginning; it is shared, so only copies of it are changed."""

    @staticmethod
    def of(table: Table, by_score: bool) -> "TableLayout":
        """The layout of a table; equal tables have the same."""
        return layout(table.name, table.seats, tuple(table.options.items()), by_score)

    @staticmethod
    def has_encoding(game: str) -> bool:
        """Whether positions of this game can be observed as numbers."""
        return game in ENCODINGS

    def outcomes(self, step: Draw) -> dict[int, str]:
        """The outcomes that chance may pick, by number in order."""
        words = dict.fromkeys(step.outcomes)
        if not self._outcomes:
            return dict(enumerate(words))
        return {number: word for word, number in self._outcomes.items() if word in words}

    def word(self, player: int, number: int) -> str:
        """The word with this number for a seat or `CHANCE`, legal or not.

        Without an encoding, `option 3` or `outcome 3`.

        Raises:
            LibraryError: A seat has no such number.
        """
        if player == CHANCE:
            words = {each: word for word, each in self._outcomes.items()}
            return words.get(number, f"outcome {number}")
        if not self.encoders:
            return f"option {number}"
        actions = self.encoders[player].words
        if number not in range(len(actions)):
            raise LibraryError(f"no action {number!r}; the actions are 0 to {len(actions) - 1}")
        return actions[number]

    def returns(self, match: Match) -> list[float]:
        """For each seat its score, or its reward from 1 (first) to -1 (last); 0 before the end."""
        if match.result is None:
            return [0.0] * self.table.seats
        places, scores = match.result
        return list(map(float, scores)) if self.by_score and scores is not None else rewards(places)

    def __reduce__(self) -> tuple[Any, ...]:
        table = self.table
        return layout, (table.name, table.seats, tuple(table.options.items()), self.by_score)


@lru_cache(maxsize=64)
def layout(name: str, seats: int, options: tuple[tuple[str, Any], ...], by_score: bool) -> TableLayout:
    """The layout of a table with all its options; it is made once."""
    return TableLayout(Table(name, seats, dict(options)), by_score)


class Sequential:
    """A position; `player` is the seat that acts, `CHANCE` if chance acts, `OVER` if the game is over.

    `answers` has the answers of the seats that have acted in the pending ask, by seat.
    """

    def __init__(self, layout: TableLayout, match: Match, answers: Mapping[int, str] | None = None):
        self.layout, self.match = layout, match
        self.player = OVER
        self.answers: dict[int, str] = {}  # the answers of the seats that have acted in this ask
        table = layout.table
        self.information = ["\n".join(information(table, seat, match.log)) for seat in range(table.seats)]
        """The news, asks and answers of each seat, as a text of lines."""
        self._told = len(match.log)  # entries of the log that the seats have heard
        self._legal: dict[int, str] | None = None
        self._settle()
        for seat, word in (answers or {}).items():
            self._answer(seat, word)

    def legal(self) -> dict[int, str]:
        """The words that `player` may choose now, by number, in order; empty if the game is over."""
        if self._legal is None:
            step = self.match.step
            if isinstance(step, Ask):
                legal = self.layout.numbers[self.player].legal(step.choices[self.player])
                self._legal = dict(sorted(legal.items()))
            else:
                self._legal = self.layout.outcomes(step) if isinstance(step, Draw) else {}
        return self._legal

    def number(self, word: str) -> int:
        """The number of a legal word.

        Raises:
            LibraryError: The word has no number.
        """
        for number, legal in self.legal().items():
            if legal == word:
                return number
        raise LibraryError(f"{word!r} has no number; legal: {self.legal()}")

    def chances(self) -> list[tuple[int, float]]:
        """The number and the probability of each outcome.

        Raises:
            LibraryError: Chance is not to act.
        """
        step = self.match.step
        if not isinstance(step, Draw):
            why = "the game is over" if step is None else "a seat is to act"
            raise LibraryError(f"chance has no outcomes now: {why}")
        counts, total = Counter(step.outcomes), len(step.outcomes)
        return [(number, counts[word] / total) for number, word in self.legal().items()]

    def act(self, number: int) -> None:
        """Play the action of the player with this number.

        Raises:
            LibraryError: The action is not legal.
        """
        word = self.legal().get(number)
        if word is None:
            legal = self.legal() or "none, as the game is over"
            raise LibraryError(f"the action {number} is not legal; legal: {legal}")
        if self.player == CHANCE:
            self._reply(word)
        else:
            self._answer(self.player, word)

    def copy(self) -> "Sequential":
        """An independent copy of this position."""
        copied = object.__new__(Sequential)
        copied.layout, copied.match, copied.player = self.layout, self.match.copy(), self.player
        copied.answers, copied.information = self.answers.copy(), self.information.copy()
        copied._told, copied._legal = self._told, None
        return copied

    def __deepcopy__(self, memo: object) -> "Sequential":
        return self if self is self.layout.first else self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Sequential, (self.layout, self.match, self.answers)

    def resample(self, player: int, draw: Callable[[], float]) -> list[str]:
        """The words of a random game up to this ask in which the player has heard and sees the same.

        Games have the probabilities of `arena.worlds`. `draw` makes random numbers from 0 to below 1.

        Raises:
            LibraryError: Another player is to act.
            NoWorld: No such game was found.
        """
        if player != self.player or player < 0:
            raise LibraryError(f"player {player} is not to act, so its knowledge cannot be resampled")
        key = (self.layout, player, self.information[player], "\n".join(self.seen(player)))
        return list(words_of(next_world(key, partial(self._question, player), draw)))

    def _question(self, seat: int) -> Question:
        state = read_states(self.match.game.view(self.match.position, seat))
        lines, likelihood = self.information[seat].split("\n"), partial(_likelihood, self.layout)
        return Question(self.layout.table, seat, lines[1:], likelihood, None, state, alike=True)

    def seen(self, seat: int) -> list[str]:
        """The `state` lines of a seat, and the ask that it has not answered, if there is one."""
        match, choice = self.match, self.choice(seat)
        lines = match.game.view(match.position, seat)
        return lines if choice is None else [*lines, asked_text(choice)]

    def text(self) -> str:
        """The course of the game in lines; no two positions have the same text."""
        sealed = [f"{SEAT_NAMES[seat]} answers {word}" for seat, word in self.answers.items()]
        return "\n".join([*self.match.lines, *sealed])

    def choice(self, seat: int) -> Choice | None:
        """The choice of the seat; None if it is not asked or has answered."""
        step = self.match.step
        return step.choices.get(seat) if isinstance(step, Ask) and seat not in self.answers else None

    def _answer(self, seat: int, word: str) -> None:
        step = self.match.step
        assert isinstance(step, Ask), "a seat is to act"
        self.answers[seat] = word
        self._add(seat, f"answer {word}")
        if len(self.answers) == len(step.choices):
            answers, self.answers = self.answers, {}
            self._reply(answers)
        else:
            self._next(step)

    def _reply(self, reply: str | dict[int, str]) -> None:
        self.match.reply(reply)
        self._settle()

    def _settle(self) -> None:
        """Let the game go on until a seat or chance has to act, and note the news for the seats."""
        match = self.match
        waiting = match.drive()
        for step, _ in match.log[self._told :]:
            if type(step) is Tell:
                for seat in step.audience(range(match.seats)):
                    self._add(seat, step.line)
        self._told = len(match.log)
        if isinstance(waiting, Ask):
            for seat, choice in waiting.choices.items():
                self._add(seat, asked_text(choice))
            self._next(waiting)
        else:
            self.player, self._legal = OVER if waiting is None else CHANCE, None

    def _add(self, seat: int, line: str) -> None:
        self.information[seat] = f"{self.information[seat]}\n{line}"

    def _next(self, step: Ask) -> None:
        self.player = next(seat for seat in step.choices if seat not in self.answers)
        self._legal = None


def words_of(match: Match) -> Iterator[str]:
    """Yield all answers and outcomes of a match, in the order in which `Sequential` plays them."""
    for step, reply in match.log:
        if isinstance(step, Ask) and isinstance(reply, dict):
            yield from (reply[seat] for seat in step.choices)
        elif isinstance(step, Draw) and isinstance(reply, str):
            yield reply


def _likelihood(known: TableLayout, view: MatchView, word: str) -> float:
    """The probability of an answer: equal for all legal answers with a number; 0 for others."""
    words = known.numbers[view.seat].legal(view.choice).values()
    return (word in words) / len(words)
