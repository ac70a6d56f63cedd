"""`arena list`: the games of a run. Also prints its faults, each with the command that shows such a game."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.base import FILE, FORMAT, command
from arena.cli.completion import BOTS_OF_RUN, RUNS
from arena.config.document import ConfigError
from arena.config.text import printable, suggestion
from arena.rules import seat_name
from arena.show.tables.commands import command_line

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.referee.record import Summary
    from arena.tournament.runs.store import Store


_MAX_GAMES = 1000  # games with faults that are read at the end of a run
_MAX_LINES = 20


@click.command("list")
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("bot", required=False, shell_complete=BOTS_OF_RUN)
@click.option(
    "--only",
    type=click.Choice(["faults", "won", "lost"]),
    help="Games with a fault (of BOT); games that BOT won, alone or shared but not by all; or games in which"
    " another bot was ahead of it.",
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


def _seat_faults(store: "Store", game: "Summary", seats: Sequence[int]) -> dict[int, Counter[str]]:
    """The number of faults in a game by seat and kind; seats without faults are left out."""
    found: dict[int, Counter[str]] = {}
    for fault in store.record(game.id).faults if game.faults else ():
        if fault.seat in seats:
            found.setdefault(fault.seat, Counter())[fault.kind] += 1
    return dict(sorted(found.items()))


class Listed(NamedTuple):
    """A game of the list, with the `names` that its bots have in the standings.

    `number` never changes. `faults` counts the kinds by seat if only games with faults are listed; otherwise
    it is empty.
    """

    number: int
    names: tuple[str, ...]
    game: "Summary"
    faults: dict[int, Counter[str]]


def games_that_fit(store: "Store", bot: str | None, only: str | None) -> Iterator[Listed]:
    """The games of a bot in the order of play.

    Args:
        store: The run.
        bot: NAME or NAME@VERSION, or None for any bot.
        only: "won", "lost" or "faults", or None for all games.

    Raises:
        ConfigError: The bot played no game.
    """
    from arena.tournament.runs.layouts import StoredSeating
    from arena.tournament.runs.sources import namer, versions

    played = store.versions()
    seatings = [StoredSeating((name,), (made,), "") for name, made in played]
    name = namer(versions([(store.facts.plan or {}, seatings)]))
    known = {key for each, made in played for key in (each, f"{each}@{made[:6]}")}
    if bot is not None and bot not in known:
        names = sorted(each for each in known if ("@" in each) == ("@" in bot))
        raise ConfigError(f"{store.path}: no bot {bot!r}{suggestion(bot, names)}")
    for number, game in store.numbered():
        pairs = enumerate(zip(game.bots, game.fingerprints, strict=True))
        seats = [seat for seat, (each, made) in pairs if bot in (None, each, f"{each}@{made[:6]}")]
        places = [game.places[seat] for seat in seats]
        is_won = 1 in places and set(game.places) != {1}
        if not seats or (only == "won" and not is_won) or (only == "lost" and max(places) == 1):
            continue
        faults = _seat_faults(store, game, seats) if only == "faults" else {}
        if faults or only != "faults":
            yield Listed(number, name(game.bots, game.fingerprints), game, faults)


def _print_games(run: Path, games: Iterable[Listed], form: str) -> None:
    if form == "json":
        _print_json(games)
        return
    count = 0
    for count, (number, names, game, found) in enumerate(games, 1):
        seats = "  ".join(f"{place}. {bot}" for bot, place in zip(names, game.places, strict=True))
        faults = f"  faults {game.faults}" if game.faults else ""
        click.echo(f"{number:>6}  {game.id}  {seats}{faults}")
        for seat, kinds in found.items():
            counts = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
            click.echo(f"        {seat_name(seat)} {names[seat]} {counts}:")
            command = command_line("replay", run, game.id, "--seat", seat_name(seat))
            click.echo(printable(f"          {command}"))
    if not count:
        click.echo("no games", err=True)


def _print_json(games: Iterable[Listed]) -> None:
    """Print the list as JSON, one game at a time, because a run may have a million."""
    separator = "["
    for number, _, game, _ in games:
        row = {"number": number, "game": game.id, "bots": game.bots, "versions": game.fingerprints}
        row |= {"places": game.places, "faults": game.faults}
        click.echo(f"{separator}\n{indent(json.dumps(row, indent=1), ' ')}", nl=False)
        separator = ","
    click.echo("[]" if separator == "[" else "\n]")


def print_faults(run: Path) -> None:
    """Print to stderr the faults by bot and kind, each with the command that shows the first such game.

    It reads the first `_MAX_GAMES` games with faults, and prints at most `_MAX_LINES` lines, the most
    frequent faults first.
    """
    from arena.tournament.runs.store import Store
    from arena.tournament.runs.stored_game import fixture_order

    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    with Store(run) as store:
        total = store.faults()
        faulty = (game for game in store.games() if game.faults) if total else ()
        for game in nsmallest(_MAX_GAMES, faulty, key=fixture_order):
            for seat, kinds in _seat_faults(store, game, range(len(game.bots))).items():
                for kind, count in kinds.items():
                    key = (game.bots[seat], kind)
                    counts[key] += count
                    first.setdefault(key, command_line("replay", run, game.id, "--seat", seat_name(seat)))
    if not total:
        return
    part = f" (here those of {_MAX_GAMES} games)" if counts.total() < total else ""
    _say(f"{total} faults{part}; each command shows the first game with such a fault:")
    for (bot, kind), count in counts.most_common(_MAX_LINES):
        _say(f"  {bot} {kind} {count}: {first[bot, kind]}")
    _say(f"all games with faults: {command_line('list', run, '--only', 'faults')}")


def _say(line: str) -> None:
    click.echo(printable(line), err=True)
