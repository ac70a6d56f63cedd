"""A game as a value: its options, its rules, and the figures that describe how its players behave."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

from arena.rules.choices import Choice
from arena.rules.steps import Checkpoint, Log, Reply, Step

P = TypeVar("P", default=Any)  # the position of a game; a bare `Game` has any position

Options = Mapping[str, Any]
"""A value for each option of a game, by name."""

Result = tuple[tuple[int, ...], tuple[int, ...] | None]
"""The places by seat (1 is first, ties share: 1, 2, 2, 4), and the scores by seat, or None."""


class PositionError(ValueError):
    """Raised if a given position is impossible. `path` has the keys to the error, the message the reason."""

    def __init__(self, path: tuple[str, ...], message: str):
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class Option:
    """One option of a game: its default, its meaning, and the values it may take."""

    default: object
    meaning: str
    values: tuple[object, ...] = ()  # the words and numbers allowed
    minimum: int | None = None  # whole numbers from there up are allowed as well
    # Whether a value makes sense with a number of seats: `starter: p7` with four seats does not.
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
    """A statistic of the behaviour of players, such as how often they bluff: one column of a table."""

    meaning: str  # the counted events, and of which events they are a share
    ratio: bool = False  # any number from 0, not a share from 0 to 1
    # The counted events hurt the player. In a lost game, look at the moment with the highest cost.
    cost: int = 0


class Mark(NamedTuple):
    """An amount to add to a figure of a seat. A figure is the sum of `counted` divided by the sum of `of`."""

    figure: str
    seat: int
    counted: int
    of: int = 1


@dataclass(frozen=True)
class Prose:
    """The words of a game for a person at the table. A part without words appears as bots read it."""

    # A sentence for the text of an `event` or `secret` line.
    tell: Callable[[str], str] = lambda news: news
    # The question of an ask, from its kind and its context.
    ask: Callable[[str, Mapping[str, str]], str] = lambda kind, context: f"Your {kind}?"
    # The meaning of an option, from the kind of its ask; "" if the word says it.
    option: Callable[[str, str], str] = lambda kind, word: ""
    # A value of a `state` line, from its key; and these keys in the order of the columns.
    cell: Callable[[str, str], str] = lambda key, value: value.replace(",", ", ")
    columns: tuple[str, ...] = ()
    # The open word for what was typed; and by the head of each open word how to type it.
    answer: Callable[[str], str] = lambda typed: ":".join(typed.split())
    open: Mapping[str, str] = field(default_factory=dict)
    # By kind of ask the headings on the page of the game below which its rules stand.
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Game(Generic[P]):
    """A game as a value: its rules, options and figures, and its words for a person."""

    name: str
    version: int  # raise it when an old record would replay differently
    seats: range
    options: Mapping[str, Option]
    # From the seats and the options: the position before anything was dealt.
    initial_position: Callable[[int, Options], P]
    # From these and a mapping of a setup file: a position in mid-game. PositionError: it is impossible.
    position_from_setup: Callable[[int, Options, Mapping[str, Any]], P]
    rules: Callable[[P, Options], Coroutine[Step | Checkpoint, Reply | None, Result]]
    # The `state` lines that a seat may see; for None those of the open table.
    view: Callable[[P, int | None], list[str]]
    # A copy of a position at a `Checkpoint`; the two share no mutable part.
    copy_position: Callable[[P], P] = deepcopy
    # The `state` lines for spectators of a game that is played: only what every seat may see, so no hidden
    # cards, private money or talk. None: they read the public news alone.
    public_view: Callable[[P], list[str]] | None = None
    summary: str = ""
    # Figures by name; decisions, which only a review of a bot counts; and the marks of a finished game for
    # both, from its log alone.
    figures: Mapping[str, Figure] = field(default_factory=dict)
    decisions: Mapping[str, Figure] = field(default_factory=dict)
    observe: Callable[[Log], Iterable[Mark]] = lambda log: ()
    # The rule that forbids a word which is not among the options, in words for the seat and from its own
    # knowledge; empty if the word has no meaning. It is called only for refused words, which may be any text.
    why_not: Callable[[P, int, Choice, str], str] = lambda position, seat, choice, word: ""
    # For `arena.worlds`: how well replies that a seat has not seen fit the lines that it has received next.
    # From the position, the step, the seat that is asked (None: chance picks), the seat that received the
    # lines, and these lines (`event …`, `secret …`, `ask …`, `answer …`): for each answer or outcome that may
    # fit, about how probable the lines then are. Answers that are left out are never tried. None: all may
    # fit. Every world is checked, so wrong weights only cost time.
    foresee: Callable[[P, Step, int | None, int, Sequence[str]], Mapping[str, float] | None] = (
        lambda position, step, asked, seat, coming: None
    )
    # The first words of the news by which the rules tell a seat what was hidden from it.
    reveals: frozenset[str] = frozenset()
    prose: Prose = Prose()

    @property
    def counted(self) -> dict[str, Figure]:
        """All figures and decisions by name: what `observe` may mark."""
        return {**self.figures, **self.decisions}

    def defaults(self) -> dict[str, object]:
        return {name: option.default for name, option in self.options.items()}
