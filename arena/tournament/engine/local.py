"""The local engine: worker processes of this machine, each of which plays games at a `ProgramTable`."""

import gc
import multiprocessing.util
import os
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.config.document import MachineError
from arena.models.calls import BudgetSpent, CassetteMiss, EndpointLost, EndpointRefused, Wait
from arena.programs.bot import Bot, BotError
from arena.programs.play.build import Tell, run_builds, tell_nothing
from arena.programs.play.capacity import processes_to_keep
from arena.programs.play.cores import Cores
from arena.programs.play.live import LiveGame
from arena.programs.play.player import Player
from arena.programs.play.remote import wait_for_bots
from arena.programs.play.table import ProgramTable, start_player
from arena.programs.sandbox.client import Shortage, SupervisorClient, SupervisorLost
from arena.programs.sandbox.linux import subreaper
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.referee.fixture import Fixture
from arena.tournament.engine.interface import BATCH, Batch, BatchResult, Setup, generations
from arena.tournament.models.access import ModelAccess
from arena.tournament.processes import AHEAD, WorkerCall, WorkerDied, Workers
from arena.tournament.runs.stored_game import pack
from arena.tournament.worker_process import End

if TYPE_CHECKING:
    from arena.tournament.engine.model_seats import ModelSeats

_BATCH_TIME_S = 0.2  # Then a worker returns its played games, for one commit.
_LONG_BATCH_S = 1.0
_REPORT_S = 1.0  # Games with a model may take long and cost money, so a run reports progress meanwhile.
_MAX_FAILURES = 3  # in a row, while bots start


