"""Connects to a Dask cluster, or starts one on this machine."""

import logging
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass

import dask
from distributed import CancelledError, Client, LocalCluster
from distributed.versions import VersionMismatchWarning

from arena.config.document import ConfigError, MachineError
from arena.programs.sandbox.policy import Tier
from arena.referee.conditions import Limits
from arena.tournament.processes import safe_path

_CONNECT_TIMEOUT_S = 10.0
_RESTART_S = 1.5  # A nanny starts another worker process within this time.
_QUIET = {
    "distributed.admin.large-graph-warning-threshold": "1TB",  # A part of a bot may be large.
    "distributed.comm.timeouts.connect": f"{_CONNECT_TIMEOUT_S}s",
}

Notify = Callable[[str], None]


@dataclass(frozen=True)
class Rules:
    """What a plan requires of the workers: its game and its limits, and a sandbox.

    `sandbox` is the wanted tier, or `auto`; `require` is the weakest tier that a worker may have.
    """

    game: str
    version: int
    limits: Limits
    sandbox: str
    require: Tier


class Cluster(AbstractContextManager["Cluster"]):
    """A connection to a Dask cluster; without an `address`, a new cluster of `jobs` workers on this machine.

    `notify` shows a message to the user.

    Raises:
        ConfigError: No scheduler answers at the address.
    """

    def __init__(self, address: str | None, jobs: int, rules: Rules, notify: Notify):
        self.rules, self.notify, self.jobs = rules, notify, jobs
        self._here: LocalCluster | None = None
        self._dead_since: dict[int, float] = {}  # by names of nannies on this machine
        for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # The arena reports important events itself.
        with ExitStack() as self._stack:
            self._stack.enter_context(safe_path())
            self._stack.enter_context(dask.config.set(_QUIET))
            self.client = self._connect(address, jobs)
            self._stack = self._stack.pop_all()

    def _connect(self, address: str | None, jobs: int) -> Client:
        cluster = None
        if address is None:
            quiet = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
            self._here = cluster = LocalCluster(n_workers=jobs, threads_per_worker=1, memory_limit=0, **quiet)
            self._stack.callback(cluster.close)
        self.address = address or "of this machine"
        try:
            with warnings.catch_warnings():  # `survey` compares the versions that matter.
                warnings.simplefilter("ignore", VersionMismatchWarning)
                client = Client(cluster or address, timeout=_CONNECT_TIMEOUT_S, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            why = " ".join(str(error).split())[:200]
            raise ConfigError(f"--engine {address}: no Dask scheduler answers there ({why})") from None
        self._stack.callback(client.close)
        return client

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with suppress(OSError, TimeoutError):
            self._stack.close()

    def threads(self) -> dict[str, int]:
        """The number of threads of each worker, by address.

        Raises:
            MachineError: The scheduler has gone.
        """
        try:
            if self.client.status == "running":
                self._revive()
                return dict(self.client.nthreads())
        except (OSError, CancelledError, RuntimeError, AttributeError):
            pass
        raise self.lost_error()

    def _revive(self) -> None:
        """Replace nannies of this machine that have had no worker for a while.

        A nanny is the process of Dask that restarts a worker; it gives up if one dies while it starts.
        """
        if self._here is None or self._here.loop is None:
            return
        for name, nanny in list(self._here.workers.items()):
            if nanny.process is not None and nanny.process.is_alive():
                self._dead_since.pop(name, None)
            elif time.monotonic() > self._dead_since.setdefault(name, time.monotonic()) + _RESTART_S:
                del self._here.workers[name], self._dead_since[name]
                self._here.loop.add_callback(nanny.close)
        if len(self._here.workers) < self.jobs:
            self._here.scale(self.jobs)

    def lost_error(self) -> MachineError:
        """The error to raise if the scheduler has gone."""
        lost = f"the Dask scheduler {self.address} no longer answers"
        return MachineError(f"{lost}; the same command resumes the run")
