"""The conditions under which all games of a plan are played."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from arena.core.limits import Limits
from arena.core.time_control import TimeControl
from arena.core.values import KEYS, Count, Switch


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What decides a game besides its rules, its options and its bots. All fixtures of a plan have the same.

    Each field is a key of a plan. A new one is a number, a text or a switch, and its default never changes:
    records leave it out while it has its default.
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
        """The conditions as JSON values, the clock under its old name `control`.

        Conditions that were added later are left out if they have their defaults. So fixtures keep their ids.
        """
        later = [each for each in fields(self) if each.name not in ORIGINAL]
        values = {each.name: getattr(self, each.name) for each in later}
        return {
            "control": self.clock.plain(),
            "strikes": self.strikes,
            "names": self.names,
            "ponder": self.ponder,
            "limits": vars(self.limits),
            **{each.name: values[each.name] for each in later if values[each.name] != each.default},
        }


DEFAULTS = {each.name: each.default for each in fields(Conditions)}
ORIGINAL = ("clock", "strikes", "names", "ponder", "limits")  # every record has these conditions


def conditions_from_json(plain: Mapping[str, Any]) -> Conditions:
    """Read the conditions that `plain` wrote. Other keys are ignored; old records have no `limits`."""
    names = {each.name for each in fields(Conditions)} & plain.keys()
    values = {name: plain[name] for name in names} | {"clock": TimeControl(**plain["control"])}
    return Conditions(**values | {"limits": Limits(**plain.get("limits", {}))})
