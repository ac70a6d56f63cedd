"""The searching bot: its own rules are those of the arena, and by playouts it plays the same games again."""

import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from samples import CHECKOUT

from arena.games.complots.game import GAME
from arena.games.complots.position import CARDS
from arena.games.local.game import GAME as LOCAL
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.referee.game_check.random_games import random_reply
from arena.rules import Ask, Draw, RollCall
from arena.rules.match import Match

sys.path.insert(0, str(CHECKOUT / "bots" / "python" / "searching"))
import local_rules
import rules
from search import Caution, Search

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


class Script:
    """The answers and draws of a turn of the arena, for a game of the bot."""

    def script(self, answers: list[tuple[str, dict[int, str]]], draws: list[str]) -> None:
        self.players = [Player()] * self.seats
        self.answers, self.draws = deque(answers), deque(map(number, draws))

    def next(self, kind: str) -> dict[int, str]:
        name, answers = self.answers.popleft()
        assert name == kind
        return answers

    def challenger(self, *claim):
        self.window = self.next("challenge")
        return super().challenger(*claim)

    def action_of(self, word: str):
        """The arguments of `act`."""
        word, _, card = word.partition("@")
        verb, _, target = word.partition(":")
        action = ACTIONS.get(word, ACTIONS[verb]), int(target[1]) - 1 if target[:1] == "p" else -1
        return action if isinstance(self, rules.Game) else (*action, number(card) if card else None)


class Scripted(Script, rules.Game):
    def draw(self) -> int:
        card = self.draws.popleft()
        self.court.remove(card)
        return card

    def block(self, verb, target):
        self.window = self.next("block")
        super().block(verb, target)


class LocalScripted(Script, local_rules.LocalGame):
    def block(self, verb, target):
        could = [*self.order[self.actor]] if verb == rules.AID else [target]
        if any(self.hands[seat] for seat in could):
            self.window = self.next("block")
        super().block(verb, target)


class Player:
    """The answers of one seat, from the script."""

    def challenge(self, game, seat, *claim):
        return game.window[seat] == "challenge"

    def block(self, game, seat, verb):
        claim, _, card = game.window[seat].removeprefix("block:").partition("@")
        if claim == "pass":
            return None
        return (number(claim), number(card)) if card else number(claim)

    def lose(self, game, seat, *cards):
        return number(game.next("lose")[seat])

    def keep(self, game, seat, kept):
        return [number(card) for card in game.next("keep")[seat].split("+")]

    def give_back(self, game, seat, count):
        if len(game.hands[seat]) == 1:  # which is not asked
            return game.hands[seat].copy()
        return [number(card) for card in game.next("return")[seat].split("+")]

    def show(self, game, seat):
        return number(game.next("show")[seat])

    def exam(self, game, seat, target, card):
        return game.next("exam")[seat] == "discard"


def turns(match: Match, dice: Random) -> Iterator[tuple[Script, list, list]]:
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


def copied(p) -> Script:
    hands = [[number(card) for card in hand] for hand in p.hands]
    if hasattr(p, "court"):
        lost = [[number(card) for card in lost] for lost in p.lost]
        game = Scripted(hands, lost, p.coins.copy(), [number(card) for card in p.court], p.actor)
        game.inquisitor = p.options["cast"] == "inquisitor"
    else:
        discards = [[number(each.card) for each in pile] for pile in p.discards]
        gone = [len(pile) for pile in p.cemeteries]
        game = LocalScripted(hands, [None] * p.seats, discards, gone, p.coins.copy(), p.actor)
        for seat in range(p.seats):
            game.seen[seat] = sum(1 << number(each.card) for each in p.discards[seat] if each.seen)
            game.open[seat] = sum(1 << number(each.card) for each in p.cemeteries[seat] if each.seen)
        game.marker, game.tour, game.is_special = p.marker, p.tour, p.options["assassin_special"]
    game.fallen = p.fallen.copy()
    game.forced_at, game.least = p.options["must_coup_at"], p.options["captain_min_target"]
    game.may_block_after = p.options["block_after_own_failed_challenge"]
    return game


def shown(game) -> tuple:
    hands = [sorted(hand) for hand in game.hands]
    public = hands, game.coins, game.treasury, game.fallen, game.alive
    if isinstance(game, rules.Game):
        return *public, game.lost, sorted(game.court)
    in_discard = [sum(1 << card for card in pile) for pile in game.discards]
    seen = [mask & pile for mask, pile in zip(game.seen, in_discard, strict=True)]
    return *public, game.discards, game.gone, seen, game.open


