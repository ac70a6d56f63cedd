"""`arena compare`: a sequential test whether one bot is better than another."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, FILES, FORMAT, OPTION, command, control_of, pairs
from arena.cli.play_out import play_out

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.cli.live import Picture
    from arena.formats.plan import Plan


@click.command()
@click.argument("one", type=FILE)
@click.argument("two", type=FILE)
@click.option("--against", type=FILE, multiple=True, help="An opponent of both; may be repeated.")
@click.option("--game", default="complots", show_default=True, help="The game to play.")
@click.option("--seats", type=int, help="Seats in each game.  [default: 2, or opponents + 1]")
@OPTION
@FILES
@click.option("--move", default="1s", show_default=True, help="Time per answer.")
@click.option("--elo0", type=float, default=0, show_default=True, help="H0: the difference in Elo is this.")
@click.option("--elo1", type=float, default=20, show_default=True, help="H1: the difference in Elo is this.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Probability of accepting H1 if H0 is true."
)
@click.option(
    "--beta", type=float, default=0.05, show_default=True, help="Probability of accepting H0 if H1 is true."
)
@click.option(
    "--max-groups", type=click.IntRange(1), default=10_000, show_default=True, help="Seed groups at most."
)
@click.option("--seed", help="Determines the deals.  [default: random, kept in the run]")
@click.option("--out", type=FILE, help="The run file.  [default: runs/<one>-<two>.db]")
@click.option("--jobs", type=click.IntRange(1), help="Games at once.  [default: one per core]")
@FORMAT
@command
def compare(
    one: Path,
    two: Path,
    against: tuple[Path, ...],
    game: str,
    seats: int | None,
    options: tuple[str, ...],
    files: tuple[Path, ...],
    move: str,
    max_groups: int,
    seed: str | None,
    out: Path | None,
    jobs: int | None,
    form: str,
    **limits: float,
) -> int:
    """Test whether bot ONE is better than bot TWO.

    Seed groups are played until a sequential test decides.

    Exit status: 0 better, 1 not better, 3 undecided after --max-groups, 4 the arena failed.
    """
    from arena.results.store import Store
    from arena.tournament.compare import as_text, comparison, scores_so_far, state

    plan = comparison(
        game, one, two, against, seats, pairs(options), control_of(move), limits, max_groups, seed, files
    )
    out = out or Path("runs") / f"{plan.name}.db"

    def picture(known: "Plan") -> "Picture":
        scores = scores_so_far(known)
        return lambda progress: as_text(known, scores(progress.played))

    if status := play_out(plan, out, jobs, f"the same command, and --out {out}", picture):
        return 4 if status == 1 else status
    with Store(out) as store:
        plan = replace(plan, seed=store.about()["secret"])
        scores = scores_so_far(plan)(store.played())
    answer = state(plan, scores)
    click.echo(json.dumps(answer, indent=2) if form == "json" else as_text(plan, scores))
    return {True: 0, False: 1, None: 3}[answer["better"]]
