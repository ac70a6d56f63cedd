"""The rules of the local variant, small and fast: as `rules` for Complots.

Each seat has five cards, 0 to 4. A hand is a list, a discard too, with the newest card last. What all have
seen of a seat is in two masks: `seen` for its discard and its proven card, `open` for its cemetery.
"""

from rules import AID, ASSASSIN, BLOCKERS, CAPTAIN, DUCHESS, FIFTH, INCOME, GameOver


class LocalGame:
    """A position with all its hidden cards."""

    __slots__ = (
        "actor",
        "alive",
        "chance",
        "coins",
        "discards",
        "fallen",
        "forced_at",
        "gone",
        "hands",
        "is_special",
        "least",
        "marker",
        "may_block_after",
        "open",
        "order",
        "placed",
        "players",
        "said",
        "seats",
        "seen",
        "told",
        "tour",
        "tours",
        "treasury",
        "turn",
    )

    def __init__(self, hands, placed, discards, gone, coins, actor):
        self.hands, self.placed, self.discards, self.gone = hands, placed, discards, gone
        self.coins, self.actor = coins, actor
        self.seats = len(hands)
        self.order = [[*range(seat + 1, self.seats), *range(seat)] for seat in range(self.seats)]
        self.fallen = []
        self.alive = sum(count < 5 for count in gone)
        self.seen, self.open, self.told = ([0] * self.seats for _ in range(3))
        self.marker = self.tour = self.turn = 0
        self.tours = 4
        self.treasury = 54 - sum(coins)
        self.forced_at, self.least = 10, 1
        self.may_block_after = self.is_special = True
        self.players = self.chance = None  # set before anything is played
        self.said = None  # the answer of one seat to the next window: (seat, answer)

    def copy(self):
        new = LocalGame.__new__(LocalGame)
        for name in LocalGame.__slots__:
            setattr(new, name, getattr(self, name))
        new.hands = [hand.copy() for hand in self.hands]
        new.discards = [pile.copy() for pile in self.discards]
        new.placed, new.gone, new.coins = self.placed.copy(), self.gone.copy(), self.coins.copy()
        new.seen, new.open, new.told = self.seen.copy(), self.open.copy(), self.told.copy()
        new.fallen = self.fallen.copy()
        return new

    def is_alive(self, seat):
        return self.gone[seat] < 5

    # Turns

    def play_turn(self):
        self.turn += 1
        self.act(*self.players[self.actor].action(self, self.actor))

    def act(self, verb, target, card):
        """Play the turn of the actor, whose action is known, with the card that it places."""
        actor = self.actor
        if verb <= FIFTH:
            self.place(actor, verb, card)
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

    def place(self, seat, claim, card):
        self.hands[seat].remove(card)
        self.placed[seat] = card
        told = self.told[seat]  # a bit for each claim of the manche, and five higher if it was made twice
        self.told[seat] = told | (told >> claim & 1) << claim + 5 | 1 << claim

    def challenge_action(self, verb, target):
        actor = self.actor
        challenger = self.challenger(actor, verb, verb, target)
        if challenger is None:
            self.go_on(verb, target, True)
        elif not self.settle(actor, verb):
            self.end_turn()
        elif verb == ASSASSIN and self.is_special:
            self.take(actor, -3)
            self.lose(challenger, True)
            self.end_turn()
        else:
            self.lose(challenger)
            self.go_on(verb, target, self.may_block_after or challenger != target)

    def go_on(self, verb, target, may_block):
        """Go on once the claim of the actor stands: its cost, then a block or the effect."""
        if verb == ASSASSIN:
            self.take(self.actor, -3)
        if may_block and verb in BLOCKERS and self.gone[target] < 5:
            self.block(verb, target)
        else:
            self.effect(verb, target)

    def block(self, verb, target):
        """Ask for a block of the aid, or of the action against a target, and play the rest of the turn."""
        said, self.said = self.said, None
        for seat in self.order[self.actor] if verb == AID else (target,):
            if self.hands[seat]:
                is_known = said and said[0] == seat
                block = said[1] if is_known else self.players[seat].block(self, seat, verb)
                if block is not None:
                    self.place(seat, *block)
                    self.challenge_block(verb, target, seat, block[0])
                    return
        self.effect(verb, target)

    def challenge_block(self, verb, target, blocker, card):
        challenger = self.challenger(blocker, card, verb, target)
        if challenger is None:
            self.end_turn()
        elif self.settle(blocker, card):
            self.lose(challenger)
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
        elif self.gone[target] < 5:
            if verb == CAPTAIN:
                amount = min(2, self.coins[target])
                self.coins[target] -= amount
                self.coins[actor] += amount
            else:
                self.lose(target)
        self.end_turn()

    def end_turn(self):
        for seat, card in enumerate(self.placed):
            if card is not None:
                self.discards[seat].append(card)
                self.placed[seat] = None
        seats, gone, at = self.seats, self.gone, self.actor
        while True:
            at = (at + 1) % seats
            if at == self.marker:
                self.tour += 1
                if self.tour == self.tours:
                    self.end_manche()
            if gone[at] < 5:
                break
        self.actor = at

    def end_manche(self):
        self.tour = 0
        for hand, pile in zip(self.hands, self.discards, strict=True):
            hand += pile
            pile.clear()
        self.seen = [0] * self.seats
        self.told = [0] * self.seats

    # Parts of a turn

    def take(self, seat, amount):
        amount = min(amount, self.treasury)
        self.treasury -= amount
        self.coins[seat] += amount

    def challenger(self, claimant, card, verb, target):
        """The first seat to challenge a claim, or None."""
        said, self.said = self.said, None
        for seat in self.order[claimant]:
            if self.gone[seat] < 5:
                if said and said[0] == seat:
                    if said[1]:
                        return seat
                elif self.players[seat].challenge(self, seat, claimant, card, verb, target):
                    return seat
        return None

    def settle(self, claimant, claim):
        """Turn the placed card up, which is lost if it is another one. Returns whether the claim was true."""
        card = self.placed[claimant]
        if card == claim:
            self.seen[claimant] |= 1 << card
            return True
        self.bury(claimant, card, True)
        return False

    def losable(self, seat):
        placed = self.placed[seat]
        if placed is not None and not self.seen[seat] >> placed & 1:
            return [*self.hands[seat], placed]
        return self.hands[seat] or self.discards[seat] or [placed]

    def lose(self, seat, face_up=False):
        cards = self.losable(seat)
        card = self.players[seat].lose(self, seat, cards) if len(cards) > 1 else cards[0]
        self.bury(seat, card, face_up)

    def bury(self, seat, card, face_up):
        """Put a card into the cemetery."""
        if self.placed[seat] == card:
            self.placed[seat] = None
        elif card in self.hands[seat]:
            self.hands[seat].remove(card)
        else:
            self.discards[seat].remove(card)
        self.gone[seat] += 1
        self.seen[seat] &= ~(1 << card)
        if face_up:
            self.open[seat] |= 1 << card
        if self.gone[seat] == 5:
            self.treasury += self.coins[seat]
            self.coins[seat] = 0
            self.fallen.append(seat)
            self.alive -= 1
            if self.alive == 1:
                raise GameOver

    def exchange(self, seat):
        pile, hand = self.discards[seat], self.hands[seat]
        number = min(2, len(pile))
        for _ in range(number):
            hand.append(pile.pop())
        if number:
            self.give_back(seat, self.players[seat].give_back(self, seat, number))

    def give_back(self, seat, cards):
        """Return these cards to the discard, the last one on top."""
        hand, pile = self.hands[seat], self.discards[seat]
        for card in cards:
            hand.remove(card)
            pile.append(card)
        for card in (*hand, *cards):
            self.seen[seat] &= ~(1 << card)
