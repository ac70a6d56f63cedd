"""How players of the local variant decide, by tables as in `styles`: `local_styles.json`.

An action is a number of `rules`; a claim for which another card is placed has `FALSE` added.
"""

import json
from pathlib import Path

from rules import AID, ASSASSIN, BLOCKERS, CAPTAIN, COUP, FIFTH, INCOME
from styles import aim_of, mask_of

FALSE = 10
NOISE = 0.04  # of all answers: what no table foresees
USUAL = 0.75  # how often a false claim is made with the card that is worth least


def action_row(mask, coins):
    return mask * 3 + (0 if coins < 3 else 1 if coins < 7 else 2)


def challenge_row(aim, story, lives):
    """The row of a challenge: what is at stake, what is known of the card, and our own cards."""
    return (aim * 3 + story) * 3 + min(lives, 3) - 1


def block_row(verb, lives, has_one):
    return ((AID, ASSASSIN, CAPTAIN).index(verb) * 3 + min(lives, 3) - 1) * 2 + has_one


def story_of(visible, told, card):
    """What is known of a claimed card: 0 nothing, 1 it was claimed before, 2 it lies open elsewhere."""
    return 2 if visible >> card & 1 else told >> card + 5 & 1


def told_again(told, card):
    """The claims of a manche with one more: bits for those made, and five higher for those made twice."""
    return told | (told >> card & 1) << card + 5 | 1 << card


class LocalStyle:
    """One way to play; its methods are those that `LocalGame` asks of a player."""

    def __init__(self, name, tables):
        self.name, self.tables = name, tables
        self.rows = [{int(verb): share for verb, share in row.items()} for row in tables["actions"]]
        self.actions = [self._cumulated(row) for row in self.rows]
        self.challenges, self.blocks = tables["challenges"], tables["blocks"]
        self.worth, self.spare = tables["worth"], tables["spare"]

    @staticmethod
    def _cumulated(row):
        total, steps = 0.0, []
        for verb, share in row.items():
            total += share
            steps.append((total, verb))
        return [(limit / total, verb) for limit, verb in steps]

    # Answers

    def action(self, game, seat):
        coins = game.coins[seat]
        if coins >= game.forced_at:
            return COUP, self.target(game, seat, 0), None
        hand = game.hands[seat]
        dice, verb = game.chance(), INCOME
        for limit, each in self.actions[action_row(mask_of(hand), coins)]:
            if dice < limit:
                verb = each
                break
        claim = verb % FALSE
        target = self.target(game, seat, game.least if claim == CAPTAIN else 0)
        if claim > FIFTH:
            return claim, target if claim == COUP else -1, None
        card = claim if verb == claim else self.spared(game, hand, claim)
        if card is None or (claim == CAPTAIN and target < 0) or (claim == FIFTH and not game.discards[seat]):
            return INCOME, -1, None
        return claim, target if claim in (ASSASSIN, CAPTAIN) else -1, card

    def spared(self, game, hand, claim):
        """The card to place for a false claim, or None if there is no other one."""
        cards = [card for card in hand if card != claim]
        if len(cards) > 1 and game.chance() > USUAL:
            return cards[int(game.chance() * len(cards))]
        return min(cards, key=self.spare.__getitem__, default=None)

    def target(self, game, seat, least):
        best, found = -1, -1
        for other in game.order[seat]:
            if game.gone[other] < 5 and game.coins[other] >= least:
                strength = (5 - game.gone[other]) * 20 + game.coins[other]
                if strength > best:
                    best, found = strength, other
        return found

    def challenge(self, game, seat, claimant, card, verb, target):
        story = story_of(game.seen[claimant] | game.open[claimant], game.told[claimant], card)
        aim = aim_of(seat, claimant, game.actor, verb, target)
        return game.chance() < self.challenges[challenge_row(aim, story, 5 - game.gone[seat])]

    def block(self, game, seat, verb):
        hand = game.hands[seat]
        held = [card for card in BLOCKERS[verb] if card in hand]
        truly, falsely = self.blocks[block_row(verb, 5 - game.gone[seat], bool(held))]
        dice = game.chance()
        if dice < truly and held:
            return held[0], held[0]
        if dice < truly + falsely:
            claim = BLOCKERS[verb][0]
            card = self.spared(game, hand, claim)
            return None if card is None else (claim, card)
        return None

    def lose(self, game, seat, cards):
        return min(cards, key=self.worth.__getitem__)

    def give_back(self, game, seat, number):
        return sorted(game.hands[seat], key=self.worth.__getitem__)[:number]

    # Likelihoods of what a player did with the cards of its hand, and of the card that it placed

    def action_likelihood(self, mask, coins, verb, card):
        row = self.rows[action_row(mask, coins)]
        if card is None:
            return NOISE / 8 + (1 - NOISE) * row.get(verb, 0.0)
        if card == verb:
            return NOISE / 16 + (1 - NOISE) * row.get(verb, 0.0)
        return NOISE / 40 + (1 - NOISE) * row.get(verb + FALSE, 0.0) * self.spare_share(mask, verb, card)

    def spare_share(self, mask, claim, card):
        cards = [other for other in range(5) if mask >> other & 1 and other != claim]
        usual = card == min(cards, key=self.spare.__getitem__)
        return (1 - USUAL) / len(cards) + (USUAL if usual else 0.0)

    def challenge_likelihood(self, aim, story, lives, challenges, card):
        """The probability of this answer to a claim. Only the styles of `rates` use `card`."""
        rate = NOISE / 4 + (1 - NOISE) * self.challenges[challenge_row(aim, story, lives)]
        return rate if challenges else 1 - rate

    def block_likelihood(self, verb, lives, mask, claim, card):
        """The probability of a block with this claim and this placed card, or of none if they are None."""
        held = [each for each in BLOCKERS[verb] if mask >> each & 1]
        truly, falsely = self.blocks[block_row(verb, lives, bool(held))]
        if claim is None:
            return max(0.01, 1 - truly - falsely)
        if claim == card:
            return NOISE / 4 + truly / len(held)
        return NOISE / 20 + falsely / len(BLOCKERS[verb]) * self.spare_share(mask, claim, card)

    def lose_share(self, cards, card):
        usual = card == min(cards, key=self.worth.__getitem__)
        return 0.25 / len(cards) + (0.75 if usual else 0.0)


def load_styles(seats=2):
    """The styles by name for so many seats: with more than two another reader, and bots that search, too."""
    tables = json.loads((Path(__file__).parent / "local_styles.json").read_text())
    more = {"local_reader_more", "local_searching", "local_adaptive"}
    without = more if seats == 2 else {"local_reader"}
    return {name: LocalStyle(name, each) for name, each in tables.items() if name not in without}
