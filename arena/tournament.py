"""Plays what a plan still needs, on all cores, and writes down every game as it ends."""

import itertools
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena import schedule
from arena.agenda import Agenda
from arena.build import build
from arena.config import ConfigError
from arena.formats import find
from arena.plan import Plan
from arena.records import Summary
from arena.sandbox.tiers import Sandbox
from arena.store import Store, summary
from arena.workers import Workers, never


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


def prepare(plan: Plan, store: Store) -> Plan:
    """The plan with its seed, as this run knows it. ConfigError: the run was begun with another plan.

    A bot in focus gets its games by what the table needs, whatever the format of the run is.
    """
    about = store.about()
    if "plan" in about and store.count():
        began = about["plan"]
        plan = replace(plan, seed=began["seed"] if plan.seed is None else plan.seed)
        now = plan.identity()
        refuse_changes(store, began, now | {"format": began["format"]} if plan.focus else now)
    elif plan.seed is None:
        plan = replace(plan, seed=str(secrets.randbits(63)))
    return plan


def refuse_changes(store: Store, began: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """A run may get what its format lets grow; anything else would mix two tournaments."""
    advice, grows = "use --out for a new run", find(began["format"]).GROWS
    for name in began["bots"]:
        if name not in now["bots"] and began["format"] != "ladder":
            raise ConfigError(f"{store.path}: the run began with bot {name}; {advice}")
    for name, made in now["bots"].items():
        if "bots" not in grows and made != began["bots"].get(name):
            which = f"another version of bot {name}" if name in began["bots"] else f"no bot {name}"
            words = f"the run began with {which}, and a {began['format']} takes no new ones"
            raise ConfigError(f"{store.path}: {words}; {advice}")
    for key in sorted(now.keys() - {"bots"}):
        before, value = began.get(key), now[key]
        if before != value and not (key in grows and has_grown(before, value)):
            raise ConfigError(f"{store.path}: the run began with {key}: {before}, not {value}; {advice}")


def has_grown(before: Any, value: Any) -> bool:
    return set(before) < set(value) if isinstance(before, list) else before < value


def run(
    plan: Plan, store: Store, jobs: int, report: Report, sandbox: Sandbox, enough: Callable[[], bool] = never
) -> Progress:
    """Play everything that is due, once every bot has been built and has started.

    Nothing is begun any more when there is `enough`. ConfigError: a bot cannot be built or does not
    start. KeyboardInterrupt leaves the store with all finished games.
    """
    played = store.played()
    progress = Progress(plan, schedule.size(plan), played)
    due = schedule.due(plan, played)
    first = next(filter(None, due), None)  # with nothing to wait for, a `WAIT` says nothing
    if not first:
        store.remember(rating=plan.rating.model_dump())
        return progress
    build(plan.bots.values(), sandbox)
    with Workers(plan.bots, plan.reuse, jobs, sandbox) as workers:
        workers.greet(plan.control.start)
        began = store.about().get("plan", {})
        kept = {"format": began["format"]} if plan.focus and began else {}
        store.remember(plan=plan.identity() | kept, rating=plan.rating.model_dump())
        agenda = Agenda(itertools.chain([first], due), jobs)
        for done in workers.play(agenda, enough):
            rows = [row for each in done for row in each.rows if agenda.counts(row.id)]
            store.append(rows)  # one commit, however many workers there are
            for row in rows:
                played[row.id] = summary(*row[:8])
                progress.fresh += 1
                progress.faults += row.faults
            for each in done:
                if each.void:
                    lost = agenda.void(each.void, schedule.group_of(plan, played, each.void), played)
                    store.annul(each.void, each.failure, lost)
                    for fixture in lost:
                        del played[fixture.id]
            report(progress)
    return progress
