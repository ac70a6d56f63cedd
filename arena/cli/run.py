"""Commands that play many games: a tournament, or a comparison of two bots."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.base import FILE, FORMAT, TABLE_FORMAT, command, control_of, pairs
from arena.cli.play_out import play_out
from arena.cli.table import show_table


@click.command()
@click.argument("plan", type=FILE)
@click.option("--out", type=FILE, help="The file of the run.  [default: runs/<plan>.db]")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Games at once; bots asked together share a core.  [default: one a core]",
)
@click.option("--focus", metavar="BOT", help="Play what tells most about this bot, until that is known.")
@click.option("--seed", metavar="TEXT", help="In place of that of the plan, for checks that must repeat.")
@TABLE_FORMAT
@command
def run(
    plan: Path, out: Path | None, jobs: int | None, focus: str | None, seed: str | None, form: str
) -> int:
    """Play the tournament of a PLAN, or go on with it, and show the table."""
    from arena.plan.load import focused, load_plan

    loaded = load_plan(plan)
    if focus:
        loaded = focused(loaded, focus)
    if seed is not None:
        loaded = replace(loaded, seed=seed, seed_is_public=True)
    out = out or Path("runs") / f"{loaded.name}.db"
    again = f"arena run {plan} --out {out}" + (f" --focus {focus}" if focus else "")
    status = play_out(loaded, out, jobs, again, lambda _: top)
    if status == 0:
        show_table([out], form)
        if form == "text":
            show_standings(loaded, out)
    return status


@click.command()
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
    from arena.results.store import Store
    from arena.tournament.compare import comparison, scores_so_far, state, words

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
        plan = replace(plan, seed=store.about()["secret"])
        scores = scores_so_far(plan)(store.played())
    answer = state(plan, scores)
    click.echo(json.dumps(answer, indent=2) if form == "json" else words(plan, scores))
    return {True: 0, False: 1, None: 3}[answer["better"]]


def top(progress: Any) -> str:
    """The top of the table so far."""
    from arena.report.table import live

    return live(progress.plan, progress.played)


def show_standings(plan: Any, out: Path) -> None:
    """How a tournament in rounds went; nothing for other formats."""
    from arena.results.store import Store
    from arena.tournament import schedule

    with Store(out) as store:
        secret = store.about().get("secret")  # none for a ladder that nobody was on
        if secret is not None and (lines := schedule.placings(replace(plan, seed=secret), store.played())):
            click.echo("\n" + "\n".join(lines))
