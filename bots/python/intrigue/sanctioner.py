"""Bargains like the negotiator, trusts by what a player has kept and broken, and punishes betrayal.

A player that breaks a promise, to any other, gets no deal and no bribe above the least for a round. After
that it is believed by half, and so gets half the price at most. For the rest of the game its advisors get
the worst places here, and are attacked in other castles.
"""

from negotiator import Negotiator
from table import seat_of

PUNISH = 3  # how many times what a betrayer earns is weighed


class Sanctioner(Negotiator):
    def __init__(self, words):
        super().__init__(words)
        self.kept = dict.fromkeys(self.names, 0)
        self.broken = dict.fromkeys(self.names, 0)
        self.grim = {}  # by seat: the turn of its newest betrayal

    def judge(self, number, by, verdict, word):
        super().judge(number, by, verdict, word)
        if verdict == "kept":
            self.kept[by] += 1
        elif verdict == "broken":
            self.broken[by] += 1
            self.grim[by] = self.turn

    def faith(self, seat):
        if self.is_shunned(seat):
            return 0
        trust = (self.kept[seat] + 1) / (self.kept[seat] + self.broken[seat] + 2)
        return trust / 2 if self.broken[seat] else trust

    def is_shunned(self, seat):
        """Whether its newest betrayal was less than a round ago."""
        return seat in self.grim and self.turn - self.grim[seat] <= self.players

    def sell(self, payer, advisors, offers):
        return "" if self.is_shunned(payer) else super().sell(payer, advisors, offers)

    def offer(self, facts, payer, advisors):
        return "" if self.is_shunned(facts["with"]) else super().offer(facts, payer, advisors)

    def free_price(self, own):
        return 0 if self.is_shunned(self.owner) else super().free_price(own)

    def prospect(self, option, first):
        """Less at the castle of a betrayer, which would be bribed; more against its advisors."""
        kind, _, seat = option.partition("@")
        sitter = seat_of(self.castle(seat).get(kind, (0, self.me))[1])
        against = PUNISH if self.broken[sitter] else 1
        return super().prospect(option, first) * against * (self.faith(seat) if self.broken[seat] else 1)

    def threat(self, seat):
        return super().threat(seat) + (self.players * PUNISH if self.broken[seat] else 0)
