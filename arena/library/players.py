"""Players: functions of a view, objects, and programs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from arena.library.errors import LibraryError
from arena.library.reader import View
from arena.programs.bot import MAX_NAME_LENGTH, to_bot_name


@runtime_checkable
class Player(Protocol):
    """A player as an object. It may also have some of these methods:

    - `begin(table, seat, seed)`: a game begins, on this seat; `seed` is for random numbers of its own;
    - `heard(news)`: the `event` and `secret` lines, at a referee also `error` lines, since the last call; it
      is called before each ask and at the end;
    - `end(places)`: the game is over; `places` are by seat, 1 is the first.
    """

    def answer(self, view: View) -> str:
        """Return the answer to an ask: one of `view.options`, or an open word."""


@dataclass(frozen=True)
class Program:
    """A bot as a program: a file, a folder with a bot.yaml, or `house:NAME`."""

    path: str


def program(path: str | Path) -> Program:
    """A bot as a program, for `play`: a file, a folder with a bot.yaml, or `house:NAME`."""
    return Program(str(path))


AnyPlayer: TypeAlias = Callable[[View], str] | Player | Program
"""A player for `arena.play`."""

Answer = Callable[[View], str]


def answer_of(player: Any) -> Answer:
    """The function that answers for a player: its `answer`, or itself.

    Raises:
        LibraryError: The value is not a player.
    """
    answer: Answer = getattr(player, "answer", player)
    if not callable(answer) or isinstance(player, type):
        raise LibraryError(
            f"{player!r} is not a player: a function of a view, or an object with answer(view)"
        )
    return answer


def name_of(player: Any) -> str:
    """The name of a player that was given none."""
    if isinstance(player, Program):
        return Path(player.path).stem.removeprefix("house:")
    name = getattr(player, "name", None) or getattr(player, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        return "player" if name == "<lambda>" else type(player).__name__
    return name


def call(player: Any, name: str, *values: Any) -> None:
    """Call the method of a player that has this name, if there is one."""
    method = getattr(player, name, None)
    if method is not None:
        method(*values)


@lru_cache
def distinct_names(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """These names, changed if a run file would not take them; a second `bot` becomes `bot-2`."""
    names: list[str] = []
    for each in wanted:
        name, endings = to_bot_name(each), chain([""], (f"-{number}" for number in count(2)))
        options = (name[: MAX_NAME_LENGTH - len(ending)] + ending for ending in endings)
        names.append(next(option for option in options if option not in names))
    return tuple(names)
