"""The functions that run on a Dask worker: they lay out, build and start bots, and play batches.

Theory of operation
-------------------
Dask runs these functions in a thread of its worker process. Games are not played there: the referee measures
time, and would share the interpreter with the threads of Dask. Instead, a worker has a local engine with one
process for each run that it *hosts*. A restarted coordinator counts as another run. The process and its bots
end if the Dask worker is killed in any way. If a coordinator dies, its hosted run is closed when another one
connects for the same run file, or after an idle time. No other coordinator continues it: games may have been
played whose results are lost, and no bot may play the same deal twice.

If a game with a language model needs the ledger, the task that plays it ends with a question, and the game
waits for the task that brings the answer (`arena/tournament/engine/asked_ledger.py`).
"""

import multiprocessing
import pickle
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict

import arena
from arena import games
from arena.config.document import ConfigError, MachineError
from arena.models.secret import Secret
from arena.programs.bot import Bot, BotError
from arena.programs.files import cache_folder
from arena.programs.machine import usable_cores
from arena.programs.play import meter
from arena.programs.sandbox.policy import Sandbox, Tier, choose
from arena.referee.conditions import Limits
from arena.tournament.engine.asked_ledger import LedgerQuestion
from arena.tournament.engine.interface import BatchResult, Setup
from arena.tournament.engine.local import Local
from arena.tournament.engine.parcel import Parcel, lay_out, missing, unpack
from arena.tournament.models.access import refuse_exposed_keys, take_keys

IDLE_S = 20.0  # Then a hosted run is closed: its coordinator is gone, or has nothing to play.


class Demands(TypedDict):
    """The demands of a coordinator on a worker, as JSON values that every version of the arena can read.

    `run` names the hosted run of this coordinator, `file` the run file (`Setup.run`).
    """

    run: str
    file: str
    arena: str
    game: str
    version: int
    sandbox: str
    require: Tier
    parts: list[str]


class Readiness(TypedDict, total=False):
    """The answer of a worker to a survey or a preparation. Its keys show the outcome.

    `missing`: the worker can be prepared, and lacks the parts with these hashes, if any. `notes`: it is
    ready, with messages for the user. `unbuilt` and `unstarted`: it cannot play because these bots fail, with
    the reason by name. `unfit`: another reason why it cannot play.
    """

    unfit: str
    unbuilt: Mapping[str, str]
    unstarted: Mapping[str, str]
    missing: list[str]
    notes: list[str]


@dataclass
class HostedWork:
    """Everything a worker needs to host a run. `setup` has no bots: they arrive as parcels."""

    demands: Demands
    limits: Limits
    setup: Setup
    parcels: Mapping[str, Parcel]


@dataclass
class _HostedRun:
    """The local engine of a run, the name of the run file, and the timer that closes the engine."""

    engine: Local
    file: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    timer: threading.Timer | None = None
    deaths: int = 0  # of the engine's workers before it began the batch


_hosted: dict[str, _HostedRun] = {}
_keys: dict[str, Secret] = {}  # taken out of the environment of this process, by variable


def survey(demands: Demands) -> Readiness:
    """Report which of the demanded parts this worker lacks (`missing`), or why it is `unfit`.

    A hosted run of an earlier coordinator of the same run file is closed, because its bots have seen deals.
    """
    if demands["arena"] != arena.__version__:
        return {"unfit": f"it has arena {arena.__version__}, and the coordinator {demands['arena']}"}
    for name, hosted in list(_hosted.items()):
        if hosted.file == demands["file"] and name != demands["run"]:
            _close(name, at_once=True)
    try:
        game = games.find(demands["game"])
        if not game:
            return {"unfit": f"the game {demands['game']} is not installed"}
        if game.version != demands["version"]:
            theirs = f"and the coordinator version {demands['version']}"
            return {"unfit": f"it has version {game.version} of {game.name}, {theirs}"}
        choose(Limits(), demands["sandbox"], demands["require"])
        return {"missing": missing(demands["parts"], cache_folder())}
    except (ConfigError, MachineError, OSError) as error:
        return {"unfit": str(error)}


def prepare(pickled: bytes, parts: Mapping[str, bytes], generation: str) -> Readiness:
    """Host a run: lay out the bots, build them, and start each once.

    Args:
        pickled: A `HostedWork`.
        parts: The missing parts of bots, by hash.
        generation: The name of the generation of the processes.

    Returns:
        `notes`, or the reasons why this worker cannot play.
    """
    work: HostedWork = pickle.loads(pickled)
    run = work.demands["run"]
    # Otherwise the worker of a nanny may not start processes.
    multiprocessing.current_process().daemon = False
    try:
        cache = cache_folder()
        unpack(parts, cache)
        if lacking := missing(work.demands["parts"], cache):
            return {"unfit": f"{cache}: has lost {len(lacking)} parts of bots"}
        sandbox = choose(work.limits, work.demands["sandbox"], work.demands["require"])
        bots, unbuilt = {}, {}
        for name, parcel in work.parcels.items():
            try:
                bots[name] = lay_out(parcel, cache)
            except ConfigError as error:
                unbuilt[name] = str(error)
        if unbuilt:
            return {"unstarted": unbuilt}
        setup = _with_keys(work.setup._replace(bots=bots, tried=frozenset()), sandbox)
        _close(run)
        slots = _slots() if setup.models else None
        engine = Local(setup, 1, sandbox, slots=slots, generation=generation)
    except BotError as error:
        unbuilt, unstarted = (_as_there(why, work, bots) for why in (error.unbuilt, error.unstarted))
        return {"unbuilt": unbuilt, "unstarted": unstarted}
    except (ConfigError, MachineError, OSError) as error:
        return {"unfit": str(error)}
    _hosted[run] = hosted = _HostedRun(engine, work.demands["file"])
    _close_when_idle(run, hosted)
    players = bots.values()
    notes = [sandbox.summary, sandbox.warning(players), sandbox.root_note(players), meter.warning()]
    return {"notes": [note for note in notes if note]}