def play_turn(game, answers: list, draws: list) -> bool:
    """Play a turn of the arena with the rules of the bot. Returns whether the game is over."""
    if answers and answers[0][0] == "action":
        word = next(iter(answers[0][1].values()))
        game.script(answers[1:], draws)
    else:  # a single option, which is not asked: a coup of the last two players
        word = next(f"coup:p{seat + 1}" for seat in game.order[game.actor] if game.is_alive(seat))
        game.script(answers, draws)
    try:
        game.act(*game.action_of(word))
    except rules.GameOver:
        return True
    return False


CASES = [("complots", seats, cast) for seats in (2, 4, 5, 7) for cast in ("ambassador", "inquisitor")]
CASES += [("local", seats, "ambassador") for seats in (2, 3, 4)]


@pytest.mark.parametrize("name, seats, cast", CASES)
def test_its_rules_are_those_of_the_arena(name, seats, cast):
    """Random games, turn by turn: what the arena has after a turn, the bot's own rules have as well."""
    for number_of_game in range(6):
        dice = Random(f"{name} {seats} {cast} {number_of_game}")
        rules_of_arena = GAME if name == "complots" else LOCAL
        changes = {"cast": cast} if name == "complots" else {"assassin_special": number_of_game % 3 > 0}
        changes["block_after_own_failed_challenge"] = number_of_game % 2 == 0
        match = Match(rules_of_arena, rules_of_arena.defaults() | changes, seats)
        for game, answers, draws in turns(match, dice):
            over = play_turn(game, answers, draws)
            assert shown(game) == shown(copied(match.position))
            assert over == (game.alive == 1)
            assert over or game.actor == match.position.actor
            assert not game.answers and not game.draws


def play(game, names: tuple[str, ...], arguments: dict[str, tuple[str, ...]], deal: str):
    """The record of a game between house bots as programs, some of them with arguments."""
    bots = {name: read_bot(Path(f"house:{name}"), arguments=arguments.get(name, ())) for name in names}
    fixture = Fixture(game.name, game.version, game.defaults() | {"max_turns": 6}, names, ("",) * len(names))
    with ProgramTable(bots) as table:
        return table.play(deal_alone(fixture, deal))


@pytest.mark.parametrize(
    "game, names",
    [(GAME, ("searching", "counting")), (LOCAL, ("local_reader", "local_searching"))],
    ids=lambda value: getattr(value, "name", ""),
)
def test_by_playouts_it_plays_the_same_game_again(game, names):
    words = {next(name for name in names if "searching" in name): ("--playouts", "40")}
    first, second = (play(game, names, words, "playouts") for _ in range(2))
    assert not first.faults and first.digest == second.digest


@pytest.mark.slow
@pytest.mark.parametrize(
    "game, names",
    [
        (GAME, ("searching", "adaptive", "counting", "searching")),
        (LOCAL, ("local_searching", "local_adaptive", "random", "local_searching")),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_by_the_clock_it_plays_without_a_wrong_answer(game, names):
    """A busy machine may make an answer late, but not wrong."""
    assert {fault.kind for fault in play(game, names, {}, "clock").faults} <= {"late"}


class Lottery:
    """A game of one answer, worth an amount and luck; also its own table, with two rivals, and worlds."""

    me, turn = 0, 0

    def __init__(self):
        self.players, self.chance, self.worth = [None], None, 0.0

    def copy(self):
        return Lottery()

    def others(self):
        return [1, 2]

    def is_alive(self, _seat):
        return False

    def worlds(self, _dice):
        while True:
            yield self, 1.0


@pytest.mark.parametrize("better, answer", [(0.06, "simple"), (0.12, "other")])
def test_cautiously_it_leaves_the_simple_answer_only_for_a_gain(better, answer):
    """The gain is clear in both cases: without caution each answer that is better is taken."""

    def playing(worth):
        return lambda game: setattr(game, "worth", worth + 0.01 * game.chance())

    def chosen(caution):
        search = Search(None, lambda game, _me: game.worth, 1, playouts=200, caution=caution)
        return search.choose(
            Lottery(), {"simple": playing(0.5), "other": playing(0.5 + better)}, "simple", None
        )

    assert chosen(Caution(errors=3.0, gain=0.08)) == answer
    assert chosen(None) == "other"
