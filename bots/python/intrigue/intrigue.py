"""Bots of Intrigue: `intrigue.py ROLE` plays the role, one of `ROLES`."""

import random
import sys

from buyer import Buyer
from deviator import Deviator
from miser import Miser
from negotiator import Negotiator
from sanctioner import Sanctioner
from table import facts_in

ROLES = {
    "miser": Miser,
    "buyer": Buyer,
    "negotiator": Negotiator,
    "deviator": Deviator,
    "sanctioner": Sanctioner,
}


def play(bot, lines):
    """Play games until the lines end. Each gets a new object of the class `bot`: nothing is remembered."""
    game = None
    for line in lines:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = bot(words) if words[1] == "intrigue" else None
        elif verb == "state" and game:
            game.read_state(words)
        elif verb in ("event", "secret") and game:
            game.read_event(words)
        elif verb == "ask":
            print(words[0], answer(game, words), flush=True)


def answer(game, words):
    """The answer of a bot to an ask; the first option if it is None or does not know the kind of ask."""
    colon = words.index(":")
    options = words[colon + 1 :]
    method = getattr(game, f"answer_{words[1]}", None)
    return method(facts_in(words[:colon]), options) if method else options[0]


if __name__ == "__main__":
    play(ROLES[sys.argv[1] if len(sys.argv) > 1 else "negotiator"], sys.stdin)
