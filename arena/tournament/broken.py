"""What becomes of bots that cannot be built or started: the key `broken:` of a plan."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from arena.config.text import one_line
from arena.tournament.formats.plan import Plan


@dataclass(eq=False)
class LeaveOut(Exception):
    """Under `broken: skip` these bots sit out; `reasons` says why, by name. Play the plan without them."""

    reasons: Mapping[str, str]


def sort_out(
    plan: Plan, broken: Mapping[str, str], known: Collection[str], notify: Callable[[str], None]
) -> Plan:
    """The plan in which `broken` bots are not started, and lose their games.

    `known` are the bots with which the run has begun. LeaveOut: under `broken: skip`, some of the broken bots
    are not among them, and sit out.
    """
    broken = {name: one_line(why) for name, why in broken.items()}
    new = {name: why for name, why in broken.items() if name not in known}
    if plan.run.broken == "skip" and new:
        raise LeaveOut(new)  # the reasons are shown with the plan that is played instead
    for name, why in broken.items():
        notify(f"bot {name} loses its games: {why}")
    return marked(plan, broken)


def marked(plan: Plan, broken: Mapping[str, str]) -> Plan:
    """The plan in which these bots are not started."""
    changed = {name: replace(plan.bots[name], broken=why) for name, why in broken.items()}
    return replace(plan, bots={**plan.bots, **changed})
