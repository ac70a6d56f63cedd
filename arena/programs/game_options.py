"""Finds the game that a plan or a command names, and checks its options."""

from collections.abc import Mapping
from typing import Any

from arena import games
from arena.config.document import ConfigError, Document, but_found, suggestion
from arena.config.loader import read_value
from arena.rules import Game


def find_game(name: str, document: Document | None = None) -> Game:
    if game := games.find(name):
        return game
    message = f"no game {name!r}{suggestion(name, games.names())}"
    raise document.error(("game",), message) if document else ConfigError(message)


def check_options(
    game: Game, given: Mapping[str, Any], seats: tuple[int, ...], document: Document | None = None
) -> dict[str, Any]:
    """All options of a game: the `given` ones, and defaults.

    ConfigError, with a place in `document` if that is given: an option is unknown, has a wrong value, or has
    one that does not apply with one of the numbers of `seats`.
    """

    def error(name: str, message: str) -> ConfigError:
        if document:
            return document.error(("options", name), message)
        return ConfigError(f"option {name}: {message}")

    for name, value in given.items():
        if name not in game.options:
            raise error(name, f"unknown option of {game.name}{suggestion(name, list(game.options))}")
        option = game.options[name]
        if not option.allows(value):
            raise error(name, f"should be {option.describe()}{but_found(value)}")
        for size in seats:
            if not option.applies(value, size):
                raise error(name, f"{value!r} does not fit a table of {size}")
    return game.defaults() | dict(given)


def options_from_text(options: Mapping[str, str]) -> dict[str, Any]:
    """The options of a command line, with values read as YAML, as in a plan. ConfigError: one cannot be."""
    found = {}
    for name, text in options.items():
        try:
            found[name] = read_value(text)
        except ValueError as error:
            raise ConfigError(f"option {name}: {error}") from None
    return found
