"""Plays the games of a plan that are due, on all cores, and stores each game when it ends."""

import itertools
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from arena import __version__
from arena.config.document import ConfigError
from arena.programs.bot import BotError
from arena.programs.play.build import run_builds
from arena.programs.sandbox.policy import Sandbox
from arena.referee.deals import commitment, deal, is_guessable
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.batches import closing_engine, no_stop, play
from arena.tournament.broken import sort_out
from arena.tournament.engine.interface import Engine, OpenEngine, Setup
from arena.tournament.formats.changes import refused_change
from arena.tournament.formats.plan import SETTINGS, WAIT, Due, Plan
from arena.tournament.models.access import ModelAccess
from arena.tournament.runs.facts import Author, RunFacts, Session
from arena.tournament.runs.store import Store
from arena.tournament.waits import describe_waits
from arena.tournament.work_queue import VoidRun, WorkQueue


@dataclass
class Progress:
    """The progress of a run after a commit: the games `played` so far, by id, and the `total` number.

    `total` is None if it is unknown. `fresh` counts the games that were played since the program was started,
    `faults` the faults in them. `plan` has the current bots. The texts may be "": `waits` is the reason why
    the run or some of its games wait, `spent` the cost of models so far, `stopped` and `refused` the reasons
    why the run stops before all games are played (`BatchResult`).
    """

    plan: Plan
    total: int | None
    played: Mapping[str, Summary]
    fresh: int = 0
    faults: int = 0
    waits: str = ""
    spent: str = ""
    stopped: str = ""
    refused: str = ""


OnProgress = Callable[[Progress], None]
Notify = Callable[[str], None]  # This shows a message to the user.

_SECRET_BYTES = 32


def prepare(plan: Plan, store: Store) -> Plan:
    """The plan with the secret of the run as its seed, and with the exclusions of the run.

    A run that has games keeps its secret. A run without games gets the seed of the plan. If the plan has
    none, the run gets the secret that was drawn for the same plan before, or else a new one.

    Raises:
        ConfigError: The run has games, and cannot continue with this plan.
    """
    facts, secret, has_games = store.facts, store.facts.secret, store.count() > 0
    plan = replace(plan, excluded=frozenset(plan.bots.keys() & facts.excluded.keys()))
    if secret is None and has_games:
        raise ConfigError(f"{store.path}: has single games; use --out for a new run")
    if has_games and plan.seed not in (None, secret):
        raise ConfigError(f"{store.path}: the run began with another seed; use --out for a new run")
    if secret is not None and plan.seed in (None, secret):
        same = replace(plan, seed=secret)
        if has_games:
            began = facts.plan or {}
            _refuse_skipped(store, began, plan)
            refuse_changes(store, began, _identity(same, facts))
            return same
        if facts.plan == _identity(same, facts) and not is_guessable(secret):
            return same
    return plan if plan.seed is not None else replace(plan, seed=secrets.token_hex(_SECRET_BYTES))


def _identity(plan: Plan, facts: RunFacts) -> dict[str, Any]:
    """The identity of the plan (`Plan.identity`) as the run stores it.

    With `--focus`, the plan is adaptive, but the run keeps its first format. A bot that played from the
    beginning and is skipped now stays in the identity, because its games count.
    """
    began, focus, now = facts.plan, getattr(plan.config, "focus", None), plan.identity()
    if began and plan.skipped:
        now["bots"] |= {name: made for name, made in began["bots"].items() if name in plan.skipped}
    return {**began, **now, "format": began["format"]} if focus and began else now


def commit(plan: Plan, store: Store, sandbox: str) -> str:
    """Store the plan of the run and its other facts; returns the line with the commitment, for the user.

    The line is "" if bots may know the seed. The commitment is made once: to the secret, the plan with its
    settings and the first bots of the run. It should be published before the first game.
    """
    facts, now = store.facts, _identity(plan, store.facts)
    committed = {**now, SETTINGS: plan.settings()}
    if not store.count() and facts.committed != committed:
        published = None if plan.is_open else commitment(committed, plan.secret)
        facts = replace(facts, secret=plan.secret, open_seed=plan.is_open, committed=committed)
        facts = replace(facts, commitment=published)
    sessions = dict.fromkeys((*facts.sessions, Session(arena=__version__, sandbox=sandbox)))
    authors = {name: Author(author=bot.author, version=bot.version) for name, bot in plan.bots.items()}
    facts = replace(facts, plan=now, sessions=tuple(sessions), authors=facts.authors | authors)
    store.write_facts(_with_settings(facts, plan))
    return f"commitment: {facts.commitment}" if facts.commitment else ""


