"""What a game may say to the table: `Tell`, `Draw`, `Ask`, `RollCall`, and nothing else.

The rules of a game are a coroutine. `await` waits for the table, never for asyncio: whoever drives
the coroutine sends it the answer to each step (`arena.match`). Seats are numbers from 0; in every
text they are `p1`, `p2`, … (`seat_name`).
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

ALL = None  # the audience of public news

SEAT_NAMES = tuple(f"p{number}" for number in range(1, 17))


def seat_name(seat: int) -> str:
    """The word for a seat on the wire: seat 0 is `p1`."""
    return SEAT_NAMES[seat]


def seat_number(name: str) -> int:
    """The seat that a word such as `p3` names; ValueError if it names none."""
    return SEAT_NAMES.index(name)


class Choice:
    """What one seat may answer to one ask.

    `options` are single words, all legal; the first is what silence means (ruling A1). `open` maps
    the heads of further accepted words (`offer` of `offer:5000:writer@10000`) to a function that
    says whether the whole word is well formed. `kind` and `context` head the ask line.
    """

    def __init__(
        self,
        kind: str,
        options: tuple[str, ...],
        open: Mapping[str, Callable[[str], bool]] | None = None,
        **context: object,
    ):
        self.kind = kind
        self.options = options
        self.open = open or {}
        self.context = context
        self._tail = ""

    @property
    def default(self) -> str:
        return self.options[0]

    def accepts(self, word: str) -> bool:
        if word in self.options:
            return True
        if not self.open or not isinstance(word, str):
            return False
        well_formed = self.open.get(word.partition(":")[0])
        return well_formed is not None and well_formed(word)

    @property
    def tail(self) -> str:
        """The ask line behind its id, kind and time: context, a colon, the options."""
        if not self._tail:
            words = [f"{key}={value}" for key, value in self.context.items()]
            if self.open:
                words.append(f"open={','.join(self.open)}")
            self._tail = " ".join([*words, ":", *self.options])
        return self._tail

    def __repr__(self) -> str:
        return f"Choice({self.kind} {self.tail})"


@dataclass(slots=True, unsafe_hash=True)
class Tell:
    """News for one seat, or for `ALL`. The audience comes first and has no default (ruling A9)."""

    to: int | None
    text: str

    def __await__(self):
        yield self


@dataclass(slots=True, unsafe_hash=True)
class Draw:
    """Chance picks one of `outcomes`; `await` returns it.

    `purpose` names the random stream (ruling A8). `to` names who learns the outcome: a seat, `ALL`,
    or the string `"nobody"`.
    """

    purpose: str
    outcomes: tuple[str, ...]
    to: int | str | None

    def __await__(self):
        return (yield self)


@dataclass(slots=True)
class Ask:
    """These seats answer at once, sealed; `await` returns `{seat: answer}` in the order of `choices`.

    With `race` the answers come in order of charged time, ties in the order of `choices`: for
    `priority: fastest` alone, whose games replay exactly but do not repeat.
    """

    choices: dict[int, Choice]
    race: bool = False

    def __await__(self):
        return (yield self)


@dataclass(slots=True)
class RollCall:
    """`await` returns the seats that have forfeited since the last roll call, in seat order."""

    def __await__(self):
        return (yield self)


Log = Sequence[tuple[Tell | Draw | Ask | RollCall, Any]]
"""Every step of a game in order, with its reply; a `Tell` has none."""


async def ask(seat: int, choice: Choice) -> str:
    """Ask one seat, and return its answer."""
    return (await Ask({seat: choice}))[seat]


def numbers(low: int, high: int, step: int = 1) -> tuple[str, ...]:
    """Options that are the numbers from `low` to `high`, both included."""
    return tuple(map(str, range(low, high + 1, step)))


class PositionError(ValueError):
    """A given position is impossible: the path of keys to what is wrong, and what would be right."""

    def __init__(self, path: tuple[str, ...], message: str):
        super().__init__(message)
        self.path = path


Result = tuple[tuple[int, ...], tuple[int, ...] | None]
"""For each seat its place (1 is first, ties share: 1, 2, 2, 4), and its score where the game has one."""


@dataclass(frozen=True)
class Option:
    """One option of a game: its default, the values it may take, and what it means.

    `values` are the words and numbers allowed; with `minimum`, whole numbers from there up are
    allowed too. `applies` narrows the values to a number of seats (`starter: p7` of four).
    """

    default: object
    meaning: str
    values: tuple[object, ...] = ()
    minimum: int | None = None
    applies: Callable[[object, int], bool] = lambda value, seats: True

    def allows(self, value: object) -> bool:
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
    """One number that a game keeps on the behaviour of its players, by the name of its column.

    `meaning` says what is counted, and of how many: a share, from 0 to 1, unless it is a `ratio`, which
    may be any number from 0.
    """

    meaning: str
    ratio: bool = False


class Mark(NamedTuple):
    """So much is added to a figure of a seat. The figure is the sum of `count`, of the sum of `of`."""

    figure: str
    seat: int
    count: int
    of: int = 1


@dataclass(frozen=True)
class Game:
    """A game, as a value.

    `deal(seats, options)` makes a position before anything was dealt; `arrange(seats, options,
    given)` makes one in mid-game from a plain mapping and raises ValueError where that is
    impossible. `rules(position, options)` is the coroutine; it returns a `Result`. `view(position,
    seat)` gives the `state` lines that a seat may see, `view(position, None)` the open table.
    `version` is raised when an old record would replay differently. `observe(log)` makes the marks of
    a game that is over for its `figures`, from the log alone.
    """

    name: str
    version: int
    seats: range
    options: Mapping[str, Option]
    deal: Callable[[int, Mapping[str, Any]], Any]
    arrange: Callable[[int, Mapping[str, Any], Mapping[str, Any]], Any]
    rules: Callable[[Any, Mapping[str, Any]], Coroutine[Any, Any, Result]]
    view: Callable[[Any, int | None], list[str]]
    summary: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    observe: Callable[[Log], Iterable[Mark]] = lambda log: ()

    def defaults(self) -> dict[str, object]:
        return {name: option.default for name, option in self.options.items()}