class Local:
    """Plays batches in worker processes of this machine. A worker that dies is replaced.

    `jobs` is the number of workers; there are more for games with models (`ModelAccess.games`). Remote bots
    connect by the `gate` of a server; unless `waits` is False, the engine waits until all are connected. With
    remote bots no worker holds a batch in reserve: if one disconnects, the run can stop before it loses
    another game. With a `live` folder each worker shows its game in a file there
    (`arena.programs.play.live`). `slots` are the folder and the number of `Cores`, if engines of other
    processes share them. `generation` is the generation of the first processes, if this engine does not name
    it.

    Raises:
        BotError: Bots cannot be built, or do not start and are not `excused`.
        MachineError: Workers die again and again, or the machine lacks memory or processes.
    """

    def __init__(
        self,
        setup: Setup,
        jobs: int,
        sandbox: Sandbox = LIMITS_ONLY,
        tell: Tell = tell_nothing,
        gate: Path | None = None,
        live: Path | None = None,
        waits: bool = True,
        slots: tuple[Path, int] | None = None,
        generation: str = "",
    ):
        self._sandbox = sandbox
        self.workers, self.batch_time = jobs, _BATCH_TIME_S
        self._models = frozenset(name for name, bot in setup.bots.items() if bot.is_model)
        waiting = setup.models.games if setup.models and self._models else 0
        self._waiting_workers = range(jobs, jobs + waiting)
        self._waiting = 0  # games with a model in progress
        # If games take long, batches are smaller: unplayed games were dealt and sent for nothing.
        self.batch_size = BATCH
        self.deaths = 0  # of workers
        self._last_took = 0.0  # seconds, for the last batch
        self._running: dict[WorkerCall, Batch] = {}
        self._generations = generations(setup.run)
        self._generation = generation or next(self._generations)
        kept = processes_to_keep(jobs, setup.seats, sandbox.boxed)
        failed = run_builds(setup.bots.values(), sandbox, jobs, tell)
        bots = {name: bot for name, bot in setup.bots.items() if name not in failed}
        subreaper.become()
        remote = [name for name, bot in bots.items() if bot.is_remote]
        self._ahead = 1 if remote else AHEAD
        if gate and waits:
            wait_for_bots(gate, remote, tell)
        self._slots = tempfile.TemporaryDirectory(prefix="arena.cores-") if waiting else None
        slots = (Path(self._slots.name), jobs) if self._slots else slots
        bound = [*_cores_for(jobs), *([None] * len(self._waiting_workers))]
        table = bots, setup.reuse, sandbox, kept, bound, gate, live, setup.models, slots
        self._processes = Workers(len(bound), _open_table, *table)
        try:
            is_new = any(not bot.broken and name not in setup.tried for name, bot in bots.items())
            faults = self._greet(setup.start_limit, setup.tried) if is_new else {}
            unstarted = {name: why for name, why in faults.items() if name not in setup.excused}
            if failed or unstarted:
                unbuilt = {name: why for name, (why, _) in failed.items()}
                raise BotError(setup.bots, unbuilt, unstarted)
        except BaseException:
            self.close(at_once=True)
            raise

    def _greet(self, limit: float, tried: AbstractSet[str]) -> dict[str, str]:
        """Start each bot that is neither broken nor in `tried` once, in one of the workers.

        Returns the reasons, by name, why some do not start within `limit` seconds.

        Raises:
            MachineError: Workers die again and again, or the machine lacks memory or processes.
        """
        for attempt in range(1, _MAX_FAILURES + 1):
            try:
                generation, among = self._generation, range(self.workers)
                call = self._processes.submit(_greet_all, generation, limit, tried, among=among)
                faults: dict[str, str] = self._processes.result(call)
                return faults
            except Shortage as error:  # The worker has waited already, and no game has begun.
                raise MachineError(str(error)) from None
            except (WorkerDied, SupervisorLost) as error:
                self.close(at_once=True)
                if attempt == _MAX_FAILURES:
                    raise MachineError(str(error)) from None
        raise AssertionError

    @property
    def sandbox(self) -> str:
        return self._sandbox.title

    @property
    def has_room(self) -> bool:
        """Whether a worker is idle, or may hold a batch in reserve and has none."""
        # Long batches have no reserve: the pause between two is short in comparison, and a reserve would wait
        # for the end of a long batch while another worker is idle.
        ahead = 1 if self._last_took > _LONG_BATCH_S else self._ahead
        return len(self._running) - self._waiting < self.workers * ahead

    def waits(self, fixture: Fixture) -> bool:
        return bool(self._waiting_workers) and not self._models.isdisjoint(fixture.bots)

    @property
    def has_waiting_room(self) -> bool:
        return self._waiting < len(self._waiting_workers)

    @property
    def waits_for(self) -> list[Wait]:
        return [wait for call in self._running for wait in call.told.values() if wait]

    def submit(self, batch: Batch) -> None:
        waits = any(map(self.waits, batch))
        among = self._waiting_workers if waits else range(self.workers)
        self._waiting += waits
        call = self._processes.submit(play_batch, batch, self.batch_time, self._generation, among=among)
        self._running[call] = batch

    def end_processes(self, following: str = "") -> None:
        """End all processes of bots; `following` is the next generation, if this engine does not name it.

        Raises:
            MachineError: A worker cannot end its processes.
        """
        self._generation = following or next(self._generations)
        ending = {
            self._processes.submit(_begin_generation, self._generation, among=range(number, number + 1))
            for number in self._processes.started
        }
        while ending:
            for call in self._processes.take_completed():
                ending.remove(call)
                if isinstance(call.error, WorkerDied):
                    subreaper.kill_orphans(grace=1.0)  # its supervisor may still be killing its bots
                elif call.error:
                    raise MachineError(f"processes of bots cannot be ended: {call.error}")

    def take_completed(self) -> list[tuple[Batch, BatchResult]]:
        most_s = _REPORT_S if self._waiting else inf
        return [self._take(call) for call in self._processes.take_completed(most_s)]

    @property
    def question(self) -> Any:
        """The question of a waiting worker; None if no worker waits."""
        return next((call.question for call in self._running if call.question is not None), None)

    def answer(self, answer: Any) -> None:
        """Send the answer to the worker that asked (`question`); its game goes on."""
        call = next(call for call in self._running if call.question is not None)
        self._processes.answer(call, answer)

    def _take(self, call: WorkerCall) -> tuple[Batch, BatchResult]:
        batch, waited = self._running.pop(call), call.among == self._waiting_workers
        self._waiting -= waited
        return batch, self._result(call, batch, waited)

    def _result(self, call: WorkerCall, batch: Batch, waited: bool) -> BatchResult:
        if isinstance(call.error, WorkerDied):
            self.deaths += 1
            subreaper.kill_orphans(grace=1.0)  # its supervisor may still be killing its bots
            return BatchResult(interrupted=len(batch), failure=str(call.error))
        result: BatchResult = call.result()
        if not waited:
            self.batch_size = min(BATCH, 1 + 2 * result.finished)
            self._last_took = result.seconds
        return result

    def close(self, at_once: bool = False) -> None:
        """End the workers and all processes that they have started. `at_once` is as in `Engine.close`."""
        self._running.clear()
        self._processes.close(at_once)
        subreaper.kill_orphans(grace=1.0)
        if self._slots:
            self._slots.cleanup()


