"""Tells the truth: claims and blocks only with cards it holds, and doubts only what it can see is false."""

import random
import sys

BEST_FIRST = ["assassin", "captain", "duchess", "contessa", "inquisitor", "ambassador"]


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


class Honest:
    """Plays one game; the next one gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, words):
        facts = facts_in(words)
        self.name = words[1]
        self.me = facts["you"]
        self.copies = 4 if int(facts["seats"]) > 6 else 3  # of each character in the deck
        self.seats = {}  # the newest `state` line of every seat

    def cards(self, seat, key):
        """The cards in `hand=` or `lost=` of a seat; only the text "" if there is no such key."""
        return self.seats.get(seat, {}).get(key, "").split(",")

    def danger(self, option):
        """How dangerous the target of an option is: its number of cards, then of coins; (0, 0) if none."""
        facts = self.seats.get(option.partition(":")[2], {})
        return int(facts.get("cards", 0)), int(facts.get("coins", 0))

    def answer(self, kind, facts, options):
        hand = self.cards(self.me, "hand")
        if self.name != "complots":
            return random.choice(options)
        if kind == "action":
            return self.action(hand, options)
        if kind == "block":  # block:contessa, ...
            return next((option for option in options if option.split(":")[-1] in hand), "pass")
        if kind == "challenge":
            return "challenge" if self.is_false(facts["claim"]) else "pass"
        if kind in ("draft", "keep"):  # cards such as `captain`, or `captain+duchess`
            return min(options, key=lambda option: [BEST_FIRST.index(card) for card in option.split("+")])
        if kind in ("lose", "show"):
            return max(options, key=BEST_FIRST.index)
        if kind == "exam":
            return "discard" if facts["card"] in BEST_FIRST[:3] else "return"
        return options[0]  # `hello`, `ready`, and whatever is invented after this bot

    def action(self, hand, options):
        """The strongest action that needs no lie."""
        for wanted in ["coup", "assassin", "captain", "duchess"]:
            found = [option for option in options if option.split(":")[0] == wanted]
            if found and (wanted in hand or wanted == "coup"):
                return max(found, key=self.danger)
        for wanted in ["ambassador", "inquisitor:draw"]:
            if wanted in options and wanted.split(":")[0] in hand:
                return wanted
        return "aid"

    def is_false(self, card):
        """Whether every copy of a card lies open or in our own hand."""
        seen = self.cards(self.me, "hand")
        for seat in self.seats:
            seen = seen + self.cards(seat, "lost")
        return seen.count(card) == self.copies


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Honest(words)
        elif verb == "state":
            game.seats[words[0]] = facts_in(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
