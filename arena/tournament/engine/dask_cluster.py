"""The Dask engine: the workers of a local or remote Dask cluster play the games.

Theory of operation
-------------------
Dask starts and restarts workers, lists them, and carries functions, files of bots and results. The engine
decides only which workers may play. It asks each new worker whether it can (`survey`). Then the worker gets
the parts of bots that it lacks, and lays out, builds and starts the bots (`prepare`). If this fails, the
worker is unfit and gets no games. Each fit worker has two batches, one to play and one in reserve.

A batch is bound to its worker, for three reasons. Dask blames all tasks of a dead worker, not only the one
that ran, and after four deaths it would give up innocent ones. A task that is bound to several workers waits
forever if all of them are gone (dask/distributed#7346). And a batch that ran may not run again on a live
worker, because its bots have seen the deals. So the batches of a lost worker come back as lost, and the code
above the engines decides what to do with them. The time of a batch shrinks when workers die.

When all processes of bots have to end, each worker is told. A lost worker cannot confirm it, but on its
machine no process of another generation starts before the old ones have ended
(`arena/programs/sandbox/stale.py`). The same holds for a worker that joins meanwhile, and for processes that
earlier coordinators of the run left there.

A batch with language models comes back with questions to the ledger, which is a file here, and continues with
each answer (`arena/tournament/engine/asked_ledger.py`). Such workers have no batch in reserve.
"""

import math
import pickle
import queue
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from distributed import CancelledError, Future, KilledWorker

import arena
from arena.config.document import ConfigError
from arena.models.calls import Wait
from arena.programs.bot import BotError
from arena.referee.fixture import Fixture
from arena.tournament.engine import dask_worker
from arena.tournament.engine.asked_ledger import LedgerQuestion, answer_question
from arena.tournament.engine.dask_connection import Cluster
from arena.tournament.engine.dask_worker import Demands, HostedWork, Readiness
from arena.tournament.engine.interface import Batch, BatchResult, Setup, generations
from arena.tournament.engine.parcel import pack
from arena.tournament.runs.ledger import RunLedger

_POLL_S = 0.5  # between two looks for workers
_RESULT_TIMEOUT_S = 5.0  # A worker is lost if its finished result takes longer to arrive.
_MIN_BATCH_S, _MAX_BATCH_S = 0.1, 3.0
_MAX_GAMES = 1000  # in a batch
_FIRST_GAMES = 8  # in a batch, while the time of a game is unknown


@dataclass
class ClusterWorker:
    """A worker of the cluster as the engine sees it. Only `ready` workers play games."""

    address: str
    step: Future[Any] | None = None  # the survey or preparation in progress
    shipped: list[Future[Any]] = field(default_factory=list)  # parts of bots for the preparation
    ready: bool = False
    generation: str = ""  # the generation of its processes, present or in preparation
    failed: Readiness | None = None  # why it is unfit
    flights: dict[Future[Any], Batch] = field(default_factory=dict)  # its batches, in order


