"""The house bots in C, opponents in training, answer as the bots do."""

import ctypes
import random
import subprocess
import sys

import native
import pytest
from samples import CHECKOUT
from training_games import Pair

pytestmark = pytest.mark.compiler
COMMANDS = {
    "counting": [sys.executable, "python/counting.py"],
    "honest": [sys.executable, "python/honest.py"],
    "bluffer": [sys.executable, "python/bluffer.py"],
    "miser": ["sh", "shell/miser.sh"],
    "first": ["sh", "shell/first.sh"],
}


class Mind:
    """A process of a bot on a seat, which is asked about a game that others play."""

    def __init__(self, name, seats, seat, cast):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(COMMANDS[name], cwd=CHECKOUT / "bots", text=True, **pipes)
        self.tell(f"game 1 complots seats={seats} you=p{seat + 1} seed=1 cast={cast}")

    def tell(self, *lines):
        self.process.stdin.writelines(f"{line}\n" for line in lines)
        self.process.stdin.flush()

    def hear(self, view):
        self.tell(*view.news, *(f"state {line}" for line in view.state_lines))

    def answer(self, view):
        self.tell(view.line)
        return self.process.stdout.readline().split()[1]

    def close(self):
        self.process.communicate(timeout=60)


class Watched(Pair):
    """A game that is played at random; the bot and its double in C say what they would answer."""

    def __init__(self, name, seats, cast, dice):
        super().__init__(seats, cast, dice)
        self.bot = native.HOUSE.index(name)
        self.minds = [Mind(name, seats, seat, cast) for seat in range(seats)]
        self.others, self.compared = [], 0

    def same_answer(self, seat, view):
        self.settle(view.kind)
        self.minds[seat].hear(view)
        word = self.word(self.rules.house_answer(self.bot, ctypes.byref(self.game)))
        answer = self.minds[seat].answer(view)
        self.compared += 1
        if word != answer:
            self.others.append((view.line, word, answer))
        return super().same_answer(seat, view)

    def skipped_answer(self, seat, view):
        self.minds[seat].hear(view)
        return super().skipped_answer(seat, view)

    def keep(self, seat, view):
        self.minds[seat].hear(view)
        super().keep(seat, view)


@pytest.mark.parametrize("name", COMMANDS)
def test_they_answer_as_the_bots_do(name):
    others, compared = [], 0
    for seats, cast in [(2, "ambassador"), (2, "inquisitor"), (4, "ambassador"), (3, "inquisitor")]:
        game = Watched(name, seats, cast, random.Random(f"house {seats} {cast}"))
        while not game.state.over:
            game.step()
        for mind in game.minds:
            mind.close()
        others, compared = others + game.others, compared + game.compared
    assert len(others) <= 0.06 * compared, others  # of equal values the bot takes another one
