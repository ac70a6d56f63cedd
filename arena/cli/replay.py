"""`arena replay`: show recorded games, verify a run, or reveal its secret."""

import json
import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.base import FILE, FILES, FORMAT, command, is_given, refuse_unused
from arena.cli.completion import BOTS, BOTS_OF_RUN, RUNS
from arena.cli.replay_against import print_against
from arena.cli.replay_list import find_record, listed, print_games
from arena.core.config import ConfigError
from arena.referee.protocol import shown

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.records.record import Record
    from arena.results.store import Store


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("game", required=False)
@click.option(
    "--bot",
    metavar="BOT",
    shell_complete=BOTS_OF_RUN,
    help="List only games of this bot, or of this version: BOT@VERSION.",
)
@click.option("--faults", is_flag=True, help="List only games with a fault; with --bot, a fault of this bot.")
@click.option("--won", is_flag=True, help="With --bot: list the games that it won, alone or shared.")
@click.option("--lost", is_flag=True, help="With --bot: list the games in which another bot came before it.")
@click.option("--seat", metavar="pK", help="Only what this seat received and sent.")
@click.option("--input", "read", is_flag=True, help="With --seat: exactly what its bot read, for a debugger.")
@click.option("--stderr", is_flag=True, help="Show instead what the bots wrote to stderr (start and end).")
@click.option(
    "--against",
    type=FILE,
    shell_complete=BOTS,
    help="Feed the game to this bot; show where it answers otherwise.",
)
@FILES
@click.option("--verify", is_flag=True, help="Verify the commitment, all deals and all results.")
@click.option("--reveal", is_flag=True, help="Close the run: print its secret. No more games can be played.")
@click.option(
    "--at", type=click.IntRange(min=1), metavar="MOMENT", help="In a terminal: begin at this moment."
)
@FORMAT
@command
def replay(
    run: Path,
    game: str | None,
    at: int | None,
    read: bool,
    against: Path | None,
    files: tuple[Path, ...],
    verify: bool,
    reveal: bool,
    **choices: Any,
) -> int:
    """Show a recorded GAME of a RUN; without GAME, list the games.

    In a terminal the game is stepped through in full screen, unless --format is given. GAME is a number of
    the list, which a game keeps while the run goes on, or the beginning of an id. Digits alone are always a
    number, except for a whole id. With --against the bot gets the lines of the seat of its name, or of
    --seat; the exit status is 1 if an answer differs.
    """
    from arena.results.game_list import shown_record
    from arena.results.store import Store

    form, seat, filters = choices.pop("form"), choices.pop("seat"), ("bot", "faults", "won", "lost")
    stderr = choices.pop("stderr")
    if reveal:
        refuse_unused("--reveal, which closes the run for good", ("run", "reveal"))
        print_secret(run)
        return 0
    if verify:
        refuse_unused("--verify", ("run", "verify", "form"))
    if choices["won"] + choices["lost"] + (choices["bot"] is None) > 1:
        raise click.UsageError("--won and --lost need --bot, and exclude each other")
    if any(choices.values()):
        refuse_unused("a list of games", ("run", "form", *filters))
    if against:
        refuse_unused("--against", ("run", "game", "seat", "against", "files", "form"))
    elif files:
        raise click.UsageError("--files needs --against")
    if read:
        refuse_unused("--input", ("run", "game", "seat", "read"))
        if seat is None:
            raise click.UsageError("--input needs --seat")
    with Store(run) as store:
        if verify:
            return print_verdict(store, form)
        if any(choices.values()) or (game is None and len([*islice(store.games(), 2)]) != 1):
            refuse_unused("a list of games; add the number of a game", ("run", "form", *filters))
            print_games(run, listed(store, **choices), form)
            return 0
        id = find_record(store, game) if game else next(store.games()).id
        with store.reading(id):
            record = shown_record(store, id)
            if against:
                eyes = None if seat is None else seat_of(record, seat)
                return print_against(record, against, eyes, files, form)
            if read:
                print_input(record, seat)
            elif in_terminal() and not stderr and not is_given("form"):
                step_through(record, at or 1, seat)
            elif at:
                raise click.UsageError("--at needs a terminal, and neither --format nor --stderr")
            else:
                print_record(record, form, seat, stderr, trace=True)
    return 0


