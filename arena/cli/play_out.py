"""Plays all games of a plan into a run file, for `arena run` and `arena compare`."""

import sys
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import TYPE_CHECKING

import click

from arena.cli.engines import Place, choose_engine, crowd_note, described
from arena.config.document import ConfigError

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.cli.live import Picture
    from arena.tournament.formats.plan import Plan


def play_out(plan: "Plan", out: Path, place: Place, again: str, picture: "Callable[[Plan], Picture]") -> int:
    """Play all games that are due and show the progress. The exit status is 0 when all are played.

    `again` is the command that resumes the run; `picture` renders the run below the progress line.
    """
    from arena.cli import live
    from arena.programs.play import meter
    from arena.referee import deals
    from arena.tournament import ladder, schedule
    from arena.tournament import run as tournament
    from arena.tournament.runs.store import Store
    from arena.tournament.work_queue import VoidRun

    _check_place(plan, out)
    try:
        with choose_engine(plan, place, say) as (open_engine, sandbox), Store(out, writer=True) as store:
            began = store.facts.bots if store.count() else {}
            plan = tournament.prepare(plan, store)
            games = store.played()
            total, played = schedule.size(plan, games), len(games)
            of = "" if total is None or played > total else f" of {total}"
            _say_wrapped(f"{plan.name}: {schedule.describe(plan)}")
            _say_wrapped(f"{out}: {played}{of} games played; {described(place)}")
            for line in schedule.changes(plan, began, games) if not plan.folder else ():
                say(line)
            bots = plan.bots.values()
            notes = [crowd_note(place)]
            if sandbox:  # else each worker of a cluster has its own notes
                notes += [sandbox.summary, sandbox.warning(bots), sandbox.root_note(bots), meter.warning()]
            notes += [deals.WARNING] if plan.is_open else []
            notes += [f"bot {bot.name} loses its games: {bot.broken}" for bot in bots if bot.broken]
            notes += [f"bot {name} sits out: {why}" for name, why in plan.skipped.items()]
            notes += [f"passed over: {each}" for each in plan.passed_over]
            for note in filter(None, notes):
                _say_wrapped(note)
            with live.show(picture(plan)) as report:
                if plan.format.folder:
                    ladder.run(plan, store, open_engine, report, say, sandbox)
                else:
                    tournament.run(plan, store, open_engine, report, say)
    except KeyboardInterrupt:
        say(f"\nstopped; resume with: {again}")
        return 130
    except VoidRun as error:
        say(f"\narena: stopped, the arena itself failed:\n{error}\nresume with: {again}")
        return 1
    return 0


def _check_place(plan: "Plan", out: Path) -> None:
    """ConfigError: the run file, which has the secret, would be inside the folder of a bot."""
    parts = [part for bot in plan.bots.values() for part in bot.files]
    parts += [*plan.files, *([plan.folder] if plan.folder else [])]
    for part in filter(Path.is_dir, parts):
        if out.resolve().is_relative_to(part.resolve()):
            raise ConfigError(
                f"{out}: is inside {part}, where a bot can read it; use --out for another place"
            )


def say(message: str) -> None:
    click.echo(message, err=True)


def _say_wrapped(message: str) -> None:
    """`say`, with long lines wrapped between words on a terminal, which would break them anywhere."""
    if sys.stderr.isatty():
        columns = max(40, get_terminal_size().columns)
        wrapper = TextWrapper(
            columns, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        message = "\n".join(map(wrapper.fill, message.split("\n")))
    say(message)
