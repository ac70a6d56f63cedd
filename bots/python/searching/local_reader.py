"""Reads the table of the local variant: what each rival can still hold decides every doubt and every lie.

Everybody has one of each card, so only the places of a rival's five cards are unknown. Each way to lay them
that the open cards allow is weighed by what was claimed when they were placed: `lies(seat, claim)` is then
the probability that the card on the table is not the one that was claimed. `doubted(claim)` is the
probability that a claim of ours is challenged. The rest is arithmetic: each answer gets a value in coins.
"""

import sys
from collections import Counter
from itertools import permutations

CARDS = ["duchess", "assassin", "contessa", "captain", "ambassador"]
KEEP = {"duchess": 1.6, "assassin": 1.8, "contessa": 2.0, "captain": 1.2, "ambassador": 0.4}  # in the hand
BLOCKERS = {"aid": ["duchess"], "assassin": ["contessa"], "captain": ["captain", "ambassador"]}
BLOCKED = {"aid": 2.0, "assassin": 7.0, "captain": 3.0}  # what an action of ours loses by a block
LIFE = {5: 5.0, 4: 5.5, 3: 6.0, 2: 7.0, 1: 10.0}  # what losing a card costs in coins, by cards left


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def parts(option):
    """`captain:p2@duchess` claims a captain against p2 and places a duchess: captain, p2, duchess."""
    claim, _, placed = option.removeprefix("block:").partition("@")
    verb, _, target = claim.partition(":")
    return verb, target, placed


class Rival:
    """What has been heard of a seat, our own too; what can be seen of it is in its `state` line."""

    def __init__(self):
        self.placed = None  # what the card on the table was claimed to be
        self.claims = []  # the same for the cards in the discard, newest last; None: nobody knows
        self.buried = []  # for each card lost face down: cards that it cannot be
        self.lies = self.truths = 0  # claims refuted and proven
        self.doubts = self.chances = 0  # challenges, and claims that could have been challenged
        self.blocks, self.targets = Counter(), Counter()  # by action: blocks, and chances to block
        self.shown, self.lost = [], []  # cards proven in this manche, and cards lost face up

    def clear_table(self):
        """Move the placed card to the discard, as at the end of a turn."""
        if self.placed:
            self.claims.append(self.placed)
        self.placed = None


