"""Commands on single games: play one, see one again, read the rules."""

import json
from pathlib import Path
from typing import Any

import click

from arena.cli.base import FILE, FORMAT, command, control_of, pairs, shown_record
from arena.core.config import ConfigError
from arena.referee.protocol import shown


@click.command()
@click.argument("game")
@click.argument("bots", nargs=-1, required=True, type=FILE)
@click.option("--seed", help="Decides the deal.  [default: drawn anew]")
@click.option("--option", "-o", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--move", default="2s", show_default=True, help="Time for an answer.")
@click.option("--setup", type=FILE, help="A file with a position and scripted chance to start from.")
@click.option("--record", type=FILE, help="Add the record of the game to this run file.")
@FORMAT
@command
def play(
    game: str,
    bots: tuple[Path, ...],
    seed: str | None,
    options: tuple[str, ...],
    move: str,
    setup: Path | None,
    record: Path | None,
    form: str,
) -> None:
    """Play one GAME between BOTS (program files, or folders with a bot.yaml) and show it."""
    from contextlib import nullcontext

    from arena.results.store import Store
    from arena.results.stored_game import pack
    from arena.tournament.single import play_one

    control = control_of(move)
    with Store(record, writer=True) if record else nullcontext() as store:
        if store and "plan" in store.about():
            raise ConfigError(
                f"--record: {record} is the run of a plan; single games need a file of their own"
            )
        played = play_one(game, bots, seed, pairs(options), control, setup)
        if store:
            store.append([pack(played)])
    print_record(played, form)


@click.command()
@click.argument("run", type=FILE)
@click.argument("game", required=False)
@click.option("--seat", metavar="pK", help="Only what this seat heard and said.")
@click.option("--stderr", is_flag=True, help="What the bots wrote to stderr instead, by its head and tail.")
@click.option("--verify", is_flag=True, help="Check the commitment, all deals and all results.")
@click.option("--reveal", is_flag=True, help="Close the run: print its secret; no more can be played.")
@FORMAT
@command
def replay(
    run: Path, game: str | None, seat: str | None, stderr: bool, verify: bool, reveal: bool, form: str
) -> int | None:
    """Show a recorded GAME of a RUN step by step; without GAME, list the games.

    GAME is a number of that list, or the beginning of an id.
    """
    from arena.results.store import Store

    if reveal:
        if game or seat or stderr or verify or form != "text":
            raise click.UsageError("--reveal stands alone: it closes the run, for good")
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


@click.command()
@click.argument("name", required=False)
@FORMAT
@command
def games(name: str | None, form: str) -> None:
    """List the games, or explain one: seats, options, rules."""
    from arena.games import names, page
    from arena.plan.plan import find_game
    from arena.report.games import describe_game, game_json

    chosen = [find_game(each) for each in ([name] if name else names())]
    if form == "json":
        click.echo(json.dumps([game_json(game) for game in chosen], indent=2))
        return
    for game in chosen:
        click.echo(page(game) if name else describe_game(game))


def print_record(record: Any, form: str, seat: str | None = None, stderr: bool = False) -> None:
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
        lines = [json.dumps(list(lines), indent=1)]
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


def print_games(games: list[Any], form: str) -> None:
    if form == "json":
        listed = [{"game": game.id, "bots": game.bots, "places": game.places} for game in games]
        click.echo(json.dumps(listed, indent=1))
        return
    for number, game in enumerate(games, 1):
        seats = "  ".join(f"{place}. {bot}" for bot, place in zip(game.bots, game.places, strict=True))
        faults = f"  faults {game.faults}" if game.faults else ""
        click.echo(f"{number:>6}  {game.id}  {seats}{faults}")


def find_record(run: Path, games: list[Any], wanted: str) -> str:
    if wanted.isdecimal() and 1 <= int(wanted) <= len(games):
        return games[int(wanted) - 1].id
    found = [game.id for game in games if game.id.startswith(wanted)]
    if len(found) != 1:
        raise ConfigError(f"{run}: {len(found) or 'no'} games {wanted!r}; there are 1 to {len(games)}")
    return found[0]


def print_secret(run: Path) -> None:
    """Close the run. What is printed is the text of which the commitment is the SHA-256."""
    from arena.records.deals import commitment_text
    from arena.results.store import Store

    with Store(run) as store:
        about, games = store.about(), store.count()
    if "secret" not in about:
        raise ConfigError(
            f"{run}: {'single games show their own seeds' if games else 'no game was played yet'}"
        )
    if not about.get("revealed"):  # a copy of a closed run may be read-only
        with Store(run, writer=True) as store:
            store.remember(revealed=True)
    click.echo(commitment_text(about["committed"], about["secret"]), nl=False)
    words = "the SHA-256 of this line is the commitment" if about["commitment"] else "there was no commitment"
    click.echo(f"{run}: closed, no more games can be played; {words}", err=True)


def print_verdict(store: Any, form: str) -> int:
    """Exit status 1 if anything is wrong."""
    from arena.results.verify import verify

    verdict = verify(store)
    wrong = bool(verdict.run or verdict.games)
    if form == "json":
        click.echo(json.dumps(vars(verdict), indent=1))
        return int(wrong)
    for line in [*verdict.run, *(f"{id}: {words}" for id, words in verdict.games.items())]:
        click.echo(shown(line))
    click.echo(f"commitment: {verdict.commitment or 'none'}")
    if verdict.incomplete:
        click.echo(f"seed groups that are not complete: {verdict.incomplete}")
    if verdict.void:
        click.echo(f"void games: {verdict.void}")
    click.echo(f"{verdict.checked} games played again, {len(verdict.games)} of them different")
    return int(wrong)
