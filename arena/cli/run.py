"""`arena run`: play a tournament and show its standings."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import ALLOW, ENGINE, FILE, JOBS, MODEL_GAMES, TABLE_FORMAT, command, is_given, plan_file
from arena.cli.completion import BOTS, PLANS, RUNS
from arena.cli.table import show_table
from arena.config.document import ConfigError
from arena.config.text import list_words
from arena.programs.machine import install_command
from arena.show.tables.commands import command_line

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.tournament.formats.plan import Plan


@click.command()
@click.argument("plan", type=FILE, shell_complete=PLANS)
@click.argument("bots", nargs=-1, type=FILE, shell_complete=BOTS)
@click.option("--out", type=FILE, shell_complete=RUNS, help="The run file.  [default: runs/<plan>.db]")
@JOBS
@ENGINE
@click.option("--focus", metavar="BOT", help="Play the games that reduce the error of this bot most.")
@click.option(
    "--full", is_flag=True, help="With the quickstart and BOTS: play all games, however long it takes."
)
@click.option(
    "--seed", help="Determines the deals, instead of the seed of the plan; for tests that must repeat."
)
@ALLOW
@click.option(
    "--model-games",
    type=click.IntRange(1, 1000),
    default=MODEL_GAMES,
    help="Games with a language model at once, besides other games: they use no core while they wait.",
)
@click.option("--cassette", type=FILE, help="Play the models from this file of calls, without network.")
@TABLE_FORMAT
@command
def run(
    plan: Path,
    bots: tuple[Path, ...],
    out: Path | None,
    jobs: int | None,
    engine: str,
    focus: str | None,
    full: bool,
    seed: str | None,
    allow: tuple[str, ...],
    model_games: int,
    cassette: Path | None,
    form: str,
) -> int:
    """Play or resume the tournament of a PLAN and show the standings.

    BOTS join the bots of the plan. `quickstart` is a plan that the arena includes, with house bots. With
    BOTS it plays only their games, for at most about two minutes, because the arena includes the games
    between house bots. With --seed it plays these as well.

    Exit status: 0 if the run is complete, or its two minutes are over; 130 if it was interrupted; 1 if its
    budget is spent, the arena or the server of a model failed, or more than 5 % of the games were void. After
    1 and 130 the same command continues the run.
    """
    from arena.cli.list import print_faults
    from arena.cli.model_calls import Models
    from arena.cli.play_out import Venue, play_plan, print_voids
    from arena.tournament.plan.load import load_for_run

    def load(skipped: Mapping[str, str]) -> "Plan":
        return load_for_run(plan_file(plan), skipped, bots, focus, full, seed)

    if engine != "local" and is_given("model_games"):
        raise click.UsageError(
            "--model-games does not apply to Dask: each worker plays one game, of any bots"
        )
    place = Venue(jobs, engine, models=Models(plan, allow, model_games, cassette))
    loaded = load({})
    if loaded.remote:
        what = f"has bots on other machines ({list_words(loaded.remote)}), which connect to a server"
        raise ConfigError(f"{plan}: {what}; use {command_line('serve', plan)}")
    out = out or Path("runs") / f"{loaded.name}.db"
    more = ["--focus", focus] if focus else []
    more += ["--engine", engine] if engine != "local" else []
    more += ["--full"] if full else []
    more += [word for host in allow for word in ("--allow", host)]
    more += ["--cassette", str(cassette)] if cassette else []
    again = command_line("run", plan, *bots, "--out", out, *more)
    status = play_plan(loaded, load, out, place, again)
    if status == 0:
        show_table("standings", [out], form, skipped_is_told=True)
        print_faults(out)
        _tell_of_pages(out)
        status = print_voids(out)
    return status


def _tell_of_pages(out: Path) -> None:
    """Print to stderr the command that writes the pages of a run, unless it has no games."""
    from arena.tournament.runs.store import Store

    with Store(out) as store:
        if not store.count():
            return
    needs = "" if find_spec("matplotlib") else f", which needs {install_command('report')}"
    click.echo(f"pages: {command_line('report', out, '--out', 'pages')}{needs}", err=True)
