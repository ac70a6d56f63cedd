"""The command line: parses, calls, prints, and turns errors into exit codes."""

import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

import arena
from arena.config import ConfigError, suggestion
from arena.protocol import shown
from arena.rating.methods import METHODS
from arena.report import FORMATS, MATRICES

FILE = click.Path(path_type=Path)
FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="For people or machines."
)
TABLE_FORMAT = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="What the table is for."
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
            click.echo(f"arena: {shown(str(error))}", err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of our output has gone
            sys.exit(0)

    return wrapped


def within(low: float, high: float) -> Callable[..., float | None]:
    """Reads the number of an option, the same that a plan allows; NaN is none."""

    def number(context: click.Context, option: click.Option, text: str | None) -> float | None:
        try:
            if text is None or low <= float(text) <= high:
                return None if text is None else float(text)
        except ValueError:
            pass
        raise click.BadParameter(f"should be a number from {low:g} to {high:g}, not {text!r}")

    return number


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small; the cores are for the games


@main.command()
@click.argument("plan", type=FILE)
@click.option("--out", type=FILE, help="The file of the run.  [default: runs/<plan>.db]")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Games at once; bots asked together share a core.  [default: one a core]",
)
@click.option("--focus", metavar="BOT", help="Play what tells most about this bot, until that is known.")
@TABLE_FORMAT
@command
def run(plan: Path, out: Path | None, jobs: int | None, focus: str | None, form: str) -> int:
    """Play the tournament of a PLAN, or go on with it, and show the table."""
    from arena.plan import focused, load_plan
    from arena.report.table import live

    loaded = load_plan(plan)
    if focus:
        loaded = focused(loaded, focus)
    out = out or Path("runs") / f"{loaded.name}.db"
    again = f"arena run {plan} --out {out}" + (f" --focus {focus}" if focus else "")
    status = play_out(loaded, out, jobs, again, lambda known: lambda progress: live(known, progress.played))
    if status == 0:
        show_table([out], form)
        if form == "text":
            show_standings(loaded, out)
    return status


@main.command()
@click.argument("file", type=FILE)
@click.option("--jobs", type=click.IntRange(1), help="Games at once, as for run.  [default: one a core]")
@click.option("--no-trial", is_flag=True, help="Start no bot, and say nothing of the time.")
@FORMAT
@command
def plan(file: Path, jobs: int | None, no_trial: bool, form: str) -> None:
    """Show what the plan of a FILE will play, without playing it.

    The time it takes is an estimate, from a trial of the first games for about two seconds.
    """
    from arena.plan import load_plan
    from arena.preview import lines, preview, trial, with_entries

    loaded = with_entries(load_plan(file))
    about = preview(loaded, jobs or usable_cores(), None if no_trial else trial(loaded))
    click.echo(json.dumps(about, indent=1) if form == "json" else "\n".join(lines(about)))