def _cores_for(jobs: int) -> list[int | None]:
    """The core to bind each worker to, if there are as many workers as usable cores; else None for each."""
    # A worker and its bots then stay on one core. They mostly take turns anyway, a wake-up on the same core
    # costs a third, and the bots of one game cannot slow down those of another. With fewer workers than
    # cores, the idle cores can serve bots that are asked at the same time.
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return [*cores] if jobs == len(cores) else [None] * jobs


_table: ProgramTable  # the table of this worker process


def _open_table(
    number: int,
    bots: Mapping[str, Bot],
    reuse: bool,
    sandbox: Sandbox,
    kept: int,
    cores: list[int | None],
    gate: Path | None,
    live: Path | None,
    models: ModelAccess | None,
    slots: tuple[Path, int] | None,
) -> End:
    """Set up the process of worker `number`. Returns a function that kills its bots, from any thread."""
    global _table
    core = cores[number]
    if core is not None:
        os.sched_setaffinity(0, {core})
    shown = LiveGame(live / f"{number}.json") if live else None
    player = start_player
    if models:
        from arena.tournament.engine.model_seats import open_models  # Only workers for models import it.

        player = partial(_start_player, open_models(models))
    own = Cores(*slots) if slots else None
    _table = ProgramTable(bots, reuse, sandbox, player, kept, gate, shown, own)
    # A closing terminal sends SIGHUP to the whole process group.
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, lambda *_: threading.Thread(target=_leave).start())
    multiprocessing.util.Finalize(None, _table.close, exitpriority=10)
    gc.freeze()  # The modules stay, so garbage collection need not go through them.
    return _table.kill


def _start_player(seats: "ModelSeats", bot: Bot, supervisor: SupervisorClient) -> Player:
    return seats.player(bot, supervisor) if bot.is_model else start_player(bot, supervisor)


def _leave() -> None:
    """Kill the bots and exit without a traceback: the terminal was closed, or the arena should stop."""
    _table.kill()
    os._exit(1)


def _begin_generation(generation: str) -> None:
    _table.begin_generation(generation)


def _greet_all(generation: str, limit: float, tried: AbstractSet[str]) -> dict[str, str]:
    _table.begin_generation(generation)
    return _table.greet(limit, tried)


def play_batch(fixtures: list[Fixture], seconds: float = _BATCH_TIME_S, generation: str = "") -> BatchResult:
    """Play the games of a batch in order, until one fails or `seconds` have passed.

    The coordinator requeues the unplayed games. `generation` is the generation of the processes.
    """
    # As after a `kill -9`, an interrupted game is played again with the same deal, when no process that has
    # seen the deal is left. It is not void, so its seed group is not played again, and a bot that causes the
    # interruption gets the same cards.
    _table.begin_generation(generation)
    done, began = BatchResult(), time.monotonic()
    gc.disable()  # A full collection takes 20 ms, during which a clock would run.
    records = []  # These are packed at the end: in between, packing would evict the CPU caches.
    for fixture in fixtures:
        try:
            records.append(_table.play(fixture))
        except BudgetSpent as error:
            done.stop, done.interrupted = str(error), 1
            break
        except (EndpointRefused, CassetteMiss) as error:  # Each game would fail the same way.
            done.refused, done.interrupted = str(error), 1
            break
        except (SupervisorLost, EndpointLost) as error:
            done.server_failed, done.interrupted = isinstance(error, EndpointLost), 1
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {error}"
            break
        except Exception:
            done.void = fixture
            done.failure = f"game {fixture.id} of {' '.join(fixture.bots)}: {traceback.format_exc()}"
        done.finished += 1
        if done.void or time.monotonic() > began + seconds:
            break
    done.games += map(pack, records)
    gc.enable()
    done.seconds = time.monotonic() - began
    return done
