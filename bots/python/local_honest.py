"""The local variant without a lie: places the card that it names, doubts only what it can see is false."""

import random
import sys

BEST_FIRST = ["assassin", "duchess", "captain", "contessa", "ambassador"]


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def parts(option):
    """`captain:p2@duchess` claims a captain against p2 and places a duchess: captain, p2, duchess."""
    claim, _, placed = option.removeprefix("block:").partition("@")
    verb, _, target = claim.partition(":")
    return verb, target, placed


def is_true(option):
    verb, _, placed = parts(option)
    return verb == placed


class Honest:
    """Plays one game; the next one gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, words):
        self.name = words[1]
        self.seats = {}  # the newest `state` line of every seat

    def cards(self, seat, key):
        """The cards in `discard=` or `cemetery=` of a seat; no such key means no cards."""
        facts = self.seats[seat]
        return facts[key].split(",") if key in facts else []

    def danger(self, option):
        """How dangerous the target of an option is: its number of lives, then of coins; (0, 0) if none."""
        _, target, _ = parts(option)
        if target not in self.seats:
            return 0, 0
        return 5 - len(self.cards(target, "cemetery")), int(self.seats[target]["coins"])

    def answer(self, kind, facts, options):
        if kind in ("hello", "ready"):
            return options[0]
        if self.name != "local":
            return random.choice(options)
        if kind == "action":
            return self.action(options)
        if kind == "block":
            return next((option for option in options if option != "pass" and is_true(option)), "pass")
        if kind == "challenge":
            return "challenge" if self.is_false(facts["on"], facts["claim"]) else "pass"
        if kind == "lose":
            return max(options, key=BEST_FIRST.index)
        if kind == "return":  # the ambassador: `x+y` go back to the discard, and the best stay in the hand
            return max(options, key=lambda option: sorted(map(BEST_FIRST.index, option.split("+"))))
        return options[0]  # whatever is invented after this bot

    def action(self, options):
        """The strongest action that needs no lie."""
        for wanted in ["coup", "assassin", "duchess", "captain", "ambassador"]:
            found = [option for option in options if parts(option)[0] == wanted]
            if wanted != "coup":
                found = [option for option in found if is_true(option)]
            if found:
                return max(found, key=self.danger)
        return "aid" if "aid" in options else options[0]

    def is_false(self, seat, card):
        """Whether a seat's only copy of a card lies open in front of it."""
        return card in self.cards(seat, "discard") + self.cards(seat, "cemetery")


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Honest(words)
        elif verb == "state" and words[0] != "table":
            game.seats[words[0]] = facts_in(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
