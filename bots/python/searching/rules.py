"""The rules of Complots, small and fast: a game that can be played on from any question.

A card is its place in the cast: 0 duchess, 1 assassin, 2 contessa, 3 captain, 4 ambassador or inquisitor.
An action is a number as well; the first five are the cards, and `EXAM` is the inquisitor sent to a player.
All decisions are those of `players`, one for each seat, and all chance comes from `chance()`, a number from
0 to 1: the same players and numbers play the same game again.

Each question of the protocol has a method here that plays the rest of the turn once the answer is known:
`act`, `challenge_action`, `block`, `challenge_block`, `go_on` and `effect`. The answer of a seat that is
asked with others at once is in `said`.
"""

DUCHESS, ASSASSIN, CONTESSA, CAPTAIN, FIFTH, EXAM, INCOME, AID, COUP = range(9)
BLOCKERS = {AID: (DUCHESS,), ASSASSIN: (CONTESSA,), CAPTAIN: (CAPTAIN, FIFTH)}


class GameOver(Exception):
    """Raised when one player is left, also in the middle of a turn."""


class Game:
    """A position with all its hidden cards."""

    __slots__ = (
        "actor",
        "alive",
        "chance",
        "claimed",
        "coins",
        "copies",
        "court",
        "fallen",
        "forced_at",
        "hands",
        "inquisitor",
        "least",
        "lost",
        "may_block_after",
        "open",
        "order",
        "players",
        "said",
        "seats",
        "treasury",
        "turn",
    )

    def __init__(self, hands, lost, coins, court, actor):
        self.hands, self.lost, self.coins, self.court, self.actor = hands, lost, coins, court, actor
        self.seats = len(hands)
        self.copies = 4 if self.seats > 6 else 3
        self.order = [[*range(seat + 1, self.seats), *range(seat)] for seat in range(self.seats)]
        self.open = [sum(cards.count(card) for cards in lost) for card in range(5)]  # of each card, face up
        self.fallen = []  # the seats that are out, in this order
        self.alive = sum(map(bool, hands))
        self.claimed = [0] * self.seats  # for each seat a bit for each card that it pretends to hold
        self.treasury = 54 - sum(coins)
        self.inquisitor = False
        self.forced_at, self.least = 10, 1  # options `must_coup_at` and `captain_min_target`
        self.may_block_after = True  # option `block_after_own_failed_challenge`
        self.turn = 0
        self.players = self.chance = None  # set before anything is played
        self.said = None  # the answer of one seat to the next window: (seat, answer)

    def copy(self):
        new = Game.__new__(Game)
        for name in Game.__slots__:
            setattr(new, name, getattr(self, name))
        new.hands = [hand.copy() for hand in self.hands]
        new.lost = [cards.copy() for cards in self.lost]
        new.open, new.coins, new.court = self.open.copy(), self.coins.copy(), self.court.copy()
        new.claimed, new.fallen = self.claimed.copy(), self.fallen.copy()
        return new

    def is_alive(self, seat):
        return bool(self.hands[seat])

    # Turns

    def play_turn(self):
        self.turn += 1
        self.act(*self.players[self.actor].action(self, self.actor))

    def end_turn(self):
        actor = (self.actor + 1) % self.seats
        while not self.hands[actor]:
            actor = (actor + 1) % self.seats
        self.actor = actor

    def act(self, verb, target):
        """Play the turn of the actor, whose action is known."""
        actor = self.actor
        if verb <= EXAM:
            self.claimed[actor] |= 1 << (FIFTH if verb == EXAM else verb)
            self.challenge_action(verb, target)
        elif verb == AID:
            self.block(verb, target)
        elif verb == INCOME:
            self.take(actor, 1)
            self.end_turn()
        else:
            self.take(actor, -7)
            self.lose(target)
            self.end_turn()

    def challenge_action(self, verb, target):
        challenger = self.challenger(self.actor, FIFTH if verb == EXAM else verb, verb, target)
        if challenger is None:
            self.go_on(verb, target, True)
        elif self.settle(self.actor, FIFTH if verb == EXAM else verb, challenger):
            self.go_on(verb, target, self.may_block_after or challenger != target)
        else:
            self.end_turn()

    def go_on(self, verb, target, may_block):
        """Go on once the claim of the actor stands: its cost, then a block or the effect."""
        if verb == ASSASSIN:
            self.take(self.actor, -3)
        if may_block and verb in BLOCKERS and self.hands[target]:
            self.block(verb, target)
        else:
            self.effect(verb, target)

    def block(self, verb, target):
        """Ask for a block of the aid, or of the action against a target, and play the rest of the turn."""
        said, self.said = self.said, None
        for seat in self.order[self.actor] if verb == AID else (target,):
            if self.hands[seat]:
                is_known = said and said[0] == seat
                card = said[1] if is_known else self.players[seat].block(self, seat, verb)
                if card is not None:
                    self.claimed[seat] |= 1 << card
                    self.challenge_block(verb, target, seat, card)
                    return
        self.effect(verb, target)

    def challenge_block(self, verb, target, blocker, card):
        challenger = self.challenger(blocker, card, verb, target)
        if challenger is None or self.settle(blocker, card, challenger):
            self.end_turn()
        else:
            self.effect(verb, target)

    def effect(self, verb, target):
        actor = self.actor
        if verb == AID:
            self.take(actor, 2)
        elif verb == DUCHESS:
            self.take(actor, 3)
        elif verb == FIFTH:
            self.exchange(actor)
        elif self.hands[target]:
            if verb == CAPTAIN:
                amount = min(2, self.coins[target])
                self.coins[target] -= amount
                self.coins[actor] += amount
            elif verb == ASSASSIN:
                self.lose(target)
            else:
                self.examine(actor, target)
        self.end_turn()

    # Parts of a turn

    def take(self, seat, amount):
        amount = min(amount, self.treasury)
        self.treasury -= amount
        self.coins[seat] += amount

    def challenger(self, claimant, card, verb, target):
        """The first seat to challenge a claim, or None."""
        said, self.said = self.said, None
        for seat in self.order[claimant]:
            if self.hands[seat]:
                if said and said[0] == seat:
                    if said[1]:
                        return seat
                elif self.players[seat].challenge(self, seat, claimant, card, verb, target):
                    return seat
        return None

    def settle(self, claimant, card, challenger):
        """Settle a challenge: one of the two loses a card. Returns whether the claim was true."""
        if card not in self.hands[claimant]:
            self.claimed[claimant] &= ~(1 << card)
            self.lose(claimant)
            return False
        self.replace(claimant, card)
        self.lose(challenger)
        return True

    def replace(self, seat, card):
        """Return a card to the Court and draw another one."""
        hand = self.hands[seat]
        hand.remove(card)
        self.court.append(card)
        hand.append(self.draw())
        self.claimed[seat] &= ~(1 << card)

    def draw(self):
        court = self.court
        at = int(self.chance() * len(court))
        card = court[at]
        court[at] = court[-1]
        court.pop()
        return card

    def lose(self, seat):
        hand = self.hands[seat]
        card = self.players[seat].lose(self, seat) if len(hand) > 1 else hand[0]
        self.turn_up(seat, card)

    def turn_up(self, seat, card):
        self.hands[seat].remove(card)
        self.lost[seat].append(card)
        self.open[card] += 1
        self.claimed[seat] &= ~(1 << card)
        if not self.hands[seat]:
            self.treasury += self.coins[seat]
            self.coins[seat] = 0
            self.fallen.append(seat)
            self.alive -= 1
            if self.alive == 1:
                raise GameOver

    def exchange(self, seat):
        hand = self.hands[seat]
        kept = len(hand)
        for _ in range(1 if self.inquisitor else 2):
            hand.append(self.draw())
        self.keep(seat, self.players[seat].keep(self, seat, kept))

    def keep(self, seat, cards):
        """Keep these cards of a hand and return the others to the Court."""
        hand = self.hands[seat]
        for card in cards:
            hand.remove(card)
        self.court += hand
        hand[:] = cards
        self.claimed[seat] = 0

    def examine(self, examiner, target):
        hand = self.hands[target]
        card = self.players[target].show(self, target) if len(hand) > 1 else hand[0]
        self.end_exam(target, card, self.players[examiner].exam(self, examiner, target, card))

    def end_exam(self, target, card, discard):
        if discard:
            claimed = self.claimed[target]
            self.replace(target, card)
            self.claimed[target] = claimed
