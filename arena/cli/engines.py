"""Where the games of a run are played: the options of the command line, and the engine that they choose."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from arena.cli.base import usable_cores
from arena.cli.completion import completer
from arena.config.document import ConfigError, nearest

_ENGINES = ("local", "dask")

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.programs.sandbox.policy import Sandbox
    from arena.tournament.engine.interface import OpenEngine
    from arena.tournament.formats.plan import Plan

_CROWD = 2  # games at a time for each core, above which a note says so
_EXTRA = "pip install 'arena[cluster]'"


@dataclass(frozen=True)
class Place:
    """The options `--jobs` and `--engine`."""

    jobs: int | None = None
    engine: str = "local"

    def __post_init__(self) -> None:
        """UsageError: the options contradict each other."""
        if self.scheduler and self.jobs:
            raise click.UsageError("--jobs does not apply to a scheduler: every worker of its cluster plays")

    @property
    def scheduler(self) -> str | None:
        """The address of a Dask scheduler; None if the games are played on this machine."""
        return self.engine if self.engine not in _ENGINES else None


def _engine(context: click.Context, option: click.Option, text: str) -> str:
    """A callback that parses the name of an engine, or the address of a scheduler."""
    if text in _ENGINES or ":" in text:
        return text
    raise click.BadParameter(
        f"should be local, dask, or an address such as tcp://host:8786, not {text!r}{nearest(text, _ENGINES)}"
    )


ENGINE = click.option(
    "--engine",
    default="local",
    show_default=True,
    metavar="local|dask|ADDRESS",
    callback=_engine,
    shell_complete=completer(lambda context, incomplete: iter(_ENGINES)),
    help="Play by processes of this machine, by a Dask cluster on it, or by the cluster of the Dask"
    " scheduler at this ADDRESS.",
)


@contextmanager
def choose_engine(
    plan: "Plan", place: Place, say: Callable[[str], None]
) -> Iterator[tuple["OpenEngine", "Sandbox | None"]]:
    """What opens engines for a plan, and the sandbox of this machine if games are played here.

    ConfigError: this machine does not offer the sandbox that the plan requires, or there is no cluster.
    """
    jobs = place.jobs or usable_cores()
    if place.engine == "local":
        from arena.programs.sandbox.policy import choose
        from arena.tournament.engine.local import Local

        sandbox = choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
        yield partial(Local, jobs=jobs, sandbox=sandbox), sandbox
        return
    if not find_spec("distributed"):
        raise ConfigError(f"--engine dask needs Dask: {_EXTRA}")
    from arena.tournament.engine.dask_cluster import open_engine
    from arena.tournament.engine.dask_connection import Cluster, Rules

    game, run = plan.game, plan.run
    rules = Rules(game.name, game.version, plan.conditions.limits, run.sandbox, run.require)
    with Cluster(place.scheduler, jobs, rules, say) as cluster:
        yield partial(open_engine, cluster), None


def crowd_note(place: Place) -> str:
    """A note if far more games are played at a time than this machine has cores, "" if not."""
    jobs, cores = place.jobs or 0, usable_cores()
    if jobs <= _CROWD * cores:
        return ""
    return f"{jobs} at a time on {cores} cores is slower than {cores}: each needs a process and its own bots"


def described(place: Place) -> str:
    """How many games are played at once, or where."""
    if place.scheduler:
        return f"on the Dask cluster {place.scheduler}"
    where = " by a Dask cluster of this machine" if place.engine == "dask" else ""
    return f"{place.jobs or usable_cores()} at a time{where}"
