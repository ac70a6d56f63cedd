"""Changes of a plan during a run: which of them its format allows, and which there were."""

from collections.abc import Iterator
from typing import Any

from arena.referee.conditions import DEFAULTS
from arena.tournament.formats import find, planned
from arena.tournament.formats.plan import SETTINGS, Identity


def refused_change(began: Identity, now: Identity) -> str:
    """A change of the plan that its format does not allow during a run, in words; "" if there is none."""
    form = find(began["format"])
    if began["game"] == now["game"] and began["version"] != now["version"]:  # the options may differ with it
        return f"version {began['version']} of {now['game']}, and this arena has version {now['version']}"
    for name in began["bots"]:
        if name not in now["bots"] and not form.folder:
            return f"bot {name}"
    for name, fingerprint in now["bots"].items():
        if "bots" not in form.extendable and fingerprint != began["bots"].get(name):
            which = f"another version of bot {name}" if name in began["bots"] else f"no bot {name}"
            return f"{which}, and a {began['format']} takes no new ones"
    for key, before, value in changed_keys(began, now):
        may_grow = key in form.extendable and before is not None and value is not None
        if not (may_grow and (set(before) < set(value) if isinstance(before, list) else before < value)):
            return f"{key}: {before}, not {value}"
    return ""


def changed_keys(began: Identity, now: Identity) -> Iterator[tuple[str, Any, Any]]:
    """The keys of a plan that have changed, except its bots, each with both values."""
    form = find(began["format"])
    others = {key for other in planned().values() for key in other.keys} - form.keys
    for key in sorted((now.keys() | began.keys()) - others - {"bots", SETTINGS}):
        # A key may be left out while it has its default. One with a focus has adaptive keys, too.
        default = DEFAULTS.get(key, getattr(form.config, key, None) or None)
        before, value = began.get(key, default), now.get(key, default)
        if before != value:
            yield key, before, value
