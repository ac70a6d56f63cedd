"""What lies open in a game of Intrigue, as a bot hears it, and what follows from that for any bot."""

from itertools import permutations

ZONES = [1000, 3000, 6000, 10000]
TYPES = ["priest", "writer", "doctor", "biologist"]
LEAST = 1000  # the least bribe, and the unit of all amounts
CAPITAL = 32000


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def split(text):
    """The parts of a list such as `p2.writer,p3.doctor`; no such key means an empty list."""
    return text.split(",") if text else []


def seat_of(advisor):
    return advisor.partition(".")[0]


def type_of(advisor):
    return advisor.partition(".")[2]


class Table:
    """One game: castles, candidates, money, whose turn it is, and what was paid in this stage.

    A bot is derived from it: it has a `score` for placements, and a method `answer_KIND` for a kind of ask.
    """

    def __init__(self, words):
        facts = facts_in(words)
        self.me = facts["you"]
        self.players, self.rounds = int(facts["seats"]), int(facts.get("rounds", 5))
        self.names = [f"p{number + 1}" for number in range(self.players)]
        self.others = [name for name in self.names if name != self.me]
        self.turn, self.owner = 0, "p1"
        self.seats = {name: {} for name in self.names}  # the newest `state` line of each seat
        self.money = dict.fromkeys(self.names, CAPITAL)  # counted from the news, as all of it is public
        self.paid = {}  # in this stage, by seat, or by advisor if each has a bribe of its own
        self.stage = []  # all advisors of this stage

    # News

    def read_state(self, words):
        facts = facts_in(words)
        if words[0] == "table":
            self.turn, self.owner = int(facts["turn"]), facts.get("owner", "p1")
        else:
            self.seats[words[0]] = facts

    def read_event(self, words):
        facts = facts_in(words)
        if words[0] == "turn":
            self.turn, self.owner = int(words[1]), words[2]
        elif words[0] == "stage":
            self.paid, self.stage = {}, split(facts["candidates"]) + split(facts.get("occupant"))
        elif words[0] == "bribe":
            who, amount = facts.get("for", words[1]), int(words[3])
            self.paid[who] = self.paid.get(who, 0) + amount
            self.money[words[2]] += amount
            self.money[words[1]] -= 0 if "by=bank" in words else amount
        elif words[0] == "income":
            self.money[words[1]] += int(words[2])
        elif words[0] == "money":
            self.money[words[1]] = int(words[2])

    # What the position says

    def castle(self, seat):
        """By type, the zone and the advisor in the castle of a seat: {"writer": (6000, "p2.writer")}."""
        parts = [word.partition(":") for word in split(self.seats[seat].get("castle"))]
        return {type_of(advisor): (int(zone), advisor) for zone, _, advisor in parts}

    def candidates(self, seat):
        return split(self.seats[seat].get("candidates"))

    def free_zones(self, seat):
        taken = [zone for zone, _ in self.castle(seat).values()]
        return [zone for zone in ZONES if zone not in taken]

    def steps(self, seat):
        """The number of turns until it is this seat's turn; 0 if it is now."""
        return (int(seat[1:]) - int(self.owner[1:])) % self.players

    def incomes(self, seat, after=0):
        """How many incomes a seat still gets later than `after` turns from now, with the final one."""
        first = self.turn + (self.steps(seat) or self.players)
        turns = range(first, self.players * self.rounds + 1, self.players)
        return 1 + sum(turn > self.turn + after for turn in turns)

    def worth(self, seat, zone):
        """The ducats that a zone still earns a seat if its advisor stays there."""
        return zone * self.incomes(seat)

    def standing(self, seat):
        """The ducats of a seat at the end if nothing is moved any more."""
        held = [place for castle in self.names for place in self.castle(castle).values()]
        income = sum(zone for zone, advisor in held if seat_of(advisor) == seat)
        return self.money[seat] + income * self.incomes(seat)

    def bribe_for(self, advisor):
        """The ducats paid for an advisor; if a seat paid one sum for several, an equal part of it."""
        if advisor in self.paid:
            return self.paid[advisor]
        seat = seat_of(advisor)
        return self.paid.get(seat, 0) // max(1, sum(seat_of(each) == seat for each in self.stage))

    def prospect(self, option, first):
        """The ducats that the advisor sent by this option may earn; `first` is the option before it."""
        kind, _, seat = option.partition("@")
        castle, wait = self.castle(seat), self.steps(seat) or self.players
        rivals = [each for each in self.candidates(seat) if type_of(each) == kind]
        if option == first or f"{self.me}.{kind}" in rivals:
            return 0  # only one of the two could stay
        if kind in castle:
            zone, sitter = castle[kind]
            zone = 0 if seat_of(sitter) == self.me else zone // 2
        else:
            free = self.free_zones(seat)
            zone = sum(free) // len(free)
        return zone * self.incomes(self.me, wait) // (1 + len(rivals))

    # Decisions of an owner, by the `score` of a placement

    def score(self, advisor, zone):
        """How good it is for the owner to have this advisor in this zone."""
        raise NotImplementedError

    def answer_decide(self, facts, options):
        return max(options, key=lambda each: self.score(each, int(facts["zone"])))  # if equal, the occupant

    def answer_place(self, facts, options):
        """The answer that places this advisor, or type, as in the best assignment of all types that wait.

        There are four zones, so at most 24 assignments. Rivals of one type are no part of them: in each zone
        the one with the best score wins.
        """
        here = facts.get("type") or type_of(facts["advisor"])
        waiting = [type_of(each) for each in self.candidates(self.owner) if each in self.stage]
        kinds = list(
            dict.fromkeys([here, *(kind for kind in waiting if kind not in self.castle(self.owner))])
        )
        best = {(kind, zone): self.winner(kind, zone) for kind in kinds for zone in self.free_zones(self.me)}

        def total(zones):
            return sum(self.score(best[place], place[1]) for place in zip(kinds, zones, strict=False))

        zone = max(permutations(self.free_zones(self.me), len(kinds)), key=total)[0]
        return f"{best[here, zone]}@{zone}" if "type" in facts else str(zone)

    def winner(self, kind, zone):
        rivals = [each for each in self.stage if type_of(each) == kind]
        return max(rivals, key=lambda each: self.score(each, zone))
