"""A game as a value: its options, its rules, what it counts."""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arena.rules.steps import Log


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
