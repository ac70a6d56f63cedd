"""Plays Complots by what training has found: with two seats by a table of probabilities."""

import random
import sys
from pathlib import Path

from duel import Duel, Table
from position import Position, facts_in

HERE = Path(__file__).parent
RARE = 0.03  # options less probable than this are not played: training has tried everything at times


def pick(dice, options, weights):
    """One of the options, as often as its weight says."""
    total = sum(weights)
    likely = [weight if weight >= RARE * total else 0 for weight in weights]
    return dice.choices(options, likely)[0]


class Learned:
    """One game."""

    def __init__(self, words):
        facts = facts_in(words)
        self.position = Position(words)
        self.dice = random.Random(int(facts["seed"]))
        cast = facts.get("cast", "ambassador")
        self.duel = Duel(table_of(cast), self.position) if int(facts["seats"]) == 2 else None

    def answer(self, kind, facts, options):
        if self.duel and len(options) > 1:
            weights = self.duel.weights(kind, facts, options)
            if any(weights):
                return pick(self.dice, options, weights)
        return options[0]


TABLES = {}


def table_of(cast):
    if cast not in TABLES:
        TABLES[cast] = Table(HERE / f"duel_{cast}.bin")
    return TABLES[cast]


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            game = Learned(words) if words[1] == "complots" else None
        elif verb == "event" and game:
            game.position.event(*words)
        elif verb == "state" and game:
            game.position.state(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            chosen = game.answer(kind, facts, options) if game and kind != "ready" else options[0]
            print(words[0], chosen, flush=True)


if __name__ == "__main__":
    main()
