"""The opponent that `exploit.py` tunes against bots of Intrigue: the deviator, with numbers.

`exploit.py` copies this file into a copy of bots/python/intrigue: `bargainer.py free=0.5,purse=-1`. Each
number is the logarithm of a factor, which `exploit.py` explains. Without numbers it is the deviator.
"""

import sys
from math import exp

from deviator import Deviator
from intrigue import play
from negotiator import Negotiator


class Bargainer(Deviator):
    factors = {}

    def times(self, name):
        return self.factors.get(name, 1.0)

    def places_for(self, advisors):
        kind = Deviator if self.times("twice") >= 1 else Negotiator
        return kind.places_for(self, advisors)

    def can_be_had(self, places, advisors):
        kind = Deviator if self.times("twice") >= 1 else Negotiator
        return kind.can_be_had(self, places, advisors)

    def free_price(self, own):
        return min(super().free_price(own) * self.times("free"), self.money[self.me] // 2)

    def purse(self):
        return min(super().purse() * self.times("purse"), self.money[self.me])

    def least(self, gain):
        return super().least(gain) * self.times("least")

    def most(self, gain):
        return super().most(gain) * self.times("most")

    def price(self, payer, places, share):
        return super().price(payer, places, share * self.times("ask" if self.owner == self.me else "bid"))

    def honour(self):
        return super().honour() * self.times("lie")

    def threat(self, seat):
        return (1 + (super().threat(seat) - 1) * self.times("lead")) * self.times("rivals")

    def prospect(self, option, first):
        kind, _, seat = option.partition("@")
        return super().prospect(option, first) * (self.times("fight") if kind in self.castle(seat) else 1)


if __name__ == "__main__":
    numbers = dict(word.split("=") for word in sys.argv[1].split(",")) if sys.argv[1:] else {}
    Bargainer.factors = {name: exp(float(number)) for name, number in numbers.items()}
    play(Bargainer, sys.stdin)
