"""Fits how well a seat stands in Complots, for the searching bot: `bots/python/searching/values.json`.

    python benchmarks/values.py [GAMES]

Plays games between the styles of the bot with its own rules. At each turn every seat has a strength: of its
hidden cards, of its coins, and of being the one to move. That one seat ends before another is the logistic
function of the difference of their strengths, which gradient ascent fits, once for two players left and once
for more.
"""

import json
import sys
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np

FOLDER = Path(__file__).parent.parent / "bots" / "python" / "searching"
sys.path.insert(0, str(FOLDER))

from beliefs import HANDS, PLACE  # noqa: E402
from rules import Game, GameOver  # noqa: E402
from styles import load_styles  # noqa: E402

COINS = 11  # so many different purses: 10 coins or more are alike
SIZE = 5 + 15 + COINS + 1
SHARES = {"counting": 6, "honest": 2, "bluffer": 2, "challenger": 1, "miser": 1, "liar": 1}


def places(hand, coins, is_to_move):
    """The features of a seat that are 1."""
    found = [(5 if len(hand) == 2 else 0) + PLACE[tuple(sorted(hand))], 20 + min(coins, COINS - 1)]
    return [*found, SIZE - 1] if is_to_move else found


def deal(seats, dice):
    pack = [card for card in range(5) for _ in range(4 if seats > 6 else 3)]
    if seats == 2:
        pack = list(range(5))
        dice.shuffle(pack)
        hands = [[pack.pop(), dice.choice([0, 1, 1, 2, 3])] for _ in range(2)]
    else:
        dice.shuffle(pack)
        hands = [[pack.pop(), pack.pop()] for _ in range(seats)]
    coins = [2] * seats
    actor = dice.randrange(seats)
    if seats == 2:
        coins[actor] = 1
    return Game(hands, [[] for _ in range(seats)], coins, pack, actor)


def played(seats, styles, dice):
    """Pairs of seats at the turns of a game: features of both, players left, whether the first wins."""
    game = deal(seats, dice)
    game.players = dice.choices([styles[name] for name in SHARES], [*SHARES.values()], k=seats)
    game.chance = dice.random
    game.inquisitor = dice.random() < 0.3
    seen = []
    try:
        while game.turn < 120:
            if dice.random() < 0.4:
                alive = [seat for seat in range(seats) if game.hands[seat]]
                some = {
                    seat: places(game.hands[seat], game.coins[seat], game.actor == seat) for seat in alive
                }
                seen += [(a, b, some[a], some[b], len(alive)) for a, b in combinations(alive, 2)]
            game.play_turn()
        return []
    except GameOver:
        order = {seat: place for place, seat in enumerate(game.fallen)}
        return [(x, y, left, order.get(a, 9) > order.get(b, 9)) for a, b, x, y, left in seen]


def fit(pairs, steps=400, rate=4.0, ridge=1e-5):
    """The strengths of all features, by gradient ascent with momentum."""
    difference = np.zeros((len(pairs), SIZE), np.float32)
    for row, (x, y, _, _) in enumerate(pairs):
        difference[row, x] += 1
        difference[row, y] -= 1
    wins = np.array([pair[3] for pair in pairs], np.float32)
    strength, speed = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-difference @ strength))
        slope = (wins - chance) @ difference / len(pairs) - ridge * strength
        speed = 0.9 * speed + rate * slope
        strength += speed
    chance = np.clip(1 / (1 + np.exp(-difference @ strength)), 1e-6, 1 - 1e-6)
    loss = -np.mean(wins * np.log(chance) + (1 - wins) * np.log(1 - chance))
    return strength, loss


def main(games="6000"):
    dice, styles, tables = Random("values"), load_styles(), {}
    pairs = [
        pair for number in range(int(games)) for pair in played((2, 3, 4, 2, 4, 5)[number % 6], styles, dice)
    ]
    for name, wanted in (("two", lambda left: left == 2), ("more", lambda left: left > 2)):
        some = [pair for pair in pairs if wanted(pair[2])]
        strength, loss = fit(some)
        tables[name] = {
            "one": [round(float(each), 3) for each in strength[:5]],
            "both": [round(float(each), 3) for each in strength[5:20]],
            "coins": [round(float(each), 3) for each in strength[20 : 20 + COINS]],
            "move": round(float(strength[-1]), 3),
        }
        print(name, len(some), "pairs, loss", round(float(loss), 4))
        print({hand: tables[name]["both"][place] for place, hand in enumerate(HANDS[2])}, tables[name])
    (FOLDER / "values.json").write_text(json.dumps(tables, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
