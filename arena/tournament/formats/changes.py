"""Finds the changes of a plan during a run, and decides which ones its format allows."""

from collections.abc import Iterator
from typing import Any

from arena.referee.conditions import DEFAULTS
from arena.tournament.formats import find, planned
from arena.tournament.formats.plan import SETTINGS, Identity


def refused_change(began: Identity, now: Identity) -> str:
    """A message about a change that the format does not allow during a run; "" if there is none."""
    form = find(began["format"])
    # Another version may have other options.
    if began["game"] == now["game"] and began["version"] != now["version"]:
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
    """The changed keys of a plan, except its bots, each with both values."""
    form = find(began["format"])
    others = {key for other in planned().values() for key in other.keys} - form.keys
    for key in sorted((now.keys() | began.keys()) - others - {"bots", SETTINGS}):
        # Keys with default values may be missing. A plan with a focus has the keys of an adaptive one.
        default = DEFAULTS.get(key, getattr(form.config, key, None) or None)
        before, value = began.get(key, default), now.get(key, default)
        if before != value:
            yield key, before, value
