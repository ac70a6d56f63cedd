"""How well a seat stands at the beginning of a turn, when all cards are known: its share of the points.

Every seat has a strength: of its hidden cards, its coins, and of being the one to move. How probable it is
that one seat ends before another follows from their difference. `bots/training/values.py` fits the numbers in
`values.json` to games that were played out, for two players left and for more.
"""

import json
from math import exp
from pathlib import Path

from beliefs import HANDS, PLACE


class _Strengths:
    def __init__(self, table):
        self.move, self.coins = table["move"], table["coins"]
        self.cards = {}  # of a hand in any order
        for size, name in ((1, "one"), (2, "both")):
            for hand in HANDS[size]:
                self.cards[hand] = self.cards[hand[::-1]] = table[name][PLACE[hand]]

    def of(self, game, seat):
        coins = game.coins[seat]
        total = self.cards[tuple(game.hands[seat])] + self.coins[coins if coins < 10 else 10]
        return total + self.move if game.actor == seat else total


_TABLES = json.loads((Path(__file__).parent / "values.json").read_text())
_TWO, _MORE = _Strengths(_TABLES["two"]), _Strengths(_TABLES["more"])


def value(game, me):
    """The expected share of the others that a seat will end before: from 0 to 1."""
    rivals = game.seats - 1
    if not game.hands[me]:
        return game.fallen.index(me) / rivals
    points = len(game.fallen)
    if game.alive > 1:
        strengths = _TWO if game.alive == 2 else _MORE
        own = strengths.of(game, me)
        for seat in game.order[me]:
            if game.hands[seat]:
                points += 1 / (1 + exp(strengths.of(game, seat) - own))
    return points / rivals
