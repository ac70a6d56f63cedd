"""`arena list`: the games of a run."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.base import FILE, FORMAT, command
from arena.cli.completion import BOTS_OF_RUN, RUNS
from arena.cli.faults import SeatFaults, seat_faults
from arena.config.document import ConfigError, suggestion
from arena.config.text import printable
from arena.rules import seat_name
from arena.show.tables.commands import command_line

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.referee.record import Summary
    from arena.tournament.runs.store import Store


@click.command("list")
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("bot", required=False, shell_complete=BOTS_OF_RUN)
@click.option(
    "--only",
    type=click.Choice(["faults", "won", "lost"]),
    help="Games with a fault (of BOT), or that BOT won, alone or shared, or in which another came before it.",
)
@FORMAT
@command
def _list_games(run: Path, bot: str | None, only: str | None, form: str) -> None:
    """List the games of a RUN, or of a BOT in it.

    BOT is a name, or one version of a changed bot: NAME@VERSION.
    """
    from arena.tournament.runs.store import Store

    if only in ("won", "lost") and bot is None:
        raise click.UsageError(f"--only {only} needs a BOT after the RUN")
    with Store(run) as store:
        _print_games(run, games_that_fit(store, bot, only), form)


class Listed(NamedTuple):
    """A game of a list, with the number that it keeps.

    `names` are those in the standings: an old version has its fingerprint. `faults` are those asked for.
    """

    number: int
    names: tuple[str, ...]
    game: "Summary"
    faults: SeatFaults


def games_that_fit(store: "Store", bot: str | None, only: str | None) -> Iterator[Listed]:
    """The games that fit, in the order of play. ConfigError: no game has this bot."""
    from arena.tournament.runs.layouts import Seating
    from arena.tournament.runs.sources import namer, versions

    played = store.versions()
    seatings = [Seating((name,), (made,), "") for name, made in played]
    name = namer(versions([(store.facts.plan or {}, seatings)]))
    known = {key for each, made in played for key in (each, f"{each}@{made[:6]}")}
    if bot is not None and bot not in known:
        names = sorted(each for each in known if ("@" in each) == ("@" in bot))
        raise ConfigError(f"{store.path}: no bot {bot!r}{suggestion(bot, names)}")
    for number, game in store.numbered():
        keys = [{each, f"{each}@{made[:6]}"} for each, made in zip(game.bots, game.fingerprints, strict=True)]
        seats = [seat for seat, names in enumerate(keys) if bot is None or bot in names]
        places = [game.places[seat] for seat in seats]
        fits = (
            bool(seats)
            and (only != "won" or (1 in places and set(game.places) != {1}))
            and (only != "lost" or max(places) > 1)
        )
        if fits:
            found_faults = seat_faults(store, game, seats) if only == "faults" else {}
            if found_faults or only != "faults":
                yield Listed(number, name(game.bots, game.fingerprints), game, found_faults)


def _print_games(run: Path, games: Iterable[Listed], form: str) -> None:
    """A line for each game, and below it one for each seat whose faults were asked for."""
    if form == "json":
        _print_json(games)
        return
    listed = 0
    for listed, (number, names, game, found) in enumerate(games, 1):  # noqa: B007
        seats = "  ".join(f"{place}. {bot}" for bot, place in zip(names, game.places, strict=True))
        faults = f"  faults {game.faults}" if game.faults else ""
        click.echo(f"{number:>6}  {game.id}  {seats}{faults}")
        for seat, kinds in found.items():
            counts = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
            click.echo(f"        {seat_name(seat)} {names[seat]} {counts}:")
            command = command_line("replay", run, game.id, "--seat", seat_name(seat))
            click.echo(printable(f"          {command}"))
    if not listed:
        click.echo("no games", err=True)


def _print_json(games: Iterable[Listed]) -> None:
    """The list as JSON, a game at a time: a run may have a million."""
    separator = "["
    for number, _, game, _ in games:
        row = {"number": number, "game": game.id, "bots": game.bots, "versions": game.fingerprints}
        row |= {"places": game.places, "faults": game.faults}
        click.echo(f"{separator}\n{indent(json.dumps(row, indent=1), ' ')}", nl=False)
        separator = ","
    click.echo("[]" if separator == "[" else "\n]")
