"""Where the games of a run are played: the options of the command line, and the engine that they choose."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

import click

from arena.cli.base import JOBS, usable_cores
from arena.core.config import ConfigError

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.engine.interface import OpenEngine
    from arena.formats.plan import Plan
    from arena.sandbox.policy import Sandbox

Command = TypeVar("Command", bound=Callable[..., object])
CROWD = 2  # games at a time for each core, above which a note says so
EXTRA = "pip install 'arena[cluster]'"


@dataclass(frozen=True)
class Place:
    """The options `--jobs`, `--engine` and `--scheduler`."""

    jobs: int | None = None
    engine: str = "local"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """UsageError: the options contradict each other."""
        if self.scheduler and self.engine != "dask":
            raise click.UsageError("--scheduler needs --engine dask")
        if self.scheduler and self.jobs:
            raise click.UsageError("--jobs does not apply to --scheduler: every worker of the cluster plays")

    @property
    def words(self) -> str:
        """The options `--engine` and `--scheduler` as given, for a command that resumes the run."""
        scheduler = f" --scheduler {self.scheduler}" if self.scheduler else ""
        return f" --engine {self.engine}{scheduler}" if self.engine != "local" else ""


def engine_options(function: Command) -> Command:
    for option in (
        click.option(
            "--scheduler", metavar="ADDRESS", help="Of a Dask cluster.  [default: one on this machine]"
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "dask"]),
            default="local",
            show_default=True,
            help="Where games are played: by processes of this machine, or by a Dask cluster.",
        ),
        click.option(
            "--jobs", type=JOBS, help="Games at once; bots of a game share a core.  [default: one per core]"
        ),
    ):
        function = option(function)
    return function


@contextmanager
def opened(
    plan: "Plan", place: Place, say: Callable[[str], None]
) -> Iterator[tuple["OpenEngine", "Sandbox | None"]]:
    """What opens engines for a plan, and the sandbox of this machine if games are played here.

    ConfigError: this machine does not offer the sandbox that the plan requires, or there is no cluster.
    """
    jobs = place.jobs or usable_cores()
    if place.engine == "local":
        from arena.engine.local import Local
        from arena.sandbox.policy import choose

        sandbox = choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
        yield partial(Local, jobs=jobs, sandbox=sandbox), sandbox
        return
    if not find_spec("distributed"):
        raise ConfigError(f"--engine dask needs Dask: {EXTRA}")
    from arena.engine.dask_cluster import open_engine
    from arena.engine.dask_connection import Cluster, Rules

    game, run = plan.game, plan.run
    rules = Rules(game.name, game.version, plan.conditions.limits, run.sandbox, run.require)
    with Cluster(place.scheduler, jobs, rules, say) as cluster:
        yield partial(open_engine, cluster), None


def crowd_note(place: Place) -> str:
    """A note if far more games are played at a time than this machine has cores, "" if not."""
    jobs, cores = place.jobs or 0, usable_cores()
    if jobs <= CROWD * cores:
        return ""
    return f"{jobs} at a time on {cores} cores is slower than {cores}: each needs a process and its own bots"


def described(place: Place) -> str:
    """How many games are played at once, or where."""
    if place.scheduler:
        return f"on the Dask cluster {place.scheduler}"
    where = " by a Dask cluster of this machine" if place.engine == "dask" else ""
    return f"{place.jobs or usable_cores()} at a time{where}"
