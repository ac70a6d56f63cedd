"""Plays what a plan still needs, on all cores, and writes down every game as it ends."""

import itertools
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.core.config import ConfigError
from arena.formats import find
from arena.formats.plan import Plan
from arena.play.build import build
from arena.play.table import Unstarted
from arena.records.deals import commitment, deal, is_guessable
from arena.records.record import Summary
from arena.results.store import Store
from arena.results.stored_game import summary
from arena.sandbox.policy import Sandbox
from arena.tournament import schedule
from arena.tournament.work_queue import WorkQueue
from arena.tournament.workers import Workers, never


@dataclass
class Progress:
    """How far a run is, told after every commit: of `total` games (if that is known) these are `played`.

    `fresh` of them were played since this run began, with so many `faults`. `plan` has the bots as they
    are now. Nothing is played as long as the run waits for something: `waits` has it in words.
    """

    plan: Plan
    total: int | None
    played: Mapping[str, Summary]
    fresh: int = 0
    faults: int = 0
    waits: str = ""


Report = Callable[[Progress], None]
SECRET_BYTES = 32


def prepare(plan: Plan, store: Store) -> Plan:
    """The plan with its seed: its own, or the secret of the run. ConfigError: it is not the plan of the run.

    A run that has begun keeps its seed; one that has not gets a new one, unless the plan is the same.
    """
    about = store.about()
    secret = about.get("secret")
    if secret is None and store.count():
        raise ConfigError(f"{store.path}: has single games; use --out for a new run")
    if secret is not None and plan.seed in (None, secret):
        same = replace(plan, seed=secret)
        if store.count():
            refuse_changes(store, about["plan"], identity(same, about))
            return same
        if about["plan"] == identity(same, about) and not is_guessable(secret):
            return same
    elif secret is not None and store.count():
        raise ConfigError(f"{store.path}: the run began with another seed; use --out for a new run")
    return plan if plan.seed is not None else replace(plan, seed=secrets.token_hex(SECRET_BYTES))


def identity(plan: Plan, about: Mapping[str, Any]) -> dict[str, Any]:
    """What the run remembers of the plan. A bot in focus may get its games in a run of any format."""
    began, focus = about.get("plan"), getattr(plan.config, "focus", None)
    return {**began, **plan.identity(), "format": began["format"]} if focus and began else plan.identity()


def commit(plan: Plan, store: Store) -> str:
    """Remember plan and secret; the words to publish before the first game, "" where there is no secret.

    A run commits itself once, to the plan and the bots with which it begins.
    """
    about = store.about()
    facts: dict[str, Any] = {"plan": identity(plan, about), "rating": plan.run.rating.plain()}
    if not store.count() and about.get("plan") != facts["plan"]:
        published = None if plan.is_open else commitment(facts["plan"], plan.secret)
        facts |= {"secret": plan.seed, "open_seed": plan.is_open}
        facts |= {"committed": facts["plan"], "commitment": published}
    store.remember(**facts)
    published = facts.get("commitment", about.get("commitment"))
    return f"commitment: {published}" if published else ""


def greet(workers: Workers, plan: Plan, store: Store, say: Callable[[str], None]) -> None:
    """Start every bot once. Unstarted: some do not, and the run has no game yet, or is a ladder.

    In a run that goes on they lose their games: a bot must not end a tournament by no longer starting.
    """
    try:
        workers.greet(plan.conditions.clock.start)
    except Unstarted as error:
        if plan.format.folder or not store.count():
            raise
        for words in error.args:
            say(f"{words}; the run goes on, and it loses the games for which it does not start")


def refuse_changes(store: Store, began: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """A run may get what its format lets grow; anything else would mix two tournaments."""
    advice, form = "use --out for a new run", find(began["format"])
    for name in began["bots"]:
        if name not in now["bots"] and not form.folder:
            raise ConfigError(f"{store.path}: the run began with bot {name}; {advice}")
    for name, made in now["bots"].items():
        if "bots" not in form.extendable and made != began["bots"].get(name):
            which = f"another version of bot {name}" if name in began["bots"] else f"no bot {name}"
            words = f"the run began with {which}, and a {began['format']} takes no new ones"
            raise ConfigError(f"{store.path}: {words}; {advice}")
    for key in sorted(now.keys() - {"bots"}):
        before, value = began.get(key), now[key]
        if before != value and not (key in form.extendable and has_grown(before, value)):
            raise ConfigError(f"{store.path}: the run began with {key}: {before}, not {value}; {advice}")


def has_grown(before: Any, value: Any) -> bool:
    return set(before) < set(value) if isinstance(before, list) else before < value


def run(
    plan: Plan,
    store: Store,
    jobs: int,
    report: Report,
    sandbox: Sandbox,
    say: Callable[[str], None],
    enough: Callable[[], bool] = never,
) -> Progress:
    """Play everything that is due, once every bot has been built and has started.

    `say` gets the commitment before the first game. Nothing is begun any more when there is `enough`.
    ConfigError: a bot cannot be built or does not start, or the run is closed, as its secret was shown.
    KeyboardInterrupt leaves the store with all finished games.
    """
    played = store.played()
    progress = Progress(plan, schedule.size(plan), played)
    due = schedule.due(plan, played)
    first = next(filter(None, due), None)  # with nothing to wait for, a `WAIT` says nothing
    if not first:
        store.remember(rating=plan.run.rating.plain())
        return progress
    if store.about().get("revealed"):
        raise ConfigError(f"{store.path}: the run is closed, its secret was shown; use --out for a new run")
    build(plan.bots.values(), sandbox)
    with Workers(plan.bots, plan.run.reuse, jobs, sandbox) as workers:
        greet(workers, plan, store, say)
        if words := commit(plan, store):
            say(words)
        fixtures = itertools.chain([first], due)
        queue = WorkQueue(
            fixtures, jobs, lambda each, attempt: deal(each, plan.secret, attempt), store.attempts()
        )
        for done in workers.play(queue, enough):
            rows = [row for each in done for row in each.rows if queue.counts(row.columns.id)]
            store.append(rows)  # one commit, however many workers there are
            for row in rows:
                played[row.columns.id] = summary(row.columns)
                progress.fresh += 1
                progress.faults += row.columns.faults
            for each in done:
                if each.failure and not each.void:
                    say(f"interrupted, to be played again: {each.failure}")
                if each.void and queue.counts(each.void.id):
                    lost = queue.void(each.void, schedule.group_of(plan, played, each.void), played)
                    store.annul(each.void, each.failure, lost)
                    queue.check_voids(each.void)
                    for fixture in lost:
                        del played[fixture.id]
            report(progress)
    return progress
