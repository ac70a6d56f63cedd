"""The command line: parses, calls, prints, and turns errors into exit codes."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

import arena
from arena.config import ConfigError

FILE = click.Path(path_type=Path)
FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="For people or machines."
)


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """A command's exit status: what it returns, 2 for the user's mistakes, 130 for Ctrl-C."""

    @wraps(function)
    def wrapped(**arguments: Any) -> None:
        for ending in (signal.SIGTERM, signal.SIGHUP):  # so that bots are ended on the way out
            signal.signal(ending, lambda number, _: sys.exit(128 + number))
        try:
            sys.exit(function(**arguments) or 0)
        except ConfigError as error:
            click.echo(f"arena: {error}", err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of our output has gone
            sys.exit(0)

    return wrapped


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""


@main.command()
@click.argument("plan", type=FILE)
@click.option("--out", type=FILE, help="The file of the run.  [default: runs/<plan>.db]")
@click.option("--jobs", type=click.IntRange(1), help="Games at once.  [default: one a core]")
@FORMAT
@command
def run(plan: Path, out: Path | None, jobs: int | None, form: str) -> int:
    """Play the tournament of a PLAN, or go on with it, and show the table."""
    from arena import schedule, tournament
    from arena.plan import load_plan
    from arena.sandbox import choose
    from arena.store import Store

    loaded = load_plan(plan)
    sandbox = choose(loaded.limits, loaded.sandbox, loaded.require)
    jobs = jobs or usable_cores()
    out = out or Path("runs") / f"{loaded.name}.db"
    try:
        with Store(out, writer=True) as store:
            loaded = tournament.prepare(loaded, store)
            total, played = schedule.size(loaded), len(store.played())
            click.echo(f"{loaded.name}: {schedule.describe(loaded)}", err=True)
            click.echo(f"{out}: {played} of {total} games played; {jobs} at a time", err=True)
            click.echo(sandbox.words, err=True)
            with progress_bar(total, played) as report:
                tournament.run(loaded, store, jobs, report, sandbox)
            print_table(store, form)
    except KeyboardInterrupt:
        click.echo(f"\nstopped; go on with: arena run {plan} --out {out}", err=True)
        return 130
    except tournament.VoidRun as error:
        click.echo(f"\narena: stopped, the arena itself failed again and again:\n{error}", err=True)
        return 1
    return 0


@main.command()
@click.argument("run", type=FILE)
@FORMAT
@command
def table(run: Path, form: str) -> None:
    """Show the Elo table of a RUN."""
    from arena.store import Store

    with Store(run) as store:
        print_table(store, form)


@main.command()
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

    from arena.clock import TimeControl
    from arena.plan import seconds
    from arena.single import play_one
    from arena.store import Store, pack

    try:
        control = TimeControl(move=seconds(move))
    except ValueError as error:
        raise ConfigError(f"--move: {error}") from None
    with Store(record, writer=True) if record else nullcontext() as store:
        played = play_one(game, bots, seed, pairs(options), control, setup)
        if store:
            store.append([pack(played)])
    print_record(played, form)


@main.command()
@click.argument("run", type=FILE)
@click.argument("game", required=False)
@click.option("--seat", metavar="pK", help="Only what this seat heard and said.")
@click.option("--verify", is_flag=True, help="Play all records again and compare their digests.")
@FORMAT
@command
def replay(run: Path, game: str | None, seat: str | None, verify: bool, form: str) -> int | None:
    """Show a recorded GAME of a RUN step by step; without GAME, list the games.

    GAME is a number of that list, or the beginning of an id.
    """
    from arena.store import Store

    with Store(run) as store:
        games = store.summaries()
        if verify:
            return verify_all(store, [each.id for each in games])
        if game is None and len(games) != 1:
            print_games(games, form)
            return 0
        print_record(store.record(find_record(run, games, game or "1")), form, seat)
    return 0


@main.command()
@click.argument("run", type=FILE)
@command
def export(run: Path) -> None:
    """Print the game part of every record of a RUN, one JSON object a line, in fixture order."""
    from arena.store import Store

    with Store(run) as store:
        for part in store.parts([game.id for game in store.summaries()]):
            click.echo(part)


@main.command()
@click.argument("name", required=False)
@FORMAT
@command
def games(name: str | None, form: str) -> None:
    """List the games, or explain one: seats, options, rules."""
    from arena.games import names, page
    from arena.plan import find_game
    from arena.report import describe_game, game_json

    chosen = [find_game(each) for each in ([name] if name else names())]
    if form == "json":
        click.echo(json.dumps([game_json(game) for game in chosen], indent=2))
        return
    for game in chosen:
        click.echo(page(game) if name else describe_game(game))


@main.command()
@click.argument("bot", type=FILE, default="bots/c/random")
@click.option("--games", "count", default=8000, show_default=True, help="Games of each kind.")
@command
def bench(bot: Path, count: int) -> None:
    """Measure the referee with a fast BOT: its cost beside the bare pipe, games per second, memory."""
    from arena.bench import measure

    for line in measure(bot, count, usable_cores()):
        click.echo(line)


@main.command()
@FORMAT
@command
def doctor(form: str) -> None:
    """Say what this machine offers, what is missing, and how to install it."""
    from arena.doctor import examine

    findings = list(examine())
    if form == "json":
        click.echo(json.dumps([vars(finding) for finding in findings], indent=2))
        return
    for each in findings:
        advice = f"  -> {each.advice}" if each.advice else ""
        click.echo(f"{'ok' if each.good else '--'}  {each.name:<16} {each.found}{advice}")


# Printing


def print_table(store: Any, form: str) -> None:
    from arena import report

    rows, played = report.standings_of(store), store.summaries()
    if form == "json":
        click.echo(json.dumps(report.json_table(rows), indent=2))
    elif rows:
        click.echo(report.text_table(rows, played))
    else:
        click.echo("no games yet")


def print_record(record: Any, form: str, seat: str | None = None) -> None:
    from arena import transcript

    bots = len(record.fixture.bots)
    if seat is not None and seat not in [f"p{number}" for number in range(1, bots + 1)]:
        raise ConfigError(f"--seat: no seat {seat}; seats are p1 to p{bots}")
    if form == "json" and not seat:
        click.echo(json.dumps(transcript.to_json(record), indent=1))
        return
    lines = transcript.for_seat(record, int(seat[1:]) - 1) if seat else transcript.for_spectator(record)
    if form == "json":
        lines = [json.dumps(list(lines), indent=1)]
    for line in lines:
        click.echo(line)


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


def verify_all(store: Any, ids: list[str]) -> int:
    from arena.verify import mistake

    wrong = 0
    for id in ids:
        if words := mistake(store.record(id)):
            wrong += 1
            click.echo(f"{id}: {words}")
    click.echo(f"{len(ids)} games played again, {wrong} of them different")
    return 1 if wrong else 0


@contextmanager
def progress_bar(total: int, played: int) -> Iterator[Callable[[Any], None]]:
    """A bar on stderr, if that is a terminal; gives the function that moves it."""

    def faults(progress: Any) -> str | None:
        return f"{progress.faults} faults" if progress and progress.faults else None

    with click.progressbar(
        length=total, label="playing", file=sys.stderr, show_pos=True, item_show_func=faults
    ) as bar:
        bar.update(min(played, total))
        yield lambda progress: bar.update(max(0, min(progress.played, total) - bar.pos), progress)


def pairs(options: tuple[str, ...]) -> dict[str, str]:
    for option in options:
        if "=" not in option:
            raise ConfigError(f"--option {option}: should be KEY=VALUE")
    return dict(option.split("=", 1) for option in options)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
