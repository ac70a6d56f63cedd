"""Reports the void seed groups of a run: which were dealt again, how often, and why.

A game is void if the arena itself fails during it; its seed group then gets another deal. Nobody can prove
that the organiser did not cause a failure, so each one is reported, and more than a few are a problem.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from arena.config.text import one_line
from arena.tournament.runs.store import Store, VoidGame

MAX_VOID_SHARE = 0.05  # Beyond this share of all games the results cannot be trusted.
_MAX_SHOWN = 100


class VoidGroup(NamedTuple):
    """A void deal of a seed group: its `attempt`, the number of its `games`, and `why` some failed."""

    group: str
    lineup: str
    attempt: int
    games: int
    why: tuple[str, ...]


def void_groups(games: Iterable[VoidGame]) -> list[VoidGroup]:
    """The void deals, in the order in which they became void."""
    found = defaultdict[tuple[str, str, int], list[str]](list)
    for game in games:
        found[game.group, game.lineup, game.attempt].append(game.why)
    return [
        VoidGroup(one_line(group), lineup, attempt, len(whys), tuple(filter(None, whys)))
        for (group, lineup, attempt), whys in found.items()
    ]


def void_line(void: VoidGroup) -> str:
    """A line for people about a void deal."""
    why = "; ".join(void.why) or "no failure is recorded"
    return f"void: seed group {void.group}, deal {void.attempt + 1}, {void.games} of its games: {why}"


def voids_for_pages(store: Store, hidden: str = "") -> list[dict[str, Any]]:
    """The last void deals, at most `_MAX_SHOWN`, as values for JSON, the latest first.

    Their reasons are without the text `hidden`, a path of the server.
    """
    last = void_groups(store.void_rows(hidden))[: -_MAX_SHOWN - 1 : -1]
    return [
        {"group": each.group, "deal": each.attempt + 1, "games": each.games, "why": "; ".join(each.why)}
        for each in last
    ]


def void_problems(groups: Sequence[VoidGroup]) -> Iterator[str]:
    """Yield the problems with void groups: the arena voids a deal only when one of its games has failed."""
    deals = defaultdict[tuple[str, str], list[int]](list)
    for void in groups:
        deals[void.group, void.lineup].append(void.attempt)
        if len(void.why) != 1:
            failed = f"{len(void.why)} games" if void.why else "no game"
            yield f"seed group {void.group}: its deal {void.attempt + 1} is void, and {failed} of it failed"
    for (group, _), attempts in deals.items():
        if sorted(attempts) != list(range(len(attempts))):
            yield f"seed group {group} has lost the record of a deal that was void"


def excess_of_voids(store: Store) -> str:
    """A message if more of the run was void than `MAX_VOID_SHARE`; else ""."""
    void = store.voids().total()
    games = store.count() + void
    if void <= MAX_VOID_SHARE * games:
        return ""
    return f"{void} of {games} games were void because the arena failed: more than {MAX_VOID_SHARE:.0%}"
