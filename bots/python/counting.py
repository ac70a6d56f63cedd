"""Counts cards and remembers claims, then mostly does what is worth most: the solid house bot for Complots.

Two probabilities decide. `holds`: that a rival has a card, over all hands that the unseen cards allow, where
hands that do not fit its claims count less. `doubted`: that a claim of our own is challenged. With them every
option has a value in coins (an income is worth 1). Options with nearly the same value are played at random,
the better one more often: a rival that knows this program cannot tell from our answers what we hold, or which
bluffs we let pass.
"""

import random
import sys
from collections import Counter
from itertools import combinations_with_replacement
from math import comb, exp, prod

CARDS = ["duchess", "assassin", "contessa", "captain", "ambassador", "inquisitor"]
WORTH = dict(zip(CARDS, [4.5, 5.0, 4.0, 5.0, 2.0, 3.0], strict=True))  # of a card in our hand
TWICE = 3.0  # by how much a second copy of a card is worth less
OUR_CARD = {1: 15.0, 2: 6.0}  # what it costs us to lose a card: the last one, or one of two
RIVALS_CARD = 6.0  # what it brings us that a rival loses one
RIVALS_COIN = 0.66  # what it costs us that the only rival gets a coin
TEMPERATURE = {  # in coins, by what is asked: how much less an option may be worth that is often chosen
    **{"action": 0.4, "challenge": 0.4, "block": 0.4},
    **{"draft": 2.0, "lose": 2.0, "show": 2.0},
    **{"keep": 0.01, "exam": 0.01},  # only the best
}


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