def _with_settings(facts: RunFacts, plan: Plan) -> RunFacts:
    return replace(facts, rating=plan.run.rating, free=plan.free_keys(), skipped=dict(plan.skipped))


def build_all(plan: Plan, sandbox: Sandbox, jobs: int, notify: Notify) -> dict[str, str]:
    """Build the bots; returns the reasons, by name, why some cannot be built.

    Raises:
        BotError: The plan refuses such bots.
    """
    failed = run_builds(plan.bots.values(), sandbox, jobs, notify)
    if failed and plan.run.broken == "refuse":
        raise BotError(plan.bots, {name: why for name, (why, _) in failed.items()}, {})
    return {name: f"build failed: {why}" for name, (why, _) in failed.items()}


def _start_engine(
    open_engine: OpenEngine,
    plan: Plan,
    store: Store,
    known: Collection[str],
    sandbox: Sandbox | None,
    notify: Notify,
    models: ModelAccess | None = None,
) -> tuple[Plan, Engine]:
    """Open an engine, which starts the bots; returns the plan, with broken bots marked, and the engine.

    On this machine, a version of a bot that has started once in this sandbox is not tried again.

    Raises:
        BotError: The run cannot go on, because of broken bots.
        LeaveOut: The plan skips broken bots.
    """
    title = f"{sandbox.title}, arena {__version__}" if sandbox else ""
    made = {
        name: f"{bot.fingerprint} {title}" for name, bot in plan.bots.items() if not bot.broken and sandbox
    }
    tried = {name for name, version in made.items() if store.facts.started.get(name) == version}

    def remember(failed: Collection[str]) -> None:
        started = {name: version for name, version in made.items() if name not in failed}
        store.write_facts(replace(store.facts, started=store.facts.started | started))

    if new := sum(not bot.broken for bot in plan.bots.values()) - len(tried):
        notify(f"starting {new} bot{'s' * (new != 1)}")
    start, seats = plan.conditions.clock.start, max(plan.seats)
    tries, run = frozenset(tried), store.file_id
    setup = Setup(plan.bots, plan.run.reuse, start, tried=tries, seats=seats, models=models, run=run)
    try:
        engine = open_engine(setup)
        remember([])
        return plan, engine
    except BotError as error:
        remember({*error.unbuilt, *error.unstarted})
        broken = _accept_broken(error, plan, known, notify)
    if broken:
        plan = sort_out(plan, broken, known, notify)
    everyone = frozenset(plan.bots)
    return plan, open_engine(setup._replace(bots=plan.bots, excused=everyone, tried=everyone))


def _accept_broken(error: BotError, plan: Plan, known: Collection[str], notify: Notify) -> dict[str, str]:
    """The reasons, by name, why bots are broken that the run does not start.

    Under `broken: refuse`, a bot that fails to start is not among them: it is tried again in each game if the
    run has it already; otherwise it cannot join.

    Raises:
        BotError: The run cannot go on.
    """
    # Bots of the run lose their games instead, because no bot may be able to end a tournament.
    unbuilt = {name: f"build failed: {why}" for name, why in error.unbuilt.items()}
    if plan.run.broken != "refuse":
        return unbuilt | dict(error.unstarted)
    if unbuilt and not plan.format.folder:
        raise BotError(plan.bots, error.unbuilt, {})
    failed = unbuilt | dict(error.unstarted)
    unstarted = BotError(plan.bots, {}, failed)
    if plan.format.folder or not failed.keys() <= set(known):
        raise unstarted
    for message in unstarted.args:
        notify(f"{message}; the run continues, and it loses the games for which it does not start")
    return {}


