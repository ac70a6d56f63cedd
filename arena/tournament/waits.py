"""The progress lines of a run while its games wait for failing servers."""

from collections.abc import Collection

from arena.config.text import duration
from arena.models.calls import Wait


def describe_waits(waits: Collection[Wait], now: float) -> str:
    """A line for each host that games wait for; `now` is by `time.monotonic`.

    The reason is last, because terminals cut long lines.
    """
    lines = []
    for host in sorted({each.host for each in waits}):
        here = [each for each in waits if each.host == host]
        first = min(here, key=lambda each: each.until)
        games = "1 game waits" if len(here) == 1 else f"{len(here)} games wait"
        soon = f"next try in {duration(first.until - now)}" if first.until - now >= 1 else "trying again"
        lines.append(f"{games} for {host}, {soon}: {first.reason}")
    return "\n".join(lines)
