"""The local variant with a cheap card under every big word; after two refuted claims it plays honestly.

In this game a lie costs the card that lies on the table, so the art is to lie with the card that is least
missed. So does this bot: it claims what pays best, and places its worst card.
"""

import random
import sys

BEST_FIRST = ["contessa", "duchess", "assassin", "captain", "ambassador"]


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def parts(option):
    """`captain:p2@duchess` claims a captain against p2 and places a duchess: captain, p2, duchess."""
    claim, _, placed = option.removeprefix("block:").partition("@")
    verb, _, target = claim.partition(":")
    return verb, target, placed


class Bluffer:
    """Plays one game; the next one gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, words):
        self.name, self.me = words[1], facts_in(words)["you"]
        self.seats = {}  # the newest `state` line of every seat
        self.caught = 0  # claims of ours that were refuted

    def event(self, verb, *words):
        if verb == "refuted" and words[0] == self.me:
            self.caught += 1

    def cards(self, seat, key):
        """The cards in `discard=` or `cemetery=` of a seat; no such key means no cards."""
        facts = self.seats[seat]
        return facts[key].split(",") if key in facts else []

    def gone(self, seat):
        """Cards that, as far as we can see, a seat does not have in its hand any more."""
        return self.cards(seat, "discard") + self.cards(seat, "cemetery")

    def danger(self, option):
        """How dangerous the target of an option is: its number of lives, then of coins; (0, 0) if none."""
        _, target, _ = parts(option)
        if target not in self.seats:
            return 0, 0
        return 5 - len(self.cards(target, "cemetery")), int(self.seats[target]["coins"])

    def cheapest(self, options):
        """The claim among these against the strongest player; of several, the one that places our worst card.

        After two refuted claims only true ones count. None if there is none.
        """
        if self.caught > 1:
            options = [option for option in options if parts(option)[0] == parts(option)[2]]
        if not options:
            return None
        return max(options, key=lambda option: (*self.danger(option), BEST_FIRST.index(parts(option)[2])))

    def answer(self, kind, facts, options):
        if kind in ("hello", "ready"):
            return options[0]
        if self.name != "local":
            return random.choice(options)
        if kind == "action":
            return self.action(options)
        if kind == "block":
            return self.block(facts["action"], options)
        if kind == "challenge":  # it takes one to know one: now and then it doubts without a reason
            evident = facts["claim"] in self.gone(facts["on"])
            return "challenge" if evident or random.random() < 0.1 else "pass"
        if kind == "lose":
            return max(options, key=BEST_FIRST.index)
        if kind == "return":  # the ambassador: `x+y` go back to the discard, and the best stay in the hand
            return max(options, key=lambda option: sorted(map(BEST_FIRST.index, option.split("+"))))
        return options[0]  # whatever is invented after this bot

    def action(self, options):
        coups = [option for option in options if parts(option)[0] == "coup"]
        if coups:
            return max(coups, key=self.danger)
        for wanted in random.choice([["assassin", "duchess", "captain"], ["duchess", "captain"]]):
            if wanted not in self.gone(self.me):  # the same story twice is not believed
                claim = self.cheapest([option for option in options if parts(option)[0] == wanted])
                if claim:
                    return claim
        return "aid"

    def block(self, action, options):
        """Block an assassin as contessa, a captain as captain, unless this card lies open; never an aid."""
        wanted = {"assassin": "contessa", "captain": "captain"}.get(parts(action)[0])
        if wanted in self.gone(self.me):
            return "pass"
        return self.cheapest([option for option in options if parts(option)[0] == wanted]) or "pass"


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Bluffer(words)
        elif verb == "event":
            game.event(*words)
        elif verb == "state" and words[0] != "table":
            game.seats[words[0]] = facts_in(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
