"""One game of the local variant as a seat sees it, and what to believe of the others.

Everybody has one of each card; what is hidden is where it lies. A *layout* says that of one rival: (hand,
placed, discard), as a mask, a card or -1, and a tuple. A `Belief` has all that are possible, each with its
probability for each style of play: what the rival does with hidden cards splits a layout into several, and
what is turned up removes those that do not fit.
"""

from itertools import permutations

from local_reader import Reader
from local_rules import LocalGame
from local_styles import story_of, told_again
from rules import AID, BLOCKERS, INCOME
from styles import aim_of
from table import NAMES, action_of, facts_in, seat_of

PRUNED = 1e-4  # layouts that are so much less probable than the best are forgotten
CARDS = range(5)


def cards_in(mask):
    return [card for card in CARDS if mask >> card & 1]


class Belief:
    """Where the cards of one rival lie and how it plays: for each layout the probability of each style."""

    def __init__(self, styles, prior):
        self.styles = list(styles.values())
        self.layouts = {(31, -1, ()): [prior[name] for name in styles]}

    def split(self, step):
        """Replace each layout by those that `step(*layout)` yields, with a share for each style."""
        found = {}
        for layout, weights in self.layouts.items():
            for new, shares in step(*layout):
                some = [weight * share for weight, share in zip(weights, shares, strict=True)]
                if new in found:
                    some = [a + b for a, b in zip(found[new], some, strict=True)]
                found[new] = some
        best = max((sum(weights) for weights in found.values()), default=0.0)
        if best > 0:  # else something was not understood: go on with what was believed before
            self.layouts = {
                layout: [weight / best for weight in weights]
                for layout, weights in found.items()
                if sum(weights) > best * PRUNED
            }

    def change(self, moved):
        """Replace each layout by `moved(*layout)`, or remove it if that is None."""
        ones = [1.0] * len(self.styles)
        self.split(lambda *layout: [(new, ones)] if (new := moved(*layout)) else [])

    def judge(self, shares):
        """Multiply the probability of each style by its share, in all layouts alike."""
        self.split(lambda *layout: [(layout, shares)])

    def hand_shares(self):
        """Pairs of a hand, as a mask with the placed card, and that card or -1; and its probability."""
        shares = {}
        for (hand, placed, _), weights in self.layouts.items():
            key = hand | (1 << placed if placed >= 0 else 0), placed
            shares[key] = shares.get(key, 0.0) + sum(weights)
        total = sum(shares.values())
        return [(key, share / total) for key, share in shares.items()]

    def style_shares(self):
        masses = list(map(sum, zip(*self.layouts.values(), strict=True)))
        return {style.name: mass / sum(masses) for style, mass in zip(self.styles, masses, strict=True)}

    def draw(self, chance):
        """A random layout and style, by their probabilities; `chance()` is a number from 0 to 1."""
        at = chance() * sum(map(sum, self.layouts.values()))
        for layout, weights in self.layouts.items():
            for style, weight in zip(self.styles, weights, strict=True):
                at -= weight
                if at <= 0:
                    return layout, style
        return next(iter(self.layouts)), self.styles[0]


