"""Plays one game: players of this process, programs, or both."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from arena.library.errors import LibraryError
from arena.library.game import play_here
from arena.library.played import LIBRARY, Played, fixture_of, seed_text
from arena.library.players import AnyPlayer, Program, answer_of, distinct_names, name_of
from arena.library.tables import Table, check_table
from arena.rules.match import Match

OnFaults = Literal["raise", "play"]


def check_faults(faults: str) -> None:
    """Raise LibraryError if `faults` is not an `OnFaults`."""
    if faults not in ("raise", "play"):
        raise LibraryError(f'faults: should be "raise" or "play", not {faults!r}')


def play(
    table: Table, players: Sequence[AnyPlayer], seed: str | int | None = None, faults: OnFaults = "raise"
) -> Played:
    """Play one game, with a player for each seat. All chance follows from the seed; None: a new random one.

    A mistake of a player of this process raises IllegalAnswer or PlayerError. With `faults="play"` a referee
    judges it in the same way as programs: an illegal answer gets a strike, and the first option is played; an
    exception forfeits the game.

    Raises:
        LibraryError: An argument is wrong, such as the number of players.
        ConfigError: A program cannot play.
    """
    check_table(table)
    if not isinstance(players, Sequence):
        raise LibraryError(f"players: should be a list of players, not {players!r}")
    if len(players) != table.seats:
        raise LibraryError(f"a table of {table.seats} seats needs as many players, not {len(players)}")
    check_faults(faults)
    for player in players:
        if not isinstance(player, Program):
            answer_of(player)
    if faults == "play" or any(isinstance(player, Program) for player in players):
        from arena.library.refereed import play_refereed  # starts programs: slow to import

        return play_refereed(table, players, seed, raises=faults == "raise")
    names = distinct_names(tuple([name_of(player) for player in players]))
    text = seed_text(seed)
    made = partial(fixture_of, table, names, (LIBRARY,) * len(names), text)
    match = Match(table.game, table.options, table.seats)
    return Played(made, play_here(table, match, text, players, made))
