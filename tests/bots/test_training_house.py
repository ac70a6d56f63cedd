"""The house bots in C, opponents in training, answer as the bots do."""

import ctypes
import random
import subprocess
import sys
from collections import Counter

import native
import pytest
from samples import CHECKOUT
from training_games import Pair

sys.path.insert(0, str(CHECKOUT / "bots" / "python"))
import counting

pytestmark = pytest.mark.compiler
TABLES = [(2, "ambassador"), (2, "inquisitor"), (4, "ambassador"), (3, "inquisitor")]
COMMANDS = {
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
    for seats, cast in TABLES:
        game = Watched(name, seats, cast, random.Random(f"house {seats} {cast}"))
        while not game.state.over:
            game.step()
        for mind in game.minds:
            mind.close()
        others, compared = others + game.others, compared + game.compared
    assert len(others) <= 0.06 * compared, others  # of equal values the bot takes another one


class Odds(Pair):
    """A game that is played at random; `counting` and its double say how often they give each answer."""

    def __init__(self, seats, cast, dice):
        super().__init__(seats, cast, dice)
        self.bots = [
            counting.Counting(["1", "complots", f"seats={seats}", f"you=p{seat}", f"cast={cast}"])
            for seat in range(1, seats + 1)
        ]
        self.compared = Counter()

    def hear(self, seat, view):
        for verb, *words in map(str.split, view.news):
            if verb == "event":
                self.bots[seat].event(*words)
        for words in map(str.split, view.state_lines):
            if words[0] != "table":
                self.bots[seat].seats[words[0]] = counting.facts_in(words)

    def same_answer(self, seat, view):
        self.settle(view.kind)
        self.hear(seat, view)
        answers = (ctypes.c_uint8 * native.MOST)()
        count = self.rules.legal(ctypes.byref(self.game), answers)
        odds = (ctypes.c_double * count)()
        self.rules.counting_odds(ctypes.byref(self.game), answers, count, odds)
        expected = {self.word(answer): odd for answer, odd in zip(answers[:count], odds, strict=True)}
        weights = self.bots[seat].odds(view.kind, view.context, view.options)
        found = {word: each / sum(weights) for word, each in zip(view.options, weights, strict=True)}
        assert found == pytest.approx(expected, abs=1e-9), view.line
        self.compared[view.kind] += 1
        word = super().same_answer(seat, view)
        if view.kind == "draft":  # the rest of its pack is out of the game
            self.bots[seat].away = [card for card in view.options if card != word]
        return word

    def skipped_answer(self, seat, view):
        self.hear(seat, view)
        return super().skipped_answer(seat, view)

    def keep(self, seat, view):
        self.hear(seat, view)
        super().keep(seat, view)


def test_the_double_of_counting_does_everything_as_often_as_the_bot():
    compared = Counter()
    for seats, cast in TABLES:
        for number in range(8):
            game = Odds(seats, cast, random.Random(f"odds {number} {seats} {cast}"))
            while not game.state.over:
                game.step()
            compared += game.compared
    assert (
        min(compared[kind] for kind in ("draft", "action", "challenge", "block", "lose", "show", "exam")) > 0
    ), compared


def test_counting_and_its_double_draw_what_their_odds_say():
    """The first question of a game with two seats: which card of its pack to take beside a captain."""
    options, drawn, games = [*counting.CARDS[:5]], Counter(), 2000
    bot = counting.Counting(["1", "complots", "seats=2", "you=p1"])
    bot.seats = {"p1": {"hand": "captain", "cards": "1"}, "p2": {"cards": "1"}}
    random.seed(1)
    for _ in range(games):
        drawn[bot.answer("draft", {}, options)] += 1
    weights = bot.odds("draft", {}, options)
    expected = {card: weight / sum(weights) for card, weight in zip(options, weights, strict=True)}
    assert {card: drawn[card] / games for card in options} == pytest.approx(expected, abs=0.045)

    rules, game, dice = native.load(), native.Game(), ctypes.c_uint64(1)
    rules.start(ctypes.byref(game), 2, 0, 0)
    for _ in range(2):
        rules.apply(ctypes.byref(game), options.index("captain"))
    house = Counter(
        options[rules.house_answer(0, ctypes.byref(game), ctypes.byref(dice))] for _ in range(games)
    )
    assert {card: house[card] / games for card in options} == pytest.approx(expected, abs=0.045)
