"""The functions that run on a Dask worker: they lay out, build and start the bots, and play batches.

Theory of operation
-------------------
Dask runs these functions in a thread of its worker process. Games are not played there: the referee measures
time, and would share the interpreter with the threads of Dask. Instead, a worker has a local engine with one
process for each run that it *hosts*. If a coordinator is started again, that is another run here. The process
and its bots end if the Dask worker is killed in any way, as they do if a coordinator is killed. A hosted run
whose coordinator has died is closed when another one comes for the same run file, or when it has been idle
for a while. It is never continued by another coordinator: games may have been played whose results are lost,
and no bot may play the same deal twice.

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

IDLE_S = 20.0  # after which a hosted run is closed: its coordinator is gone, or has nothing to play


class Demands(TypedDict):
    """What a coordinator demands of a worker, as JSON values, which every version of the arena can read.

    `run` names what it hosts for this coordinator, `file` the run file (`Setup.run`).
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
    """What a worker answers to a survey or a preparation. Which keys it has says how that went.

    `missing`: it can be prepared, and lacks parts with these hashes, maybe none. `notes`: it is ready, with
    messages for the user. `unbuilt` and `unstarted`: it cannot play as these bots fail, with the reason by
    name. `unfit`: why it cannot play otherwise.
    """

    unfit: str
    unbuilt: Mapping[str, str]
    unstarted: Mapping[str, str]
    missing: list[str]
    notes: list[str]


@dataclass
class HostedWork:
    """All that a worker needs to host a run. `setup` has no bots: they come as parcels."""

    demands: Demands
    limits: Limits
    setup: Setup
    parcels: Mapping[str, Parcel]


@dataclass
class _HostedRun:
    """The local engine of a run, the name of its run file, and the timer that closes it."""

    engine: Local
    file: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    timer: threading.Timer | None = None
    deaths: int = 0  # of workers of the engine, before it began the batch


_hosted: dict[str, _HostedRun] = {}
_keys: dict[str, Secret] = {}  # that this process has taken out of its environment, by their variables


def survey(demands: Demands) -> Readiness:
    """Tell which of the demanded parts this worker lacks (`missing`), or why it is `unfit`.

    What it hosts for an earlier coordinator of the same run file is closed: its bots have seen deals.
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
    """Host a run: lay out the bots, build them, and start each once. Returns `notes`, or why it cannot play.

    `pickled` is a `HostedWork`, `parts` the missing parts of bots by their hashes, `generation` that of the
    processes.
    """
    work: HostedWork = pickle.loads(pickled)
    run = work.demands["run"]
    multiprocessing.current_process().daemon = False  # else the worker of a nanny may not start processes
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
    """The setup with the keys of models from this environment. ConfigError: one is not set, or exposed."""
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
    """The reasons, by bot, with the folders that the bots have on the coordinator: records may quote them."""
    return {
        name: why.replace(str(bots[name].folder), str(work.parcels[name].bot.folder))
        for name, why in reasons.items()
    }


Played = BatchResult | LedgerQuestion | None
"""The result of a batch, or the question of one of its games, after which `go_on` goes on with the batch.

None: this process does not host the run any more, because it was restarted, or was idle for long.
"""


def play(name: str, pickled: bytes, seconds: float) -> Played:
    """Play a pickled batch of the run with this name; after `seconds` no game of it begins any more.

    Returns the result or a question; None if this worker does not host the run (`Played`).
    """

    def begin(hosted: _HostedRun) -> None:
        hosted.engine.batch_time, hosted.deaths = seconds, hosted.engine.deaths
        hosted.engine.submit(pickle.loads(pickled))

    return _play(name, begin)


def go_on(name: str, pickled: bytes) -> Played:
    """Go on with a batch, one of whose games waits for this `LedgerAnswer`, pickled. Returns as `play`."""
    return _play(name, lambda hosted: hosted.engine.answer(pickle.loads(pickled)))


def end_processes(name: str, following: str) -> Readiness:
    """End all processes of bots of a run; `following` is the generation of those that start later.

    Returns `notes` when none is left, or why this worker is `unfit`.
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
    """Have a hosted run closed after `IDLE_S` seconds, unless it plays before."""
    hosted.timer = threading.Timer(IDLE_S, _close, [name])
    hosted.timer.daemon = True
    hosted.timer.start()


def _close(name: str, at_once: bool = False) -> None:
    """Close a hosted run. With `at_once`, a batch that is being played is lost."""
    if hosted := _hosted.get(name):
        if hosted.timer:
            hosted.timer.cancel()
        with nullcontext() if at_once else hosted.lock:
            _hosted.pop(name, None)
            # A game that waits for an answer would wait for ever.
            hosted.engine.close(at_once or hosted.engine.question is not None)


def dismiss(name: str) -> None:
    """Close a hosted run at once, without waiting for it: Dask calls this in the thread of its event loop."""
    threading.Thread(target=_close, args=(name, True), daemon=True).start()
