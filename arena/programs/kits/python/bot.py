"""@NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.

`arena games @GAME@` explains the rules, and all that the arena tells and asks.
"""

import re
import sys
from collections import Counter

# Words that claim a card; the first words of options, the best first; asks in which to name a card is
# to claim it; and asks for a card to give away, the least wanted one.
CARDS = "@CARDS@".split()
WANTED = "@WANTED@".split()
CLAIMS = "action block".split()
LOSSES = "lose show return".split()


def choose(kind, facts, options, table):
    """Never lie, challenge only liars that have been caught, else take what is wanted most."""
    if kind == "challenge" and table.events["refuted " + facts["on"]] > 0:
        return "challenge"
    if kind in CLAIMS:
        options = [option for option in options if is_true(option, table.hand())] or options
    ranks = [rank(option) for option in options]
    best = max(ranks) if kind in LOSSES else min(ranks)
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
    """What we know of one game. Each game gets a new one, so that nothing is left from the game before."""

    def __init__(self, words):
        facts = pairs(words)
        self.me = facts["you"]
        self.state = {}  # "p1" or "table" -> the facts of its newest `state` line
        self.events = Counter()  # "refuted p1" -> how often an `event` line began so
        self.chance = int(facts["seed"]) % 2147483646 + 1

    def hand(self):
        return self.state.get(self.me, {}).get("hand", "").split(",")

    def random(self, count):
        """A number below `count`. The same seed gives the same numbers, so that games can be repeated."""
        self.chance = self.chance * 48271 % 2147483647  # the generator minstd_rand of C++
        return self.chance % count


def pairs(words):
    """The words of the form key=value, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def answer(kind, facts, options, table):
    if kind == "hello":
        return "ok name=@NAME@ version=1"
    return choose(kind, facts, options, table) if table and kind != "ready" else options[0]


def main():
    table = None
    for line in sys.stdin:
        verb, *words = line.split() or [""]
        if verb == "game":
            table = Table(words)
        elif verb == "state":
            table.state[words[0]] = pairs(words)
        elif verb == "event":
            table.events[" ".join(words[:2])] += 1
        elif verb == "ask":  # <id> <kind> <ms> <key>=<value> ... : <option> ...
            colon = words.index(":")
            print(words[0], answer(words[1], pairs(words[:colon]), words[colon + 1 :], table), flush=True)
        elif verb == "error":  # we made a mistake; stderr is kept with the game
            print(line, end="", file=sys.stderr)
        elif verb == "bye":
            break


main()
