"""Bargains by value: it offers deals as payer and as owner, believes all players, and keeps its word."""

import random

from buyer import Buyer, round_off

LEAD = 20000  # a rival that is so far ahead of the others counts twice


class Negotiator(Buyer):
    """As payer it begins near the least that an owner may sell for; as owner it asks for the middle."""

    thanks = 0  # a bribe without a deal buys nothing

    def offer(self, facts, payer, advisors):
        places = self.places_for(advisors)
        if not places:
            return ""
        first = facts.get("round", "").startswith("1/")
        if self.owner == self.me:
            price = self.price(payer, places, 1 / 2) if first else 0
        else:
            price = min(self.price(payer, places, random.uniform(0.1, 0.5) if first else 1 / 2), self.purse())
        words = [f"{kind}@{zone}" for kind, zone in places.items()]
        return ":".join(["offer", str(round_off(price)), *words]) if price else ""

    def price(self, payer, places, share):
        """The price at `share` (0 to 1) between the owner's least and the payer's most; 0 if least > most."""
        gain = self.gain(payer, places)
        least, most = self.least(gain), self.most(gain)
        return least + share * (most - least) if most >= least else 0

    def threat(self, seat):
        """A factor that is above 1 for a rival above the mean of all rivals: it gets the low zones."""
        standings = {other: self.standing(other) for other in self.others}
        return 1 + (standings[seat] - sum(standings.values()) / len(standings)) / LEAD
