"""A game as a value: its options, its rules, and the figures that describe how its players behave."""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

from arena.rules.choices import Choice
from arena.rules.steps import Log, Reply, Step

P = TypeVar("P", default=Any)  # the position of a game; `Game` alone is a game with any position

Options = Mapping[str, Any]
"""A value for each option of a game, by name."""

Result = tuple[tuple[int, ...], tuple[int, ...] | None]
"""For each seat its place (1 is first, ties share: 1, 2, 2, 4), and its score where the game has one."""


class PositionError(ValueError):
    """Raised if a given position is impossible: the path of keys to the error, and what would be right."""

    def __init__(self, path: tuple[str, ...], message: str):
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class Option:
    """One option of a game: its default, what it means, and the values it may take.

    `values` are the words and numbers allowed; with `minimum`, whole numbers from there up are
    allowed too. `applies` says whether a value makes sense with a number of seats: `starter: p7` of four
    does not.
    """

    default: object
    meaning: str
    values: tuple[object, ...] = ()
    minimum: int | None = None
    applies: Callable[[object, int], bool] = lambda value, seats: True

    def allows(self, value: object) -> bool:
        """Whether the option may have this value; 1 and True are different values."""
        if any(value == known and type(value) is type(known) for known in self.values):
            return True
        return self.minimum is not None and type(value) is int and value >= self.minimum

    def describe(self) -> str:
        """The allowed values in words, for messages: `clockwise, random or fastest`."""
        words = [str(value).lower() if isinstance(value, bool) else str(value) for value in self.values]
        if self.minimum is not None:
            words.append(f"a whole number from {self.minimum}")
        return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


@dataclass(frozen=True)
class Figure:
    """A statistic of the behaviour of players, such as how often they bluff; its name is that of a column.

    `meaning` says what is counted, and out of what. A figure is a share from 0 to 1, unless it is a `ratio`:
    then it may be any number from 0. With a `cost`, what is counted hurts the player: the moment to look
    at in a lost game is that with the highest cost.
    """

    meaning: str
    ratio: bool = False
    cost: int = 0


class Mark(NamedTuple):
    """An amount to add to a figure of a seat. A figure is the sum of `counted` divided by the sum of `of`."""

    figure: str
    seat: int
    counted: int
    of: int = 1


@dataclass(frozen=True)
class Prose:
    """How a game is put in words for a person who plays it. What is left out is shown as bots read it.

    `tell(news)` is a sentence for the text of an `event` or `secret` line. `ask(kind, context)` is the
    question of an ask, `option(kind, word)` what an option means, and `cell(key, value)` a value of a `state`
    line; `columns` are the keys of these, in order. `answer(typed)` turns what was typed into an open word,
    and `open` says by the head of each open word how to type it. `sections` has for each kind of ask the
    headings on the page of the game below which its rules stand.
    """

    tell: Callable[[str], str] = lambda news: news
    ask: Callable[[str, Mapping[str, str]], str] = lambda kind, context: f"Your {kind}?"
    option: Callable[[str, str], str] = lambda kind, word: ""
    cell: Callable[[str, str], str] = lambda key, value: value.replace(",", ", ")
    columns: tuple[str, ...] = ()
    answer: Callable[[str], str] = lambda typed: ":".join(typed.split())
    open: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Game(Generic[P]):
    """A game as a value: its rules, options and figures, and how it is shown.

    `initial_position(seats, options)` makes the position before anything was dealt.
    `position_from_setup(seats, options, given)` makes one in mid-game from a plain mapping, and raises
    PositionError if that is impossible. `rules(position, options)` is the coroutine. `view(position, seat)`
    gives the `state` lines that a seat may see, and for None those of the open table. Raise `version` when
    an old record would replay differently. `observe(log)` yields the marks of a finished game for its
    `figures`, and for the `decisions` that only a review of a bot counts, from the log alone.
    `why_not(position, seat, choice, word)` says which rule forbids a word that is not among the options, in
    words for the seat that was asked and from what it may know; empty if the word has no meaning. It is
    called for refused words alone, whatever is in them.
    `reveals` has the first words of the news by which the rules tell what was hidden from those who hear it.
    `prose` puts the game in words for a person.
    """

    name: str
    version: int
    seats: range
    options: Mapping[str, Option]
    initial_position: Callable[[int, Options], P]
    position_from_setup: Callable[[int, Options, Mapping[str, Any]], P]
    rules: Callable[[P, Options], Coroutine[Step, Reply | None, Result]]
    view: Callable[[P, int | None], list[str]]
    summary: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    decisions: Mapping[str, Figure] = field(default_factory=dict)
    observe: Callable[[Log], Iterable[Mark]] = lambda log: ()
    why_not: Callable[[P, int, Choice, str], str] = lambda position, seat, choice, word: ""
    reveals: frozenset[str] = frozenset()
    prose: Prose = Prose()

    @property
    def counted(self) -> dict[str, Figure]:
        """All that `observe` counts."""
        return {**self.figures, **self.decisions}

    def defaults(self) -> dict[str, object]:
        return {name: option.default for name, option in self.options.items()}