class Counting:
    """Plays one game; the next one gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, words):
        facts = facts_in(words)
        self.name, self.me = words[1], facts["you"]
        self.copies = 4 if int(facts["seats"]) > 6 else 3  # of each character in the deck
        self.cast = [*CARDS[:4], facts.get("cast", "ambassador")]
        self.away = []  # cards of our own pack that a draft took out of the game
        self.seats = {}  # the newest `state` line of every seat
        names = [f"p{number}" for number in range(1, int(facts["seats"]) + 1)]
        self.claimed = {name: set() for name in names}  # characters that a seat pretends to hold
        self.denied = {name: set() for name in names}  # characters that it cannot hold
        self.lies, self.truths = Counter(), Counter()  # challenged claims, by seat
        self.heard, self.challenges = Counter(), Counter()  # what each seat could challenge, and did

    # What we know

    def number(self, seat, key):
        return int(self.seats[seat][key])

    def cards(self, seat, key):
        """The cards in `hand=` or `lost=` of a seat; no such key means no cards."""
        return self.seats[seat][key].split(",") if key in self.seats[seat] else []

    def hand(self):
        return self.cards(self.me, "hand")

    def rivals(self):
        return [seat for seat in self.seats if seat != self.me and self.number(seat, "cards")]

    def unseen(self):
        """How many copies of each character may be in the hands of others or in the Court."""
        seen = self.hand() + self.away
        for seat in self.seats:
            seen += self.cards(seat, "lost")
        return {card: self.copies - seen.count(card) for card in self.cast}

    def event(self, verb, seat, *words):
        """Follow the news: who claims what, and what comes of it."""
        if verb in ("claim", "block"):  # claim p1 captain:p2, block p2 block:contessa
            self.claimed[seat].add(words[0].removeprefix("block:").partition(":")[0])
            self.heard.update(self.claimed.keys() - {seat})
        elif verb == "challenge":
            self.challenges[seat] += 1
        elif verb == "refuted":
            self.lies[seat] += 1
            self.claimed[seat].discard(words[0])
            self.denied[seat].add(words[0])
        elif verb == "proven":  # the card is exchanged: what comes for it may be anything
            self.truths[seat] += 1
            self.claimed[seat].discard(words[0])
            self.denied[seat].clear()
        elif verb == "lose":
            self.claimed[seat].discard(words[0])
        elif verb == "exchange" or "discard" in words:  # exam p1 p2 discard: p2 has a new card
            changed = seat if verb == "exchange" else words[0]
            self.claimed[changed].clear()
            self.denied[changed].clear()

    # The two probabilities

    def holds(self, seat, *cards):
        """How probable it is that a rival has at least one of these cards."""
        unseen = self.unseen()
        bluffs = (self.lies[seat] + 0.3) / (self.lies[seat] + self.truths[seat] + 4)
        total = fitting = 0.0
        for hand in combinations_with_replacement(self.cast, self.number(seat, "cards")):
            weight = prod(comb(unseen[card], hand.count(card)) for card in self.cast)
            weight *= prod(bluffs for card in self.claimed[seat] if card not in hand)
            if any(card in hand for card in self.denied[seat]):
                weight *= 0.02
            total += weight
            if any(card in hand for card in cards):
                fitting += weight
        return fitting / total if total else 0.0

    def doubted(self, card):
        """How probable it is that somebody challenges us for this card."""
        copies = self.unseen()[card] + self.hand().count(card)
        stories = self.claimed[self.me]
        trust = prod(1 - (self.challenges[seat] + 0.5) / (self.heard[seat] + 4) for seat in self.rivals())
        doubt = 1 - trust
        if card not in stories and len(stories) >= len(self.hand()):
            doubt *= 4  # one character too many
        if copies <= 1:
            doubt += 0.3 if copies else 1.0  # everybody can see where the others are
        return min(1.0, doubt)

    # What things are worth

    def loss(self):
        return OUR_CARD[len(self.hand())]

    def damage(self, seat):
        """What it is worth to us that a rival loses a card: more if the rival is rich."""
        return RIVALS_CARD * (1 + 0.05 * self.number(seat, "coins"))

    def booty(self, seat):
        """What a theft from this seat is worth to the thief."""
        return min(2, self.number(seat, "coins")) * (1 + RIVALS_COIN / len(self.rivals()))

    def backfire(self, doubt):
        """What a true claim brings because others may challenge it: the challenger loses a card."""
        return doubt * 4 / len(self.rivals())

    def power(self, card, target):
        """What a character's power is worth, after its cost, when nobody challenges it."""
        if card == "duchess":
            return 3.0
        if card == "captain":
            return self.booty(target) * (1 - 0.8 * self.holds(target, "captain", self.cast[4]))
        if card == "assassin":
            return self.damage(target) * (1 - self.holds(target, "contessa")) - 3
        if target not in self.seats:  # ambassador, or inquisitor:draw
            return 1.4 - 0.2 * min(WORTH[held] for held in self.hand())
        return 0.5

    # The value of an option, by what is asked

    def value_action(self, facts, option):
        verb, _, target = option.partition(":")
        if verb == "income":
            return 1.0
        if verb == "aid":
            return 2 * prod(1 - 0.8 * self.holds(seat, "duchess") for seat in self.rivals())
        if verb == "coup":
            return self.damage(target) - 3.0  # its seven coins cannot all be spent better
        if verb not in self.cast:
            return 0.0
        doubt = self.doubted(verb)
        if verb in self.hand():
            return self.power(verb, target) + self.backfire(doubt)
        return (1 - doubt) * self.power(verb, target) - doubt * self.loss()

    def value_challenge(self, facts, option):
        """What it is worth to challenge `claim=`, the card of the action or of a block; to pass is 0."""
        if option == "pass":
            return 0.0
        claimant, card = facts["on"], facts["claim"]
        verb, _, target = facts["action"].partition(":")
        gain = 0.4 * self.damage(claimant)  # others gain as well, and might challenge in our place
        if target == self.me and verb == card == "captain":
            gain += 1
        if target == self.me and verb == card == "assassin" and "contessa" not in self.hand():
            gain += self.loss() / 2
        true = self.holds(claimant, card)
        return (1 - true) * gain - true * self.loss()

    def value_block(self, facts, option):
        if option == "pass":
            return 0.0
        verb, card, risk = facts["action"].partition(":")[0], option.removeprefix("block:"), self.loss()
        saved = {"aid": 2 * RIVALS_COIN / len(self.rivals()), "captain": self.booty(self.me)}.get(verb, risk)
        if verb == "assassin":  # a lie that fails costs both cards, but the last card is lost anyway
            risk = OUR_CARD[1] if len(self.hand()) > 1 else 0.0
        doubt = self.doubted(card)
        if card in self.hand():
            return saved + self.backfire(doubt)
        return (1 - doubt) * saved - doubt * risk

    def value_draft(self, facts, option):
        return WORTH[option] - TWICE * (option in self.hand())

    def value_keep(self, facts, option):
        cards = option.split("+")
        return sum(WORTH[card] for card in cards) - TWICE * (len(cards) - len(set(cards)))

    def value_lose(self, facts, option):
        return -WORTH[option]

    value_show = value_lose

    def value_exam(self, facts, option):
        return WORTH[facts["card"]] - 3.5 if option == "discard" else 0.0

    # Answers

    def odds(self, kind, facts, options):
        """How often each option is chosen, relative to the best: a softmax of their values."""
        value = getattr(self, f"value_{kind}")
        values = [value(facts, option) for option in options]
        temperature = TEMPERATURE[kind] / len(self.rivals()) ** 2  # of many rivals few study our habits
        return [exp((each - max(values)) / temperature) for each in values]

    def answer(self, kind, facts, options):
        if self.name != "complots" or kind not in TEMPERATURE:
            return options[0]  # another game, `ready`, or whatever is invented after this bot
        pick = random.choices(options, self.odds(kind, facts, options))[0]
        if kind == "draft":
            self.away = [card for card in options if card != pick]
        return pick


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Counting(words)
        elif verb == "event" and game.name == "complots":
            game.event(*words)
        elif verb == "state" and words[0] != "table":
            game.seats[words[0]] = facts_in(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
