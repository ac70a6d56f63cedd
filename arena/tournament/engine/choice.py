"""Chooses the engine that a user names: processes of this machine, or a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from arena.config.document import ConfigError
from arena.programs.machine import install_command
from arena.programs.play.build import Tell
from arena.programs.sandbox.policy import Sandbox, choose
from arena.tournament.engine.interface import OpenEngine
from arena.tournament.engine.local import Local
from arena.tournament.formats.plan import Plan


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
    """Yield a function that opens engines, and the sandbox (None for games on a Dask cluster).

    Args:
        engine: `local`, `dask` (a cluster of `jobs` workers on this machine), or the address of a Dask
            scheduler.
        tell: Shows a message to the user.
        gate, live, waits: As in `Local`.

    Raises:
        ConfigError: This machine cannot have the sandbox of the plan, Dask is not installed, or no
            scheduler answers.
    """
    if engine == "local":
        sandbox = choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
        local = partial(Local, jobs=jobs, sandbox=sandbox, tell=tell, gate=gate, live=live, waits=waits)
        yield local, sandbox
        return
    if not find_spec("distributed"):
        raise ConfigError(f"engine {engine} needs Dask: {install_command('cluster')}")
    from arena.tournament.engine.dask_cluster import open_engine
    from arena.tournament.engine.dask_connection import Cluster, Rules

    game, run = plan.game, plan.run
    rules = Rules(game.name, game.version, plan.conditions.limits, run.sandbox, run.require)
    with Cluster(None if engine == "dask" else engine, jobs, rules, tell) as cluster:
        yield partial(open_engine, cluster), None
