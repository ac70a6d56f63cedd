"""The list of the games of a run, and how one of them is found."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent
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
    """A game of a list, with the number that it keeps.

    `names` are those in the standings: an old version has its fingerprint. `faults` are those asked for.
    """

    number: int
    names: tuple[str, ...]
    game: "Summary"
    faults: SeatFaults


def listed(store: "Store", bot: str | None, faults: bool, won: bool, lost: bool) -> Iterator[Listed]:
    """The games that fit, in the order of play. ConfigError: no game has this bot."""
    from arena.results.layouts import Seating
    from arena.results.sources import namer, versions

    played = store.versions()
    seatings = [Seating((name,), (made,), "") for name, made in played]
    name = namer(versions([(store.facts.plan or {}, seatings)]))
    known = {key for each, made in played for key in (each, f"{each}@{made[:6]}")}
    if bot is not None and bot not in known:
        names = sorted(each for each in known if ("@" in each) == ("@" in bot))
        raise ConfigError(f"--bot: no bot {bot!r}{suggestion(bot, names)}")
    for number, game in store.numbered():
        keys = [{each, f"{each}@{made[:6]}"} for each, made in zip(game.bots, game.fingerprints, strict=True)]
        seats = [seat for seat, names in enumerate(keys) if bot is None or bot in names]
        places = [game.places[seat] for seat in seats]
        fits = (
            bool(seats)
            and (not won or (1 in places and set(game.places) != {1}))
            and (not lost or max(places) > 1)
        )
        if fits:
            found_faults = seat_faults(store, game, seats) if faults else {}
            if found_faults or not faults:
                yield Listed(number, name(game.bots, game.fingerprints), game, found_faults)


def print_games(run: Path, games: Iterable[Listed], form: str) -> None:
    """A line for each game, and below it one for each seat whose faults were asked for."""
    if form == "json":
        print_json(games)
        return
    listed = 0
    for listed, (number, names, game, found) in enumerate(games, 1):  # noqa: B007
        seats = "  ".join(f"{place}. {bot}" for bot, place in zip(names, game.places, strict=True))
        faults = f"  faults {game.faults}" if game.faults else ""
        click.echo(f"{number:>6}  {game.id}  {seats}{faults}")
        for seat, kinds in found.items():
            counts = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
            click.echo(f"        {seat_name(seat)} {names[seat]} {counts}:")
            click.echo(shown(f"          {replay_command(run, game.id, '--seat', seat_name(seat))}"))
    if not listed:
        click.echo("no games", err=True)


def print_json(games: Iterable[Listed]) -> None:
    """The list as JSON, a game at a time: a run may have a million."""
    separator = "["
    for number, _, game, _ in games:
        row = {"number": number, "game": game.id, "bots": game.bots, "versions": game.fingerprints}
        row |= {"places": game.places, "faults": game.faults}
        click.echo(f"{separator}\n{indent(json.dumps(row, indent=1), ' ')}", nl=False)
        separator = ","
    click.echo("[]" if separator == "[" else "\n]")


def find_record(store: "Store", wanted: str) -> str:
    """The id of the game with this number, or whose id begins so. ConfigError: there is none, or several."""
    advice = f"games are numbered 1 to {store.last_number()}"
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < ID_LENGTH:
        if id := store.id_of(int(wanted)):
            return id
        raise ConfigError(f"{store.path}: no game {wanted}; {advice}")
    found = store.ids_from(wanted) if wanted.isascii() else []
    if len(found) != 1:
        raise ConfigError(f"{store.path}: {len(found) or 'no'} games match {wanted!r}; {advice}")
    return found[0]
