"""`arena plan`: what a plan will play, without playing it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, FORMAT, command, plan_file, print_result
from arena.cli.completion import PLANS, RUNS
from arena.config.document import ConfigError
from arena.programs.machine import usable_cores

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.tournament.formats.plan import Plan


@click.command()
@click.argument("file", type=FILE, shell_complete=PLANS)
@click.argument("run", type=FILE, required=False, shell_complete=RUNS)
@click.option("--no-trial", is_flag=True, help="Start no bots, and do not estimate the time.")
@FORMAT
@command
def plan(file: Path, run: Path | None, no_trial: bool, form: str) -> None:
    """Show what the plan in a FILE will play, without playing it.

    What it opens outside its folder is listed. Look at a stranger's plan with --no-trial first.

    The time is estimated by playing the first games for about two seconds. The last of them is stopped if it
    takes too long, after five seconds at most, and the estimate says so.

    The forecast of the errors is simulated, with strengths as in an earlier RUN. By default that is the run
    of the plan itself, and for the final of a contest its ladder; without one, the strengths are assumed.
    """
    from arena.cli.play_out import say
    from arena.cli.preview import lines, opened_outside, preview, trial, with_entries
    from arena.tournament.broken import LeaveOut
    from arena.tournament.plan.load import load_plan

    file, jobs = plan_file(file), usable_cores()
    loaded, earlier = _load_final(file) if _is_final(file) else (with_entries(load_plan(file)), None)
    earlier, tried = earlier or Path("runs") / f"{loaded.name}.db", None
    like = run or (earlier if earlier.is_file() else None)
    while not (no_trial or loaded.remote or loaded.models):
        try:
            tried = trial(loaded, notify=say, jobs=jobs)
            break
        except LeaveOut as error:
            loaded = load_plan(file, {**loaded.skipped, **error.reasons})
    about = preview(loaded, jobs, tried, opened_outside(loaded, file.parent), like)
    if run and about["forecast"] and not about["forecast"]["like"]:
        raise ConfigError(f"{run}: too few games for a forecast: three bots or more should have an Elo")
    print_result(form, about, lines(about))


def _is_final(file: Path) -> bool:
    """Whether it is the plan of a contest's final, whose bots are the entries of the contest."""
    return file.name == "final.yaml" and (file.parent / "contest.yaml").is_file()


def _load_final(file: Path) -> "tuple[Plan, Path]":
    """The plan of a contest's final with the entries of now, and the run of its ladder."""
    from arena.contest import final
    from arena.contest.contest import open_contest

    contest = open_contest(file.parent)
    return final.plan_now(contest, contest.database())
