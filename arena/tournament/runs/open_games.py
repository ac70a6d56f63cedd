"""Finds the games of a run that may be shown with all cards while the run goes on.

All games of a seed group share a deal, so each would reveal the hands of the others: they stay closed until
all of them are over. With `deals: per-game` every game has its own deal; otherwise only games with people or
remote bots, which remember (`arena.referee.deals`). A void game removes its group from the results, and the
group gets another deal; so only the games in the file count.
"""

from collections import Counter
from collections.abc import Iterable

from arena.referee.conditions import PER_GAME, REMEMBERING
from arena.referee.record import Summary
from arena.tournament.formats import find
from arena.tournament.runs.store import Store


def open_games(store: Store, games: Iterable[Summary]) -> set[str]:
    """The ids of the games, among these, that may be shown with all cards.

    Raises:
        ConfigError: A game is damaged.
    """
    games, plan = list(games), store.facts.plan
    # Each single game has its own deal.
    if plan is None or store.facts.revealed or plan.get("deals") == PER_GAME:
        return {game.id for game in games}
    form = find(plan["format"])
    alone = {game.id for game in games if not REMEMBERING.isdisjoint(game.fingerprints)}
    played = Counter(_deal(each, form.paired) for each in store.of_groups(game.seed_group for game in games))

    def size(game: Summary) -> int:
        return form.group_size(plan, len(game.seed_group.split()) - 1)

    return alone | {game.id for game in games if played[_deal(game, form.paired)] >= size(game)}


def _deal(game: Summary, paired: bool) -> tuple[object, ...]:
    """A key that is the same for games with the same deal."""
    if paired:  # Two bots take turns on one seat; their versions cannot change in such a run.
        return (game.seed_group,)
    return (game.seed_group, *sorted(zip(game.bots, game.fingerprints, strict=True)))
