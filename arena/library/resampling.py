"""Worlds of one position after another: a search of OpenSpiel asks for many of the same position."""

from collections.abc import Callable, Hashable, Iterator

from arena.library.attempts import Question
from arena.library.sampling import Worlds
from arena.library.stepping import State
from arena.rules.match import Match


class _Dice:
    """Random numbers for `Worlds`; each caller sets `random` to its own `draw`."""

    def __init__(self, draw: Callable[[], float]):
        self.random = draw


_newest: dict[Hashable, tuple[_Dice, Iterator[State]]] = {}
"""The worlds of the newest position that was resampled."""


def next_world(position: Hashable, question: Callable[[], Question], draw: Callable[[], float]) -> Match:
    """A random game that fits the knowledge of a seat, drawn with its probability.

    `question` makes the knowledge; it is called only if `position` is not the newest one.

    Raises:
        NoWorld: There is no such game.
    """
    if position not in _newest:
        _newest.clear()
        dice = _Dice(draw)
        _newest[position] = dice, Worlds(question(), dice)
    dice, found = _newest[position]
    dice.random = draw
    return next(found).match