class Reader:
    """Plays one game; the next one gets a new object, so that nothing is remembered from game to game."""

    def __init__(self, name, facts):
        self.name, self.me = name, facts["you"]
        self.tours = int(facts.get("tours_per_round", 4))
        self.acting = self.action = ""  # who acts in this turn, and how, such as `captain`
        self.table = {}  # the newest `state table` line
        self.seats = {}  # the newest `state` line of every seat
        self.heard = {f"p{number}": Rival() for number in range(1, int(facts["seats"]) + 1)}

    # What the table knows

    def cards(self, seat, key):
        """The cards in `hand=`, `discard=` or `cemetery=` of a seat."""
        return self.seats[seat][key].split(",") if key in self.seats[seat] else []

    def number(self, seat, key):
        return int(self.seats[seat][key])

    def lives(self, seat):
        return 5 - len(self.cards(seat, "cemetery"))

    def rivals(self):
        return [seat for seat in self.seats if seat != self.me and self.lives(seat)]

    def event(self, verb, *words):
        """Follow the news: who claims what, and what comes of it."""
        if verb in ("turn", "manche"):
            for rival in self.heard.values():
                rival.clear_table()
                if verb == "manche":  # all discards go back to the hands
                    rival.claims, rival.shown = [], []
        if not words or words[0] not in self.heard:
            return
        rival = self.heard[words[0]]
        if verb in ("action", "claim"):
            self.acting, (self.action, target, _) = words[0], parts(words[1])
            for seat, other in self.heard.items():
                other.targets[self.action] += seat == target or (self.action == "aid" and seat != words[0])
        if verb in ("claim", "block"):
            rival.placed = parts(words[1])[0]
            rival.blocks[self.action] += verb == "block"
            for seat, other in self.heard.items():
                other.chances += seat != words[0]
        elif verb == "challenge":
            rival.doubts += 1
        elif verb == "refuted":
            rival.lies += 1
            rival.placed = None
        elif verb == "proven":  # so it is none of those that were buried before
            rival.truths += 1
            rival.shown.append(words[1])
            rival.buried = [[*excluded, words[1]] for excluded in rival.buried]
        elif verb == "lose" and words[1] == "hidden":
            self.bury(words[0])
        elif verb == "lose":
            rival.lost.append(words[1])
        elif verb == "exchange":  # p1 2 returned=2: the newest cards of the discard are others now
            facts = facts_in(words)
            rest = max(0, len(rival.claims) - int(words[1]))
            rival.claims = rival.claims[:rest] + [None] * int(facts["returned"])
            taken = facts.get("shown", "").split(",")
            rival.shown = [card for card in rival.shown if card not in taken]

    def bury(self, seat):
        """Note a card lost face down: from the hand, or from the discard if there is no hand."""
        rival = self.heard[seat]
        if seat in self.seats and (rival.placed or self.number(seat, "cards")):
            rival.buried.append(self.cards(seat, "discard"))
        else:
            rival.buried.append([])
            rival.claims = [None] * (len(rival.claims) - 1)

    def see(self, seat, facts):
        """Take a new `state` line of a seat, and correct by it what was followed from the news."""
        self.seats[seat] = facts
        rival, size = self.heard[seat], len(self.cards(seat, "discard"))
        unheard = size - len(rival.claims)
        rival.claims = [None] * unheard + rival.claims[:size]
        if "placed" not in facts:
            rival.placed = None  # it was lost

    # Estimates

    def lies(self, seat, claim):
        """The probability that the card which a rival has placed is not the one it claims."""
        rival = self.heard[seat]
        piles = [*self.cards(seat, "discard"), *self.cards(seat, "cemetery")]
        unknown = [card for card in CARDS if card not in piles]
        if claim not in unknown:
            return 1.0
        if len(unknown) == 1:
            return 0.0
        # The places where unknown cards lie: this one, the hidden ones of the discard, and the buried ones.
        claims = [claim]
        for said, card in zip(rival.claims, self.cards(seat, "discard"), strict=False):
            if card == "hidden":
                claims.append(said)
        hidden = self.cards(seat, "cemetery").count("hidden")
        buried = (rival.buried + [[]] * hidden)[:hidden]
        truth = 1 - (rival.lies + 0.8) / (rival.lies + rival.truths + 3.0)
        falsehood = (1 - truth) / (len(unknown) - 1)
        total = false = 0.0
        for cards in permutations(unknown, min(len(unknown), len(claims) + hidden)):
            weight = 1.0
            for card, said in zip(cards, claims, strict=False):
                if said:
                    weight *= truth if card == said else falsehood
            for card, excluded in zip(cards[len(claims) :], buried, strict=False):
                weight *= 0.0 if card in excluded else 3 - KEEP[card]  # one gives up what is worth least
            total += weight
            if cards[0] != claim:
                false += weight
        return false / total if total else 0.5

    def doubted(self, claim):
        """The probability that somebody challenges us when we claim this card."""
        if claim in self.open_cards():
            return 0.98
        believed = 1.0
        for seat in self.rivals():
            rival = self.heard[seat]
            rate = (rival.doubts + 0.4) / (rival.chances + 4.0)
            if claim in self.heard[self.me].claims:  # told already since the cards came back
                rate = min(0.9, 0.15 + 2 * rate)
            believed *= 1 - rate
        return 1 - believed

    def open_cards(self):
        """Our cards that everybody has seen: proven in this manche, or lost face up."""
        mine = self.heard[self.me]
        return mine.shown + mine.lost

    def blocked(self, action, seats):
        """The probability that one of these seats blocks our action."""
        free = 1.0
        for seat in seats:
            if self.number(seat, "cards"):
                rival = self.heard[seat]
                rate = (rival.blocks[action] + 0.9) / (rival.targets[action] + 3.0)
                seen = self.cards(seat, "discard") + self.cards(seat, "cemetery")
                if all(card in seen for card in BLOCKERS[action]):
                    rate *= 0.2  # it could only lie, and everybody would know
                free *= 1 - rate
        return 1 - free

    def my_life(self):
        """What a card of ours is worth, in coins: all rivals gain if one of them takes it."""
        return LIFE[self.lives(self.me)] * len(self.rivals())

    def life(self, seat):
        """What it is worth, in coins, to take a card from a rival: less where others gain as well."""
        strength = 1 + 0.06 * self.lives(seat) + 0.04 * self.number(seat, "coins")
        last = 1.3 if self.lives(seat) == 1 else 1.0
        return 5 * strength * last / len(self.rivals()) ** 0.5

    def keep_value(self, card):
        """What it costs to place this card: its worth in the hand until the discards come back."""
        left = self.tours - int(self.table["tour"])
        last_card = 0.8 if len(self.cards(self.me, "hand")) == 1 else 0.0
        return (KEEP[card] + last_card) * (2 * left + 1) / self.tours

    def claim_value(self, claim, placed, effect):
        """The value of a claim, in coins, with an `effect` worth so much.

        If it is true, a challenge costs a rival a card; if not, it costs us the card that we placed.
        """
        doubt = self.doubted(claim)
        if claim == placed:
            return effect + doubt * 5.0 / len(self.rivals()) - self.keep_value(placed)
        loss = self.my_life() + 0.5 * KEEP[placed]
        return (1 - doubt) * (effect - self.keep_value(placed)) - doubt * loss

    # Answers

    def answer(self, kind, facts, options):
        method = getattr(self, f"answer_{kind}", None)
        if self.name != "local" or not method:
            return options[0]  # `ready`, other games, whatever is invented after this bot
        return method(facts, options)

    def answer_action(self, facts, options):
        coups = [option for option in options if parts(option)[0] == "coup"]
        if coups:  # nothing else takes a card so safely
            return max(coups, key=lambda option: self.life(parts(option)[1]))
        return max(options, key=self.action_value)

    def action_value(self, option):
        """What an action brings, in coins."""
        verb, target, placed = parts(option)
        if verb == "income":
            return 1.0
        if verb == "aid":
            return 2.0 * (1 - self.blocked("aid", self.rivals()))
        return self.claim_value(verb, placed, self.effect(verb, target))

    def effect(self, verb, target):
        """What a character's power brings, in coins, if nobody challenges it."""
        if verb == "duchess":
            return 3.0
        if verb == "captain":
            stolen = min(2, self.number(target, "coins")) * (1 + 0.5 / len(self.rivals()))
            return stolen * (1 - self.blocked("captain", [target]))
        if verb == "assassin":
            return self.life(target) * (1 - self.blocked("assassin", [target])) - 3
        back = [KEEP[card] for card in self.cards(self.me, "discard")[-2:]]
        left = self.tours - int(self.table["tour"])
        return max(back, default=0.0) * left / self.tours  # the ambassador: a good card may be used again

    def answer_challenge(self, facts, options):
        """Doubt costs us a card if the claim is true; silence lets the claimant have its way."""
        seat, claim = facts["on"], facts["claim"]
        verb, target, _ = parts(facts["action"])
        lie = self.lies(seat, claim)
        mine, gain = self.my_life(), self.life(seat) / len(self.rivals()) ** 0.5
        if verb == claim == "assassin" and target == self.me:
            # A true assassin takes one card either way, unless we block.
            silence = max(self.block_value(block, mine) for block in self.possible_blocks(verb)) - mine
            return "challenge" if lie * gain - (1 - lie) * mine > silence else "pass"
        if claim in BLOCKERS.get(verb, []) and seat != self.acting:  # it is a block
            harm = BLOCKED[verb] if self.acting == self.me else 0.0
        elif target == self.me:
            harm = 1.5 * min(2, self.number(self.me, "coins"))
        else:
            harm = 1.0 / len(self.rivals())
        return "challenge" if lie * (gain + harm) > (1 - lie) * mine else "pass"

    def answer_block(self, facts, options):
        verb, _, _ = parts(facts["action"])
        stolen = min(2, self.number(self.me, "coins"))
        saved = {"assassin": self.my_life(), "captain": 1.5 * stolen, "aid": 2.0 / len(self.rivals())}[verb]
        return max(options, key=lambda option: self.block_value(option, saved))

    def block_value(self, option, saved):
        if option == "pass":
            return 0.0
        claim, _, placed = parts(option)
        return self.claim_value(claim, placed, saved)

    def possible_blocks(self, verb):
        """The options that we shall have in a block of this action if nobody challenges it."""
        hand = self.cards(self.me, "hand")
        return ["pass"] + [f"block:{claim}@{card}" for claim in BLOCKERS[verb] for card in hand]

    def answer_lose(self, facts, options):
        return min(options, key=KEEP.get)

    def answer_return(self, facts, options):
        """The ambassador: `x+y` go back to the discard, and the best stay in the hand."""

        def price(option):
            return sorted((KEEP[card] for card in option.split("+")), reverse=True)

        return min(options, key=price)


def main():
    game = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            game = Reader(words[1], facts_in(words))
        elif verb == "event" and game.name == "local":
            game.event(*words)
        elif verb == "state" and words[0] == "table":
            game.table = facts_in(words)
        elif verb == "state" and game.name == "local":
            game.see(words[0], facts_in(words))
        elif verb == "ask":
            colon = words.index(":")
            kind, facts, options = words[1], facts_in(words[:colon]), words[colon + 1 :]
            print(words[0], game.answer(kind, facts, options) if game else options[0], flush=True)


if __name__ == "__main__":
    main()
