"""Plays all that is due into a run file, whatever wants it played."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arena.cli.base import usable_cores


def play_out(
    plan: Any, out: Path, jobs: int | None, again: str, picture: Callable[[Any], Callable[[Any], str]]
) -> int:
    """Play all that is due into a run file, and show how it goes; the exit status, 0 when all is played."""
    from arena import ladder, live, meter, schedule, tournament
    from arena.agenda import VoidRun
    from arena.sandbox.tiers import choose
    from arena.store import Store

    jobs, sandbox = jobs or usable_cores(), choose(plan.limits, plan.sandbox, plan.require)
    try:
        with Store(out, writer=True) as store:
            plan = tournament.prepare(plan, store)
            total, played = schedule.size(plan), store.count()
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
