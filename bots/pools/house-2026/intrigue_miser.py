"""Pays the least that it may, and gives the best places of its castle to who pays most. It never talks."""

import random
import sys

ZONES = [1000, 3000, 6000, 10000]


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def split(text):
    """The parts of a list such as `p2.writer,p3.doctor`; no such key means an empty list."""
    return text.split(",") if text else []


class Table:
    """What lies open: castles, candidates, whose turn it is, and what was paid in this stage."""

    def __init__(self, words):
        facts = facts_in(words)
        self.name, self.me = words[1], facts["you"]
        self.players, self.rounds = int(facts["seats"]), int(facts.get("rounds", 5))
        self.turn, self.owner = 0, "p1"
        self.seats = {}  # the newest `state` line of every seat
        self.paid = {}  # in this stage, by seat, or by advisor if each has a bribe of its own
        self.stage = []  # all advisors of this stage

    def read_state(self, words):
        facts = facts_in(words)
        if words[0] == "table":
            self.turn, self.owner = int(facts["turn"]), facts.get("owner", "p1")
        else:
            self.seats[words[0]] = facts

    def read_event(self, words):
        facts = facts_in(words)
        if words[0] == "stage":
            self.paid, self.stage = {}, split(facts["candidates"])
            self.stage += split(facts.get("occupant"))
        elif words[0] == "bribe":
            who = facts.get("for", words[1])
            self.paid[who] = self.paid.get(who, 0) + int(words[3])

    def castle(self, seat):
        """From type to its zone and who holds it: {"writer": (6000, "p2")}."""
        here = {}
        for word in split(self.seats[seat].get("castle")):
            zone, _, advisor = word.partition(":")
            holder, _, kind = advisor.partition(".")
            here[kind] = int(zone), holder
        return here

    def candidates(self, seat):
        return split(self.seats[seat].get("candidates"))

    def income(self, seat):
        """What a seat's advisors earn it at each of its turns."""
        seats = [held for castle in self.seats for held in self.castle(castle).values()]
        return sum(zone for zone, holder in seats if holder == seat)

    def steps(self, seat):
        """How many turns it takes until it is this seat's."""
        return (int(seat[1:]) - int(self.owner[1:])) % self.players

    def incomes(self, seat, after=0):
        """How many incomes a seat still has, so many turns from now; the final one is the last."""
        first = self.turn + (self.steps(seat) or self.players)
        turns = range(first, self.players * self.rounds + 1, self.players)
        return 1 + sum(turn > self.turn + after for turn in turns)

    def bribe_for(self, advisor):
        """What was paid for an advisor; one sum for several is a part for each."""
        if advisor in self.paid:
            return self.paid[advisor]
        seat = advisor.partition(".")[0]
        return self.paid.get(seat, 0) // max(1, sum(each.startswith(seat + ".") for each in self.stage))

    def prospect(self, option, first):
        """What an advisor that is sent to a castle may earn there."""
        kind, _, seat = option.partition("@")
        castle, wait = self.castle(seat), self.steps(seat) or self.players
        rivals = [each for each in self.candidates(seat) if each.endswith("." + kind)]
        if option == first or f"{self.me}.{kind}" in rivals:
            return 0  # only one of the two could stay
        if kind in castle:
            zone, holder = castle[kind]
            zone = 0 if holder == self.me else zone // 2
        else:
            taken = [zone for zone, _ in castle.values()]
            free = [zone for zone in ZONES if zone not in taken]
            zone = sum(free) // len(free)
        return zone * self.incomes(self.me, wait) // (1 + len(rivals))


class Miser(Table):
    """One game; the next game gets a new object, so that nothing is remembered from game to game."""

    def answer(self, kind, facts, options):
        if kind in ("hello", "ready"):
            return options[0]
        if self.name != "intrigue":
            return random.choice(options)
        if kind == "send":
            return max(options, key=lambda option: self.prospect(option, facts.get("first")))
        if kind == "decide":
            return max(options, key=self.bribe_for)  # if equal, the first: who sits there
        if kind == "place" and "advisor" in facts:
            return self.place(facts["advisor"], options)
        if kind == "place":  # candidate@zone: the best of bribes, and then its zone
            best = max((option.partition("@")[0] for option in options), key=self.bribe_for)
            zones = [option.partition("@")[2] for option in options if option.startswith(best + "@")]
            return f"{best}@{self.place(best, zones)}"
        return options[0]  # talk: pass; bribe: the least; and whatever is invented after this bot

    def place(self, advisor, zones):
        """The best zone for the best bribe, the next for the next; for the least bribe the worst."""
        bribe = self.bribe_for(advisor)
        if bribe <= 1000:
            return zones[0]
        better = {each for each in self.waiting(advisor) if self.bribe_for(each) > bribe}
        return zones[max(0, len(zones) - 1 - len(better))]

    def waiting(self, advisor):
        """The other advisors of this stage that have no zone yet."""
        return [each for each in self.candidates(self.me) if each in self.stage and each != advisor]


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Miser(words)
        elif game and game.name == "intrigue" and verb == "state":
            game.read_state(words)
        elif game and game.name == "intrigue" and verb in ("event", "secret"):
            game.read_event(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
