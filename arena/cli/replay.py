"""`arena replay`: show recorded games, verify a run, or reveal its secret."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, FORMAT, command, shown_record
from arena.core.config import ConfigError
from arena.referee.protocol import shown

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.records.record import Record, Summary
    from arena.results.store import Store


@click.command()
@click.argument("run", type=FILE)
@click.argument("game", required=False)
@click.option("--seat", metavar="pK", help="Only what this seat received and sent.")
@click.option("--stderr", is_flag=True, help="Show instead what the bots wrote to stderr (start and end).")
@click.option("--verify", is_flag=True, help="Verify the commitment, all deals and all results.")
@click.option("--reveal", is_flag=True, help="Close the run: print its secret. No more games can be played.")
@FORMAT
@command
def replay(
    run: Path, game: str | None, seat: str | None, stderr: bool, verify: bool, reveal: bool, form: str
) -> int | None:
    """Show a recorded GAME of a RUN; without GAME, list the games.

    GAME is a number of that list, or the start of an id.
    """
    from arena.results.store import Store

    if reveal:
        if game or seat or stderr or verify or form != "text":
            raise click.UsageError(
                "--reveal cannot be combined with other options: it closes the run for good"
            )
        print_secret(run)
        return 0
    with Store(run) as store:
        games = store.summaries()
        if verify:
            return print_verdict(store, form)
        if game is None and len(games) != 1:
            print_games(games, form)
            return 0
        print_record(shown_record(store, find_record(run, games, game or "1")), form, seat, stderr)
    return 0


def print_record(record: "Record", form: str, seat: str | None = None, stderr: bool = False) -> None:
    from arena.results import transcript

    bots = len(record.fixture.bots)
    if seat is not None and seat not in [f"p{number}" for number in range(1, bots + 1)]:
        raise ConfigError(f"--seat: no seat {seat}; seats are p1 to p{bots}")
    if stderr:
        texts = transcript.stderr(record).items()
        print_stderr({each: text for each, text in texts if seat in (None, each)}, form)
        return
    if form == "json" and not seat:
        click.echo(json.dumps(transcript.to_json(record), indent=1))
        return
    lines = transcript.for_seat(record, int(seat[1:]) - 1) if seat else transcript.for_spectator(record)
    if form == "json":
        click.echo(json.dumps(list(lines), indent=1))
        return
    for line in lines:
        click.echo(line)


def print_stderr(texts: dict[str, str], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(texts, indent=1))
        return
    for seat, text in texts.items():
        click.echo(f"{seat}:")
        for line in text.splitlines():
            click.echo(f"  {shown(line)}")


def print_games(games: "Sequence[Summary]", form: str) -> None:
    if form == "json":
        listed = [{"game": game.id, "bots": game.bots, "places": game.places} for game in games]
        click.echo(json.dumps(listed, indent=1))
        return
    for number, game in enumerate(games, 1):
        seats = "  ".join(f"{place}. {bot}" for bot, place in zip(game.bots, game.places, strict=True))
        faults = f"  faults {game.faults}" if game.faults else ""
        click.echo(f"{number:>6}  {game.id}  {seats}{faults}")


def find_record(run: Path, games: "Sequence[Summary]", wanted: str) -> str:
    if wanted.isdecimal() and 1 <= int(wanted) <= len(games):
        return games[int(wanted) - 1].id
    found = [game.id for game in games if game.id.startswith(wanted)]
    if len(found) != 1:
        raise ConfigError(
            f"{run}: {len(found) or 'no'} games match {wanted!r}; games are numbered 1 to {len(games)}"
        )
    return found[0]


def print_secret(run: Path) -> None:
    """Close the run and print the text whose SHA-256 is the commitment."""
    from arena.records.deals import commitment_text
    from arena.results.store import Store

    with Store(run) as store:
        about, games = store.about(), store.count()
    if "secret" not in about:
        raise ConfigError(
            f"{run}: {'no secret; single games show their own seeds' if games else 'no game was played yet'}"
        )
    if not about.get("revealed"):  # a copy of a closed run may be read-only
        with Store(run, writer=True) as store:
            store.remember(revealed=True)
    click.echo(commitment_text(about["committed"], about["secret"]), nl=False)
    note = "the SHA-256 of this line is the commitment" if about["commitment"] else "there was no commitment"
    click.echo(f"{run}: closed, no more games can be played; {note}", err=True)


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
    click.echo(f"commitment: {verdict.commitment or 'none'}")
    if verdict.incomplete:
        click.echo(f"incomplete seed groups: {verdict.incomplete}")
    if verdict.void:
        click.echo(f"void games: {verdict.void}")
    click.echo(f"{verdict.checked} games replayed, {len(verdict.games)} with problems")
    return int(wrong)
