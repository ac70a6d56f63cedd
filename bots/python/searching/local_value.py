"""How well a seat stands in the local variant at the beginning of a turn: as `value` for Complots."""

import json
from math import exp
from pathlib import Path

SIZE = 33
TABLES = json.loads((Path(__file__).parent / "local_values.json").read_text())


def features(game, seat):
    """The places in TABLES of what a seat has: lives, coins, cards, cards in hand, their number, the move."""
    coins, hand = game.coins[seat], game.hands[seat]
    found = [4 - game.gone[seat], 5 + (coins if coins < 10 else 10), 26 + len(hand)]
    found += [16 + card for card in (*hand, *game.discards[seat])]
    found += [21 + card for card in hand]
    if game.actor == seat:
        found.append(SIZE - 1)
    return found


def value(game, me):
    """The expected share of the others that a seat will end before: from 0 to 1."""
    rivals = game.seats - 1
    if game.gone[me] == 5:
        return game.fallen.index(me) / rivals
    points = len(game.fallen)
    if game.alive > 1:
        table = TABLES["two" if game.alive == 2 else "more"]
        own = sum(table[place] for place in features(game, me))
        for seat in game.order[me]:
            if game.gone[seat] < 5:
                points += 1 / (1 + exp(sum(table[place] for place in features(game, seat)) - own))
    return points / rivals
