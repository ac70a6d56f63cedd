"""Plays all games of a plan into a run file, for `arena run`, `arena serve` and `arena compare`."""

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from time import monotonic

import click

from arena.cli import live
from arena.cli.base import ENGINES
from arena.cli.model_calls import Models, report_costs
from arena.config.document import ConfigError
from arena.config.text import list_words, printable
from arena.programs.executables import real
from arena.programs.machine import usable_cores
from arena.programs.play import meter
from arena.programs.sandbox.policy import Sandbox
from arena.referee import deals
from arena.tournament import ladder, schedule
from arena.tournament import run as tournament
from arena.tournament.broken import LeaveOut
from arena.tournament.engine.choice import choose_engine
from arena.tournament.formats.plan import Plan
from arena.tournament.frozen import add_frozen_games
from arena.tournament.live import live_folder, show_live, with_live_progress
from arena.tournament.models.access import ModelAccess
from arena.tournament.runs.store import Store
from arena.tournament.runs.voids import excess_of_voids, void_groups, void_line
from arena.tournament.work_queue import ServerLost, VoidRun

_CROWD = 2  # games at a time for each core; a note warns of more
_NO_BANK = "clock: has no bank, so a remote bot whose connection is lost is late (docs/remote-bots.md)"


@dataclass(frozen=True)
class Venue:
    """Where and how games are played; `is_watched`: the local engine shows them to spectators."""

    jobs: int | None = None  # games at once; None: one per core
    engine: str = "local"  # or "dask", or the address of a scheduler
    gate: Path | None = None  # the socket to which remote bots connect
    is_watched: bool = False
    models: Models | None = None  # None: language models are not played

    def __post_init__(self) -> None:
        if self.scheduler and self.jobs:
            raise click.UsageError("--jobs does not apply to a scheduler: every worker of its cluster plays")

    @property
    def scheduler(self) -> str | None:
        """The address of a Dask scheduler; None if the games are played on this machine."""
        return self.engine if self.engine not in ENGINES else None


def play_out(
    plan: Plan, out: Path, place: Venue, again: str, told: set[str], picture: Callable[[Plan], live.Picture]
) -> int:
    """Play all games that are due and show the progress.

    Args:
        plan: The plan.
        out: The run file.
        place: Where and how the games are played.
        again: The command that resumes the run.
        told: The notes that were printed before; the notes of this call are added.
        picture: Renders the run below the progress line.

    Returns:
        The exit status. 0: all games are played, or the time of the plan is over. 1: the budget is spent, or
        the arena or the server of a model failed. 130: Ctrl-C.

    Raises:
        ConfigError: The plan cannot be played.
        LeaveOut: These bots are broken, and the plan skips broken bots.
    """
    _check_place(plan, out)
    jobs, live_at = place.jobs or usable_cores(), live_folder(out) if place.is_watched else None
    try:
        with (
            choose_engine(plan, place.engine, jobs, say, place.gate, live_at) as (open_engine, sandbox),
            Store(out, writer=True) as store,
            show_live(out) if place.is_watched else nullcontext() as folder,
        ):
            began = store.facts.bots if store.count() else {}
            plan = tournament.prepare(plan, store)
            if plan.frozen and (said := add_frozen_games(plan.frozen, store)):
                _say_wrapped(said)
            games = store.played()
            total, played = schedule.size(plan, games), len(games)
            of = "" if total is None or played > total else f" of {total}"
            _say_wrapped(f"{plan.name}: {schedule.describe(plan)}")
            _say_wrapped(f"{out}: {played}{of} games played; {_describe(place, bool(plan.models))}")
            for line in schedule.changes(plan, began, games) if not plan.folder else ():
                say(line)
            bots = plan.bots.values()
            notes = [crowd_note(place)]
            if sandbox:  # Each worker of a cluster has its own sandbox and notes.
                notes += [sandbox.summary, sandbox.warning(bots), sandbox.root_note(bots), meter.warning()]
            notes += [deals.WARNING] if plan.is_open else []
            notes += [_NO_BANK] if plan.remote and not plan.conditions.clock.bank else []
            notes += [f"bot {bot.name} loses its games: {bot.broken}" for bot in bots if bot.broken]
            notes += [f"bot {name} sits out: {why}" for name, why in plan.skipped.items()]
            notes += [f"passed over: {each}" for each in plan.passed_over]
            for note in filter(None, notes):
                if note not in told:
                    _say_wrapped(note)
            told.update(notes)
            until = monotonic() + plan.part.seconds if plan.part else inf
            progress = None
            calls = plan.models and any(schedule.due(plan, games))
            models = _models(plan, place, out, sandbox) if calls else None
            with live.show(picture(plan)) as shown, report_costs(models, shown) as report:
                report = with_live_progress(folder, report) if folder else report
                if plan.format.folder:
                    ladder.run(plan, store, open_engine, report, say, sandbox, jobs)
                else:
                    is_over = lambda: monotonic() > until  # noqa: E731
                    progress = tournament.run(plan, store, open_engine, report, say, is_over, sandbox, models)
            if progress and progress.stopped:
                how = f"raise budget: in the plan, and repeat: {again}"
                say(f"stopped at the {progress.stopped}\nto go on, {how}")
                return 1
            if monotonic() > until and plan.part and any(schedule.due(plan, store.played())):
                say(f"stopped after {plan.part.seconds / 60:g} minutes; go on with: {again}")
    except KeyboardInterrupt:
        say(f"\nstopped; resume with: {again}")
        return 130
    except ServerLost as error:
        say(f"\nstopped, the server of a language model does not answer: {error}\ngo on later with: {again}")
        return 1
    except VoidRun as error:
        say(f"\narena: stopped, the arena itself failed:\n{error}\nresume with: {again}")
        return 1
    return 0


