"""Fits how well a seat stands, for the searching bot: `values.json` of Complots, `local_values.json`.

    python bots/training/values.py complots|local [GAMES]

Plays games between the styles of the bot with its own rules. At each turn every seat has a strength, the sum
of those of its features: hidden cards, coins, being the one to move. The probability that one seat ends
before another is the logistic function of the difference of their strengths, which gradient ascent fits, once
for two players left and once for more.
"""

import json
import sys
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np

FOLDER = Path(__file__).parent.parent / "python" / "searching"
sys.path.insert(0, str(FOLDER))

import local_styles  # noqa: E402
import local_value  # noqa: E402
import styles  # noqa: E402
from beliefs import PLACE  # noqa: E402
from local_rules import LocalGame  # noqa: E402
from rules import Game, GameOver  # noqa: E402

COINS = 11  # so many different purses: 10 coins or more are alike
LONGEST = 160  # turns of a game; longer ones are left out


class Complots:
    size = 5 + 15 + COINS + 1
    shares = {"counting": 6, "honest": 2, "bluffer": 2, "challenger": 1, "miser": 1, "liar": 1}
    styles = staticmethod(styles.load_styles)
    seats = (2, 3, 4, 2, 4, 5)

    @staticmethod
    def deal(seats, dice):
        pack = [card for card in range(5) for _ in range(4 if seats > 6 else 3)]
        dice.shuffle(pack)
        hands = [[pack.pop(), pack.pop()] for _ in range(seats)]
        if seats == 2:
            pack = list(range(5))
            dice.shuffle(pack)
            hands = [[pack.pop(), dice.choice([0, 1, 1, 2, 3])] for _ in range(2)]
        actor = dice.randrange(seats)
        coins = [1 if seats == 2 and seat == actor else 2 for seat in range(seats)]
        game = Game(hands, [[] for _ in range(seats)], coins, pack, actor)
        game.inquisitor = dice.random() < 0.3
        return game

    @staticmethod
    def features(game, seat):
        hand, coins = game.hands[seat], game.coins[seat]
        cards = (5 if len(hand) == 2 else 0) + PLACE[tuple(sorted(hand))]
        found = [cards, 20 + min(coins, COINS - 1)]
        return [*found, Complots.size - 1] if game.actor == seat else found

    @staticmethod
    def save(fitted):
        tables = {
            name: {"one": some[:5], "both": some[5:20], "coins": some[20:-1], "move": some[-1]}
            for name, some in fitted.items()
        }
        (FOLDER / "values.json").write_text(json.dumps(tables, indent=1) + "\n")


class Local:
    size = local_value.SIZE
    shares = {"local_reader": 5, "local_honest": 2, "local_bluffer": 2, "local_miser": 1}
    styles = staticmethod(local_styles.load_styles)
    seats = (2, 3, 4)
    features = staticmethod(local_value.features)

    @staticmethod
    def deal(seats, dice):
        nothing = [[] for _ in range(seats)]
        hands, coins = [list(range(5)) for _ in range(seats)], [1 if seats == 2 else 2] * seats
        game = LocalGame(hands, [None] * seats, nothing, [0] * seats, coins, dice.randrange(seats))
        game.marker = game.actor
        return game

    @staticmethod
    def save(fitted):
        # With more than two left, styles that all attack the leader make every position alike. In games of
        # the bots themselves the same things count as with two, about half as much.
        fitted["more"] = [round(each / 2, 3) for each in fitted["two"]]
        (FOLDER / "local_values.json").write_text(json.dumps(fitted) + "\n")


def play_game(kind, seats, styles, dice):
    """Play a game. Returns, for pairs at some turns: features of both, players left, if the first wins."""
    game = kind.deal(seats, dice)
    game.players = dice.choices([styles[name] for name in kind.shares], [*kind.shares.values()], k=seats)
    game.chance = dice.random
    seen = []
    try:
        while game.turn < LONGEST:
            if dice.random() < 0.4:
                alive = [seat for seat in range(seats) if game.is_alive(seat)]
                some = {seat: kind.features(game, seat) for seat in alive}
                seen += [(a, b, some[a], some[b], len(alive)) for a, b in combinations(alive, 2)]
            game.play_turn()
        return []
    except GameOver:
        order = {seat: place for place, seat in enumerate(game.fallen)}
        return [(x, y, left, order.get(a, 9) > order.get(b, 9)) for a, b, x, y, left in seen]


def fit(pairs, size, steps=500, rate=6.0, ridge=5e-4):
    """The strengths of all features, by gradient ascent with momentum, and the mean loss of a pair."""
    difference = np.zeros((len(pairs), size), np.float32)
    for row, (x, y, _, _) in enumerate(pairs):
        difference[row, x] += 1
        difference[row, y] -= 1
    wins = np.array([pair[3] for pair in pairs], np.float32)
    strength, speed = np.zeros(size, np.float32), np.zeros(size, np.float32)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-difference @ strength))
        slope = (wins - chance) @ difference / len(pairs) - ridge * strength
        speed = 0.9 * speed + rate / 4 * slope
        strength += speed
    chance = np.clip(1 / (1 + np.exp(-difference @ strength)), 1e-6, 1 - 1e-6)
    loss = -np.mean(wins * np.log(chance) + (1 - wins) * np.log(1 - chance))
    return [round(float(each), 3) for each in strength], float(loss)


def main(game, games="9000"):
    kind, dice = {"complots": Complots, "local": Local}[game], Random("values")
    some, pairs = kind.styles(), []
    for number in range(int(games)):
        pairs += play_game(kind, kind.seats[number % len(kind.seats)], some, dice)
    fitted = {}
    for name, wanted in (("two", lambda left: left == 2), ("more", lambda left: left > 2)):
        chosen = [pair for pair in pairs if wanted(pair[2])][:150_000]
        fitted[name], loss = fit(chosen, kind.size)
        print(f"{name}: {len(chosen)} pairs, loss {loss:.4f}", fitted[name])
    kind.save(fitted)


if __name__ == "__main__":
    main(*sys.argv[1:])
