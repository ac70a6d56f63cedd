"""Bargains like the negotiator, trusts by what a player has kept and broken, and punishes betrayal.

A player that breaks a promise, to any other, gets no deal and no bribe above the least until it has kept
three promises for each that it has broken; after that it is believed by half, and so gets half the price at
most. For the rest of the game its advisors get the worst places here, and are attacked in other castles.
"""

from negotiator import Negotiator
from table import seat_of

AMENDS = 3  # promises to keep for each that was broken
PUNISH = 3  # how many times what a betrayer earns is weighed


class Sanctioner(Negotiator):
    def faith(self, seat):
        if self.is_shunned(seat):
            return 0
        return self.trust(seat) / 2 if self.broken[seat] else self.trust(seat)

    def is_shunned(self, seat):
        return self.kept[seat] < AMENDS * self.broken[seat]

    def sell(self, payer, advisors, offers):
        return "" if self.is_shunned(payer) else super().sell(payer, advisors, offers)

    def offer(self, facts, payer, advisors):
        return "" if self.is_shunned(facts["with"]) else super().offer(facts, payer, advisors)

    def free_price(self, own):
        return 0 if self.is_shunned(self.owner) else super().free_price(own)

    def prospect(self, option, first):
        """As for all bots, but less in the castle of a betrayer, and more where its advisor sits."""
        kind, _, seat = option.partition("@")
        sitter = seat_of(self.castle(seat).get(kind, (0, self.me))[1])
        against = PUNISH if self.broken[sitter] else 1
        return super().prospect(option, first) * against * (self.faith(seat) if self.broken[seat] else 1)

    def threat(self, seat):
        return super().threat(seat) + (self.players * PUNISH if self.broken[seat] else 0)
