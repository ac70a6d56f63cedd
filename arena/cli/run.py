"""`arena run`: play a tournament and show its standings."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, TABLE_FORMAT, command, plan_file
from arena.cli.completion import BOTS, PLANS, RUNS
from arena.cli.engines import Place, engine_options
from arena.cli.faults import print_faults
from arena.cli.play_out import play_out
from arena.cli.table import show_table

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.cli.live import View
    from arena.formats.plan import Plan
    from arena.tournament.run import Progress

MOST_SHOWN = 100_000  # games with which standings are shown while they are played


@click.command()
@click.argument("plan", type=FILE, shell_complete=PLANS)
@click.argument("bots", nargs=-1, type=FILE, shell_complete=BOTS)
@click.option("--out", type=FILE, shell_complete=RUNS, help="The run file.  [default: runs/<plan>.db]")
@engine_options
@click.option("--focus", metavar="BOT", help="Play the games that reduce the error of this bot most.")
@click.option(
    "--seed", metavar="TEXT", help="Use this seed instead of that of the plan; for tests that must repeat."
)
@TABLE_FORMAT
@command
def run(
    plan: Path,
    bots: tuple[Path, ...],
    out: Path | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    focus: str | None,
    seed: str | None,
    form: str,
) -> int:
    """Play or resume the tournament of a PLAN and show the standings.

    More BOTS join those of the plan. `quickstart` is a plan that comes with the arena, with house bots.
    """
    from arena.plan.load import focused, load_plan
    from arena.tournament.broken import LeaveOut

    def load(skipped: Mapping[str, str]) -> "Plan":
        loaded = load_plan(plan_file(plan), skipped, bots)
        if focus:
            loaded = focused(loaded, focus)
        return loaded if seed is None else replace(loaded, seed=seed, seed_is_public=True)

    place = Place(jobs, engine, scheduler)
    loaded = load({})
    out = out or Path("runs") / f"{loaded.name}.db"
    focused_on = ["--focus", focus] if focus else []
    again = (
        shlex.join(["arena", "run", *map(str, [plan, *bots]), "--out", str(out), *focused_on]) + place.words
    )
    status = None
    while status is None:
        try:
            status = play_out(loaded, out, place, again, lambda _: top)
        except LeaveOut as error:
            loaded = load({**loaded.skipped, **error.reasons})
    if status == 0:
        show_table("standings", [out], form)
        print_faults(out)
    return status


def top(progress: "Progress", in_log: bool) -> "View":
    """The top of the standings so far; nothing in a log, where they would be long.

    Of a large run they would take seconds and a lot of memory, while the games wait.
    """
    from arena.cli.live import View
    from arena.report.standings import live
    from arena.report.text import text

    if in_log:
        return View()
    if len(progress.played) > MOST_SHOWN:
        return View(f"more than {MOST_SHOWN:,} games: `arena table` shows the standings")
    table = live(progress.plan, progress.played)
    return View(text([table]) if table else "")
