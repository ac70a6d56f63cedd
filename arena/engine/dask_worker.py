"""What runs on a worker of a Dask cluster: it lays out the bots, builds and starts them, and plays batches.

Theory of operation
-------------------
Dask runs these functions in a thread of its worker process. Games are not played there: the referee measures
time, and would share the interpreter with the threads of Dask. A worker has instead, for each session (a
coordinator that was started), a local engine with one process. That process and its bots end if the Dask
worker is killed in any way, as they do if a coordinator is killed. A session whose coordinator has died is
closed when it has been idle for a while. A session never continues one of another coordinator: that may have
played games whose results are lost, and no bot may play the same deal twice.
"""

import multiprocessing
import pickle
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

import arena
from arena import games
from arena.core.bot import Bot
from arena.core.config import ConfigError, MachineError
from arena.core.limits import Limits
from arena.engine.interface import BatchResult, BrokenBots, Setup
from arena.engine.local import Local
from arena.engine.parcel import Parcel, cache_folder, lay_out, missing, unpack
from arena.play import meter
from arena.sandbox.policy import Sandbox, Tier, choose

IDLE_S = 20.0  # after which a session is closed: its coordinator is gone, or has nothing to play


class Demands(TypedDict):
    """What a coordinator demands of a worker, as plain values, which every version of the arena can read."""

    arena: str
    game: str
    version: int
    sandbox: str
    require: Tier
    parts: list[str]


class Readiness(TypedDict, total=False):
    """Whether a worker can play: why it is `unfit`, bots that fail on it, parts that it lacks, and notes."""

    unfit: str
    unbuilt: Mapping[str, str]
    unstarted: Mapping[str, str]
    missing: list[str]
    notes: list[str]


@dataclass
class Work:
    """All that a session plays with. `setup` has no bots: they come as parcels."""

    session: str
    demands: Demands
    limits: Limits
    setup: Setup
    parcels: Mapping[str, Parcel]


@dataclass
class Session:
    """The local engine of a session, and the timer that closes it."""

    engine: Local
    lock: threading.Lock = field(default_factory=threading.Lock)
    timer: threading.Timer | None = None


_sessions: dict[str, Session] = {}


def survey(demands: Demands) -> Readiness:
    """Whether this worker could play, before anything is shipped to it."""
    if demands["arena"] != arena.__version__:
        return {"unfit": f"it has arena {arena.__version__}, and the coordinator {demands['arena']}"}
    try:
        game = games.find(demands["game"])
        if not game or game.version != demands["version"]:
            has = f"version {game.version}" if game else "no such game"
            return {"unfit": f"it has {has} of {demands['game']}, the coordinator {demands['version']}"}
        tier(demands, Limits())
        return {"missing": missing(demands["parts"], cache_folder())}
    except (ConfigError, MachineError, OSError) as error:
        return {"unfit": str(error)}


def tier(demands: Demands, limits: Limits) -> Sandbox:
    """ConfigError: this worker does not offer the tier that the plan requires."""
    return choose(limits, demands["sandbox"], demands["require"])


def prepare(pickled: bytes, parts: Mapping[str, bytes]) -> Readiness:
    """Open a session: lay out the bots, build them, and start each once."""
    work: Work = pickle.loads(pickled)
    multiprocessing.current_process().daemon = False  # else the worker of a nanny may not start processes
    try:
        cache = cache_folder()
        unpack(parts, cache)
        if lacking := missing(work.demands["parts"], cache):
            return {"unfit": f"{cache}: has lost {len(lacking)} parts of bots"}
        sandbox = tier(work.demands, work.limits)
        bots, unbuilt = {}, {}
        for name, parcel in work.parcels.items():
            try:
                bots[name] = lay_out(parcel, cache)
            except ConfigError as error:
                unbuilt[name] = str(error)
        if unbuilt:
            return {"unstarted": unbuilt}
        close(work.session)
        engine = Local(work.setup._replace(bots=bots), 1, sandbox)
    except BrokenBots as error:
        return {
            "unbuilt": as_there(error.unbuilt, work, bots),
            "unstarted": as_there(error.unstarted, work, bots),
        }
    except (ConfigError, MachineError, OSError) as error:
        return {"unfit": str(error)}
    _sessions[work.session] = session = Session(engine)
    close_when_idle(work.session, session)
    players = bots.values()
    notes = [sandbox.summary, sandbox.warning(players), sandbox.root_note(players), meter.warning()]
    return {"notes": [note for note in notes if note]}


def as_there(reasons: Mapping[str, str], work: Work, bots: Mapping[str, Bot]) -> dict[str, str]:
    """The reasons with the folders of bots as on the coordinator: they may come into records."""
    return {
        name: why.replace(str(bots[name].folder), str(work.parcels[name].bot.folder))
        for name, why in reasons.items()
    }


def play(name: str, pickled: bytes, seconds: float) -> BatchResult | None:
    """Play a batch; None: this process has no such session, so it was restarted or was idle for long."""
    session = _sessions.get(name)
    if session is None:
        return None
    with session.lock:
        if name not in _sessions:
            return None
        if session.timer:
            session.timer.cancel()
        session.engine.batch_time, deaths = seconds, session.engine.deaths
        session.engine.submit(pickle.loads(pickled))
        while not (ended := session.engine.completed()):
            pass
        close_when_idle(name, session)
    result = ended[0][1]
    result.killed = session.engine.deaths > deaths
    return result


def close_when_idle(name: str, session: Session) -> None:
    session.timer = threading.Timer(IDLE_S, close, [name])
    session.timer.daemon = True
    session.timer.start()


def close(name: str, at_once: bool = False) -> None:
    """Close a session. With `at_once`, a batch that is being played is lost."""
    session = _sessions.get(name)
    if session is None:
        return
    if session.timer:
        session.timer.cancel()
    if not at_once:
        session.lock.acquire()
    try:
        _sessions.pop(name, None)
        session.engine.close(at_once)
    finally:
        if not at_once:
            session.lock.release()


def dismiss(name: str) -> None:
    """Close a session from outside the thread of tasks, without waiting for it."""
    threading.Thread(target=close, args=(name, True), daemon=True).start()
