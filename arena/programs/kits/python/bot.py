"""@NAME@, a bot for @GAME@. `choose` is its strategy: change that. `arena_reader.py` reads the protocol.

`arena games @GAME@` explains the rules, and all that the arena tells and asks.
"""

import re
import sys
from collections import Counter

from arena_reader import Reader

# Words that claim a card; the first words of options, the best first; asks in which to name a card is
# to claim it; and asks for a card to give away, the least wanted one.
CARDS = "@CARDS@".split()
WANTED = "@WANTED@".split()
CLAIMS = "action block".split()
LOSSES = "lose show return".split()


def choose(view, table):
    """Never lie, challenge only liars that have been caught, else take what is wanted most."""
    options = view.options
    if view.kind == "challenge" and table.events["refuted " + view.context["on"]] > 0:
        return "challenge"
    if view.kind in CLAIMS:
        hand = view.state.get(view.name, {}).get("hand", "").split(",")
        options = [option for option in options if is_true(option, hand)] or options
    ranks = [rank(option) for option in options]
    best = max(ranks) if view.kind in LOSSES else min(ranks)
    options = [option for option in options if rank(option) == best]
    return options[table.random(len(options))]


def is_true(option, hand):
    """Whether we could prove a claim: all cards that it names are one card, and in our hand."""
    cards = {word for word in re.split("[:@]", option) if word in CARDS}
    return not cards or (len(cards) == 1 and cards <= set(hand))


def rank(option):
    """The place of an option in WANTED, or the last one."""
    first = re.split("[:@+.]", option)[0]
    return WANTED.index(first) if first in WANTED else len(WANTED)


class Table:
    """What we remember of a game. The reader calls these methods; `view` has the rest."""

    def begin(self, table, seat, seed):
        """A game begins: nothing is left from the game before."""
        self.events = Counter()  # "refuted p1" -> how often an `event` line began so
        self.chance = seed % 2147483646 + 1

    def heard(self, news):
        for line in news:
            verb, *words = line.split()
            if verb == "event":
                self.events[" ".join(words[:2])] += 1
            elif verb == "error":  # we made a mistake; stderr is kept with the game
                print(line, file=sys.stderr)

    def answer(self, view):
        return choose(view, self)

    def random(self, count):
        """A number below `count`. The same seed gives the same numbers, so that games can be repeated."""
        self.chance = self.chance * 48271 % 2147483647  # the generator minstd_rand of C++
        return self.chance % count


Reader(said="name=@NAME@ version=1").run(Table())
