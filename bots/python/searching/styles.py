"""How players of several styles decide: tables of what the house bots did in many games.

A style is no bot: it knows its hand, the coins, the cards that are open and the claims of this game, and
looks up how often a bot of its kind did what. So it answers in a microsecond, which a playout needs, and says
how probable an answer would be with each hand, which a belief needs. `bots/training/styles.py` counts the
tables in `styles.json`; its docstring says what the rows are.
"""

import json
from pathlib import Path

from rules import AID, ASSASSIN, BLOCKERS, CAPTAIN, COUP, EXAM, FIFTH, INCOME

BITS = [bin(mask).count("1") for mask in range(32)]
NOISE = 0.04  # of all answers: what no table foresees


def action_row(duel, cards, mask, coins):
    """The row of an action: whether two players play, hidden cards, their kinds, and what coins can buy."""
    bucket = 0 if coins < 3 else 1 if coins < 7 else 2
    return ((duel * 2 + cards - 1) * 32 + mask) * 3 + bucket


def challenge_row(aim, left, cards, is_long):
    """The row of a challenge: what is at stake, unseen copies, own cards, whether too much was claimed."""
    return ((aim * 4 + left) * 2 + cards - 1) * 2 + is_long


def block_row(verb, cards, has_one):
    return ((AID, ASSASSIN, CAPTAIN).index(verb) * 2 + cards - 1) * 2 + has_one


def aim_of(seat, claimant, actor, verb, target):
    """What a claim does to a seat: 0 nothing, 1 kills, 2 steals or exams, 3 blocks it, 4 blocks another."""
    if claimant != actor:
        return 3 if seat == actor else 4
    return 0 if seat != target else 1 if verb == ASSASSIN else 2


def mask_of(hand):
    mask = 0
    for card in hand:
        mask |= 1 << card
    return mask


class Style:
    """One way to play; its methods are those that `rules.Game` asks of a player."""

    def __init__(self, name, tables):
        self.name, self.tables = name, tables
        self.rows = [dict(enumerate(row)) for row in tables["actions"]]
        self.actions = [self._cumulated(row) for row in self.rows]
        self.challenges, self.blocks = tables["challenges"], tables["blocks"]
        self.worth, self.strongest = tables["worth"], tables["strongest"]
        self.drafts = tables["drafts"]

    @staticmethod
    def _cumulated(row):
        total, steps = 0.0, []
        for verb, share in row.items():
            if share:
                total += share
                steps.append((total, verb))
        return [(limit / total, verb) for limit, verb in steps]

    # Answers

    def action(self, game, seat):
        coins = game.coins[seat]
        if coins >= game.forced_at:
            return COUP, self.target(game, seat, 0)
        hand = game.hands[seat]
        mask = 1 << hand[0] | 1 << hand[-1]
        row = self.actions[action_row(game.seats == 2, len(hand), mask, coins)]
        dice, verb = game.chance(), INCOME
        for limit, each in row:
            if dice < limit:
                verb = each
                break
        if verb == FIFTH and game.inquisitor and game.chance() < 0.5:
            verb = EXAM
        if verb == CAPTAIN:
            target = self.target(game, seat, game.least)
            return (verb, target) if target >= 0 else (INCOME, -1)
        return verb, self.target(game, seat, 0) if verb in (ASSASSIN, COUP, EXAM) else -1

    def target(self, game, seat, least):
        hands, coins, best, found = game.hands, game.coins, -1, -1
        if self.strongest < 1 and game.alive > 2 and game.chance() > self.strongest:
            some = [other for other in game.order[seat] if hands[other] and coins[other] >= least]
            return some[int(game.chance() * len(some))] if some else -1
        for other in game.order[seat]:
            if hands[other] and coins[other] >= least:
                strength = len(hands[other]) * 20 + coins[other]
                if strength > best:
                    best, found = strength, other
        return found

    def challenge(self, game, seat, claimant, card, verb, target):
        hand = game.hands[seat]
        left = game.copies - hand.count(card) - game.open[card]
        left = 3 if left > 3 else 0 if left < 0 else left
        is_long = BITS[game.claimed[claimant]] > len(game.hands[claimant])
        aim = aim_of(seat, claimant, game.actor, verb, target)
        return game.chance() < self.challenges[challenge_row(aim, left, len(hand), is_long)]

    def block(self, game, seat, verb):
        hand = game.hands[seat]
        held = -1
        for card in BLOCKERS[verb]:
            if card in hand:
                held = card
        if game.chance() >= self.blocks[block_row(verb, len(hand), held >= 0)]:
            return None
        return held if held >= 0 else BLOCKERS[verb][0]

    def lose(self, game, seat):
        a, b = game.hands[seat]
        return a if self.worth[a] < self.worth[b] else b

    show = lose

    def keep(self, game, seat, kept):
        worth = self.worth
        left = sorted(game.hands[seat], key=worth.__getitem__)
        if kept == 1:
            return left[-1:]
        best = left.pop()
        other = next((card for card in reversed(left) if card != best), best)
        return [best, other]

    def exam(self, game, seat, target, card):
        return self.worth[card] > 0.5

    # Likelihoods

    def action_likelihood(self, duel, cards, mask, coins, verb):
        verb = FIFTH if verb == EXAM else verb
        return NOISE / 6 + (1 - NOISE) * self.rows[action_row(duel, cards, mask, coins)][verb]

    def challenge_likelihood(self, aim, left, cards, is_long, challenges, card):
        """The probability of this answer to a claim. Only the styles of `rates` use `card`."""
        rate = NOISE / 4 + (1 - NOISE) * self.challenges[challenge_row(aim, left, cards, is_long)]
        return rate if challenges else 1 - rate

    def block_likelihood(self, verb, cards, mask, card):
        """The probability of a block with this card, or of none if it is None."""
        held = [each for each in BLOCKERS[verb] if mask >> each & 1]
        rate = NOISE / 4 + (1 - NOISE) * self.blocks[block_row(verb, cards, bool(held))]
        if card is None:
            return 1 - rate
        if held:
            return rate * (1.0 / len(held) if card in held else NOISE)
        return rate / len(BLOCKERS[verb])


def load_styles():
    tables = json.loads((Path(__file__).parent / "styles.json").read_text())
    return {name: Style(name, each) for name, each in tables.items()}
