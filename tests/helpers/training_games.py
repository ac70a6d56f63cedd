"""A game by the arena's rules and the same game by bots/training/complots.c: both in step, and compared."""

import ctypes
import random

import native

import arena

CARDS = ("duchess", "assassin", "contessa", "captain")
KINDS = ("", "draft", "action", "challenge", "block", "lose", "keep", "show", "exam", "")  # by phase
RETURN = KINDS.index("keep")
VERBS = ("income", "aid", "coup", "duchess", "assassin", "captain", "draw", "exam")


class Pair:
    """A game by the arena's rules, and the same game in C."""

    def __init__(self, seats: int, cast: str, dice: random.Random):
        self.rules, self.seats, self.dice = native.load(), seats, dice
        self.cards = (*CARDS, cast)
        self.state = arena.new(arena.table("complots", seats=seats, cast=cast))
        self.game = native.Game()
        starter = self.pick(self.state.outcomes)
        self.state.draw(starter)
        self.rules.start(ctypes.byref(self.game), seats, cast == "inquisitor", int(starter[1:]) - 1)

    def pick(self, options):
        return self.dice.choice(list(options))

    def legal(self) -> list[int]:
        answers = (ctypes.c_uint8 * native.MOST)()
        return answers[: self.rules.legal(ctypes.byref(self.game), answers)]

    def apply(self, answer: int) -> None:
        assert answer in self.legal()
        self.rules.apply(ctypes.byref(self.game), answer)

    def word(self, answer: int) -> str:
        """An answer in C as the arena has it."""
        kind = KINDS[self.game.phase]
        if kind == "action":
            verb, target = VERBS[answer & 7], f":p{1 + (answer >> 3)}"
            if verb == "draw":
                return "ambassador" if "ambassador" in self.cards else "inquisitor:draw"
            if verb == "exam":
                return f"inquisitor{target}"
            return verb + target if verb in ("coup", "assassin", "captain") else verb
        if kind == "challenge":
            return ("pass", "challenge")[answer]
        if kind == "block":
            return f"block:{self.cards[answer - 1]}" if answer else "pass"
        if kind == "exam":
            return ("return", "discard")[answer]
        return self.cards[answer]

    def step(self) -> None:
        if self.state.outcomes:
            self.draw()
        else:
            self.answer()

    def draw(self) -> None:
        card = self.pick(self.state.outcomes)
        assert numbers(self.game.court) == sorted(map(self.cards.index, self.state.outcomes))
        self.state.draw(card)
        self.apply(self.cards.index(card))

    def answer(self) -> None:
        asked = self.state.to_act
        views = {seat: self.state.view(seat) for seat in asked}
        kind = views[asked[0]].kind
        if kind in ("challenge", "block"):
            self.answer_in_turn(kind, views)
        elif kind == "keep":
            self.keep(asked[0], views[asked[0]])
        else:
            answers = {seat: self.same_answer(seat, view) for seat, view in views.items()}
            self.state.answer(answers)

    def same_answer(self, seat: int, view) -> str:
        self.settle(view.kind)
        assert self.game.asked == seat
        words = {self.word(answer): answer for answer in self.legal()}
        assert sorted(words) == sorted(view.options)
        word = self.pick(view.options)
        self.apply(words[word])
        return word

    def answer_in_turn(self, kind: str, views) -> None:
        """In C the seats are asked until one speaks up; what those behind it say counts for nothing."""
        answers, is_open = {}, True
        for seat in self.in_order(views):
            if is_open:
                answers[seat] = self.same_answer(seat, views[seat])
                is_open = answers[seat] == "pass"
            else:
                answers[seat] = self.skipped_answer(seat, views[seat])
        self.state.answer(answers)

    def skipped_answer(self, seat: int, view) -> str:
        return self.pick(view.options)

    def in_order(self, views) -> list[int]:
        """Clockwise from the left of the seat that claims or acts."""
        on = int(next(iter(views.values())).context["on"][1:]) - 1
        return sorted(views, key=lambda seat: (seat - on) % self.seats)

    def keep(self, seat: int, view) -> None:
        kept = self.pick(view.options)
        back = view.state[view.name]["hand"].split(",")
        for card in kept.split("+"):
            back.remove(card)
        self.dice.shuffle(back)
        for card in back:
            assert (self.game.phase, self.game.asked) == (RETURN, seat)
            self.apply(self.cards.index(card))
        self.state.answer({seat: kept})

    def settle(self, kind: str) -> None:
        """Give the answers that are the only ones in C, and that the arena does not ask for."""
        while KINDS[self.game.phase] != kind and len(self.legal()) == 1 and self.game.phase:
            self.apply(*self.legal())

    def compare(self) -> None:
        state = self.state.match.position
        assert list(self.game.coins)[: self.seats] == state.coins
        hands = [list(map(self.cards.index, hand)) for hand in state.hands]
        assert [numbers(hand) for hand in self.game.hand][: self.seats] == hands
        lost = [sorted(map(self.cards.index, pile)) for pile in state.lost]
        assert [numbers(pile) for pile in self.game.lost][: self.seats] == lost


def numbers(counts) -> list[int]:
    """The cards of a pile in C, sorted."""
    return [card for card, count in enumerate(counts) for _ in range(count)]
