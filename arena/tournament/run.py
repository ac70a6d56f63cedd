"""Plays the games of a plan that are due, on all cores, and stores each game when it ends."""

import itertools
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena import __version__
from arena.config.document import ConfigError
from arena.programs.bot import BotError
from arena.programs.play.build import run_builds
from arena.programs.sandbox.policy import Sandbox
from arena.referee.conditions import DEFAULTS
from arena.referee.deals import commitment, deal, is_guessable
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.batches import closed_afterwards, no_stop, play
from arena.tournament.broken import sort_out
from arena.tournament.engine.interface import Engine, OpenEngine, Setup
from arena.tournament.formats import find, planned
from arena.tournament.formats.plan import WAIT, Due, Plan
from arena.tournament.runs.facts import Author, RunFacts, Session
from arena.tournament.runs.store import Store
from arena.tournament.work_queue import VoidRun, WorkQueue


@dataclass
class Progress:
    """The progress of a run after a commit: the games that were `played`, of `total` games if that is known.

    `fresh` games, with `faults`, were played since the program was started. `plan` has the current bots. If
    the run waits and plays no games, `waits` says for what.
    """

    plan: Plan
    total: int | None
    played: Mapping[str, Summary]
    fresh: int = 0
    faults: int = 0
    waits: str = ""


OnProgress = Callable[[Progress], None]
Notify = Callable[[str], None]
"""Shows a message to the user."""

_SECRET_BYTES = 32


def prepare(plan: Plan, store: Store) -> Plan:
    """The plan with the secret of the run and its exclusions. ConfigError: it is not the plan of the run."""
    excluded = plan.bots.keys() & store.facts.excluded.keys()
    return replace(_with_secret(plan, store), excluded=frozenset(excluded))


def _with_secret(plan: Plan, store: Store) -> Plan:
    """The plan with its seed, or with the secret of the run. ConfigError: it is not the plan of the run.

    A run that has games keeps its secret. A run without games gets a new one, unless the plan is the same.
    """
    facts, secret = store.facts, store.facts.secret
    if secret is None and store.count():
        raise ConfigError(f"{store.path}: has single games; use --out for a new run")
    if secret is not None and plan.seed in (None, secret):
        same = replace(plan, seed=secret)
        if store.count():
            began = facts.plan or {}
            _refuse_skipped(store, began, plan)
            refuse_changes(store, began, _identity(same, facts))
            return same
        if facts.plan == _identity(same, facts) and not is_guessable(secret):
            return same
    elif secret is not None and store.count():
        raise ConfigError(f"{store.path}: the run began with another seed; use --out for a new run")
    return plan if plan.seed is not None else replace(plan, seed=secrets.token_hex(_SECRET_BYTES))


def _identity(plan: Plan, facts: RunFacts) -> dict[str, Any]:
    """The identity of the plan that the run stores. With a focus, a run of any format keeps its format.

    A bot that has begun the run and is skipped now stays in it: its games count.
    """
    began, focus, now = facts.plan, getattr(plan.config, "focus", None), plan.identity()
    if began and plan.skipped:
        now["bots"] |= {name: made for name, made in began["bots"].items() if name in plan.skipped}
    return {**began, **now, "format": began["format"]} if focus and began else now


def _commit(plan: Plan, store: Store, sandbox: str) -> str:
    """Store plan and secret. Return the line to publish before the first game, "" if the seed is public.

    It also stores which version of the arena plays, in which sandbox, and who wrote the bots.
    A run commits itself once, to the plan and the bots with which it begins.
    """
    facts, now = store.facts, _identity(plan, store.facts)
    session = Session(arena=__version__, sandbox=sandbox)
    if not store.count() and facts.plan != now:
        published = None if plan.is_open else commitment(now, plan.secret)
        facts = replace(
            facts, secret=plan.secret, open_seed=plan.is_open, committed=now, commitment=published
        )
    store.write_facts(
        replace(
            facts,
            plan=now,
            rating=plan.run.rating,
            skipped=dict(plan.skipped),
            sessions=tuple(dict.fromkeys((*facts.sessions, session))),
            authors=facts.authors
            | {name: Author(author=bot.author, version=bot.version) for name, bot in plan.bots.items()},
        )
    )
    return f"commitment: {facts.commitment}" if facts.commitment else ""


def unbuilt(plan: Plan, sandbox: Sandbox) -> dict[str, str]:
    """Build the bots. Returns why some cannot be built. ConfigError: the plan refuses them."""
    failed = run_builds(plan.bots.values(), sandbox)
    if failed and plan.run.broken == "refuse":
        raise BotError(plan.bots, {name: why for name, (why, _) in failed.items()}, {})
    return {name: f"build failed: {why}" for name, (why, _) in failed.items()}


def _opened(
    open_engine: OpenEngine, plan: Plan, known: Collection[str], notify: Notify
) -> tuple[Plan, Engine]:
    """An engine that has built and started every bot, and the plan in which broken bots are marked.

    ConfigError: the plan refuses bots that fail. LeaveOut: it skips them.
    """
    notify(f"starting {sum(not bot.broken for bot in plan.bots.values())} bots")
    setup = Setup(plan.bots, plan.run.reuse, plan.conditions.clock.start, seats=max(plan.seats))
    try:
        return plan, open_engine(setup)
    except BotError as error:
        broken = _accepted(error, plan, known, notify)
    if broken:
        plan = sort_out(plan, broken, known, notify)
    return plan, open_engine(setup._replace(bots=plan.bots, excused=frozenset(plan.bots)))


