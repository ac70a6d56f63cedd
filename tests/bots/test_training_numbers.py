"""The bot `learned` numbers what it reads as its training did: slots of the table, what is seen."""

import ctypes
import random

import duel
import field
import native
import numpy as np
import position
import pytest
from training_games import Pair

pytestmark = pytest.mark.compiler


class Slots:
    """A table that notes which slots are looked up."""

    def __init__(self):
        self.asked = []

    def __getitem__(self, slot):
        self.asked.append(slot)
        return 1


class Seats(Pair):
    """A game in which each seat has what the bot remembers of it."""

    def __init__(self, seats, cast, dice):
        super().__init__(seats, cast, dice)
        words = ["1", "complots", f"seats={seats}"]
        self.minds = [position.Position([*words, f"you=p{seat + 1}"]) for seat in range(seats)]
        self.compared = set()

    def same_answer(self, seat, view):
        self.settle(view.kind)
        mind = self.hear(seat, view)
        if len(view.options) > 1:
            self.compare_words(view, mind)
            self.compare_seen(view.kind, view.context, mind, mind.cards(view.name, "hand"))
        return super().same_answer(seat, view)

    def keep(self, seat, view):
        mind = self.hear(seat, view)
        self.compare_words(view, mind)
        self.compare_seen("keep", {}, mind, mind.cards(view.name, "hand"))
        super().keep(seat, view)

    def skipped_answer(self, seat, view):
        self.hear(seat, view)
        return super().skipped_answer(seat, view)

    def hear(self, seat, view):
        mind = self.minds[seat]
        for line in view.news:
            verb, *words = line.split()
            if verb == "event":
                mind.event(*words)
        for line in view.state_lines:
            mind.state(line.split())
        mind.ask(view.kind)
        return mind

    def compare_words(self, view, mind):
        if self.seats > 2:
            return
        table, first = Slots(), self.rules.where(ctypes.byref(self.game))
        duel.Duel(table, mind).weights(view.kind, view.context, list(view.options))
        game = ctypes.byref(self.game)
        slots = {self.word(answer): first + self.rules.slot(game, answer) for answer in self.legal()}
        if view.kind == "keep":
            assert set(slots.values()) <= set(table.asked)
        else:
            assert table.asked == [slots[option] for option in view.options]
        self.compared.add(view.kind)

    def compare_seen(self, kind, facts, mind, hand):
        mine = field.Field(None, mind, self.cards[4] == "inquisitor")
        seen = np.zeros(native.FEATURES, np.float32)
        self.rules.observe(ctypes.byref(self.game), seen.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
        assert mine.see(kind, facts, hand) == pytest.approx(list(seen), abs=1e-6), kind
        board, mask = native.Board(self.game), np.zeros(native.WORDS, np.float32)
        self.rules.words(ctypes.byref(board), mask.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
        for number in mask.nonzero()[0]:
            assert mine.word(kind, self.word(board.answers[number])) == number
        self.compared.add(kind)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_the_bot_has_the_numbers_of_its_training(seats):
    compared = set()
    for number in range(20 if seats == 2 else 5):
        cast = ("ambassador", "inquisitor")[number % 2]
        game = Seats(seats, cast, random.Random(f"{seats} {number}"))
        while not game.state.over:
            game.step()
        compared |= game.compared
    assert compared >= {"action", "challenge", "block", "lose", "keep"}