def play_plan(
    plan: Plan, load: Callable[[Mapping[str, str]], Plan], out: Path, place: Venue, again: str
) -> int:
    """Call `play_out`, with the top of the standings below its progress line; returns its exit status.

    If the plan skips broken bots and some turn out to be broken, the plan is played without them. `load`
    reads it again without the bots in its argument, which has the reasons by name.
    """
    told = set[str]()
    while True:
        try:
            return play_out(plan, out, place, again, told, lambda _: live.top)
        except LeaveOut as error:
            plan = load({**plan.skipped, **error.reasons})


def print_voids(out: Path) -> int:
    """Print to stderr if too many games of a run were void, and why; returns the exit status, 1 or 0."""
    with Store(out) as store:
        excess = excess_of_voids(store)
        groups = void_groups(store.void_rows()) if excess else []
    for line in (*map(void_line, groups), *filter(None, [excess])):
        say(printable(line))
    return int(bool(excess))


def is_complete(plan: Plan, out: Path) -> bool:
    """Whether a run file exists and has all games of a plan.

    Raises:
        ConfigError: The file is the run of another plan.
    """
    if not out.exists():
        return False
    with Store(out) as store:
        return not any(schedule.due(tournament.prepare(plan, store), store.played()))


def _models(plan: Plan, place: Venue, out: Path, sandbox: Sandbox | None) -> ModelAccess:
    """The access that workers need to call models.

    Raises:
        ConfigError: As `Models.access`, or no models are played here.
    """
    if not place.models:
        raise ConfigError(f"{plan.name}: language models ({list_words(plan.models)}) are not played here")
    return place.models.access(plan, out, sandbox)


def _check_place(plan: Plan, out: Path) -> None:
    """Check that bots cannot read the run file, because it has the secret.

    Raises:
        ConfigError: The file would be in a folder that bots can read.
    """
    parts = [part for bot in plan.bots.values() for part in bot.files]
    parts += [*plan.files, *([plan.folder] if plan.folder else [])]
    for part in filter(Path.is_dir, parts):
        if real(out).is_relative_to(real(part)):
            why = f"is inside {part}, where a bot can read it; use --out for another place"
            raise ConfigError(f"{out}: {why}")


def say(message: str) -> None:
    click.echo(message, err=True)


def _say_wrapped(message: str) -> None:
    """Call `say`. On a terminal, which would break long lines anywhere, wrap them between words."""
    if sys.stderr.isatty():
        columns = max(40, get_terminal_size().columns)
        wrap_line = partial(fill, width=columns, subsequent_indent="    ", break_on_hyphens=False)
        message = "\n".join(wrap_line(line, break_long_words=False) for line in message.split("\n"))
    say(message)


def crowd_note(place: Venue) -> str:
    """A note if `place` plays many more games at a time than this machine has cores; else ""."""
    jobs, cores = place.jobs or 0, usable_cores()
    if jobs <= _CROWD * cores:
        return ""
    return f"{jobs} at a time on {cores} cores is slower than {cores}: each needs a process and its own bots"


def _describe(place: Venue, has_models: bool) -> str:
    if place.scheduler:
        return f"on the Dask cluster {place.scheduler}"
    if place.engine == "dask":
        return f"{place.jobs or usable_cores()} at a time by a Dask cluster of this machine"
    besides = f", and {place.models.games} with models" if place.models and has_models else ""
    return f"{place.jobs or usable_cores()} at a time{besides}"
