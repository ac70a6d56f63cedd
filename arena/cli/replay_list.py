"""The list of the games of a run, and how one of them is found."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.faults import SeatFaults, seat_faults
from arena.core.config import ConfigError, suggestion
from arena.referee.protocol import shown
from arena.report.commands import replay_command
from arena.rules import seat_name

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.records.record import Summary
    from arena.results.store import Store

ID_LENGTH = 16  # of the id of a game


class Listed(NamedTuple):
    """A game of a list; `names` are those in the standings: an old version has its fingerprint.

    `faults` are those asked for.
    """

    number: int
    names: tuple[str, ...]
    game: "Summary"
    faults: SeatFaults


def listed(
    store: "Store", games: "Sequence[Summary]", bot: str | None, faults: bool, won: bool, lost: bool
) -> list[Listed]:
    """The games that fit, with their numbers in the whole list. ConfigError: no game has this bot."""
    from arena.results.sources import namer, versions

    name = namer(versions([(store.about().get("plan", {}), games)]))
    known: set[str] = set()
    found: list[Listed] = []
    for number, game in enumerate(games, 1):
        keys = [{each, f"{each}@{made[:6]}"} for each, made in zip(game.bots, game.fingerprints, strict=True)]
        seats = [seat for seat, names in enumerate(keys) if bot is None or bot in names]
        known.update(*keys)
        places = [game.places[seat] for seat in seats]
        fits = (
            bool(seats)
            and (not won or (1 in places and set(game.places) != {1}))
            and (not lost or max(places) > 1)
        )
        if fits:
            found_faults = seat_faults(store, game, seats) if faults else {}
            if found_faults or not faults:
                found.append(Listed(number, name(game.bots, game.fingerprints), game, found_faults))
    if bot is not None and bot not in known:
        names = sorted(each for each in known if ("@" in each) == ("@" in bot))
        raise ConfigError(f"--bot: no bot {bot!r}{suggestion(bot, names)}")
    return found


def print_games(run: Path, games: Sequence[Listed], form: str) -> None:
    """A line for each game, and below it one for each seat whose faults were asked for."""
    if form == "json":
        keys = ("number", "game", "bots", "versions", "places", "faults")
        rows = [
            (number, *(game.id, game.bots, game.fingerprints, game.places, game.faults))
            for number, _, game, _ in games
        ]
        click.echo(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=1))
        return
    for number, names, game, found in games:
        seats = "  ".join(f"{place}. {bot}" for bot, place in zip(names, game.places, strict=True))
        faults = f"  faults {game.faults}" if game.faults else ""
        click.echo(f"{number:>6}  {game.id}  {seats}{faults}")
        for seat, kinds in found.items():
            counts = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
            click.echo(f"        {seat_name(seat)} {names[seat]} {counts}:")
            click.echo(shown(f"          {replay_command(run, game.id, '--seat', seat_name(seat))}"))
    if not games:
        click.echo("no games", err=True)


def find_record(run: Path, games: "Sequence[Summary]", wanted: str) -> str:
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < ID_LENGTH:
        if not 1 <= int(wanted) <= len(games):
            raise ConfigError(f"{run}: no game {wanted}; games are numbered 1 to {len(games)}")
        return games[int(wanted) - 1].id
    found = [game.id for game in games if game.id.startswith(wanted)]
    if len(found) != 1:
        raise ConfigError(
            f"{run}: {len(found) or 'no'} games match {wanted!r}; games are numbered 1 to {len(games)}"
        )
    return found[0]
