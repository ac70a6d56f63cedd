"""One game as a seat sees it: the position, the turn so far, and what to believe of the others."""

from beliefs import PAIRS, Belief, examined, exchanged, lost, proven, ways
from rules import AID, BLOCKERS, COUP, EXAM, FIFTH, INCOME, Game
from styles import BITS, aim_of

NAMES = {"duchess": 0, "assassin": 1, "contessa": 2, "captain": 3, "ambassador": 4, "inquisitor": 4}
VERBS = NAMES | {"inquisitor:draw": FIFTH, "income": INCOME, "aid": AID, "coup": COUP}
WORTH = [0.62, 0.75, 0.52, 0.6, 0.15]  # of cards, as most players see it


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def seat_of(name):
    return int(name[1:]) - 1


def action_of(word):
    """The number and the target of an action: `captain:p2` is 3 and 1; without a target -1."""
    verb, _, target = word.partition(":")
    if target.startswith("p"):
        return EXAM if verb == "inquisitor" else VERBS[verb], seat_of(target)
    return VERBS[verb], -1


class Table:
    """What a seat knows; `event` follows the news, `state` corrects it."""

    def __init__(self, facts, styles, priors):
        self.seats, self.me = int(facts["seats"]), seat_of(facts["you"])
        self.styles, self.priors = styles, priors  # of each seat
        self.copies = 4 if self.seats > 6 else 3
        self.inquisitor = facts.get("cast") == "inquisitor"
        self.forced_at = int(facts.get("must_coup_at", 10))
        self.least = int(facts.get("captain_min_target", 1))
        self.may_block_after = facts.get("block_after_own_failed_challenge") != "false"
        self.coins = [2] * self.seats
        self.cards = [2] * self.seats
        self.lost = [[] for _ in range(self.seats)]
        self.fallen = []
        self.hand, self.dealt, self.pick = [], None, None
        self.treasury = 40
        self.claimed = [0] * self.seats
        self.actor, self.verb, self.target = 0, INCOME, -1
        self.blocker, self.block_card, self.challenger = None, None, None
        self.window = None  # the seat and card of a claim that may still be challenged
        self.is_block_open = False
        self.shown_card = None
        self.beliefs = {}
        self.last_shares = {}
        if self.seats > 2:
            self._begin_beliefs((None,))

    def _begin_beliefs(self, picks):
        for seat in range(self.seats):
            if seat != self.me:
                self.beliefs[seat] = Belief(self.styles[seat], self.priors[seat], 2, picks)

    def drafted(self, pick):
        """Begin the beliefs of a game of two: we drafted `pick`, and the rival holds what it drafted."""
        self.pick = pick
        self._begin_beliefs(tuple(range(5)))
        belief = self.beliefs[1 - self.me]
        for (name, each), weights in belief.weights.items():
            unseen = self.unseen(each)
            for place, hand in enumerate(PAIRS):
                holds = each in hand and ways(hand, unseen) > 0
                share = belief.styles[name].drafts[each] / max(1, unseen[each])
                if hand == (each, each):
                    share *= max(1, unseen[each])
                weights[place] *= share if holds else 1e-9

    # Cards

    def unseen(self, pick=None):
        """How many of each card are not seen by us; `pick` is what the rival drafted, with two players."""
        if self.seats == 2:
            left = [1] * 5
            left[self.pick if self.pick is not None else 0] += 1
            left[pick] += 1
        else:
            left = [self.copies] * 5
        for card in self.hand:
            left[card] -= 1
        for cards in self.lost:
            for card in cards:
                left[card] -= 1
        return left

    def others(self):
        return [seat for seat in range(self.seats) if seat != self.me and self.cards[seat]]

    def style_shares(self):
        """The probability of each style by name, by seat of each rival; after its last loss that of then."""
        return {
            seat: self.last_shares.get(seat) or belief.style_shares(self.unseen)
            for seat, belief in self.beliefs.items()
        }

    # News

    def state(self, name, facts):
        if name == "table":
            treasury = facts["treasury"]
            self.treasury = 1000 if treasury == "unlimited" else int(treasury)
            return
        seat = seat_of(name)
        self.coins[seat] = int(facts["coins"])
        if seat == self.me:
            self.hand = [NAMES[card] for card in facts["hand"].split(",")] if "hand" in facts else []
            self.cards[seat] = len(self.hand)
            if self.dealt is None and len(self.hand) == 1 and self.seats == 2 and not self.lost[seat]:
                self.dealt = self.hand[0]

    def secret(self, verb, words):
        if verb == "hand":
            self.hand = [NAMES[card] for card in words]
            self.cards[self.me] = len(self.hand)
            if self.seats == 2 and self.pick is None:
                if len(self.hand) == 1 and self.dealt is None:
                    self.dealt = self.hand[0]
                elif len(self.hand) == 2:
                    rest = self.hand.copy()
                    if self.dealt in rest:
                        rest.remove(self.dealt)
                    self.drafted(rest[0])
        elif verb == "shown":
            self.shown_card = NAMES[words[1]]
            self.beliefs[seat_of(words[0])].condition(self.shown_card, True)

    def event(self, verb, words):
        """Follow the public news."""
        self._close_windows(verb, words)
        method = getattr(self, f"_hear_{verb}", None)
        if method:
            method(*words)

    def _close_windows(self, verb, words):
        """Learn from the answers in the windows that this news closes: who spoke, and who passed."""
        if self.window:
            claimant, card = self.window
            self.window = None
            challenger = seat_of(words[0]) if verb == "challenge" else None
            for seat in self._clockwise(claimant):
                self._learn_claim(seat, claimant, card, seat == challenger)
                if seat == challenger:
                    break
        if (
            self.is_block_open
            and verb not in ("challenge", "proven", "pay", "out")
            and not (verb == "lose" and words[-1] != "cause=assassin")
        ):
            self.is_block_open = False
            if verb in ("steal", "lose", "take", "block"):
                self._learn_block(seat_of(words[0]) if verb == "block" else None, words)

    def _learn_claim(self, seat, claimant, card, challenges):
        if seat == self.me:
            return
        seen = sum(cards.count(card) for cards in self.lost)
        aim = aim_of(seat, claimant, self.actor, self.verb, self.target)
        is_long = BITS[self.claimed[claimant]] > self.cards[claimant]
        cards = self.cards[seat]
        lefts = [max(0, min(3, self.copies - seen - held)) for held in range(3)]

        def likelihood(style, mask):
            left = lefts[mask >> card & 1]
            return style.challenge_likelihood(aim, left, cards, is_long, challenges, card=card)

        self.beliefs[seat].update(likelihood)
        if own := self.styles[seat].get("own"):
            own.see_challenge(self._hands_of(seat), aim, lefts, cards, is_long, challenges, card)

    def _learn_block(self, blocker, words):
        card = NAMES[words[1].removeprefix("block:")] if blocker is not None else None
        for seat in self._clockwise(self.actor) if self.verb == AID else [self.target]:
            if self.cards[seat] and seat != self.me:
                claims = card if seat == blocker else None
                size = self.cards[seat]
                self.beliefs[seat].update(
                    lambda style, mask, size=size, claims=claims: style.block_likelihood(
                        self.verb, size, mask, claims
                    )
                )
                if own := self.styles[seat].get("own"):
                    own.see_block(self._hands_of(seat), self.verb, size, claims)
            if seat == blocker:
                break

    def _hands_of(self, seat):
        return self.beliefs[seat].hand_shares(self.unseen)

    def _clockwise(self, seat):
        some = [*range(seat + 1, self.seats), *range(seat)]
        return [other for other in some if self.cards[other]]

    def _hear_turn(self, number, actor):
        self.actor = seat_of(actor)
        self.blocker = self.block_card = self.challenger = None

    def _hear_claim(self, name, word):
        self._hear_action(name, word)
        card = FIFTH if self.verb == EXAM else self.verb
        self.claimed[self.actor] |= 1 << card
        self.window = self.actor, card
        self.is_block_open = self.verb in BLOCKERS

    def _hear_action(self, name, word):
        seat = seat_of(name)
        self.actor = seat
        self.blocker = self.block_card = self.challenger = None
        self.verb, self.target = action_of(word)
        self.is_block_open = self.verb == AID
        coins, verb, cards = self.coins[seat], self.verb, self.cards[seat]
        if seat != self.me and coins < self.forced_at:
            duel = self.seats == 2
            self.beliefs[seat].update(
                lambda style, mask: style.action_likelihood(duel, cards, mask, coins, verb)
            )
            if own := self.styles[seat].get("own"):
                own.see_action(self._hands_of(seat), duel, cards, coins, verb)

    def _hear_block(self, name, word):
        self.blocker, self.block_card = seat_of(name), NAMES[word.removeprefix("block:")]
        self.challenger = None
        self.claimed[self.blocker] |= 1 << self.block_card
        self.window = self.blocker, self.block_card

    def _hear_challenge(self, name, claimant, card):
        self.challenger = seat_of(name)

    def _hear_proven(self, name, word):
        seat, card = seat_of(name), NAMES[word]
        self.claimed[seat] &= ~(1 << card)
        if seat != self.me:
            self.beliefs[seat].move(proven(card), self.unseen, self.unseen, self.cards[seat])

    def _hear_refuted(self, name, word):
        seat, card = seat_of(name), NAMES[word]
        self.claimed[seat] &= ~(1 << card)
        if seat != self.me:
            self.beliefs[seat].condition(card, False)

    def _hear_lose(self, name, word, *_):
        seat, card = seat_of(name), NAMES[word]
        self.claimed[seat] &= ~(1 << card)
        belief, before = self.beliefs.get(seat), {}
        if belief:
            before = {pick: self.unseen(pick) for pick in belief.picks}
            if self.cards[seat] == 1:
                belief.condition(card, True)
                self.last_shares[seat] = belief.style_shares(before.get)
        self.lost[seat].append(card)
        self.cards[seat] -= 1
        if belief and self.cards[seat]:
            belief.move(lost(card, WORTH), before.get, self.unseen, self.cards[seat])

    def _hear_out(self, name, *_):
        seat = seat_of(name)
        self.coins[seat], self.cards[seat] = 0, 0
        self.fallen.append(seat)

    def _hear_take(self, name, amount):
        self.coins[seat_of(name)] += int(amount)

    def _hear_pay(self, name, amount):
        self.coins[seat_of(name)] -= int(amount)

    def _hear_steal(self, thief, victim, amount):
        self.coins[seat_of(thief)] += int(amount)
        if self.cards[seat_of(victim)]:
            self.coins[seat_of(victim)] -= int(amount)

    def _hear_exchange(self, name, number):
        seat = seat_of(name)
        self.claimed[seat] = 0
        if seat != self.me:
            kernel = exchanged(int(number), WORTH)
            self.beliefs[seat].move(kernel, self.unseen, self.unseen, self.cards[seat])

    def _hear_exam(self, examiner, name, verdict):
        seat = seat_of(name)
        if verdict == "discard" and seat != self.me:
            kernel = proven(self.shown_card) if seat_of(examiner) == self.me else examined
            self.beliefs[seat].move(kernel, self.unseen, self.unseen, self.cards[seat])

    # Worlds

    def worlds(self, dice):
        """Yield games that may be the one we play, with the weight of each; `dice` is a random.Random."""
        draw = self._duel_worlds if self.seats == 2 else self._table_worlds
        for hands, styles, court, weight in draw(dice.random):
            yield self.game(hands, styles, court), weight

    def game(self, hands, styles, court):
        hands[self.me] = self.hand.copy()
        game = Game(hands, [cards.copy() for cards in self.lost], self.coins.copy(), court, self.actor)
        game.players = styles
        game.claimed = self.claimed.copy()
        game.fallen = self.fallen.copy()
        game.treasury, game.inquisitor = self.treasury, self.inquisitor
        game.forced_at, game.least, game.may_block_after = self.forced_at, self.least, self.may_block_after
        return game

    def _duel_worlds(self, chance):
        rival = 1 - self.me
        belief = self.beliefs[rival]
        found, total = [], 0.0
        for pick in belief.picks:
            unseen = self.unseen(pick)
            if min(unseen) < 0:
                continue
            for place, (hand, weight) in enumerate(
                zip(self._hands(belief), belief.by_hand(pick), strict=True)
            ):
                mass = weight * ways(hand, unseen)
                if mass > 0:
                    total += mass
                    found.append((total, pick, place, hand))
        while True:
            at = chance() * total
            _, pick, place, hand = next((each for each in found if each[0] > at), found[-1])
            hands, styles = [[], []], [None, None]
            hands[rival], styles[rival] = list(hand), belief.style_of(pick, place, chance())
            yield hands, styles, left_after(self.unseen(pick), hand), 1.0

    def _table_worlds(self, chance):
        weights = {seat: self.beliefs[seat].by_hand(None) for seat in self.others()}
        start = self.unseen()
        while True:
            unseen, count, importance = start.copy(), sum(start), 1.0
            hands, styles = [[] for _ in range(self.seats)], [None] * self.seats
            for seat, shares in weights.items():
                belief, total, steps = self.beliefs[seat], 0.0, []
                for hand, share in zip(self._hands(belief), shares, strict=True):
                    total += share * ways(hand, unseen)
                    steps.append(total)
                at = chance() * total
                place = next((place for place, limit in enumerate(steps) if limit > at), 0)
                hand = self._hands(belief)[place]
                importance *= total / (count if len(hand) == 1 else count * (count - 1) / 2)
                for card in hand:
                    unseen[card] -= 1
                count -= len(hand)
                hands[seat], styles[seat] = list(hand), belief.style_of(None, place, chance())
            if min(unseen) >= 0:
                yield hands, styles, left_after(unseen, ()), importance

    @staticmethod
    def _hands(belief):
        return PAIRS if belief.size == 2 else [(card,) for card in range(5)]


def left_after(unseen, hand):
    """The unseen cards that are not in this hand, in order: those of the Court."""
    return [card for card in range(5) for _ in range(unseen[card] - hand.count(card))]