class ClusterEngine:
    """Plays batches with the bots of a setup on all fit workers of a cluster."""

    def __init__(self, cluster: Cluster, setup: Setup):
        self._cluster, self._client, rules = cluster, cluster.client, cluster.rules
        self._bots = setup.bots
        parcels, self._parts = pack(setup.bots.values())
        self._run = uuid.uuid4().hex
        self._generations = generations(setup.run)
        self._generation = next(self._generations)
        self._demands: Demands = {
            "run": self._run,
            "file": setup.run or self._run,
            "arena": arena.__version__,
            "game": rules.game,
            "version": rules.version,
            "sandbox": rules.sandbox,
            "require": rules.require,
            "parts": list(self._parts),
        }
        models, there = setup.models, None
        self._ledger: RunLedger | None = None
        if models:
            self._ledger = RunLedger(models.ledger, models.budget, models.cassette)
            # Keys do not travel: each worker has them in its own environment.
            there = replace(models, keys={}, games=0, is_elsewhere=True)
        self._ahead = 1 if models else 2
        shipped = setup._replace(bots={}, models=there)
        self._work = pickle.dumps(HostedWork(self._demands, rules.limits, shipped, parcels))
        self._members: dict[str, ClusterWorker] = {}
        self._done: queue.SimpleQueue[tuple[ClusterWorker, Future[Any]]] = queue.SimpleQueue()
        self._results: list[tuple[Batch, BatchResult]] = []
        self._next_poll = 0.0
        self._rate, self._seconds = 0.0, 4 * _MIN_BATCH_S
        self._told: set[str] = set()
        if built := [bot.name for bot in setup.bots.values() if bot.build and not bot.broken]:
            self._tell(f"each worker builds the bots that it lacks: {', '.join(built)}")

    def wait_until_ready(self) -> None:
        """Wait until a worker is ready.

        Raises:
            BotError, ConfigError: All workers of the cluster are unfit.
        """
        while not self.workers:
            self._step(_POLL_S)
            members = self._members.values()
            if not members:
                self._tell(f"waiting for workers of the Dask cluster {self._cluster.address}")
            elif all(member.failed is not None for member in members):
                self._refuse()

    def _refuse(self) -> None:
        """Raise the reason why no worker is fit: BotError if bots fail on all workers, else ConfigError."""
        failures = [member.failed for member in self._members.values() if member.failed]
        unbuilt = _on_all([failure.get("unbuilt", {}) for failure in failures])
        unstarted = _on_all([failure.get("unstarted", {}) for failure in failures])
        if unbuilt or unstarted:
            raise BotError(self._bots, unbuilt, unstarted)
        raise ConfigError(*dict.fromkeys(self._why_unfit(each) for each in self._members.values()))

    @property
    def sandbox(self) -> str:
        tier = self._cluster.rules.require
        return tier if tier == "bubblewrap" else f"{tier} or stronger"

    @property
    def workers(self) -> int:
        return sum(member.ready for member in self._members.values())

    @property
    def batch_size(self) -> int:
        return min(_MAX_GAMES, max(1, math.ceil(self._rate * self._seconds))) if self._rate else _FIRST_GAMES

    @property
    def has_room(self) -> bool:
        return any(member.ready and len(member.flights) < self._ahead for member in self._members.values())

    has_waiting_room = False

    def waits(self, fixture: Fixture) -> bool:
        """False: all workers may play the games of models here."""
        return False

    @property
    def waits_for(self) -> list[Wait]:
        return []

    def submit(self, batch: Batch) -> None:
        ready = [each for each in self._members.values() if each.ready]
        member = min(ready, key=lambda each: len(each.flights))
        future = self._task(member, dask_worker.play, self._run, pickle.dumps(batch), self._seconds)
        member.flights[future] = batch

    def take_completed(self) -> list[tuple[Batch, BatchResult]]:
        self._step(_POLL_S)
        if not self.workers:
            self._tell("no worker can play at present; waiting for workers")
        results, self._results = self._results, []
        return results

    def end_processes(self) -> None:
        self._generation = next(self._generations)
        while self._has_to_wait():
            for member in self._members.values():
                if member.ready and not member.step and member.generation != self._generation:
                    member.generation = self._generation
                    member.step = self._task(member, dask_worker.end_processes, self._run, self._generation)
            self._step(_POLL_S)

    def _has_to_wait(self) -> bool:
        """Whether a worker has, or is preparing, processes of another generation than the present one."""
        # A worker in its survey has none yet, and will prepare the present generation.
        return any(
            (member.ready and member.step)
            or ((member.ready or member.step) and member.generation not in ("", self._generation))
            for member in self._members.values()
        )

    def close(self, at_once: bool = False) -> None:
        futures = [flight for member in self._members.values() for flight in member.flights]
        futures += [member.step for member in self._members.values() if member.step]
        with suppress(OSError, CancelledError, RuntimeError, TimeoutError, ValueError):
            if self._client.status == "running":
                self._client.cancel(futures, force=True)
                there = [each for each in self._client.nthreads() if each in self._members]
                self._client.run(dask_worker.dismiss, self._run, workers=there, on_error="ignore")
        self._members.clear()
        if self._ledger:
            self._ledger.close()

    def _task(self, member: ClusterWorker, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Make a worker run a function. When the returned task ends, `_step` processes it."""
        key = f"arena-{function.__name__}-{uuid.uuid4().hex}"
        future = self._client.submit(
            function, *arguments, key=key, workers=[member.address], allow_other_workers=False, pure=False
        )
        future.add_done_callback(lambda done: self._done.put((member, done)))
        return future

    def _step(self, timeout: float) -> None:
        """Process the tasks that end within `timeout` seconds, and look for workers."""
        with suppress(queue.Empty):
            self._process(*self._done.get(timeout=timeout))
            while True:
                self._process(*self._done.get_nowait())
        if time.monotonic() >= self._next_poll:
            self._look_for_workers()
            self._next_poll = time.monotonic() + _POLL_S

    def _look_for_workers(self) -> None:
        """Drop lost workers, and survey new ones."""
        threads = self._cluster.threads()
        for address in self._members.keys() - threads.keys():
            self._drop(self._members.pop(address), "has gone")
        for address in threads.keys() - self._members.keys():
            self._members[address] = member = ClusterWorker(address)
            if threads[address] == 1:  # One thread plays batches in order, so only the first can have begun.
                member.step = self._task(member, dask_worker.survey, self._demands)
            else:
                why = f"it has {threads[address]} threads; start it with --nthreads 1"
                self._is_unfit(member, {"unfit": why})

    def _drop(self, member: ClusterWorker, why: str) -> None:
        """Put the batches of a lost worker among the results, as lost.

        Only the first may have begun, so it is marked as `killed`. `why` completes "worker ADDRESS …".
        """
        for number, batch in enumerate(member.flights.values()):
            result = BatchResult(killed=number == 0, failure=f"worker {member.address} {why}" * (number == 0))
            self._results.append((batch, result))
        self._seconds = max(_MIN_BATCH_S, self._seconds / 2) if member.flights else self._seconds
        self._client.cancel(list(member.flights), force=True)
        member.ready, member.flights, member.step = False, {}, None

    def _process(self, member: ClusterWorker, future: Future[Any]) -> None:
        """Handle a task that has ended: a step or a batch.

        Raises:
            MachineError: The scheduler has gone.
            ConfigError: The ledger cannot be used.
        """
        if self._members.get(member.address) is not member:
            return  # It was dropped.
        try:
            result = future.result(timeout=_RESULT_TIMEOUT_S)
        except (KilledWorker, CancelledError, TimeoutError):
            if self._client.status != "running":
                raise self._cluster.lost_error() from None
            del self._members[member.address]  # If it is still there, it begins again with a survey.
            self._drop(member, "died")
            return
        except Exception as error:
            result = f"{type(error).__name__}: {' '.join(str(error).split())}"
        if future is member.step:
            member.step = None
            self._take_step(member, {"unfit": result} if isinstance(result, str) else result)
            return
        if future not in member.flights:
            return
        if result is None:
            self._restart(member)
            return
        if isinstance(result, LedgerQuestion):
            self._answer(member, member.flights.pop(future), result)
            return
        if isinstance(result, str):
            failure = f"worker {member.address}: {result}"
            result = BatchResult(interrupted=len(member.flights[future]), failure=failure)
        elif result.failure:
            result.failure = f"worker {member.address}: {result.failure}"
        elif result.refused:
            result.refused = f"worker {member.address}: {result.refused}"
        else:
            self._adapt_batches(result)
        self._results.append((member.flights.pop(future), result))

    def _answer(self, member: ClusterWorker, batch: Batch, question: LedgerQuestion) -> None:
        """Continue a batch with the answer to its question.

        Raises:
            ConfigError: The ledger cannot be used.
        """
        assert self._ledger, "the run has models"
        answer = answer_question(question, self._ledger.of(self._bots[question.bot]))
        future = self._task(member, dask_worker.go_on, self._run, pickle.dumps(answer))
        member.flights[future] = batch

    def _restart(self, member: ClusterWorker) -> None:
        """Prepare a worker again if it no longer hosts the run. Its batches come back unplayed."""
        lost = member.flights.values()  # It may have been restarted in the middle of one.
        self._results += [(batch, BatchResult(interrupted=len(batch))) for batch in lost]
        self._client.cancel(list(member.flights), force=True)
        member.ready, member.flights, member.generation = False, {}, ""
        member.step = self._task(member, dask_worker.survey, self._demands)

    def _adapt_batches(self, result: BatchResult) -> None:
        """Update the games per second, which size the batches, and add 20 % to the time of a batch.

        It grows up to `_MAX_BATCH_S`; `_drop` halves it when a worker is lost.
        """
        rate = result.finished / max(result.seconds, 1e-3)
        self._rate = rate if not self._rate else (3 * self._rate + rate) / 4
        self._seconds = min(_MAX_BATCH_S, 1.2 * self._seconds)

    def _take_step(self, member: ClusterWorker, answer: Readiness) -> None:
        """Act on the answer to a survey or preparation: prepare the worker, or mark it as ready or unfit."""
        member.shipped = []
        if "missing" in answer:
            member.shipped = [self._part(each) for each in answer["missing"]]
            parts = dict(zip(answer["missing"], member.shipped, strict=True))
            member.generation = self._generation
            member.step = self._task(member, dask_worker.prepare, self._work, parts, self._generation)
        elif "notes" in answer:
            member.ready = True
            for unfit in [each for each in self._members.values() if each.failed]:
                self._tell(self._why_unfit(unfit))
            for note in answer["notes"]:
                self._tell(note, f"worker {member.address}: ")
        else:
            self._is_unfit(member, answer)

    def _part(self, digest: str) -> Future[Any]:
        """A task whose result is the part of bots with this hash. Dask carries it to the workers.

        If the machine that holds it is lost, Dask can compute it again.
        """
        return self._client.submit(
            bytes, self._parts[digest], key=f"arena-part-{self._run}-{digest}", pure=False
        )

    def _is_unfit(self, member: ClusterWorker, answer: Readiness) -> None:
        member.failed, member.ready = answer, False
        # If the bots fail on all workers, `_refuse` ends the run with these reasons, so they are not shown
        # before.
        if self.workers or "unfit" in answer:
            self._tell(self._why_unfit(member))

    def _why_unfit(self, member: ClusterWorker) -> str:
        answer = member.failed or {}
        reasons = [answer["unfit"]] if "unfit" in answer else []
        reasons += [f"bot {name}: build failed: {why}" for name, why in answer.get("unbuilt", {}).items()]
        reasons += [f"bot {name}: {why}" for name, why in answer.get("unstarted", {}).items()]
        return f"worker {member.address} gets no games: {'; '.join(reasons)}"

    def _tell(self, message: str, before: str = "") -> None:
        """Show a message, once."""
        if message not in self._told:
            self._told.add(message)
            self._cluster.notify(before + message)


def open_engine(cluster: Cluster, setup: Setup) -> ClusterEngine:
    """Open an engine with these bots; returns when a worker is ready (`OpenEngine`)."""
    engine = ClusterEngine(cluster, setup)
    try:
        engine.wait_until_ready()
    except BaseException:
        engine.close(at_once=True)
        raise
    return engine


def _on_all(faults: list[Mapping[str, str]]) -> dict[str, str]:
    """The bots that failed on all workers: by name, the reason on the first worker.

    `faults` has the bots that failed on each worker, with reasons.
    """
    return {name: why for name, why in faults[0].items() if all(name in each for each in faults)}
