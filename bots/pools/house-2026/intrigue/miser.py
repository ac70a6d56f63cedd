"""Simple: pays the least, sends advisors anywhere, and gives its best zones to the highest bribes."""

import random

from table import LEAST, Table


class Miser(Table):
    """It never talks: without a method for this kind of ask, the first option is played, `pass`."""

    def answer_send(self, facts, options):
        return random.choice(options)

    def score(self, advisor, zone):
        """A bribe above the least wins a zone; who pays the least gets the least."""
        return (self.bribe_for(advisor) - LEAST - 1) * zone
