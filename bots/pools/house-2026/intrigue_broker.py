"""Bargains for places and keeps its word; who has broken his is believed less, and paid less."""

import random
import sys

ZONES = [1000, 3000, 6000, 10000]
TYPES = ["priest", "writer", "doctor", "biologist"]


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


class Broker(Table):
    """One game; the next game gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, words):
        super().__init__(words)
        self.offers = {}  # by number: who made it, and its words behind `offer:`
        self.agreed = {}  # what a payer has promised for the payment to come
        self.sold = {}  # places in our castle that we have promised in this stage: advisor -> zone, offer
        self.debts = []  # what we have promised for our next turn: seat, zone
        self.invited = []  # seats that have promised us a place at their next turn
        self.kept, self.broken = {}, {}  # how many promises of a seat have ended so

    def read_event(self, words):
        super().read_event(words)
        if words[0] == "stage":
            self.owner, self.agreed, self.sold = words[1], {}, {}
        elif words[0] == "offer":
            self.offers[words[1]] = words[2], words[3], words[4]
        elif words[0] == "accept":
            self.note(words[1], *self.offers[words[1]])
        elif words[0] == "bribe":
            self.agreed.pop(words[1], None)
        elif words[0] == "promise":
            self.judge(*words[1:5])

    def note(self, number, by, to, terms):
        """An offer has been accepted, so it makes promises: those in the forms that this bot uses."""
        payer = to if by == self.owner else by
        for term in terms.split(":"):
            what, _, zone = term.partition("@")
            if not self.knows(term):
                continue
            if term.isdigit():
                self.agreed[payer] = max(int(term), self.agreed.get(payer, 0))
            elif what.startswith("next="):
                if by == self.me:
                    self.debts.append((what.removeprefix("next="), int(zone)))
                elif what == f"next={self.me}":
                    self.invited.append(by)
            elif self.owner == self.me:
                self.sold[f"{payer}.{what}"] = int(zone), number

    def judge(self, number, by, verdict, promise):
        """How a promise ended. Who has not paid what he promised gets no place for it."""
        if by == self.me:
            if promise.startswith("next="):
                what, _, zone = promise.partition("@")
                debt = what.removeprefix("next="), int(zone)
                self.debts = [each for each in self.debts if each != debt]
            return
        if promise.startswith(f"next={self.me}@") and by in self.invited:
            self.invited.remove(by)
        ledger = {"kept": self.kept, "broken": self.broken}.get(verdict, {})
        ledger[by] = ledger.get(by, 0) + 1
        if verdict == "broken" and promise.isdigit():
            self.sold = {each: deal for each, deal in self.sold.items() if deal[1] != number}

    def faith(self, seat):
        """How far a seat is believed, in percent."""
        kept, broken = self.kept.get(seat, 0), self.broken.get(seat, 0)
        return 100 * (2 + kept) // (2 + kept + 3 * broken)

    # Answers

    def answer(self, kind, facts, options):
        if kind in ("hello", "ready"):
            return options[0]
        if self.name != "intrigue":
            return random.choice(options)
        if kind == "talk":
            gift = self.gift(facts)
            if gift:
                return f"accept:{gift}"
            if "with" in facts:
                talk = self.sell if self.owner == self.me else self.buy
                return talk(facts, self.open_offers(facts))
            return self.invite(facts)
        if kind == "bribe":
            return self.bribe(facts, options)
        if kind == "send":
            return max(options, key=lambda option: self.hope(option, facts.get("first")))
        if kind == "decide":
            return max(options, key=lambda each: self.favour(each, int(facts["zone"])))
        if kind == "place" and "advisor" in facts:
            return max(options, key=lambda zone: self.favour(facts["advisor"], int(zone)))
        if kind == "place":
            return max(options, key=lambda option: self.favour(*self.parts(option)))
        return options[0]  # whatever is invented after this bot

    def open_offers(self, facts):
        """Offers of the other party that wait for our answer: number, amount, promises."""
        offers = [offer.split(":") for offer in split(facts.get("offers"))]
        known = [each for each in offers if each[1].isdigit() and all(map(self.knows, each[1:]))]
        return [(number, int(amount), promises) for number, amount, *promises in known]

    def knows(self, term):
        """Whether this bot can judge a term: an amount, `writer@6000`, or `next=p1@6000`."""
        what, _, _ = term.partition("@")
        return term.isdigit() or what in TYPES or what in [f"next={seat}" for seat in self.seats]

    def gift(self, facts):
        """An offer of a place for us at the next turn of the seat that makes it, and of nothing else."""
        for offer in split(facts.get("others")):
            number, _, *terms = offer.split(":")
            if all(term.startswith(f"next={self.me}@") for term in terms):
                return number
        return None

    def invite(self, facts):
        """Before others send advisors: promises the owner a place, unless it has one of ours already."""
        owed = [seat for seat, _ in self.debts]
        if (
            facts["stage"] != "sending"
            or self.owner in (self.me, *owed)
            or "promise" not in facts.get("open", "")
        ):
            return "pass"
        return ":".join(["promise", self.owner, *self.reward()]) if self.reward() else "pass"

    def parts(self, option):
        advisor, _, zone = option.partition("@")
        return advisor, int(zone)

    def hope(self, option, first):
        """What an advisor may earn there; twice as much where a place is promised by who is believed."""
        seat = option.partition("@")[2]
        trusted = seat in self.invited and self.faith(seat) > 50
        return self.prospect(option, first) * (2 if trusted else 1)

    def round_off(self, amount, limit=99000):
        return max(1000, min(limit, amount) // 1000 * 1000)

    # The payer

    def price(self, facts, part):
        """A part of what the best zones may earn, and more against rivals."""
        zones, own = sorted(map(int, split(facts["zones"])), reverse=True), split(facts["for"])
        kinds = {each.partition(".")[2] for each in own}
        rivals = [each for each in self.stage if each.partition(".")[2] in kinds and each not in own]
        worth = sum(zones[: len(own)]) * self.incomes(self.me) // part
        limit = int(self.seats[self.me]["money"]) // 3
        return self.round_off((2 * worth if rivals else worth) * self.faith(self.owner) // 100, limit)

    def buy(self, facts, offers):
        """Accepts what is worth its money; else asks for the best zones, a little dearer the second time."""
        if self.me in self.agreed:
            return "pass"
        for number, amount, promises in offers:
            gain = sum(self.gain(promise, facts) for promise in promises) * self.faith(self.owner) // 100
            if amount <= min(gain // 5, int(self.seats[self.me]["money"])):
                return f"accept:{number}"
        zones = sorted(split(facts["zones"]), key=int, reverse=True)
        kinds = list(dict.fromkeys(each.partition(".")[2] for each in split(facts["for"])))
        wishes = [f"{kind}@{zone}" for kind, zone in zip(kinds, zones, strict=False)]
        first = facts["round"].startswith("1/")
        if not first and len(wishes) < 4:
            wishes += self.reward()
        return ":".join([f"offer:{self.price(facts, 10 if first else 7)}", *wishes])

    def gain(self, promise, facts):
        """What the promised seat earns us."""
        what, _, zone = promise.partition("@")
        if what == f"next={self.me}":
            return int(zone) * self.incomes(self.me, self.steps(facts["with"]) or self.players)
        if f"{self.me}.{what}" in split(facts["for"]) and zone in split(facts["zones"]):
            return int(zone) * self.incomes(self.me)
        return 0

    def reward(self):
        """The best free place in our own castle, at our next turn, if the owner sends somebody there."""
        taken = [zone for zone, _ in self.castle(self.me).values()] + [zone for _, zone in self.debts]
        free = [zone for zone in ZONES if zone not in taken]
        return [f"next={self.owner}@{free[-1]}"] if free and self.incomes(self.me) > 1 else []

    def bribe(self, facts, options):
        """What was agreed, to the last ducat; else less than if a place had been promised."""
        amount = self.agreed.get(self.me) or self.price(facts, 10)
        return str(min(amount, int(options[-1])))

    # The owner

    def sell(self, facts, offers):
        """Accepts what pays for the places that are still to be had; else names a price, once."""
        payer = facts["with"]
        if payer in self.agreed:
            return "pass"
        for number, amount, promises in offers:
            places = [promise for promise in promises if not promise.startswith("next=")]
            favours = [promise for promise in promises if promise.startswith(f"next={self.me}@")]
            cost = sum(int(place.partition("@")[2]) for place in places) * self.incomes(payer) // 10
            gain = amount + sum(self.gain(favour, facts) for favour in favours) // 10
            if cost <= gain * self.faith(payer) // 100 and self.can_keep(facts, places):
                return f"accept:{number}"
        if facts["round"].startswith("1/"):
            for zone in sorted(split(facts["zones"]), key=int, reverse=True):
                for each in split(facts["for"]):
                    place = f"{each.partition('.')[2]}@{zone}"
                    if self.can_keep(facts, [place]):
                        return f"offer:{self.round_off(int(zone) * self.incomes(payer) // 8)}:{place}"
        return "pass"

    def can_keep(self, facts, places):
        """Whether all these places are still to be had, for advisors that the payer has here."""
        zones, kinds = [], []
        for advisor, (zone, _) in self.sold.items():
            zones.append(str(zone))
            kinds.append(advisor.partition(".")[2])
        for place in places:
            kind, _, zone = place.partition("@")
            debt = any(str(other) == zone and seat != facts["with"] for seat, other in self.debts)
            here = f"{facts['with']}.{kind}" in split(facts["for"]) and zone in split(facts["zones"])
            rival = any(self.is_owed(seat, kind, other, facts) for seat, other in self.debts)
            if not here or debt or rival or kind in kinds or zone in zones:
                return False
            kinds.append(kind)
            zones.append(zone)
        return True

    def is_owed(self, seat, kind, zone, facts):
        """Whether we owe another seat a place that its advisor of this type may take now."""
        here = f"{seat}.{kind}" in self.stage and str(zone) in split(facts["zones"])
        return here and seat != facts["with"]

    def favour(self, advisor, zone):
        """What is promised goes before everything; then the bribe decides, and what the seat will earn."""
        seat, bribe = advisor.partition(".")[0], self.bribe_for(advisor)
        sold = {deal[0]: buyer for buyer, deal in self.sold.items()}
        owed = {other: creditor for creditor, other in self.debts}
        word = 0
        if zone in sold:
            word += 2 if sold[zone] == advisor else -2
        if zone in owed:
            word += 1 if owed[zone] == seat else -1
        worth = zone * self.incomes(seat)
        threat = self.income(seat) // 4
        return word, bribe - threat - max(0, worth // 8 - bribe), zone if bribe > 1000 else -zone


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Broker(words)
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
