"""A network: the strategy of three and more seats, and of two where the table has nothing.

What it sees is numbered as in bots/training/field.c.
"""

import struct
from itertools import pairwise
from math import exp

from position import card_of, verb_of

RIVALS, PER_RIVAL = 5, 21
KINDS = ["draft", "action", "challenge", "block", "lose", "keep", "show", "exam"]
CAUSES = ["coup", "assassin", "bluff", "challenge"]
FIRST_WORDS = [0, 1, 4, 2, 9, 14, 3, 19]  # by verb
PASS, DOUBT, GUARD, CARD, LEAVE = 24, 25, 26, 30, 35
AIMED = (2, 4, 5, 7)  # verbs with a target


class Network:
    """Layers of rectified units, read from a file with floats of 16 bits."""

    def __init__(self, path):
        data = path.read_bytes()
        (count,) = struct.unpack_from("<H", data)
        sizes = struct.unpack_from(f"<{count}H", data, 2)
        at, self.layers = 2 + 2 * count, []
        for inputs, outputs in pairwise(sizes):
            numbers = struct.unpack_from(f"<{(inputs + 1) * outputs}e", data, at)
            at += 2 * len(numbers)
            rows = [numbers[row * outputs : (row + 1) * outputs] for row in range(inputs + 1)]
            self.layers.append((rows[:-1], rows[-1]))

    def logits(self, seen):
        """The outputs of the last layer for these inputs, none of which may be below 0."""
        for weights, bias in self.layers:
            total = list(bias)
            for value, row in zip(seen, weights, strict=True):
                if value > 0:  # the rest is 0: of what is seen and of rectified units nothing is below
                    total = [each + value * weight for each, weight in zip(total, row, strict=True)]
            seen = total
        return seen


def one_of(number, count):
    return [float(each == number) for each in range(count)]


def bits(cards):
    return [float(card in cards) for card in range(5)]


def purse(coins):
    return [coins / 10, float(coins >= 3), float(coins >= 7)]


class Field:
    """Computes the decisions of one seat in one game by the network, which was trained with 2 to 6 seats."""

    def __init__(self, network, position, has_inquisitor):
        self.network, self.position, self.has_inquisitor = network, position, has_inquisitor
        self.me = position.me

    @property
    def rivals(self):
        """The other seats, clockwise; of more than five the first five that are alive."""
        names = self.position.names
        own = names.index(self.me)
        rivals = names[own + 1 :] + names[:own]
        if len(rivals) > RIVALS:
            rivals = [name for name in rivals if self.position.size(name)]
        return rivals[:RIVALS]

    # The weight of each option

    def weights(self, kind, facts, options):
        """The probability of each option, up to a factor."""
        if kind == "keep":
            hand = self.position.cards(self.me, "hand")
            return [self._keeps(hand, sorted(map(card_of, option.split("+")))) for option in options]
        hand = self.position.cards(self.me, "hand")
        logits = self.network.logits(self.see(kind, facts, hand))
        return self._odds(logits, [self.word(kind, option) for option in options])

    def _odds(self, logits, words):
        most = max(logits[word] for word in words if word is not None)
        odds = [0.0 if word is None else exp(logits[word] - most) for word in words]
        total = sum(odds)
        return [each / total for each in odds]

    def _keeps(self, hand, kept):
        """The probability that these cards stay, if cards are returned one by one as the network says."""
        if len(hand) == len(kept):
            return float(hand == kept)
        cards = sorted(set(hand))
        if len(cards) == 1:
            return self._keeps(hand[1:], kept)
        odds = self._odds(self.network.logits(self.see("keep", {}, hand)), [CARD + card for card in cards])
        chances = zip(cards, odds, strict=True)
        return sum(odd * self._keeps(without(hand, card), kept) for card, odd in chances)

    def word(self, kind, option):
        """The place of an option in the outputs; None if it is aimed at a seat that is not seen."""
        if kind == "action":
            verb, target = verb_of(option)
            if verb not in AIMED:
                return FIRST_WORDS[verb]
            return FIRST_WORDS[verb] + self.rivals.index(target) if target in self.rivals else None
        if kind == "challenge":
            return DOUBT if option == "challenge" else PASS
        if kind == "block":
            return PASS if option == "pass" else GUARD + {0: 0, 2: 1, 3: 2, 4: 3}[card_of(option[6:])]
        if kind == "exam":
            return LEAVE + (option == "discard")
        return CARD + card_of(option)

    # What is seen

    def see(self, kind, facts, hand):
        """The inputs of the network for an ask, as if this were the hand."""
        question = self._question(kind, facts)
        rivals = [number for name in self.rivals for number in self._rival(kind, facts, name)]
        empty = [0.0] * (PER_RIVAL * (RIVALS - len(self.rivals)))
        return question + self._self(hand) + rivals + empty

    def _turn(self, kind, facts):
        """Who acts, the verb of the action (-1: it is being chosen) and its target."""
        position = self.position
        if kind == "draft":  # who begins has a coin less
            return min(position.names, key=position.coins), -1, ""
        if kind == "action":
            return self.me, -1, ""
        verb, target = position.action
        return position.actor, verb, target if verb in AIMED else ""

    def _question(self, kind, facts):
        actor, verb, target = self._turn(kind, facts)
        living = sum(self.position.size(name) > 0 for name in self.position.names)
        return [
            *one_of(len(self.position.names) - 2, 5),
            *one_of(KINDS.index(kind), 8),
            *one_of(card_of(facts["claim"]) if kind == "challenge" else -1, 5),
            *one_of(verb, 8),
            *one_of(card_of(facts["card"]) if kind == "exam" else -1, 5),
            *one_of(CAUSES.index(facts["cause"]) if kind == "lose" else -1, 4),
            float(kind == "challenge" and facts["on"] != facts["actor"]),
            float(target == self.me),
            float(actor == self.me),
            living / 6,
            float(self.has_inquisitor),
        ]

    def _self(self, hand):
        coins, story = self.position.coins(self.me), self.position.stories[self.me]
        unseen = [3 - hand.count(card) for card in range(5)]
        for name in self.position.names:
            for card in self.position.cards(name, "lost"):
                unseen[card] -= 1
        return [
            *purse(coins),
            float(len(hand) > 1),
            *bits(hand),
            *bits([card for card in hand if hand.count(card) > 1]),
            *bits(story.claimed),
            *(count / 3 for count in unseen),
        ]

    def _rival(self, kind, facts, name):
        position, story = self.position, self.position.stories[name]
        if not position.size(name):
            return [0.0] * PER_RIVAL
        actor, _, target = self._turn(kind, facts)
        return [
            1.0,
            float(position.size(name) > 1),
            *purse(position.coins(name)),
            *bits(story.claimed),
            *bits(story.denied),
            min(4, story.lies) / 4,
            min(4, story.truths) / 4,
            (story.doubts + 0.5) / (story.heard + 4),
            float(actor == name),
            float(target == name),
            float(kind == "challenge" and facts["on"] == name),
        ]


def without(hand, card):
    rest = list(hand)
    rest.remove(card)
    return rest
