"""Tables: a game with its options and its number of seats."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.config.document import ConfigError
from arena.library.errors import LibraryError
from arena.programs.game_options import check_options, find_game
from arena.rules import Game, PositionError
from arena.rules.match import Match


@dataclass(frozen=True)
class Table:
    """A game to play, with a value for each of its options. `table` makes one, and checks it."""

    name: str
    seats: int
    options: Mapping[str, Any]

    @property
    def game(self) -> Game:
        """The rules of the game."""
        return find_game(self.name)


def table(name: str, seats: int | None = None, **options: Any) -> Table:
    """A table of a game, by default with its least number of seats.

    The options have the names and values that a plan has for them.

    Raises:
        ConfigError: There is no such game, or the number of seats or an option is wrong.
    """
    game = find_game(name)
    number = game.seats[0] if seats is None else seats
    if type(number) is not int or number not in game.seats:
        raise ConfigError(f"{game.name} has {game.seats[0]} to {game.seats[-1]} seats, not {number!r}")
    if options.get("starter") == "winner":
        raise ConfigError("option starter: winner needs a plan with format: series")
    return Table(game.name, number, check_options(game, options, (number,)))


def check_table(table: object) -> None:
    """Raise LibraryError if this is not a Table."""
    if not isinstance(table, Table):
        raise LibraryError(f"table: should be made by arena.table, not {table!r}")


def match_from_setup(table: Table, position: Mapping[str, Any] | None) -> Match:
    """A match of the table from a position as in a setup file.

    Raises:
        ConfigError: The position is impossible.
    """
    try:
        return Match(table.game, table.options, table.seats, given=position)
    except PositionError as error:
        raise ConfigError(f"{': '.join(['position', *map(str, error.path)])}: {error}") from None
