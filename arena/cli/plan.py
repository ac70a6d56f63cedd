"""`arena plan`: shows the games of a plan without playing it."""

from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, plan_file, print_result
from arena.cli.completion import PLANS
from arena.programs.machine import usable_cores


@click.command()
@click.argument("file", type=FILE, shell_complete=PLANS)
@click.option("--no-trial", is_flag=True, help="Start no bots, and do not estimate the time.")
@FORMAT
@command
def plan(file: Path, no_trial: bool, form: str) -> None:
    """Show what the plan in a FILE will play, without playing it.

    Files that it opens outside its folder are listed. Look at a stranger's plan with --no-trial first.

    The time is estimated by playing the first games for about two seconds. The last game is stopped if it
    takes more than five seconds, and the estimate says so.
    """
    from arena.cli.play_out import say
    from arena.cli.preview import lines, opened_outside, preview, trial, with_entries
    from arena.tournament.broken import LeaveOut
    from arena.tournament.plan.load import load_plan

    file, jobs = plan_file(file), usable_cores()
    loaded, tried = with_entries(load_plan(file)), None
    while not (no_trial or loaded.remote or loaded.models):
        try:
            tried = trial(loaded, notify=say, jobs=jobs)
            break
        except LeaveOut as error:
            loaded = load_plan(file, {**loaded.skipped, **error.reasons})
    about = preview(loaded, jobs, tried, opened_outside(loaded, file.parent))
    print_result(form, about, lines(about))
