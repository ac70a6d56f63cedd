"""Plays a single game without a plan: bots by path, options from the command line, perhaps a setup file."""

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Strict

from arena.config.document import ConfigError, Document
from arena.config.values import KEYS, Text
from arena.programs.bot import HUMAN, Bot, BotError, distinct_name
from arena.programs.files import share
from arena.programs.game_options import check_options, find_game, options_from_text, refuse_unsupported
from arena.programs.play.build import Tell, build, tell_nothing
from arena.programs.play.player import Player
from arena.programs.play.table import ProgramTable, start_player
from arena.programs.reading import read_bot
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import Sandbox, choose
from arena.referee.conditions import TIMED, UNTIMED, Conditions, TimeControl
from arena.referee.deals import check_seed, deal_alone
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.rules import Game, PositionError, seat_name
from arena.rules.chance import ScriptError


@dataclass(frozen=True, kw_only=True)
class _SetupKeys:
    """The keys of a setup file; `protocol.md` explains them."""

    __pydantic_config__ = KEYS

    game: Text | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seed: Annotated[int, Strict()] | Text | None = None
    position: dict[str, Any] | None = None
    draws: dict[Text, list[Text]] = field(default_factory=dict)


def play_one(
    game_name: str,
    paths: Sequence[Path],
    seed: str | None,
    options: Mapping[str, str],
    control: TimeControl,
    setup: Path | None = None,
    sandbox: Sandbox | None = None,
    files: Sequence[Path] = (),
    timed: bool = True,
    player: Callable[[Mapping[str, str], Bot, SupervisorClient], Player] | None = None,
    tell: Tell = tell_nothing,
) -> Record:
    """Play one game; returns its record.

    Args:
        paths: The bots by seat; `human` is a person at this terminal.
        seed: The seed of the cards; None: they are random.
        sandbox: The sandbox of the bots; None: the usual one of this machine.
        timed: Whether the person's time is limited.
        player: Starts the process of a bot in place of `start_player`; its first argument maps names of bots
            to names of seats.

    Raises:
        ConfigError: The game, a bot, an option or the setup file is wrong.
    """
    game = find_game(game_name)
    if len(paths) not in game.seats:
        raise ConfigError(f"{game.name} has {game.seats[0]} to {game.seats[-1]} seats, not {len(paths)}")
    bots = distinct_bots(paths, files, person(timed))
    people = sum(bot.is_person for bot in bots.values())
    if people > 1:
        raise ConfigError(f"only one seat can be {HUMAN}: at one terminal others would see the hand")
    if people and sys.stdin is None:
        raise ConfigError(f"{HUMAN}: needs a terminal, or answers on stdin")
    given = options_from_text(options)
    check_options(game, given, (len(bots),))
    fixture = Fixture(
        game=game.name,
        version=game.version,
        options=game.defaults() | given,
        bots=tuple(bots),
        fingerprints=tuple(bot.fingerprint for bot in bots.values()),
        seed=secrets.token_hex(16) if seed is None else check_seed(seed),
        conditions=Conditions(clock=control, ponder=not people),
    )
    if setup:
        fixture = _set_up(fixture, game, Document(setup), given, seed)
    for bot in bots.values():
        refuse_unsupported(bot, game, (len(bots),), fixture.options)
    fixture = deal_alone(replace(fixture, group=f"{' '.join(sorted(bots))} /{fixture.seed}"), fixture.seed)
    sandbox = sandbox or choose(fixture.conditions.limits)
    build(bots.values(), sandbox, tell)
    seats = {name: seat_name(seat) for seat, name in enumerate(bots)}
    start = partial(player, seats) if player else start_player
    with ProgramTable(bots, sandbox=sandbox, player=start) as table:
        if faults := table.greet(control.start):
            raise BotError(bots, {}, faults)
        try:
            return table.play(fixture)
        except ScriptError as error:
            raise ConfigError(f"{setup}: {error}") from None


def person(timed: bool) -> Bot:
    """A person as a bot without files."""
    return Bot(HUMAN, (HUMAN,), Path.cwd(), TIMED if timed else UNTIMED)


def distinct_bots(
    paths: Sequence[Path], files: Sequence[Path] = (), human: Bot | None = None
) -> dict[str, Bot]:
    """The bots at these paths, by name; a second bot called `name` becomes `name-2`.

    All but house bots may read the `files`. The path `human` means the bot `human`, if there is one.
    """
    shared = [share(path) for path in files]
    bots: dict[str, Bot] = {}
    for path in paths:
        bot = human if human and path == Path(HUMAN) else read_bot(path, shared)
        name = distinct_name(bot.name, bots)
        bots[name] = replace(bot, name=name)
    return bots


def _set_up(
    fixture: Fixture, game: Game, document: Document, given: Mapping[str, Any], seed: str | None
) -> Fixture:
    """The fixture with the values of a setup file; options and seed of the command line take precedence.

    Raises:
        ConfigError: A value is wrong.
    """
    keys = document.check(_SetupKeys)
    if keys.game not in (None, game.name):
        raise document.error(("game",), f"this is a setup of {keys.game}, not of {game.name}")
    seats = len(fixture.bots)
    options = check_options(game, {**keys.options, **given}, (seats,), document)
    if keys.position is not None:
        try:
            game.position_from_setup(seats, options, keys.position)
        except PositionError as error:
            raise document.error(("position", *error.path), str(error)) from None
    if seed is None and keys.seed is not None:
        fixture = replace(fixture, seed=check_seed(str(keys.seed)))
    return replace(fixture, options=options, position=keys.position, draws=keys.draws)