@main.command()
@click.argument("one", type=FILE)
@click.argument("two", type=FILE)
@click.option("--against", type=FILE, multiple=True, help="Opponents of both; give it once for each.")
@click.option("--game", default="complots", show_default=True)
@click.option("--seats", type=int, help="Seats at a table.  [default: 2, or one more than opponents]")
@click.option("--option", "-o", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--move", default="1s", show_default=True, help="Time for an answer.")
@click.option("--elo0", type=float, default=0, show_default=True, help="No better: a difference of so much.")
@click.option("--elo1", type=float, default=20, show_default=True, help="Better: a difference of so much.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Risk to call it better wrongly.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Risk to miss that it is better.")
@click.option("--max-groups", type=click.IntRange(1), default=10_000, show_default=True)
@click.option("--seed", help="Decides the deals.  [default: drawn anew, and kept in the run]")
@click.option("--out", type=FILE, help="The file of the run.  [default: runs/<one>-<two>.db]")
@click.option("--jobs", type=click.IntRange(1), help="Games at once.  [default: one a core]")
@FORMAT
@command
def compare(
    one: Path,
    two: Path,
    against: tuple[Path, ...],
    game: str,
    seats: int | None,
    options: tuple[str, ...],
    move: str,
    max_groups: int,
    seed: str | None,
    out: Path | None,
    jobs: int | None,
    form: str,
    **limits: float,
) -> int:
    """Is bot ONE better than bot TWO? Play until a sequential test decides.

    Exit status: 0 better, 1 not better, 3 undecided after --max-groups; 4 the arena failed.
    """
    from arena.compare import comparison, scores_so_far, state, words
    from arena.store import Store

    plan = comparison(
        game, one, two, against, seats, pairs(options), control_of(move), limits, max_groups, seed
    )
    out = out or Path("runs") / f"{plan.name}.db"

    def picture(known: Any) -> Callable[[Any], str]:
        scores = scores_so_far(known)
        return lambda progress: words(known, scores(progress.played))

    if status := play_out(plan, out, jobs, f"the same command, and --out {out}", picture):
        return 4 if status == 1 else status
    with Store(out) as store:
        plan = replace(plan, seed=store.about()["plan"]["seed"])
        scores = scores_so_far(plan)(store.played())
    answer = state(plan, scores)
    click.echo(json.dumps(answer, indent=2) if form == "json" else words(plan, scores))
    return {True: 0, False: 1, None: 3}[answer["better"]]


@main.command()
@click.argument("runs", nargs=-1, type=FILE)
@TABLE_FORMAT
@click.option("--wide", is_flag=True, help="All columns.")
@click.option("--bots", help="Show these alone, parted by commas.")
@click.option("--method", type=click.Choice(list(METHODS)), help="How a game is read.")
@click.option("--anchor", metavar="BOT=ELO", help="The bot whose Elo is given.")
@click.option("--average", callback=within(-1e6, 1e6), help="Mean Elo, where there is no anchor.")
@click.option("--prior", callback=within(0, 1e6), help="Wins and losses against a ghost; 0 for none.")
@click.option("--exclude", type=click.Choice(["forfeits"]), help="Leave out the games that have one.")
@click.option("--versions", type=click.Choice(["apart", "together"]), help="Of a bot that was changed.")
@click.option("--seats", type=click.Choice(["report", "fit"]), help="Account for the worth of seats.")
@click.option("--matrix", type=click.Choice(MATRICES), help="Show each bot against each other one instead.")
@click.option("--seat-table", is_flag=True, help="Show the seats instead.")
@click.option("--behaviour", is_flag=True, help="Show how the bots play instead; plays all records again.")
@click.option("--explain", is_flag=True, help="Show what every number means, and where it is from.")
@command
def table(runs: tuple[Path, ...], form: str, behaviour: bool, explain: bool, **choices: Any) -> None:
    """Show the Elo table of RUNS, or of results in CSV or PGN files; several are merged.

    Unless an option says otherwise, it is made as the plan of the runs has it.
    """
    if explain:
        from arena.report.columns import page

        click.echo(page())
        return
    if not runs:
        raise click.UsageError("Missing argument 'RUNS...'.")
    if behaviour:
        show_behaviour(runs, form)
    else:
        show_table(runs, form, **choices)


@main.command()
@click.argument("run", type=FILE)
@click.argument("bot")
@click.option("--why", help="Stands under the table.")
@click.option("--undo", is_flag=True, help="Take it back in.")
@command
def exclude(run: Path, bot: str, why: str | None, undo: bool) -> None:
    """Take a BOT out of the table of a RUN. Its games stay; the others' results against each other count."""
    from arena.sources import exclude

    if not undo and not why:
        raise ConfigError("exclude: say --why, for everybody who reads the table")
    exclude(run, bot, None if undo else why)


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

    from arena.single import play_one
    from arena.store import Store, pack

    control = control_of(move)
    with Store(record, writer=True) if record else nullcontext() as store:
        played = play_one(game, bots, seed, pairs(options), control, setup)
        if store:
            store.append([pack(played)])
    print_record(played, form)


@main.command()
@click.argument("bot", type=FILE)
@click.option("--game", "names", multiple=True, help="A game to play.  [default: those of its bot.yaml]")
@click.option("--move", default="1s", show_default=True, help="Time for an answer.")
@FORMAT
@command
def check(bot: Path, names: tuple[str, ...], move: str, form: str) -> int:
    """Play a few games with a BOT (a program file, or a folder with a bot.yaml) and say what is wrong.

    The others at the table are copies of it, and a bot that answers at random.
    """
    from arena.bot import bot_from_path
    from arena.build import build
    from arena.check import check as check_bot
    from arena.check import lines
    from arena.limits import Limits
    from arena.plan import find_game
    from arena.sandbox import choose

    control, made = control_of(move), bot_from_path(None, bot)
    chosen = [find_game(name).name for name in names or made.games or ("complots",)]
    sandbox = choose(Limits())
    build([made], sandbox)
    findings = check_bot(made, chosen, control, sandbox)
    if form == "json":
        click.echo(json.dumps([vars(finding) for finding in findings], indent=1))
    else:
        click.echo("\n".join(lines(findings)))
    return int(any(finding.verdict == "fault" for finding in findings))


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
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("--entries", is_flag=True, help="With every line of every game, and who heard it.")
@command
def export(run: Path, form: str, entries: bool) -> None:
    """Print all games of a RUN in fixture order.

    As jsonl, the game part of every record, one object a line: the same, byte for byte, whenever the
    same bots play the same plan. As csv, a row a seat, to be rated by `arena table` or another program.
    """
    from arena.report.export import csv_games
    from arena.store import Store
    from arena.transcript import to_json

    with Store(run) as store:
        games = store.summaries()
        if form == "csv":
            click.echo(csv_games(games, store.about().get("plan", {})))
        elif entries:
            for game in games:
                click.echo(json.dumps(to_json(store.record(game.id))))
        else:
            for part in store.parts([game.id for game in games]):
                click.echo(part)


@main.command()
@click.argument("name", required=False)
@FORMAT
@command
def games(name: str | None, form: str) -> None:
    """List the games, or explain one: seats, options, rules."""
    from arena.games import names, page
    from arena.plan import find_game
    from arena.report.games import describe_game, game_json

    chosen = [find_game(each) for each in ([name] if name else names())]
    if form == "json":
        click.echo(json.dumps([game_json(game) for game in chosen], indent=2))
        return
    for game in chosen:
        click.echo(page(game) if name else describe_game(game))


@main.command()
@command
def schema() -> None:
    """Print the JSON Schema of plans, by which editors complete and check them.

    A plan names it in a line: # yaml-language-server: $schema=plan.schema.json
    """
    from arena.schema import schema

    click.echo(json.dumps(schema(), indent=1))


@main.command()
@click.argument("bot", type=FILE, default="bots/c/random")
@click.option("--games", "count", default=8000, show_default=True, help="Games of each kind.")
@click.option("--ratings", is_flag=True, help="Measure the table instead, on simulated games.")
@command
def bench(bot: Path, count: int, ratings: bool) -> None:
    """Measure the referee with a fast BOT: its cost beside the bare pipe, games per second, memory.

    With --ratings: how many intervals hold the truth, seconds for a million games, games that adaptive
    pairing saves, and wrong verdicts of the sequential test.
    """
    from arena import bench, rating_bench

    for line in rating_bench.measure() if ratings else bench.measure(bot, count, usable_cores()):
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


def show_table(
    runs: Sequence[Path],
    form: str = "text",
    wide: bool = False,
    bots: str | None = None,
    matrix: str | None = None,
    seat_table: bool = False,
    anchor: str | None = None,
    exclude: str | None = None,
    versions: str | None = None,
    **rating: Any,
) -> None:
    from arena.report import everything, matrices, page
    from arena.report import table as elo
    from arena.sources import load, parse_anchor

    gc.disable()  # what a table is made of lives until the end
    source = load(runs, together=versions == "together")
    given = {"anchor": anchor and parse_anchor(anchor), "forfeits": exclude and "exclude", **rating}
    settings = replace(source.settings, **{key: value for key, value in given.items() if value is not None})
    if anchor:
        check_bots(source, "--anchor", [settings.anchor[0]])
    wanted = () if bots is None else bots.split(",")
    check_bots(source, "--bots", wanted)
    report = elo.Report(source, settings, wanted)
    try:
        report.field, report.seats  # noqa: B018  # computed once
    except ValueError as error:
        raise ConfigError(f"these games cannot be rated so: {error}") from None
    if form == "json":
        shown = json.dumps(everything.json_table(report), indent=2)
    elif not source.outcomes and form == "text":
        shown = "no games yet"
    elif matrix:
        shown = matrices.matrix(report, matrix, form)
    elif seat_table:
        shown = matrices.seat_table(report, form)
    elif form == "csv":
        shown = everything.csv_table(report)
    else:
        shown = elo.text(report, form, wide)
    click.echo(page.document(" ".join(path.name for path in runs), shown) if form == "html" else shown)


def show_standings(plan: Any, out: Path) -> None:
    """How a tournament in rounds went; nothing for other formats."""
    from arena import schedule
    from arena.store import Store

    with Store(out) as store:
        plan = replace(plan, seed=store.about()["plan"]["seed"])
        if lines := schedule.placings(plan, store.played()):
            click.echo("\n" + "\n".join(lines))


def show_behaviour(runs: Sequence[Path], form: str) -> None:
    from arena import games
    from arena.behaviour import behaviour
    from arena.report import page
    from arena.report.behaviour import json_table, table
    from arena.sources import records

    found = []
    for name in sorted({record.fixture.game for _, record in records(runs)}):
        if not (game := games.find(name)):
            raise ConfigError(f"the game {name} is not installed here")
        rows = behaviour(game, (each for each in records(runs) if each[1].fixture.game == name))
        found.append((game, rows))
    if form == "json":
        click.echo(json.dumps({game.name: json_table(game, rows) for game, rows in found}, indent=2))
    else:
        shown = "\n\n".join(table(game, rows, form) for game, rows in found) or "no games yet"
        click.echo(page.document(" ".join(path.name for path in runs), shown) if form == "html" else shown)


def check_bots(source: Any, option: str, wanted: Sequence[str]) -> None:
    """ConfigError: there is no such bot in the games."""
    known = sorted({bot for outcome in source.outcomes for bot in outcome.bots}) if wanted else []
    for bot in wanted:
        if bot not in known:
            raise ConfigError(
                f"{option}: no bot {bot!r}{suggestion(bot, known) if known else ', nor any game'}"
            )


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


def play_out(
    plan: Any, out: Path, jobs: int | None, again: str, picture: Callable[[Any], Callable[[Any], str]]
) -> int:
    """Play all that is due into a run file, and show how it goes; the exit status, 0 when all is played."""
    from arena import ladder, live, meter, schedule, tournament
    from arena.agenda import VoidRun
    from arena.sandbox import choose
    from arena.store import Store

    jobs, sandbox = jobs or usable_cores(), choose(plan.limits, plan.sandbox, plan.require)
    try:
        with Store(out, writer=True) as store:
            plan = tournament.prepare(plan, store)
            total, played = schedule.size(plan), len(store.played())
            of = "" if total is None or played > total else f" of {total}"
            click.echo(f"{plan.name}: {schedule.describe(plan)}", err=True)
            click.echo(f"{out}: {played}{of} games played; {jobs} at a time", err=True)
            for words in filter(None, (sandbox.words, meter.shortcoming())):
                click.echo(words, err=True)
            with live.shown(picture(plan)) as report:
                if plan.format == "ladder":
                    ladder.run(plan, store, jobs, report, sandbox, lambda words: click.echo(words, err=True))
                else:
                    tournament.run(plan, store, jobs, report, sandbox)
    except KeyboardInterrupt:
        click.echo(f"\nstopped; go on with: {again}", err=True)
        return 130
    except VoidRun as error:
        click.echo(f"\narena: stopped, the arena itself failed again and again:\n{error}", err=True)
        return 1
    return 0


def control_of(move: str) -> Any:
    """The clock of `--move 500ms`."""
    from arena.clock import TimeControl
    from arena.plan_keys import seconds

    try:
        return TimeControl(move=seconds(move))
    except ValueError as error:
        raise ConfigError(f"--move: {error}") from None


def pairs(options: tuple[str, ...]) -> dict[str, str]:
    for option in options:
        if "=" not in option:
            raise ConfigError(f"--option {option}: should be KEY=VALUE")
    return dict(option.split("=", 1) for option in options)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
