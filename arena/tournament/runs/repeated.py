"""Counts games that are in several files only once."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from arena.rating.outcomes import Outcome


class NamedOutcomes(NamedTuple):
    """The outcomes of the file `name`, each with an id."""

    name: str
    ids: Sequence[Hashable]
    outcomes: Sequence[Outcome]


def count_once(files: Iterable[NamedOutcomes]) -> tuple[list[Outcome], int]:
    """The outcomes of several files without repeated games, and the number of repeated games.

    Two files share a game if it has the same id and result in both. But each file may number its games from
    1: if any id has another result in the other file, the two share no game. If one file lists a game several
    times, these may be several games: two programs may always play the same moves.
    """
    # The largest file is first, so the games of its seed groups stay together.
    ordered = sorted((file for file in files if file.ids), key=lambda file: (-len(file.ids), file.name))
    if len(ordered) == 1:
        return [*ordered[0].outcomes], 0
    known: list[tuple[Counter[Hashable], dict[Hashable, object]]] = []
    kept: list[Outcome] = []
    for file in ordered:
        numbers = Counter(file.ids)
        results = {id: _result(outcome) for id, outcome in zip(file.ids, file.outcomes, strict=True)}
        repeated: Counter[Hashable] = Counter()
        for other_numbers, other_results in known:
            common = results.keys() & other_results.keys()
            if all(results[id] == other_results[id] for id in common):
                repeated |= Counter({id: min(numbers[id], other_numbers[id]) for id in common})
        for id, outcome in zip(file.ids, file.outcomes, strict=True):
            repeated[id] -= 1
            if repeated[id] < 0:
                kept.append(outcome)
        known.append((numbers, results))
    return kept, sum(len(file.ids) for file in ordered) - len(kept)


def _result(outcome: Outcome) -> object:
    return outcome.bots, outcome.places, sorted(outcome.forfeits)
