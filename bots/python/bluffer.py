"""Plays two characters that it made up at the start, whatever it holds, and stops when it is caught."""

import random
import sys


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


class Bluffer:
    """Plays one game; the next one gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, words):
        facts = facts_in(words)
        self.name = words[1]
        self.me = facts["you"]
        self.role = ["duchess", "assassin", "contessa"]  # who we say we are
        self.seats = {}  # the newest `state` line of every seat

    def event(self, verb, *words):
        if verb == "refuted" and words[0] == self.me:
            self.role = []

    def danger(self, option):
        """How dangerous the target of an option is: its number of cards, then of coins; (0, 0) if none."""
        facts = self.seats.get(option.partition(":")[2], {})
        return int(facts.get("cards", 0)), int(facts.get("coins", 0))

    def answer(self, kind, facts, options):
        if self.name != "complots":
            return random.choice(options)
        hand = self.seats.get(self.me, {}).get("hand", "").split(",")
        last = len(hand) == 1
        claimable = hand + self.role
        if kind == "action":
            for wanted in ["coup", "assassin", "captain", "duchess"]:
                found = [option for option in options if option.split(":")[0] == wanted]
                if found and (wanted in claimable or wanted == "coup"):
                    return max(found, key=self.danger)
            return "income"
        if kind == "block":
            for option in options[1:]:
                if option.split(":")[1] in hand:
                    return option
            if "block:contessa" in options and (last or "contessa" in claimable):
                return "block:contessa"
            return "pass"
        if kind == "lose":
            return max(
                options, key=["contessa", "duchess", "assassin", "captain", "inquisitor", "ambassador"].index
            )
        return options[0]


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Bluffer(words)
        elif verb == "event":
            game.event(*words)
        elif verb == "state":
            game.seats[words[0]] = facts_in(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