def _accepted(error: BotError, plan: Plan, known: Collection[str], notify: Notify) -> dict[str, str]:
    """Why bots are broken, if the plan accepts that.

    BotError: the plan refuses them, and the run has no games or is a ladder. In a run that
    continues, bots that do not start lose their games: a bot must not be able to end a tournament.
    """
    unbuilt = {name: f"build failed: {why}" for name, why in error.unbuilt.items()}
    if plan.run.broken != "refuse":
        return unbuilt | dict(error.unstarted)
    if unbuilt and not plan.format.folder:
        raise BotError(plan.bots, error.unbuilt, {})
    unstarted = BotError(plan.bots, {}, unbuilt | dict(error.unstarted))
    if plan.format.folder or not known:
        raise unstarted
    for message in unstarted.args:
        notify(f"{message}; the run continues, and it loses the games for which it does not start")
    return {}


def _refuse_skipped(store: Store, began: Mapping[str, Any], plan: Plan) -> None:
    """ConfigError: a bot that began the run is skipped now, but the format has no games without it."""
    for name, why in plan.skipped.items():
        if name in began["bots"] and "bots" not in plan.format.extendable:
            message = f"the run began with bot {name}, and a {plan.format.name} cannot go on without it"
            raise ConfigError(f"{store.path}: {message}: {why}")


def refuse_changes(store: Store, began: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """ConfigError: the plan has changed, other than its format allows. The run would mix two tournaments."""
    advice, form = "use --out for a new run", find(began["format"])
    if began["game"] == now["game"] and began["version"] != now["version"]:  # the options may differ with it
        versions = f"version {began['version']} of {now['game']}, and this arena has version {now['version']}"
        raise ConfigError(f"{store.path}: the run began with {versions}; {advice}")
    for name in began["bots"]:
        if name not in now["bots"] and not form.folder:
            raise ConfigError(f"{store.path}: the run began with bot {name}; {advice}")
    for name, fingerprint in now["bots"].items():
        if "bots" not in form.extendable and fingerprint != began["bots"].get(name):
            which = f"another version of bot {name}" if name in began["bots"] else f"no bot {name}"
            message = f"the run began with {which}, and a {began['format']} takes no new ones"
            raise ConfigError(f"{store.path}: {message}; {advice}")
    others = {key for other in planned().values() for key in other.keys} - form.keys
    compared = (now.keys() | began.keys()) - others - {"bots"}  # old runs have keys of other formats, too
    for key in sorted(compared):
        # A key may be left out while it has its default.
        default = DEFAULTS.get(key, getattr(form.config, key, None) or None)
        before, value = began.get(key, default), now.get(key, default)
        if before != value and not (key in form.extendable and _has_grown(before, value)):
            raise ConfigError(f"{store.path}: the run began with {key}: {before}, not {value}; {advice}")


def _has_grown(before: Any, value: Any) -> bool:
    if before is None or value is None:
        return False
    return set(before) < set(value) if isinstance(before, list) else before < value


def _announced(due: Due, plan: Plan, played: Mapping[str, Summary], notify: Notify) -> Due:
    """The games that are due; each new notice of the format is shown before the next of them."""
    shown: set[str] = set()
    for fixture in itertools.chain([WAIT], due):
        yield fixture
        if fixture is WAIT:  # what was due has been played
            new = [line for line in plan.format.notices(plan, played) if line not in shown]
            for line in new:
                notify(line)
            shown.update(new)


def run(
    plan: Plan,
    store: Store,
    open_engine: OpenEngine,
    on_progress: OnProgress,
    notify: Notify,
    should_stop: Callable[[], bool] = no_stop,
) -> Progress:
    """Build the bots, start each once, and play everything that is due.

    `notify` gets the commitment before the first game. When `should_stop` returns True, no more games begin.
    ConfigError: a bot cannot be built or does not start, or the run is closed, because its secret was shown.
    LeaveOut: some bots are broken, and the plan skips them. After KeyboardInterrupt the store has all
    finished games. VoidRun: the arena has failed repeatedly, or games that kill their workers are missing.
    """
    played = store.played()
    known = store.facts.bots if played else ()
    progress = Progress(plan, schedule.size(plan, played), played)
    due = _announced(schedule.due(plan, played), plan, played, notify)
    first = next(filter(None, due), None)  # a `WAIT` before the first game has nothing to wait for
    if not first:
        store.write_facts(replace(store.facts, rating=plan.run.rating, skipped=dict(plan.skipped)))
        return progress
    if store.facts.revealed:
        raise ConfigError(f"{store.path}: the run is closed, its secret was shown; use --out for a new run")
    plan, engine = _opened(open_engine, plan, known, notify)
    with closed_afterwards(engine):
        if line := _commit(plan, store, engine.sandbox):
            notify(line)
        fixtures = itertools.chain([first], due)
        queue = WorkQueue(
            fixtures, engine.workers, lambda each, attempt: deal(each, plan.secret, attempt), store.attempts()
        )
        for done in play(engine, queue, should_stop):
            games = [game for each in done for game in each.games if queue.counts(game.columns.id)]
            store.append(games)  # one commit for the games of all workers
            for game in games:
                progress.fresh += 1
                progress.faults += game.columns.faults
            for each in done:
                if each.failure and not each.void:
                    notify(f"interrupted, to be played again: {each.failure}")
                if each.void and queue.counts(each.void.id):
                    lost = queue.void(each.void, schedule.group_of(plan, played, each.void), played)
                    store.annul(each.void, each.failure, lost)
                    queue.check_voids(each.void)
            on_progress(progress)
        if queue.set_aside:
            raise VoidRun(queue.missing())
    return progress
