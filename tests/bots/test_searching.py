"""The searching bot for Complots: its rules are those of the arena."""

import sys
from collections import deque
from collections.abc import Iterator
from random import Random

import pytest
from samples import CHECKOUT

from arena.games.complots.game import GAME
from arena.games.complots.position import CARDS
from arena.referee.game_check.random_games import random_reply
from arena.rules import Ask, Draw, RollCall
from arena.rules.match import Match

sys.path.insert(0, str(CHECKOUT / "bots" / "python" / "searching"))
import rules

ACTIONS = {
    "duchess": rules.DUCHESS,
    "assassin": rules.ASSASSIN,
    "captain": rules.CAPTAIN,
    "ambassador": rules.FIFTH,
    "inquisitor:draw": rules.FIFTH,
    "inquisitor": rules.EXAM,
    "income": rules.INCOME,
    "aid": rules.AID,
    "coup": rules.COUP,
}


def number(card: str) -> int:
    return min(CARDS.index(card), rules.FIFTH)


class Scripted(rules.Game):
    """A game whose decisions and draws are those of a turn of the arena."""

    def script(self, answers: list[tuple[str, dict[int, str]]], draws: list[str]) -> None:
        self.players = [Player()] * self.seats
        self.answers, self.draws = deque(answers), deque(map(number, draws))

    def next(self, kind: str) -> dict[int, str]:
        name, answers = self.answers.popleft()
        assert name == kind
        return answers

    def draw(self) -> int:
        card = self.draws.popleft()
        self.court.remove(card)
        return card

    def challenger(self, *claim):
        self.window = self.next("challenge")
        return super().challenger(*claim)

    def block(self, verb, target):
        self.window = self.next("block")
        super().block(verb, target)

    def answer_action(self, word: str) -> None:
        verb, _, target = word.partition(":")
        self.act(ACTIONS.get(word, ACTIONS[verb]), int(target[1]) - 1 if target[:1] == "p" else -1)


class Player:
    """The answers of one seat, from the script."""

    def challenge(self, game, seat, *claim):
        return game.window[seat] == "challenge"

    def block(self, game, seat, verb):
        word = game.window[seat]
        return None if word == "pass" else number(word.removeprefix("block:"))

    def lose(self, game, seat):
        return number(game.next("lose")[seat])

    def keep(self, game, seat, kept):
        return [number(card) for card in game.next("keep")[seat].split("+")]

    def show(self, game, seat):
        return number(game.next("show")[seat])

    def exam(self, game, seat, target, card):
        return game.next("exam")[seat] == "discard"


def turns(match: Match, dice: Random) -> Iterator[tuple[Scripted, list, list]]:
    """Each turn of a random game: the position before it, the answers, and the cards drawn."""
    game, answers, draws = None, [], []
    while (step := match.step) is not None:
        if isinstance(step, RollCall):
            if game:
                yield game, answers, draws
            game, answers, draws = copied(match.position), [], []
            if game.alive == 1:
                return
        reply = random_reply(match, dice)
        if isinstance(step, Ask) and game:
            kind = next(iter(step.choices.values())).kind
            answers.append((kind, dict(reply)))
        elif isinstance(step, Draw) and game:
            draws.append(reply)
        match.reply(reply)


def copied(p) -> Scripted:
    game = Scripted(
        [[number(card) for card in hand] for hand in p.hands],
        [[number(card) for card in lost] for lost in p.lost],
        p.coins.copy(),
        [number(card) for card in p.court],
        p.actor,
    )
    game.fallen = p.fallen.copy()
    game.inquisitor = p.options["cast"] == "inquisitor"
    game.forced_at, game.least = p.options["must_coup_at"], p.options["captain_min_target"]
    game.may_block_after = p.options["block_after_own_failed_challenge"]
    return game


def shown(game: rules.Game) -> tuple:
    hands = [sorted(hand) for hand in game.hands]
    return hands, game.lost, game.coins, game.treasury, sorted(game.court), game.fallen, game.alive


@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
@pytest.mark.parametrize("seats", [2, 4, 5, 7])
def test_its_rules_are_those_of_the_arena(seats, cast):
    """Random games, turn by turn: what the arena has after a turn, the bot's own rules have as well."""
    for number_of_game in range(6):
        dice = Random(f"{seats} {cast} {number_of_game}")
        changes = {"block_after_own_failed_challenge": number_of_game % 2 == 0}
        match = Match(GAME, GAME.defaults() | {"cast": cast} | changes, seats)
        for game, answers, draws in turns(match, dice):
            game.script(answers, draws)
            over = False
            try:
                word = (
                    next(iter(answers.pop(0)[1].values())) if answers and answers[0][0] == "action" else None
                )
                game.answers = deque(answers)
                if word is None:  # a single option, which is not asked: a coup of one rival left
                    game.act(rules.COUP, next(seat for seat in game.order[game.actor] if game.hands[seat]))
                else:
                    game.answer_action(word)
            except rules.GameOver:
                over = True
            assert shown(game) == shown(copied(match.position))
            assert over == (game.alive == 1)
            assert over or game.actor == match.position.actor
            assert not game.answers and not game.draws
