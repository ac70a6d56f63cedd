"""The size of a game, for learners that need it beforehand: actions, outcomes, length, returns.

It is known from the game's encoding. A game without one is explored to the end, if it has few positions
(`_MAX_POSITIONS`). Otherwise the numbers are bounds that the games of other packages should respect.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import inf

from arena.games.encodings import ENCODINGS, Encoding
from arena.library.tables import Table
from arena.rules import SEAT_NAMES, Ask, Draw, Reply
from arena.rules.match import Match

_MAX_POSITIONS = 5_000  # exploring as many takes a second at most
_MAX_OPTIONS = 256  # options of an ask or a draw in a game that is too large to explore
_MAX_ANSWERS = 100_000  # answers in such a game


@dataclass(frozen=True)
class Extent:
    """Upper bounds of actions, outcomes of one draw and answers, and the range of the scores."""

    actions: int
    outcomes: int
    longest: int  # answers of all seats
    scores: tuple[float, float] | None  # the least and the greatest; None: the game has no scores
    total: float | None  # the sum of all scores, if it is always the same


def extent(table: Table) -> Extent:
    """How large the game of a table is, from its encoding or by exploring it."""
    encoding = ENCODINGS.get(table.name)
    return _explore(table) if encoding is None else _declared_extent(encoding, table)


def _declared_extent(encoding: Encoding, table: Table) -> Extent:
    names, options, seats = SEAT_NAMES[: table.seats], table.options, table.seats
    scores = None if encoding.richest is None else (0.0, float(encoding.richest(seats, options)))
    actions, outcomes = len(encoding.words(names, options)), len(encoding.outcomes(names, options))
    return Extent(actions, outcomes, encoding.longest(seats, options), scores, None)


def _explore(table: Table) -> Extent:
    actions = outcomes = longest = count = 0
    ends: list[tuple[int, ...] | None] = []
    waiting = [(Match(table.game, table.options, table.seats), 0)]  # each with the number of its answers
    while waiting and count < _MAX_POSITIONS:
        count += 1
        match, answers = waiting.pop()
        step = match.step
        if isinstance(step, Ask):
            answers += len(step.choices)
            actions = max(actions, *(len(choice.options) for choice in step.choices.values()))
        elif isinstance(step, Draw):
            outcomes = max(outcomes, len(set(step.outcomes)))
        elif match.result:
            longest = max(longest, answers)
            ends.append(match.result[1])
        replies = list(islice(_replies(match), _MAX_POSITIONS))
        waiting += [(_after(match, reply), answers) for reply in reversed(replies)]
    scores = [each for each in ends if each is not None]
    if waiting:
        return Extent(_MAX_OPTIONS, _MAX_OPTIONS, _MAX_ANSWERS, (-inf, inf) if scores else None, None)
    if not scores:
        return Extent(actions, outcomes, longest, None, None)
    totals = {sum(each) for each in scores}
    bounds = float(min(map(min, scores))), float(max(map(max, scores)))
    return Extent(actions, outcomes, longest, bounds, float(totals.pop()) if len(totals) == 1 else None)


def _replies(match: Match) -> Iterator[Reply]:
    """All replies to the step that a match waits for, if no seat forfeits; none if the game is over."""
    step = match.step
    if isinstance(step, Ask):
        for words in product(*(choice.options for choice in step.choices.values())):
            yield dict(zip(step.choices, words, strict=True))
    elif isinstance(step, Draw):
        yield from dict.fromkeys(step.outcomes)
    elif step is not None:
        yield ()


def _after(match: Match, reply: Reply) -> Match:
    copied = match.copy()
    copied.reply(reply)
    return copied
