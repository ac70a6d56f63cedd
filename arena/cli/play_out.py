"""Plays all that is due into a run file, whatever wants it played."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arena.cli.base import usable_cores
from arena.core.config import ConfigError


def play_out(
    plan: Any, out: Path, jobs: int | None, again: str, picture: Callable[[Any], Callable[[Any], str]]
) -> int:
    """Play all that is due into a run file, and show how it goes; the exit status, 0 when all is played."""
    from arena.cli import live
    from arena.play import meter
    from arena.records import deals
    from arena.results.store import Store
    from arena.sandbox.policy import choose
    from arena.tournament import ladder, schedule
    from arena.tournament import run as tournament
    from arena.tournament.work_queue import VoidRun

    check_place(plan, out)
    jobs, sandbox = jobs or usable_cores(), choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
    try:
        with Store(out, writer=True) as store:
            plan = tournament.prepare(plan, store)
            total, played = schedule.size(plan), store.count()
            of = "" if total is None or played > total else f" of {total}"
            say(f"{plan.name}: {schedule.describe(plan)}")
            say(f"{out}: {played}{of} games played; {jobs} at a time")
            bots = plan.bots.values()
            notes = sandbox.summary, sandbox.warning(bots), sandbox.root_note(bots), meter.warning()
            for words in filter(None, (*notes, plan.is_open and deals.WARNING)):
                say(words)
            play = ladder.run if plan.format.folder else tournament.run
            with live.shown(picture(plan)) as report:
                play(plan, store, jobs, report, sandbox, say)
    except KeyboardInterrupt:
        say(f"\nstopped; go on with: {again}")
        return 130
    except VoidRun as error:
        say(f"\narena: stopped, the arena itself failed again and again:\n{error}")
        return 1
    return 0


def check_place(plan: Any, out: Path) -> None:
    """ConfigError: the run file, with its secret, would be a part of a bot."""
    parts = [part for bot in plan.bots.values() for part in bot.files]
    parts += [plan.folder] if plan.folder else []
    for part in filter(Path.is_dir, parts):
        if out.resolve().is_relative_to(part.resolve()):
            raise ConfigError(f"{out}: lies in {part}, where a bot can read it; use --out for another place")


def say(words: str) -> None:
    click.echo(words, err=True)
