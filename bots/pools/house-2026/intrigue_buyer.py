"""Pays for a seat by what it will earn there, and sells its own by what they will cost. It never talks."""

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


class Buyer(Table):
    """One game; the next game gets a new object, so that nothing is remembered from game to game."""

    def answer(self, kind, facts, options):
        if kind in ("hello", "ready"):
            return options[0]
        if self.name != "intrigue":
            return random.choice(options)
        if kind == "bribe":
            return self.bribe(facts, options)
        if kind == "send":
            return max(options, key=lambda option: self.prospect(option, facts.get("first")))
        if kind == "decide":
            zone = int(facts["zone"])
            return max(options, key=lambda each: self.favour(each, zone))
        if kind == "place" and "advisor" in facts:
            return max(options, key=lambda zone: self.favour(facts["advisor"], int(zone)))
        if kind == "place":
            return max(options, key=lambda option: self.favour(*self.parts(option)))
        return options[0]  # talk: pass; and whatever is invented after this bot

    def parts(self, option):
        advisor, _, zone = option.partition("@")
        return advisor, int(zone)

    def bribe(self, facts, options):
        """A part of what the seats may earn: more against rivals, never more than a third of all money."""
        zones = sorted(map(int, split(facts["zones"])), reverse=True)
        own = split(facts["for"])
        worth = sum(zones[: len(own)]) * self.incomes(self.me)
        kinds = {each.partition(".")[2] for each in own}
        rivals = {each for each in self.stage if each.partition(".")[2] in kinds and each not in own}
        price = worth // 8 * (2 if rivals else 1)
        if rivals:  # if a little more than the highest bribe will do, pay that
            price = (
                min(price, 1000 + max(map(self.bribe_for, rivals), default=0)) if self.last(rivals) else price
            )
        price = min(price, int(facts["money"]) // 3)
        return str(max(1000, min(int(options[-1]), price // 1000 * 1000)))

    def last(self, rivals):
        """Whether all rivals have paid."""
        return all(self.bribe_for(each) for each in rivals)

    def favour(self, advisor, zone):
        """How well a bribe pays for a zone: what the seat would earn there is lost to us, in part.

        A zone that the bribe does not pay for costs more than it brings, so the least is given; where
        it is paid for, the bribe decides between advisors, and the dearest zone thanks for it.
        """
        seat = advisor.partition(".")[0]
        bribe = self.bribe_for(advisor)
        worth = zone * self.incomes(seat)
        threat = self.income(seat) // 4
        return (bribe - threat - max(0, worth // 8 - bribe), zone if bribe > 1000 else -zone)


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Buyer(words)
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
