"""Says anything that may be said, at random, in every form of the talk; for testing how others take it."""

import random
import sys

TYPES = ["priest", "writer", "doctor", "biologist"]
ZONES = [1000, 3000, 6000, 10000]


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


class Chatter:
    """Plays one game; the next one gets a new object."""

    def __init__(self, words):
        facts = facts_in(words)
        self.me, self.private = facts["you"], facts.get("private") == "true"
        self.alone = facts.get("press") == "1"  # payer and owner talk to each other alone
        self.seats = [f"p{number + 1}" for number in range(int(facts["seats"]))]

    def answer(self, kind, facts, options):
        if kind != "talk" or "open" not in facts or random.random() < 0.3:
            return random.choice(options[:12])  # of bribes the least
        verb = random.choice(facts["open"].split(","))
        if verb == "say":
            to = random.choice(self.others(self.me) + ([] if self.private else ["all"]))
            return f"say:{to}:na%C3%AFve%3F"
        payer, owner = self.parties(facts)
        to = random.choice(self.hearers(payer, owner))
        makers = {"offer": [self.me, to], "request": [to]}.get(verb, [self.me])
        promises = {}
        for _ in range(random.randint(1, 4)):
            by = random.choice(makers)
            placing = by == owner and facts["stage"] != "sending"
            word, meaning = self.promise(by, to if by == self.me else self.me, placing)
            promises[by, meaning] = f"{by}/{word}"  # no promise twice
        terms = list(promises.values())
        if {self.me, to} == {payer, owner} and payer in makers and random.random() < 0.5:
            terms.insert(0, f"{random.randint(1, 12)}000")
        return ":".join([verb, to, *terms])

    def parties(self, facts):
        """The seats of the payer, or None, and of the owner."""
        if "with" not in facts:
            return facts.get("payer"), facts["owner"]
        payer = facts["for"].partition(".")[0]
        return payer, facts["with"] if payer == self.me else self.me

    def hearers(self, payer, owner):
        """The seats that may be addressed."""
        partner = owner if self.me == payer else payer
        return [partner] if self.alone else self.others(self.me)

    def promise(self, by, to, placing):
        """A random promise of `by` to `to`: its word, and its meaning, as two words may mean the same."""
        form = random.choice(["next=", "send=", "spare=", "pay=", *(["", "turn="] if placing else [])])
        seat, kind = random.choice(self.others(by)), random.choice(TYPES)
        if form in ("send=", "spare="):
            word = form + random.choice([seat, f"{kind}@{seat}"])
            return word, word
        if form == "pay=":
            word = f"pay={random.randint(1, 12)}000@{seat}"
            return word, word
        where = f"@{random.choice(ZONES)}"
        if random.random() < 0.3:
            form, where = f"{form}!", random.choice(["", where])
        if random.random() < 0.3:
            return f"{form}{kind}{where}", f"{form}{to}.{kind}{where}"
        word = f"{form}{random.choice([seat, f'{seat}.{kind}'])}{where}"
        return word, word

    def others(self, seat):
        return [other for other in self.seats if other != seat]


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            random.seed(int(facts_in(words)["seed"]))
            game = Chatter(words)
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
