"""`counting` in C, the opponent in training, answers as the house bot does."""

import ctypes
import random
import sys

import pytest
from samples import CHECKOUT
from training_games import Pair

pytestmark = pytest.mark.compiler


class Watched(Pair):
    """A game in which each seat has the house bot's memory; it counts how often both answer alike."""

    def __init__(self, seats, cast, dice, make):
        super().__init__(seats, cast, dice)
        self.minds = [
            make(["1", "complots", f"seats={seats}", f"you=p{seat + 1}", f"cast={cast}"])
            for seat in range(seats)
        ]
        self.alike, self.compared = 0, 0

    def same_answer(self, seat, view):
        self.settle(view.kind)
        mind = self.hear(seat, view)
        word = self.word(self.rules.counting(ctypes.byref(self.game)))
        self.compared += 1
        self.alike += word == mind.answer(view.kind, view.context, list(view.options))
        return super().same_answer(seat, view)

    def skipped_answer(self, seat, view):
        self.hear(seat, view)
        return super().skipped_answer(seat, view)

    def hear(self, seat, view):
        mind = self.minds[seat]
        for line in view.news:
            verb, *words = line.split()
            if verb == "event":
                mind.event(*words)
        mind.seats = {name: facts for name, facts in view.state.items() if name != "table"}
        return mind

    def keep(self, seat, view):
        self.hear(seat, view)
        super().keep(seat, view)


@pytest.mark.parametrize(("seats", "cast"), [(2, "ambassador"), (4, "inquisitor"), (5, "ambassador")])
def test_it_answers_as_the_bot_does(seats, cast, monkeypatch):
    monkeypatch.syspath_prepend(str(CHECKOUT / "bots" / "python"))
    monkeypatch.delitem(sys.modules, "counting", raising=False)
    from counting import Counting

    alike = compared = 0
    for number in range(10):
        game = Watched(seats, cast, random.Random(f"house {number}"), Counting)
        while not game.state.over:
            game.step()
        alike, compared = alike + game.alike, compared + game.compared
    assert alike > 0.97 * compared, f"{alike} of {compared}"
