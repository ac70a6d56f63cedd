"""The conditions under which all games of a plan are played."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from arena.core.clock import TimeControl
from arena.core.limits import Limits
from arena.core.values import KEYS, Count, Switch


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What decides a game beside its rules, its options and its bots: a plan and its fixtures share it.

    Each field is a key of a plan.
    """

    __pydantic_config__ = KEYS

    clock: TimeControl = TimeControl()
    """How long a bot may think."""
    strikes: Count = 3
    """Faults that cost the game."""
    names: Switch = False
    """Whether bots are told the names of their opponents."""
    ponder: Switch = True
    """Whether bots may think while it is not their turn."""
    limits: Limits = Limits()
    """What one bot may use."""

    def plain(self) -> dict[str, Any]:
        """The conditions as JSON has them, the clock under its old name `control`.

        A condition that came later is left out where it has its default, so that fixtures keep their ids.
        """
        later = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in FIRST}
        defaults = {each.name: each.default for each in fields(self)}
        return {
            "control": self.clock.plain(),
            "strikes": self.strikes,
            "names": self.names,
            "ponder": self.ponder,
            "limits": vars(self.limits),
            **{name: value for name, value in later.items() if value != defaults[name]},
        }


FIRST = ("clock", "strikes", "names", "ponder", "limits")  # the conditions that every record has


def conditions_from_json(plain: Mapping[str, Any]) -> Conditions:
    """The conditions that `plain` wrote, among other keys. Records from before the limits have none."""
    names = {each.name for each in fields(Conditions)} & plain.keys()
    made = {name: plain[name] for name in names} | {"clock": TimeControl(**plain["control"])}
    return Conditions(**made | {"limits": Limits(**plain.get("limits", {}))})
