"""The games of a check."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.check.table import BOT
from arena.programs.game_options import supported
from arena.referee.conditions import Conditions
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.referee.game_check.random_games import play
from arena.rules import Ask, Game
from arena.rules.match import Match

_RANDOM_GAMES = 12  # enough for all usual kinds of asks


@dataclass(frozen=True)
class Terms:
    """The games that a bot must play: with each number of `seats`, and with `options`, defaults included.

    `values` and `others` are further values by the names of options. `others` has at most one per option, and
    only for options that neither the bot.yaml nor the caller names.
    """

    game: Game
    seats: Sequence[int]
    options: Mapping[str, Any]
    conditions: Conditions
    values: Mapping[str, Sequence[object]] = field(default_factory=dict)  # others with declared support
    others: Mapping[str, object] = field(default_factory=dict)  # without declared support: notes at most
    reuse: bool = True  # whether a process plays several games

    @property
    def middle(self) -> int:
        return self.seats[len(self.seats) // 2]


def terms_of(bot: Bot, game: Game, given: Mapping[str, Any], conditions: Conditions) -> Terms:
    """The terms on which the bot must play a game, with the `given` values of options.

    Raises:
        ConfigError: Its bot.yaml names an option, a value or a number of seats that the game does not
            have, or no number of seats fits the options.
    """
    support = supported(bot, game)
    options, values = game.defaults(), dict[str, Sequence[object]]()
    for name, declared in support.options.items():
        if options[name] not in declared:
            options[name] = declared[0]
        if name not in given:
            values[name] = [value for value in declared if value != options[name]]
    options |= given
    seats = sorted({size for size in support.seats or game.seats if _fits(game, options, size)})
    if not seats:
        raise ConfigError(f"no number of seats of {game.name} fits {', '.join(map(str, given.values()))}")
    terms = Terms(game, seats, options, conditions, values)
    others = _other_values(game, options, terms.middle)
    known = {*given, *support.options}
    return replace(terms, others={name: value for name, value in others if name not in known})


def _fits(game: Game, options: Mapping[str, Any], seats: int) -> bool:
    return all(game.options[name].applies(value, seats) for name, value in options.items())


def _other_values(game: Game, options: Mapping[str, Any], seats: int) -> Iterator[tuple[str, object]]:
    """Pairs of an option and the last of its other values that applies with this number of seats.

    Options without such a value are left out. So is `starter`, which changes anyway.
    """
    for name, option in game.options.items():
        found = [value for value in option.values if value != options[name] and option.applies(value, seats)]
        if found and name != "starter":
            yield name, found[-1]


class Trials:
    """Makes the games of a check; their seeds are "check 0", "check 1" and so on."""

    def __init__(self, terms: Terms, bot: Bot, opponents: Sequence[str]):
        self._terms, self._bot, self._opponents = terms, bot, opponents
        self._number = 0

    def fixture(self, seats: int, changes: Mapping[str, Any] | None = None) -> Fixture:
        """Make the next game, with `changes` to the options if there are any.

        The bot has every second seat, and opponents have the other seats.
        """
        terms, number, self._number = self._terms, self._number, self._number + 1
        turns = range(number, number + seats)
        others = self._opponents
        names = tuple(others[turn // 2 % len(others)] if turn % 2 else BOT for turn in turns)
        fingerprints = tuple(self._bot.fingerprint if name == BOT else "0" * 16 for name in names)
        game, options, seed = terms.game, {**terms.options, **(changes or {})}, f"check {number}"
        conditions = terms.conditions
        return deal_alone(
            Fixture(game.name, game.version, options, names, fingerprints, group=seed, conditions=conditions),
            seed,
        )

    def due(self) -> list[Fixture]:
        """The games that count: one for each number of seats, and one for each further supported value."""
        terms = self._terms
        sizes = dict.fromkeys((terms.seats[0], terms.seats[-1], terms.middle, *terms.seats))
        games = [self.fixture(size) for size in sizes]
        for name, values in terms.values.items():
            applies = terms.game.options[name].applies
            for value in values:
                fitting = [size for size in (terms.middle, *terms.seats) if applies(value, size)]
                games += [self.fixture(size, {name: value}) for size in fitting[:1]]
        return games


def usual_kinds(terms: Terms) -> set[str]:
    """The kinds of asks that occur in a few random games, played without bots."""
    kinds: set[str] = set()

    def watch(match: Match) -> None:
        if isinstance(match.step, Ask):
            kinds.update(choice.kind for choice in match.step.choices.values())

    for number in range(_RANDOM_GAMES):
        seats = terms.seats[number % len(terms.seats)]
        play(terms.game, dict(terms.options), seats, f"kinds {number}", calm=0.0, watch=watch)
    return kinds
