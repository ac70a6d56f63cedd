"""Solid: pays, places and takes offers by what a zone still earns; it makes no offers, and keeps its word.

What a deal is worth. A zone is worth its value times the incomes that its player still has. Places count,
not ducats: a bribe x puts the owner ahead by x of its n - 2 other rivals and by 2x of the payer, which is
x + x / (n - 1) on average; and a zone that earns the payer g costs the owner g / (n - 1) in the same way. So
an owner sells from g / n up, and a payer pays up to g (n - 1) / n if it believes the owner. The gain is
multiplied by how far it believes the owner, from 0 to 1, and so is the most that it pays.
"""

import random
from typing import NamedTuple

from table import LEAST, TYPES, Table, seat_of, split, type_of

SHARE = 8  # without a deal, this part of what a zone earns is paid
THANKS = 4  # an owner thanks for a bribe without a deal as if it were so many times as much


class Deal(NamedTuple):
    """An accepted offer: what a seat pays, and the zones that it gets for it, by type."""

    number: str
    payer: str
    amount: int
    places: dict


def read_terms(terms, payer):
    """The amount and the places of an offer, or None if it has other terms."""
    amount, places = 0, {}
    for term in terms:
        who, _, zone = term.removeprefix(f"{payer}.").partition("@")
        if term.isdigit():
            amount = int(term)
        elif who in TYPES and who not in places:
            places[who] = int(zone)
        else:
            return None
    return (amount, places) if places else None


