"""What the hands of the others may be, and how they play: a weight for each style, pick and hand.

`Belief.weights` says for one rival how probable what it did was with a hand, for each style and, with two
players, for each card that it may have drafted (its `pick`: that decides which seven cards are in play).
The cards themselves come in when a world is drawn: a hand is as probable as its weight times the ways to take
it from the unseen cards. When a hand changes, the weights move along the ways the cards can have gone.
"""

from bisect import bisect
from itertools import accumulate

SINGLES = [(card,) for card in range(5)]
PAIRS = [(a, b) for a in range(5) for b in range(a, 5)]
HANDS = {1: SINGLES, 2: PAIRS}
PLACE = {hand: place for hands in HANDS.values() for place, hand in enumerate(hands)}
MASKS = {size: [1 << hand[0] | 1 << hand[-1] for hand in hands] for size, hands in HANDS.items()}
FORGETS = 0.15  # of an exchange: how often a player keeps any cards at all


def ways(hand, unseen):
    """In how many ways a hand can be taken from the unseen cards."""
    a = unseen[hand[0]]
    if len(hand) == 1:
        return a
    return a * unseen[hand[1]] if hand[0] != hand[1] else a * (a - 1) / 2


def joined(*cards):
    return tuple(sorted(cards))


class Belief:
    """What one rival may hold and how it may play."""

    def __init__(self, styles, prior, size, picks=(None,)):
        self.styles, self.size = styles, size
        self.picks = picks
        self.weights = {
            (name, pick): [share] * len(HANDS[size]) for name, share in prior.items() for pick in picks
        }

    def update(self, likelihood):
        """Learn from an answer: `likelihood(style, mask)` is how probable it was."""
        masks = MASKS[self.size]
        factors = {name: [likelihood(style, mask) for mask in masks] for name, style in self.styles.items()}
        for (name, _), weights in self.weights.items():
            weights[:] = [weight * factor for weight, factor in zip(weights, factors[name], strict=True)]
        self._scale()

    def condition(self, card, has_it):
        hands = HANDS[self.size]
        for weights in self.weights.values():
            weights[:] = [
                weight if (card in hand) == has_it else weight * 1e-6
                for weight, hand in zip(weights, hands, strict=True)
            ]
        self._scale()

    def _scale(self):
        top = max(max(weights) for weights in self.weights.values())
        if not 1e-30 < top < 1e30:
            for weights in self.weights.values():
                weights[:] = [max(weight / top, 1e-12) if top else 1.0 for weight in weights]

    def move(self, kernel, unseen_before, unseen_after, size):
        """Let a hand change: `kernel(hand, unseen)` yields new hands of `size` cards with probabilities.

        `unseen_before(pick)` and `unseen_after(pick)` are the counts of unseen cards, by card.
        """
        before, after = HANDS[self.size], HANDS[size]
        moves = {
            pick: [
                [(PLACE[new], share) for new, share in kernel(hand, unseen_before(pick))] for hand in before
            ]
            for pick in self.picks
        }
        for (_, pick), weights in self.weights.items():
            old, moved = unseen_before(pick), [0.0] * len(after)
            for hand, weight, steps in zip(before, weights, moves[pick], strict=True):
                mass = weight * ways(hand, old)
                if mass > 0:
                    for place, share in steps:
                        moved[place] += mass * share
            new = unseen_after(pick)
            some = [ways(hand, new) for hand in after]
            weights[:] = [mass / way if way > 0 else 0.0 for mass, way in zip(moved, some, strict=True)]
        self.size = size
        self._scale()

    # What is asked of it

    def by_hand(self, pick):
        """The weight of each hand, over all styles."""
        return list(map(sum, zip(*(self.weights[name, pick] for name in self.styles), strict=True)))

    def hand_shares(self, unseen):
        """The possible hands, as masks, with their probabilities; `unseen(pick)` counts the unseen cards."""
        shares = dict.fromkeys(MASKS[self.size], 0.0)
        for pick in self.picks:
            some = unseen(pick)
            for hand, mask, weight in zip(
                HANDS[self.size], MASKS[self.size], self.by_hand(pick), strict=True
            ):
                shares[mask] += weight * max(0.0, ways(hand, some))
        total = sum(shares.values()) or 1.0
        return [(mask, share / total) for mask, share in shares.items() if share > 0]

    def style_shares(self, unseen):
        """The probability of each style, by name; `unseen(pick)` counts the unseen cards."""
        masses = dict.fromkeys(self.styles, 0.0)
        for (name, pick), weights in self.weights.items():
            some = unseen(pick)
            masses[name] += sum(
                weight * ways(hand, some)
                for hand, weight in zip(HANDS[self.size], weights, strict=True)
                if ways(hand, some) > 0
            )
        total = sum(masses.values())
        return {name: mass / total if total else 1 / len(masses) for name, mass in masses.items()}

    def style_of(self, pick, place, dice):
        """A random style, by its probability with the hand at this place; `dice` is a number from 0 to 1."""
        names = list(self.styles)
        steps = list(accumulate(self.weights[name, pick][place] for name in names))
        if steps[-1] <= 0:
            return self.styles[names[int(dice * len(names))]]
        return self.styles[names[min(bisect(steps, dice * steps[-1]), len(names) - 1)]]


# How hands change


def proven(card):
    """The kernel of a proof, for `Belief.move`: the card goes into the Court, and any card comes back."""

    def kernel(hand, unseen):
        if card in hand:
            rest = list(hand)
            rest.remove(card)
            yield from drawn_to(rest, unseen)

    return kernel


def examined(hand, unseen):
    """The kernel of an exam that replaces a card: any card of the hand goes, and any comes back."""
    for at in range(len(hand)):
        for new, share in drawn_to([*hand[:at], *hand[at + 1 :]], unseen):
            yield new, share / len(hand)


def drawn_to(rest, unseen):
    left = [unseen[card] - rest.count(card) for card in range(5)]
    total = sum(count for count in left if count > 0)
    for card, count in enumerate(left):
        if count > 0:
            yield joined(*rest, card), count / total


def lost(card, worth):
    """The kernel of a loss: this card leaves the hand. Of two, a rival mostly loses the one worth less."""

    def kernel(hand, unseen):
        if card not in hand:
            return
        rest = list(hand)
        rest.remove(card)
        if rest:
            share = 1.0 if rest[0] == card else 0.8 if worth[card] <= worth[rest[0]] else 0.2
            yield (rest[0],), share

    return kernel


def exchanged(number, worth):
    """The kernel of an exchange: `number` cards are drawn, and mostly the best of all are kept."""

    def kernel(hand, unseen):
        left = [unseen[card] - hand.count(card) for card in range(5)]
        for drawn in HANDS[number]:
            if all(left[card] >= drawn.count(card) for card in drawn):
                share = ways(drawn, left)
                yield best_of([*hand, *drawn], len(hand), worth), share * (1 - FORGETS)
                for new in HANDS[len(hand)]:
                    yield new, share * FORGETS / len(HANDS[len(hand)])

    return kernel


def best_of(cards, kept, worth):
    cards = sorted(cards, key=worth.__getitem__)
    if kept == 1:
        return (cards[-1],)
    best = cards.pop()
    return joined(best, next((card for card in reversed(cards) if card != best), best))