def in_terminal() -> bool:
    """Whether a program can take the whole screen, and hear the keys."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def step_through(record: "Record", number: int, seat: str | None) -> None:
    """Show the game in full screen, from this moment on. ConfigError: it has no such moment or seat."""
    from arena.results.moments import moments_of

    found = list(moments_of(record))
    if number > len(found):
        raise ConfigError(f"--at: no moment {number}; the game has the moments 1 to {len(found)}")
    eyes = None if seat is None else seat_of(record, seat)
    from arena.stepper.screen import Stepper  # textual is slow to import

    Stepper(record, found, number - 1, eyes).run()


def print_record(
    record: "Record", form: str, seat: str | None = None, stderr: bool = False, trace: bool = False
) -> None:
    """Print a game, with its `trace` also times and stderr, which differ whenever it is played."""
    from arena.results import asks, transcript

    number = None if seat is None else seat_of(record, seat)
    if stderr:
        texts = asks.stderr(record).items()
        print_stderr({each: text for each, text in texts if seat in (None, each)}, form)
        return
    if form == "json" and number is None:
        click.echo(json.dumps(transcript.to_json(record, trace), indent=1))
        return
    if number is None:
        lines = transcript.for_spectator(record, trace)
    else:
        lines = transcript.for_seat(record, number, trace)
    if form == "json":
        click.echo(json.dumps(list(lines), indent=1))
        return
    for line in lines:
        click.echo(line)


def print_input(record: "Record", seat: str) -> None:
    """Print the bytes that the bot on a seat read, whatever the encoding of the terminal."""
    from arena.results.bot_input import bot_input

    click.echo(bot_input(record, seat_of(record, seat)).encode(), nl=False)


def seat_of(record: "Record", seat: str) -> int:
    """The number of a seat from 0. ConfigError: the game has no such seat."""
    bots = len(record.fixture.bots)
    if seat not in [f"p{number}" for number in range(1, bots + 1)]:
        raise ConfigError(f"--seat: no seat {seat}; seats are p1 to p{bots}")
    return int(seat[1:]) - 1


def print_stderr(texts: dict[str, str], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(texts, indent=1))
        return
    for seat, text in texts.items():
        click.echo(f"{seat}:")
        for line in text.splitlines():
            click.echo(f"  {shown(line)}")


def print_secret(run: Path) -> None:
    """Close the run and print the text whose SHA-256 is the commitment."""
    from arena.records.deals import commitment_text
    from arena.results.closing import close, games_in_words
    from arena.results.store import Store

    with Store(run) as store:
        facts, games = store.facts, store.count()
    if facts.secret is None or facts.committed is None:
        raise ConfigError(
            f"{run}: {'no secret; single games show their own seeds' if games else 'no game was played yet'}"
        )
    missing = None
    if not facts.revealed:  # a copy of a closed run may be read-only
        with Store(run, writer=True) as store:
            missing = close(store)
    click.echo(commitment_text(facts.committed, facts.secret), nl=False)
    note = "the SHA-256 of this line is the commitment" if facts.commitment else "there was no commitment"
    early = f", {games_in_words(missing)} of its plan not played" if missing else ""
    click.echo(f"{run}: closed{early}, no more games can be played; {note}", err=True)


def print_verdict(store: "Store", form: str) -> int:
    """Verify a run; the exit status is 1 if anything is wrong."""
    from arena.results.verify import verify

    verdict = verify(store)
    wrong = bool(verdict.run or verdict.games)
    if form == "json":
        click.echo(json.dumps(vars(verdict), indent=1))
        return int(wrong)
    for line in [*verdict.run, *(f"{id}: {problem}" for id, problem in verdict.games.items())]:
        click.echo(shown(line))
    click.echo(shown(f"commitment: {verdict.commitment or 'none'}"))
    for line in verdict.remarks:
        click.echo(shown(line))
    if verdict.incomplete:
        click.echo(f"incomplete seed groups: {verdict.incomplete}")
    if verdict.void:
        click.echo(f"void games: {verdict.void}")
    click.echo(f"{verdict.checked} games replayed, {len(verdict.games)} with problems")
    return int(wrong)
