"""How well a seat stands at the beginning of a turn, when all cards are known: its share of the points.

Every seat has a strength in its cards and coins; that one seat ends before another follows from their
difference. `benchmarks/values.py` fits the numbers to played-out games.
"""

from math import exp

CARD = [0.45, 0.6, 0.45, 0.5, 0.2]  # the worth of a kind of card
SECOND = 1.0  # the worth of a second card, of any kind
TWICE = 0.2  # what a second card of the same kind is worth less
COIN = 0.13
COIN_LIMIT = 9
TO_MOVE = 0.25


def strength(hand, coins):
    a = hand[0]
    total = CARD[a] + COIN * min(coins, COIN_LIMIT)
    if len(hand) > 1:
        b = hand[1]
        total += SECOND + CARD[b] - (TWICE if a == b else 0)
    return total


def value(game, me):
    """The share of the others that a seat will end before: from 0 to 1."""
    rivals = game.seats - 1
    if not game.hands[me]:
        return game.fallen.index(me) / rivals
    points = len(game.fallen)
    if game.alive > 1:
        own = strength(game.hands[me], game.coins[me]) + (TO_MOVE if game.actor == me else 0)
        for seat in game.order[me]:
            hand = game.hands[seat]
            if hand:
                other = strength(hand, game.coins[seat]) + (TO_MOVE if game.actor == seat else 0)
                points += 1 / (1 + exp(other - own))
    return points / rivals
