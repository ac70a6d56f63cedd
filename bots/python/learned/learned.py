"""Plays Complots by what training has found: two seats by a table of probabilities, more by a network.

docs/house-bots.md has how it was trained, and what was measured.
"""

import random
import sys
from functools import cache
from pathlib import Path

from duel import Duel, Table
from field import Field, Network
from position import Position, facts_in

HERE = Path(__file__).parent
RARE_IN_TABLE, RARE = 0.15, 0.03  # less probable options are left out: training has tried everything at times


def pick(dice, options, weights, rare):
    """A random option by weight, of those with at least the share `rare`, or else with the most weight."""
    least = min(rare * sum(weights), max(weights))
    return dice.choices(options, [weight if weight >= least else 0 for weight in weights])[0]


class Learned:
    """Plays one game: what the seat knows, and the answers to its asks."""

    def __init__(self, words):
        facts = facts_in(words)
        self.position = Position(words)
        self.dice = random.Random(int(facts["seed"]))
        cast = facts.get("cast", "ambassador")
        self.field = Field(network(), self.position, cast == "inquisitor")
        self.duel = Duel(table(cast), self.position) if facts["seats"] == "2" else None

    def answer(self, kind, facts, options):
        self.position.ask(kind)
        if len(options) == 1:
            return options[0]
        weights = self.duel.weights(kind, facts, options) if self.duel else []
        if any(weights):  # otherwise training has never been here
            return pick(self.dice, options, weights, RARE_IN_TABLE)
        return pick(self.dice, options, self.field.weights(kind, facts, options), RARE)


@cache
def table(cast):
    return Table(HERE / f"duel_{cast}.bin")


@cache
def network():
    return Network(HERE / "field.bin")


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