class LocalTable:
    """What a seat knows; `event` follows the news, `state` corrects it."""

    def __init__(self, facts, styles, priors):
        self.seats, self.me = int(facts["seats"]), seat_of(facts["you"])
        self.reader = Reader("local", facts)
        must = facts.get("must_coup_at", "10")
        self.forced_at = 1000 if must == "none" else int(must)
        self.least = int(facts.get("captain_min_target", 1))
        self.may_block_after = facts.get("block_after_own_failed_challenge") != "false"
        self.is_special = facts.get("assassin_special") != "false"
        self.tours = int(facts.get("tours_per_round", 4))
        self.coins = [1 if self.seats == 2 else 2] * self.seats
        self.gone, self.seen, self.open, self.told = ([0] * self.seats for _ in range(4))
        self.hand, self.placed, self.discard = list(CARDS), None, []
        self.marker = self.tour = 0
        self.treasury = 50
        self.fallen = []
        self.actor, self.verb, self.target = 0, INCOME, -1
        self.blocker = None
        self.window = None  # the seat and card of a claim that may still be challenged
        self.is_block_open = False
        self.styles = styles  # of each seat
        self.beliefs = {
            seat: Belief(styles[seat], priors[seat]) for seat in range(self.seats) if seat != self.me
        }

    def others(self):
        return [seat for seat in self.beliefs if self.gone[seat] < 5]

    def style_shares(self):
        """The probability of each style by name, by seat of each rival."""
        return {seat: belief.style_shares() for seat, belief in self.beliefs.items()}

    # News

    def state(self, name, facts):
        if name == "table":
            self.reader.table = facts
            treasury = facts["treasury"]
            self.treasury = 1000 if treasury == "unlimited" else int(treasury)
            self.marker, self.tour = seat_of(facts["marker"]), int(facts["tour"]) - 1
            return
        self.reader.see(name, facts)
        seat = seat_of(name)
        self.coins[seat] = int(facts["coins"])
        piles = {
            key: facts[key].split(",") if key in facts else [] for key in ("hand", "discard", "cemetery")
        }
        self.gone[seat] = len(piles["cemetery"])
        if seat == self.me:
            self.hand = [NAMES[card] for card in piles["hand"]]
            self.discard = [NAMES[card] for card in piles["discard"]]
            self.placed = NAMES[facts["placed"]] if "placed" in facts else None

    def secret(self, verb, words):
        """Ignore secret news: the next `state` line has the same."""

    def event(self, verb, words):
        """Follow the public news."""
        self.reader.event(verb, *words)
        self._close_windows(verb, words)
        method = getattr(self, f"_hear_{verb}", None)
        if method:
            method(*words)

    def _close_windows(self, verb, words):
        """Learn from the answers in the windows that this news closes: who spoke, and who passed."""
        if self.window:
            (claimant, card), self.window = self.window, None
            challenger = seat_of(words[0]) if verb == "challenge" else None
            for seat in self._clockwise(claimant):
                self._learn_claim(seat, claimant, card, seat == challenger)
                if seat == challenger:
                    break
        goes_on = verb in ("challenge", "proven", "pay", "out") or (
            verb == "lose" and words[-1] != "cause=assassin"
        )
        if self.is_block_open and not goes_on:
            self.is_block_open = False
            if verb in ("steal", "lose", "take", "block"):
                self._learn_block(words if verb == "block" else None)

    def _clockwise(self, seat):
        some = [*range(seat + 1, self.seats), *range(seat)]
        return [other for other in some if self.gone[other] < 5]

    def _learn_claim(self, seat, claimant, card, challenges):
        if seat != self.me:
            aim = aim_of(seat, claimant, self.actor, self.verb, self.target)
            story = story_of(self.seen[claimant] | self.open[claimant], self.told[claimant], card)
            lives, belief = 5 - self.gone[seat], self.beliefs[seat]
            belief.judge(
                [
                    style.challenge_likelihood(aim, story, lives, challenges, card=card)
                    for style in belief.styles
                ]
            )
            if own := self.styles[seat].get("own"):
                own.see_challenge(aim, story, lives, challenges, card)

    def _learn_block(self, words):
        """Learn that seats did not block: those before the blocker, or all if there is no block (None)."""
        blocker = seat_of(words[0]) if words else None
        for seat in self._clockwise(self.actor) if self.verb == AID else [self.target]:
            if seat == blocker:
                break
            if seat != self.me and self.gone[seat] < 5:
                belief, lives = self.beliefs[seat], 5 - self.gone[seat]
                belief.split(
                    lambda hand, placed, discard, belief=belief, lives=lives: [
                        (
                            (hand, placed, discard),
                            [
                                style.block_likelihood(self.verb, lives, hand, None, None) if hand else 1.0
                                for style in belief.styles
                            ],
                        )
                    ]
                )
                if own := self.styles[seat].get("own"):
                    own.see_block(belief.hand_shares(), self.verb, lives, None)

    def _hear_turn(self, number, actor):
        self.actor, self.blocker = seat_of(actor), None
        for belief in self.beliefs.values():
            belief.change(flushed)

    def _hear_manche(self, number):
        self.seen, self.told = [0] * self.seats, [0] * self.seats
        for belief in self.beliefs.values():
            belief.change(flushed)
            belief.change(lambda hand, placed, discard: (hand | sum(1 << card for card in discard), -1, ()))

    def _hear_claim(self, name, word):
        self.actor, self.blocker = seat_of(name), None
        self.verb, self.target = action_of(word)
        self.is_block_open = self.verb in BLOCKERS
        self._claimed(self.actor, self.verb)
        if self.actor != self.me:
            belief, coins = self.beliefs[self.actor], self.coins[self.actor]
            self._place(
                belief, lambda style, hand, card: style.action_likelihood(hand, coins, self.verb, card)
            )
            if own := self.styles[self.actor].get("own"):
                own.see_action(belief.hand_shares(), coins, self.verb)

    def _claimed(self, seat, card):
        self.told[seat] = told_again(self.told[seat], card)
        self.window = seat, card

    @staticmethod
    def _place(belief, likelihood):
        """Move an unknown card of the hand to the table: each with its `likelihood(style, hand, card)`."""

        def step(hand, placed, discard):
            for card in cards_in(hand):
                shares = [likelihood(style, hand, card) for style in belief.styles]
                yield (hand & ~(1 << card), card, discard), shares

        belief.split(step)

    def _hear_action(self, name, word):
        self.actor, self.blocker = seat_of(name), None
        self.verb, self.target = action_of(word)
        self.is_block_open = self.verb == AID
        coins = self.coins[self.actor]
        if self.actor != self.me and coins < self.forced_at:
            belief = self.beliefs[self.actor]
            belief.split(
                lambda *layout: [
                    (
                        layout,
                        [
                            style.action_likelihood(layout[0], coins, self.verb, None)
                            for style in belief.styles
                        ],
                    )
                ]
            )
            if own := self.styles[self.actor].get("own"):
                own.see_action(belief.hand_shares(), coins, self.verb)

    def _hear_block(self, name, word):
        self.blocker, claim = seat_of(name), NAMES[word.removeprefix("block:")]
        self._claimed(self.blocker, claim)
        if self.blocker != self.me:
            lives = 5 - self.gone[self.blocker]
            self._place(
                self.beliefs[self.blocker],
                lambda style, hand, card: style.block_likelihood(self.verb, lives, hand, claim, card),
            )
            if own := self.styles[self.blocker].get("own"):
                own.see_block(self.beliefs[self.blocker].hand_shares(), self.verb, lives, claim)

    def _hear_proven(self, name, word):
        seat, card = seat_of(name), NAMES[word]
        self.seen[seat] |= 1 << card
        if seat != self.me:
            self.beliefs[seat].change(
                lambda hand, placed, discard: (hand, placed, discard) if placed == card else None
            )

    def _hear_lose(self, name, word, cause):
        seat = seat_of(name)
        self.gone[seat] += 1
        card = NAMES.get(word)
        if card is not None:
            self.open[seat] |= 1 << card
            self.seen[seat] &= ~(1 << card)
        if seat == self.me or self.gone[seat] == 5:
            return
        belief = self.beliefs[seat]
        if cause == "cause=bluff":
            belief.change(lambda hand, placed, discard: (hand, -1, discard) if placed == card else None)
            return
        seen = self.seen[seat]

        def step(hand, placed, discard):
            is_hidden = placed >= 0 and not seen >> placed & 1
            cards = [*cards_in(hand), *([placed] if is_hidden else [])] or list(discard) or [placed]
            for each in cards:
                if card in (None, each):
                    shares = [style.lose_share(cards, each) for style in belief.styles]
                    yield without(each, hand, placed, discard), shares

        belief.split(step)

    def _hear_out(self, name, *_):
        seat = seat_of(name)
        self.coins[seat], self.gone[seat] = 0, 5
        self.fallen.append(seat)

    def _hear_take(self, name, amount):
        self.coins[seat_of(name)] += int(amount)

    def _hear_pay(self, name, amount):
        self.coins[seat_of(name)] -= int(amount)

    def _hear_steal(self, thief, victim, amount):
        self.coins[seat_of(thief)] += int(amount)
        if self.gone[seat_of(victim)] < 5:
            self.coins[seat_of(victim)] -= int(amount)

    def _hear_exchange(self, name, number, *rest):
        seat, facts = seat_of(name), facts_in(rest)
        taken, returned = int(number), int(facts["returned"])
        for word in facts["shown"].split(",") if "shown" in facts else []:
            self.seen[seat] &= ~(1 << NAMES[word])
        if seat == self.me:
            return
        belief = self.beliefs[seat]

        def step(hand, placed, discard):
            left = discard[: max(0, len(discard) - taken)]
            hand |= sum(1 << card for card in discard[len(left) :])
            some = list(permutations(cards_in(hand), returned))
            for cards in some:
                usual = [
                    sorted(cards) == sorted(sorted(cards_in(hand), key=style.worth.__getitem__)[:returned])
                    for style in belief.styles
                ]
                shares = [(0.7 if each else 0.3) / len(some) for each in usual]
                yield (hand & ~sum(1 << card for card in cards), placed, (*left, *cards)), shares

        belief.split(step)

    # Worlds

    def worlds(self, dice):
        """Yield games that may be the one we play, with the weight of each; `dice` is a random.Random."""
        while True:
            hands, placed = [[] for _ in range(self.seats)], [None] * self.seats
            discards, players = [[] for _ in range(self.seats)], [None] * self.seats
            for seat in self.others():
                (hand, card, discard), players[seat] = self.beliefs[seat].draw(dice.random)
                hands[seat], discards[seat] = cards_in(hand), list(discard)
                placed[seat] = card if card >= 0 else None
            hands[self.me], placed[self.me] = self.hand.copy(), self.placed
            discards[self.me] = self.discard.copy()
            yield self._game(hands, placed, discards, players), 1.0

    def _game(self, hands, placed, discards, players):
        game = LocalGame(hands, placed, discards, self.gone.copy(), self.coins.copy(), self.actor)
        game.players = players
        game.fallen = self.fallen.copy()
        game.seen, game.open, game.told = self.seen.copy(), self.open.copy(), self.told.copy()
        game.marker, game.tour, game.tours = self.marker, self.tour, self.tours
        game.treasury, game.forced_at, game.least = self.treasury, self.forced_at, self.least
        game.may_block_after, game.is_special = self.may_block_after, self.is_special
        return game


def flushed(hand, placed, discard):
    """The layout after the turn: the placed card is in the discard."""
    return (hand, -1, (*discard, placed)) if placed >= 0 else (hand, placed, discard)


def without(card, hand, placed, discard):
    """The layout without this card, which was lost."""
    if placed == card:
        return hand, -1, discard
    if hand >> card & 1:
        return hand & ~(1 << card), placed, discard
    return hand, placed, tuple(other for other in discard if other != card)
