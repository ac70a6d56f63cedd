"""Finds the game that a plan, a command or a bot names, and checks its options and a bot's support."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena import games
from arena.config.document import ConfigError, Document, read_value
from arena.config.text import but_found, list_words, suggestion, yaml_word
from arena.programs.bot import MANIFEST, Bot, Support
from arena.rules import Game


def find_game(name: str, document: Document | None = None) -> Game:
    if game := games.find(name):
        return game
    message = f"no game {name!r}{suggestion(name, games.names())}"
    raise document.error(("game",), message) if document else ConfigError(message)


def check_options(
    game: Game, given: Mapping[str, Any], seats: tuple[int, ...], document: Document | None = None
) -> dict[str, Any]:
    """All options of a game: the `given` ones and the defaults.

    Raises:
        ConfigError: An option is unknown, has a wrong value, or has one that does not apply with one of the
            numbers of `seats`. The message names the place in `document`, if given.
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
    """The options of a command line, with values read as YAML, as in a plan.

    Raises:
        ConfigError: A value cannot be read.
    """
    found = {}
    for name, text in options.items():
        try:
            found[name] = read_value(text)
        except ValueError as error:
            raise ConfigError(f"option {name}: {error}") from None
    return found


def supported(bot: Bot, game: Game) -> Support:
    """The support of a bot for a game.

    Raises:
        ConfigError: Its bot.yaml names a number of seats, an option or a value that the game does not
            have.
    """
    support = bot.games.get(game.name, Support())
    for size in support.seats:
        if size not in game.seats:
            message = f"{game.name} has {game.seats[0]} to {game.seats[-1]} seats, not {size}"
            raise _error(bot, (game.name, "seats"), message)
    for name, values in support.options.items():
        place = (game.name, "options", name)
        if name not in game.options:
            raise _error(bot, place, f"unknown option{suggestion(name, list(game.options))}")
        option = game.options[name]
        if not values:
            raise _error(bot, place, f"should be {option.describe()}, or a list of these")
        for value in values:
            if not option.allows(value):
                raise _error(bot, place, f"should be {option.describe()}, not {value!r}")
    return support


def games_of(bot: Bot) -> list[Game]:
    """The games that the bot says it plays.

    Raises:
        ConfigError: One of them does not exist.
    """
    try:
        return [find_game(name) for name in bot.games]
    except ConfigError as unknown:
        raise _error(bot, (), str(unknown)) from None


def refuse_unsupported(bot: Bot, game: Game, seats: Iterable[int], options: Mapping[str, Any]) -> None:
    """Raise ConfigError if the bot does not support the game, a number of `seats`, or a value of `options`.

    `options` contains all options of the game. A bot that names no games supports everything.
    """
    if not bot.games:
        return
    if game.name not in bot.games:
        raise _error(bot, (), f"does not support {game.name}, only {list_words(bot.games)}")
    support = supported(bot, game)
    for size in seats:
        if support.seats and size not in support.seats:
            message = f"does not support {size} seats, only {list_words(support.seats)}"
            raise _error(bot, (game.name, "seats"), message)
    for name, values in support.options.items():
        same = [value for value in values if value == options[name]]
        if not any(type(value) is type(options[name]) for value in same):  # 1 is not true
            known = list_words(map(yaml_word, values))
            only = f"does not support {name}={yaml_word(options[name])}, only {known}"
            raise _error(bot, (game.name, "options", name), only)


def _error(bot: Bot, path: tuple[str, ...], message: str) -> ConfigError:
    """A ConfigError with the line of the bot.yaml at `path` below `games:`; the file is read again for it."""
    manifest = Path(bot.folder / MANIFEST)
    try:
        return Document(manifest, regular=True).error(("games", *path), message)
    except ConfigError:  # the file has changed meanwhile
        return ConfigError(f"{manifest}: games: {message}")
