"""Chooses the engine that a user names: processes of this machine, or a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from arena.config.document import ConfigError
from arena.programs.play.build import Tell
from arena.programs.sandbox.policy import Sandbox, choose
from arena.tournament.engine.interface import OpenEngine
from arena.tournament.engine.local import Local
from arena.tournament.formats.plan import Plan

_EXTRA = "pip install 'arena[cluster]'"


@contextmanager
def choose_engine(
    plan: Plan,
    engine: str,
    jobs: int,
    tell: Tell,
    gate: Path | None = None,
    live: Path | None = None,
    waits: bool = True,
) -> Iterator[tuple[OpenEngine, Sandbox | None]]:
    """Yields what opens engines, and the sandbox if games are played here. ConfigError: no such engine.

    `engine` is local, dask, or the address of a Dask scheduler. `gate`, `live` and `waits` are for `Local`.
    """
    if engine == "local":
        sandbox = choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
        local = partial(Local, jobs=jobs, sandbox=sandbox, tell=tell, gate=gate, live=live, waits=waits)
        yield local, sandbox
        return
    if not find_spec("distributed"):
        raise ConfigError(f"engine {engine} needs Dask: {_EXTRA}")
    from arena.tournament.engine.dask_cluster import open_engine
    from arena.tournament.engine.dask_connection import Cluster, Rules

    game, run = plan.game, plan.run
    rules = Rules(game.name, game.version, plan.conditions.limits, run.sandbox, run.require)
    with Cluster(None if engine == "dask" else engine, jobs, rules, tell) as cluster:
        yield partial(open_engine, cluster), None
