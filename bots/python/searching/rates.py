"""How often one player does what: as often as the field, times a factor by what was seen of this player.

The field is the mean of all styles. Each kind of decision has a factor: an action with its card and without
it, a challenge of a card, a block with a card for it and without. It is how often the player did it by how
often the field would have, (seen + PRIOR) / (expected + PRIOR). Hidden cards count as our belief has them.
"""

from functools import cache

from local_styles import FALSE, LocalStyle
from local_styles import action_row as local_action_row
from local_styles import block_row as local_block_row
from local_styles import challenge_row as local_challenge_row
from rules import BLOCKERS, EXAM, FIFTH
from styles import Style, action_row, block_row, challenge_row

PRIOR = 2.0  # decisions, seen as often as expected
NONE = (0.0, 0.0)  # how often a kind of decision was seen, and how often the field would have made it
MOST = 0.97  # the highest rate of a challenge or a block


def average(values):
    """The mean of numbers, or of lists and dictionaries of them, place by place."""
    if isinstance(values[0], dict):
        names = dict.fromkeys(name for value in values for name in value)
        return {name: average([value.get(name, 0.0) for value in values]) for name in names}
    if isinstance(values[0], list):
        return [average(some) for some in zip(*values, strict=True)]
    return sum(values) / len(values)


def maker(own, styles):
    """A function that makes the style of one player, an `own`, from what was seen of it in earlier games."""
    field = cache(lambda: average([style.tables for style in styles.values()]))
    return lambda earlier: own(field(), earlier)


class Lazy(dict):
    """A dictionary whose values are computed by `make(key)` when they are first read."""

    def __init__(self, make):
        self.make = make

    def __missing__(self, key):
        self[key] = value = self.make(key)
        return value


class Rates:
    """A style with factors, by what was seen of each kind of decision in earlier games and in this one."""

    def __init__(self, field, earlier):
        super().__init__("own", field)
        self.earlier, self.news = earlier, {}
        self.usual_rows, self.usual_challenges, self.usual_blocks = self.rows, self.challenges, self.blocks
        self.rows = Lazy(self._row)
        self.actions = Lazy(lambda row: self._cumulated(self.rows[row]))
        self.by_card = Lazy(self._challenges_of)  # the rates of challenges of each card
        self._apply()

    def factor(self, *kind):
        seen, expected = map(sum, zip(self.earlier.get(kind, NONE), self.news.get(kind, NONE), strict=True))
        return (seen + PRIOR) / (expected + PRIOR)

    def challenge(self, game, seat, claimant, card, verb, target):
        self.challenges = self.by_card[card]
        return super().challenge(game, seat, claimant, card, verb, target)

    def challenge_likelihood(self, *facts, card):
        self.challenges = self.by_card[card]
        return super().challenge_likelihood(*facts, card=card)

    def _apply(self):
        """Compute the rates anew, after something was seen."""
        for rates in (self.rows, self.actions, self.by_card):
            rates.clear()
        # In the order of the rows, as BLOCKERS has the actions
        factors = [[self.factor("block", verb, is_true) for is_true in (False, True)] for verb in BLOCKERS]
        self.blocks = self._blocks(factors)

    def _challenges_of(self, card):
        factor = self.factor("challenge", card)
        return [min(MOST, rate * factor) for rate in self.usual_challenges]

    def _kind(self, row, verb):
        """The kind of an action: `verb`, with FALSE added to a claim without its card."""
        return verb

    def _row(self, row):
        usual = self.usual_rows[row]
        shares = {verb: usual[verb] * self.factor("action", self._kind(row, verb)) for verb in usual}
        total = sum(shares.values())
        return {verb: share / total for verb, share in shares.items()} if total else usual

    def _see(self, kind, seen, expected):
        before = self.news.get(kind, NONE)
        self.news[kind] = before[0] + seen, before[1] + expected

    def _see_action(self, share, row, verb):
        for each, expected in self.usual_rows[row].items():
            self._see(("action", self._kind(row, each)), share * (each == verb), share * expected)


class Own(Rates, Style):
    """The style of one player of Complots. `hands` are masks, each with its probability."""

    def _kind(self, row, verb):
        return verb if verb > FIFTH or row // 3 % 32 >> verb & 1 else verb + FALSE

    def _blocks(self, factors):
        return [min(MOST, rate * factors[row // 4][row % 2]) for row, rate in enumerate(self.usual_blocks)]

    def see_action(self, hands, duel, cards, coins, verb):
        for mask, share in hands:
            self._see_action(share, action_row(duel, cards, mask, coins), FIFTH if verb == EXAM else verb)
        self._apply()

    def see_challenge(self, hands, aim, lefts, cards, is_long, challenges, card):
        rows = [(challenge_row(aim, lefts[mask >> card & 1], cards, is_long), share) for mask, share in hands]
        expected = sum(share * self.usual_challenges[row] for row, share in rows)
        self._see(("challenge", card), challenges, expected)
        self._apply()

    def see_block(self, hands, verb, cards, card):
        for mask, share in hands:
            is_true = any(mask >> each & 1 for each in BLOCKERS[verb])
            expected = self.usual_blocks[block_row(verb, cards, is_true)]
            self._see(("block", verb, is_true), share * (card is not None), share * expected)
        self._apply()


class LocalOwn(Rates, LocalStyle):
    """The style of one player of the local variant. `hands` are as `Belief.hand_shares` has them."""

    def _blocks(self, factors):
        pairs = []
        for row, (truly, falsely) in enumerate(self.usual_blocks):
            lie, truth = factors[row // 6]
            pair = truly * truth, falsely * lie
            scale = MOST / max(sum(pair), MOST)
            pairs.append([rate * scale for rate in pair])
        return pairs

    def see_action(self, hands, coins, verb):
        for (mask, placed), share in hands:
            seen = verb if placed in (verb, -1) else verb + FALSE
            self._see_action(share, local_action_row(mask, coins), seen)
        self._apply()

    def see_challenge(self, aim, story, lives, challenges, card):
        expected = self.usual_challenges[local_challenge_row(aim, story, lives)]
        self._see(("challenge", card), challenges, expected)
        self._apply()

    def see_block(self, hands, verb, lives, claim):
        for (mask, placed), share in hands:
            has_one = any(mask >> each & 1 for each in BLOCKERS[verb])
            truly, falsely = self.usual_blocks[local_block_row(verb, lives, has_one)]
            self._see(("block", verb, True), share * (claim == placed >= 0), share * truly)
            self._see(
                ("block", verb, False), share * (claim is not None and claim != placed), share * falsely
            )
        self._apply()
