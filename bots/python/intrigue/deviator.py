"""Bargains like the negotiator, and breaks its word when that pays: it sells one zone to several players."""

from negotiator import Negotiator
from table import type_of

LIE = 1000  # what a kept promise is worth to it, for each round to come


class Deviator(Negotiator):
    def places_for(self, advisors):
        """Zones for these advisors, by type; as owner the best ones, whatever was promised to others."""
        if self.owner != self.me:
            return super().places_for(advisors)
        return dict(zip(dict.fromkeys(map(type_of, advisors)), self.zones[::-1], strict=False))

    def can_be_had(self, places, advisors):
        return self.owner == self.me or super().can_be_had(places, advisors)

    def honour(self):
        """LIE for each round to come: nothing in the last one, after which no player can pay it less."""
        return LIE * (self.rounds - 1 - (self.turn - 1) // self.players)
