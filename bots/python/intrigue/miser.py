"""Simple: pays the least, sends advisors anywhere, and gives its best zones to the highest bribes."""

import random

from table import LEAST, Table


class Miser(Table):
    """A bot that never talks: it has no method for this kind of ask, so it plays the first option, `pass`."""

    def answer_send(self, facts, options):
        return random.choice(options)

    def score(self, advisor, zone):
        """More for a higher zone if the bribe is above the least, and for a lower zone otherwise."""
        return (self.bribe_for(advisor) - LEAST - 1) * zone
