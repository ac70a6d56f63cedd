"""Handles bots that cannot be built or started, by the key `broken:` of a plan."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from arena.config.text import one_line
from arena.tournament.formats.plan import Plan


@dataclass(eq=False)
class LeaveOut(Exception):
    """Raised under `broken: skip`: the caller should play the plan without these bots.

    `reasons` says, by name, why each is broken.
    """

    reasons: Mapping[str, str]


def sort_out(
    plan: Plan, broken: Mapping[str, str], known: Collection[str], notify: Callable[[str], None]
) -> Plan:
    """The plan in which `broken` bots are not started and lose their games; notifies the user of each.

    `broken` says why each bot is broken, by name; `known` names the bots that the run already has.

    Raises:
        LeaveOut: Under `broken: skip`, some of the broken bots are not known, and sit out.
    """
    broken = {name: one_line(why) for name, why in broken.items()}
    new = {name: why for name, why in broken.items() if name not in known}
    if plan.run.broken == "skip" and new:
        raise LeaveOut(new)  # The reasons are shown with the plan that is played instead.
    for name, why in broken.items():
        notify(f"bot {name} loses its games: {why}")
    return marked(plan, broken)


def marked(plan: Plan, broken: Mapping[str, str]) -> Plan:
    """The plan with these bots marked as broken, by name with the reason: they are not started."""
    changed = {name: replace(plan.bots[name], broken=why) for name, why in broken.items()}
    return replace(plan, bots={**plan.bots, **changed})