def _with_keys(setup: Setup, sandbox: Sandbox) -> Setup:
    """The setup with the keys of models from this environment.

    Raises:
        ConfigError: A key is not set, or bots could read it.
    """
    if not setup.models or setup.models.cassette:
        return setup
    wanted = {bot.model.key_env for bot in setup.bots.values() if bot.model and bot.model.key_env}
    refuse_exposed_keys(sandbox, wanted)
    _keys.update(take_keys(sorted(wanted - _keys.keys())))
    keys = {name: key for name, key in _keys.items() if name in wanted}
    return setup._replace(models=replace(setup.models, keys=keys))


def _slots() -> tuple[Path, int]:
    """The folder and the number of the `Cores` that all Dask workers on this machine share.

    There may be more workers that play games of models than the machine has cores.
    """
    folder = cache_folder() / "cores"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder, usable_cores()


def _as_there(reasons: Mapping[str, str], work: HostedWork, bots: Mapping[str, Bot]) -> dict[str, str]:
    """The reasons, by bot, with the bots' folders on the coordinator, because records may quote them."""
    return {
        name: why.replace(str(bots[name].folder), str(work.parcels[name].bot.folder))
        for name, why in reasons.items()
    }


Played = BatchResult | LedgerQuestion | None
"""The result of a batch, or the question of one of its games; then `go_on` continues the batch.

None: this process no longer hosts the run, because it was restarted or idle for too long.
"""


def play(name: str, pickled: bytes, seconds: float) -> Played:
    """Play a pickled batch of the run with this name; after `seconds` no other game of it begins.

    Returns the result or a question; None if this worker does not host the run (`Played`).
    """

    def begin(hosted: _HostedRun) -> None:
        hosted.engine.batch_time, hosted.deaths = seconds, hosted.engine.deaths
        hosted.engine.submit(pickle.loads(pickled))

    return _play(name, begin)


def go_on(name: str, pickled: bytes) -> Played:
    """Continue a batch with the pickled `LedgerAnswer` for which a game of it waits; returns as `play`."""
    return _play(name, lambda hosted: hosted.engine.answer(pickle.loads(pickled)))


def end_processes(name: str, following: str) -> Readiness:
    """End all processes of a run's bots; `following` is the generation of later ones.

    Returns `notes` when none is left, or `unfit` with the reason.
    """
    if hosted := _hosted.get(name):
        with hosted.lock:
            if name in _hosted:
                if hosted.timer:
                    hosted.timer.cancel()
                try:
                    hosted.engine.end_processes(following)
                except MachineError as error:
                    return {"unfit": str(error)}
                finally:
                    _close_when_idle(name, hosted)
    return {"notes": []}


def _play(name: str, begin: Callable[[_HostedRun], None]) -> Played:
    hosted = _hosted.get(name)
    if hosted is None:
        return None
    with hosted.lock:
        if name not in _hosted:
            return None
        if hosted.timer:
            hosted.timer.cancel()
        begin(hosted)
        question: LedgerQuestion | None = None
        while question is None and not (ended := hosted.engine.take_completed()):
            question = hosted.engine.question
        _close_when_idle(name, hosted)
    if question is not None:
        return question
    result = ended[0][1]
    result.killed = hosted.engine.deaths > hosted.deaths
    return result


def _close_when_idle(name: str, hosted: _HostedRun) -> None:
    """Close a hosted run after `IDLE_S` seconds, unless it plays before."""
    hosted.timer = threading.Timer(IDLE_S, _close, [name])
    hosted.timer.daemon = True
    hosted.timer.start()


def _close(name: str, at_once: bool = False) -> None:
    """Close a hosted run. With `at_once`, a batch in progress is lost."""
    if hosted := _hosted.get(name):
        if hosted.timer:
            hosted.timer.cancel()
        with nullcontext() if at_once else hosted.lock:
            _hosted.pop(name, None)
            # A game that waits for an answer would wait forever.
            hosted.engine.close(at_once or hosted.engine.question is not None)


def dismiss(name: str) -> None:
    """Close a hosted run at once, without waiting for it: Dask calls this in the thread of its event loop."""
    threading.Thread(target=_close, args=(name, True), daemon=True).start()