def _refuse_skipped(store: Store, began: Mapping[str, Any], plan: Plan) -> None:
    """Raise ConfigError if a bot that began the run is skipped now, but the format needs it."""
    for name, why in plan.skipped.items():
        if name in began["bots"] and "bots" not in plan.format.extendable:
            message = f"the run began with bot {name}, and a {plan.format.name} cannot go on without it"
            raise ConfigError(f"{store.path}: {message}: {why}")


def refuse_changes(store: Store, began: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise ConfigError if the format does not allow the change of a plan: the run would mix two tournaments.

    `began` and `now` are identities of plans.
    """
    if change := refused_change(began, now):
        raise ConfigError(f"{store.path}: the run began with {change}; use --out for a new run")


def _announce(due: Due, plan: Plan, played: Mapping[str, Summary], notify: Notify) -> Due:
    """Yield a `WAIT` and then all of `due`; after each `WAIT`, pass new notices of the format to `notify`."""
    told: set[str] = set()
    for fixture in itertools.chain([WAIT], due):
        yield fixture
        if fixture is WAIT:  # The games that were due have been played.
            for line in plan.format.notices(plan, played):
                if line not in told:
                    notify(line)
                told.add(line)


def run(
    plan: Plan,
    store: Store,
    open_engine: OpenEngine,
    on_progress: OnProgress,
    notify: Notify,
    should_stop: Callable[[], bool] = no_stop,
    sandbox: Sandbox | None = None,
    models: ModelAccess | None = None,
) -> Progress:
    """Build the bots, start each new one once, and play all games that are due; returns the final progress.

    If no game is due, no bot is started. After KeyboardInterrupt the store has the games that workers have
    returned; the others are played again.

    Args:
        notify: Shows a message; it gets the commitment before the first game.
        should_stop: No more batches of games begin after it returns True.
        sandbox: The sandbox of this machine, if the games are played here.
        models: The access for the plan's language models.

    Raises:
        ConfigError: A bot cannot be built or does not start, a server or a cassette does not fit a model,
            or the run is closed.
        LeaveOut: Bots are broken, and the plan skips them.
        VoidRun: The arena has failed repeatedly, or games were not played because they kill their workers.
    """
    played = store.played()
    known = store.facts.bots if played else ()
    progress = Progress(plan, schedule.size(plan, played), played)
    due = _announce(schedule.due(plan, played), plan, played, notify)
    first = next(filter(None, due), None)  # A `WAIT` before the first game has nothing to wait for.
    if not first:
        store.write_facts(_with_settings(store.facts, plan))
        return progress
    if store.facts.revealed:
        raise ConfigError(f"{store.path}: the run is closed, its secret was shown; use --out for a new run")
    plan, engine = _start_engine(open_engine, plan, store, known, sandbox, notify, models)
    with closing_engine(engine):
        if line := commit(plan, store, engine.sandbox):
            notify(line)
        fixtures = itertools.chain([first], due)
        queue = WorkQueue(
            fixtures,
            engine.workers,
            lambda each, attempt: deal(each, plan.secret, attempt),
            store.attempts(),
            engine.waits,
        )
        for done in play(engine, queue, lambda: bool(progress.stopped or progress.refused) or should_stop()):
            games = [game for each in done for game in each.games if queue.counts(game.columns.id)]
            if games:
                store.append(games)  # One commit stores the games of all workers.
            progress.fresh += len(games)
            progress.faults += sum(game.columns.faults for game in games)
            for each in done:
                progress.stopped = progress.stopped or each.stop
                progress.refused = progress.refused or each.refused
                if each.failure and not each.void:
                    notify(f"interrupted, to be played again: {each.failure}")
                if each.void and queue.counts(each.void.id):
                    lost = queue.void(each.void, schedule.group_of(plan, played, each.void), played)
                    store.annul(each.void, each.failure, lost)
                    queue.check_voids(each.void)
            progress.waits = describe_waits(engine.waits_for, monotonic())
            on_progress(progress)
        if progress.refused:
            raise ConfigError(progress.refused)
        if queue.set_aside:
            raise VoidRun(queue.missing())
    return progress