def round_off(amount):
    return max(LEAST, int(amount) // LEAST * LEAST)


class Buyer(Table):
    """Accepts offers at a good price; bots derived from it make offers, too."""

    def __init__(self, words):
        super().__init__(words)
        self.kind = ""  # of this stage
        self.zones = []  # that were free when this stage began
        self.offers = {}  # by number: the seat that made it, the one addressed, its terms
        self.deals = []  # of this stage
        self.due = []  # of these, before their bribe is paid
        self.kept = dict.fromkeys(self.names, 0)  # promises of places, to any player
        self.broken = dict.fromkeys(self.names, 0)

    # News of the talk

    def read_event(self, words):
        super().read_event(words)
        if words[0] == "stage":
            self.kind, self.zones, self.deals, self.due = words[2], self.zones_in(words), [], []
        elif words[0] == "offer":
            self.offers[words[1]] = words[2:5]
        elif words[0] == "accept":
            self.note(words[1], *self.offers[words[1]])
        elif words[0] == "bribe":
            self.due = [deal for deal in self.due if deal.payer != words[1]]
        elif words[0] == "promise":
            self.judge(*words[1:5])

    def zones_in(self, words):
        return sorted(int(zone) for word in words if word.startswith("zones=") for zone in split(word[6:]))

    def note(self, number, by, to, terms):
        """Note that an offer was accepted: a deal, if it is of payer and owner and this bot can read it."""
        payer = to if by == self.owner else by
        found = read_terms(terms.split(":"), payer) if self.owner in (by, to) else None
        if found and not self.deal_of(payer):
            self.deals.append(Deal(number, payer, *found))
            self.due.append(self.deals[-1])

    def deal_of(self, payer):
        """The deal of this payer whose bribe is still to be paid, or None."""
        return next((deal for deal in self.due if deal.payer == payer), None)

    def judge(self, number, by, verdict, word):
        """Note whether a promise was kept. A payer that does not pay what it promised loses its deal.

        Only promises of places count as kept or broken, as a payer pays before it gets anything.
        """
        if not word.isdigit():
            self.kept[by] += verdict == "kept"
            self.broken[by] += verdict == "broken"
        elif verdict == "broken":
            self.deals = [deal for deal in self.deals if (deal.number, deal.payer) != (number, by)]

    # What deals are worth

    def gain(self, seat, places):
        """The ducats that zones of this stage, by type, earn a seat beyond what it expects without a deal."""
        part = {"free": self.zones[0], "external": self.zones[0] // 2}
        gains = [zone - part.get(self.kind, zone // 2) for zone in places.values()]
        return sum(gains) * self.incomes(seat)

    def least(self, gain):
        """The least bribe for which an owner sells a gain."""
        return gain / self.players

    def most(self, gain):
        """The greatest bribe that a payer pays for a gain."""
        return gain * self.faith(self.owner) * (self.players - 1) / self.players

    def faith(self, seat):
        """How far a seat is believed, 0 to 1: below 1 if it has broken more promises than it has kept."""
        return min(1, 2 * self.trust(seat))

    def trust(self, seat):
        """The chance that a seat keeps its next promise, by Laplace's rule: 1/2 for a stranger."""
        return (self.kept[seat] + 1) / (self.kept[seat] + self.broken[seat] + 2)

    def places_for(self, advisors):
        """By type, the best zone that is still to be had, for the types of these advisors without a deal."""
        taken = {zone for deal in self.deals for zone in deal.places.values()}
        kinds = dict.fromkeys(type_of(each) for each in advisors)
        left = [kind for kind in kinds if not any(kind in deal.places for deal in self.deals)]
        return dict(zip(left, [zone for zone in self.zones[::-1] if zone not in taken], strict=False))

    def can_be_had(self, places, advisors):
        """Whether all these places are still to be had at once."""
        best = self.places_for(advisors)
        taken = {zone for deal in self.deals for zone in deal.places.values()}
        distinct = len(set(places.values())) == len(places)
        return distinct and all(
            kind in best and zone in self.zones and zone not in taken for kind, zone in places.items()
        )

    # Answers

    def answer_talk(self, facts, options):
        """Before a payment, accept or make an offer as payer or owner, until there is a deal; else pass."""
        if "with" not in facts and "offers" not in facts:
            return options[0]
        payer, advisors = seat_of(facts["for"]), split(facts["for"])
        if self.deal_of(payer):
            return options[0]
        parts = [offer.split(":") for offer in split(facts.get("offers"))]
        read = [(number, read_terms(terms, payer)) for number, *terms in parts]
        offers = [(number, *found) for number, found in read if found]
        word = (self.sell if self.owner == self.me else self.buy)(payer, advisors, offers)
        return word or (self.offer(facts, payer, advisors) if "open" in facts else "") or options[0]

    def buy(self, payer, advisors, offers):
        """The answer that accepts the offer with most profit for us as payer; "" if none is worth it."""
        profits = {}
        for number, amount, places in offers:
            most = self.most(self.gain(self.me, places)) if self.can_be_had(places, advisors) else 0
            if amount <= min(most, self.purse()):
                profits[number] = most - amount
        return f"accept:{max(profits, key=profits.get)}" if profits else ""

    def sell(self, payer, advisors, offers):
        """The answer that accepts the offer with most profit for us as owner; "" if none is worth it."""
        profits = {}
        for number, amount, places in offers:
            least = self.least(self.gain(payer, places)) // LEAST * LEAST
            if amount >= max(least, LEAST) and self.can_be_had(places, advisors):
                profits[number] = amount - least
        return f"accept:{max(profits, key=profits.get)}" if profits else ""

    def offer(self, facts, payer, advisors):
        """The answer that makes an offer; "" for none, as always here."""
        return ""

    def purse(self):
        """The most ducats that we pay for one deal."""
        return self.money[self.me] // 2

    def answer_bribe(self, facts, options):
        """The amount of our deal; without one a part of what the best zones earn, and more against rivals."""
        deal = self.deal_of(self.me)
        price = deal.amount if deal else self.free_price(split(facts["for"]))
        return str(min(round_off(price), int(options[-1])))

    def free_price(self, own):
        kinds = {type_of(each) for each in own}
        others = [each for each in self.stage if each not in own]
        price = sum(self.worth(self.me, zone) for zone in self.zones[::-1][: len(kinds)]) // SHARE
        if any(type_of(each) in kinds for each in others):
            price *= 2
        if others and all(self.bribe_for(each) for each in others):  # the last payer need not pay much more
            price = min(price, LEAST + max(map(self.bribe_for, others)) * len(own))
        return min(price, self.money[self.me] // 3)

    def answer_send(self, facts, options):
        """The option with the best prospect; of equal ones a random one, so that not all games are alike."""
        return max(options, key=lambda option: (self.prospect(option, facts.get("first")), random.random()))

    # The owner

    def score(self, advisor, zone):
        """How good a placement is for us: our word, then thanks for bribes, less the rival's gain."""
        seat, worth = seat_of(advisor), self.worth(seat_of(advisor), zone)
        thanks = min(self.thanks * self.bribe_for(advisor), worth)
        return (
            self.honour() * self.word(advisor, zone) + thanks - worth * self.threat(seat) / (self.players - 1)
        )

    thanks = THANKS

    def honour(self):
        """What it is worth to keep a promise, in ducats."""
        return 10**9

    def threat(self, seat):
        """How much the gain of a seat hurts us, as a factor: 1 if all rivals are equal, as here."""
        return 1

    def word(self, advisor, zone):
        """1 if a placement keeps a promise, -1 if it breaks one, else 0."""
        kind, word = type_of(advisor), 0
        for deal in self.deals:
            if deal.payer == seat_of(advisor) and deal.places.get(kind) == zone:
                return 1
            if kind in deal.places or zone in deal.places.values():
                word = -1
        return word
