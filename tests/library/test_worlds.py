"""Worlds: games that may have been played, as often as they are probable."""

import random
from collections import Counter
from itertools import islice, product
from math import ceil, log
from statistics import mean

import pytest
from other_game import install

import arena
from arena.games import GAMES, INSTALLED
from arena.games.complots.position import deck
from arena.library import sampling
from arena.library.sequential import OVER, layout
from arena.library.views import asked_text, told_to
from arena.referee.game_check.random_games import configurations
from arena.rules import Ask, Draw
from arena.rules.match import Match


def game_at(table, seed, moves):
    """A game in which the seats answer at random, after so many answers to asks."""
    dice, state = random.Random(seed), arena.new(table, seed=seed)
    for _ in range(moves):
        if not state.over:
            state.answer({seat: dice.choice(state.legal(seat)) for seat in state.to_act})
    return state


@pytest.mark.parametrize("name", GAMES)
def test_in_games_of_all_options_worlds_fit_what_was_heard(name):
    game, dice = GAMES[name], random.Random(name)
    for number, options in enumerate(configurations(game)):
        seats = game.seats[number % len(game.seats)]
        try:
            table = arena.table(name, seats=seats, **options)
        except arena.ConfigError:  # `starter: p7` of four
            continue
        for moves in (0, 5, 25 + number):
            state = game_at(table, str(number), moves)
            if not state.over:
                seat = dice.choice(state.to_act)
                heard, shown = state.information(seat), state.view(seat).state
                for world in islice(arena.worlds(table, heard, dice, state=shown), 2):
                    assert (world.information(seat), world.view(seat).state) == (heard, shown)
                    assert world.match.position is not state.match.position


def exact(table, seat, lines):
    """The probability of each position that fits the lines, by trying all that may have happened."""
    found = Counter()

    def explore(match, at, told, probability):
        news = told_to(seat, match.log[told:])
        if news != list(lines[at : at + len(news)]):
            return
        at, told, step = at + len(news), len(match.log), match.step
        if isinstance(step, Ask):
            if seat in step.choices:
                if lines[at : at + 1] != (asked_text(step.choices[seat]),):
                    return
                at += 2
            if at >= len(lines):
                found[hidden(match)] += probability
                return
            own = lines[at - 1].removeprefix("answer ")
            choices = [(own,) if other == seat else each.options for other, each in step.choices.items()]
            for words in product(*choices):
                follow(match, dict(zip(step.choices, words, strict=True)), at, told, probability, choices)
        elif isinstance(step, Draw):
            for outcome, count in Counter(step.outcomes).items():
                follow(match, outcome, at, told, probability * count / len(step.outcomes), ())
        elif step is not None:
            follow(match, (), at, told, probability, ())

    def follow(match, reply, at, told, probability, choices):
        for words in choices:
            probability /= len(words)
        copied = match.copy()
        copied.reply(reply)
        explore(copied, at, told, probability)

    explore(Match(table.game, table.options, table.seats), 0, 0, 1.0)
    total = sum(found.values())
    return {key: probability / total for key, probability in found.items()}


def hidden(match):
    return " ".join(match.game.view(match.position, None))


CASES = [  # with proven and refuted claims, exchanges, exams and lost cards
    ("complots", {}, "0", 8),
    ("complots", {}, "9", 10),
    ("complots", {"cast": "inquisitor"}, "0", 8),
    ("complots", {"cast": "inquisitor"}, "9", 10),
    ("local", {}, "4", 12),
    ("local", {}, "8", 9),
    ("complots", {"seats": 3}, "3", 6),  # too many ways to play all of them
]
NUMBER = 400  # worlds
CORRELATION = 0.01  # of two worlds that are compared, at most


def at_most(freedom):
    """What a chi-square exceeds once in a million times (Wilson and Hilferty); with worlds that are not quite
    independent it has a larger variance, by (1 + c) / (1 - c) at most."""
    usual = freedom * (1 - 2 / (9 * freedom) + 4.75 * (2 / (9 * freedom)) ** 0.5) ** 3
    return usual * (1 + CORRELATION) / (1 - CORRELATION)


def steps_between(question, dice):
    """How many worlds to leave out, so that the others are as good as independent.

    If the greatest weight is R times the mean, the correlation of worlds that are k apart in the chain is
    at most (1 - 1/R)^k (Liu 1996, on Metropolis with independent proposals).
    """
    weights = [sampling._fitting(question, dice).weight for _ in range(200)]
    ratio = max(weights) / mean(weights)
    return 1 if ratio < 1.001 else ceil(log(CORRELATION) / log(1 - 1 / ratio))


@pytest.mark.parametrize(
    ("name", "options", "seed", "moves", "few"),
    [(*case, few) for case in CASES for few in (sampling._FEW, 0) if few == 0 or case is not CASES[-1]],
)
def test_worlds_come_as_often_as_they_are_probable(name, options, seed, moves, few, monkeypatch):
    """A chi-square test against all that may have happened, with and without playing all of it first."""
    monkeypatch.setattr(sampling, "_FEW", few)
    table, dice = arena.table(name, **options), random.Random(moves)
    state = game_at(table, seed, moves)
    seat = state.to_act[0]
    lines = state.information(seat)
    expected = exact(table, seat, lines[1:])
    step = steps_between(sampling.Question(table, seat, list(lines[1:]), None, None, None), dice)
    drawn = islice(arena.worlds(table, lines, dice), 0, step * NUMBER, step)
    counts = Counter(hidden(world.match) for world in drawn)
    assert len(expected) > 3 and counts.keys() <= expected.keys()
    # Positions that are expected less than five times are counted together, as the test wants it.
    rare = [key for key, share in expected.items() if NUMBER * share < 5]
    cells = [(counts[key], NUMBER * share) for key, share in expected.items() if key not in rare]
    if rare:
        cells.append((sum(counts[key] for key in rare), NUMBER * sum(expected[key] for key in rare)))
    assert sum((found - usual) ** 2 / usual for found, usual in cells) <= at_most(len(cells) - 1)


@pytest.mark.parametrize(
    ("name", "options", "seed", "every"),
    [
        ("intrigue", {"rounds": 2, "private": True}, 1, 9),  # words of others are taken for silence
        ("intrigue", {"rounds": 2, "press": 1, "seats": 5}, 0, 10),  # offers, and answers to earlier ones
        ("local", {"seats": 3}, 27, 2),  # a card may be lost from the discard
    ],
)
def test_there_are_worlds_throughout_games_with_talk(name, options, seed, every):
    table, dice, others = arena.table(name, **options), random.Random(seed), random.Random(5)
    game = layout(table.name, table.seats, tuple(table.options.items()), True).first.copy()
    count = 0
    while game.player != OVER:
        game.act(dice.choice(list(game.legal())))
        count += 1
        if count % every == 0 and game.player >= 0 and not game.answers:
            heard = tuple(game.information[game.player].split("\n"))
            assert next(arena.worlds(table, heard, others)).information(game.player) == heard


def test_a_game_from_a_given_position():
    """Either it is known, or the caller says what it may have been."""
    table = arena.table("complots", seats=3)
    hands = {"p1": ["duchess", "captain"], "p2": ["contessa", "contessa"], "p3": ["captain", "assassin"]}
    state = arena.from_setup(table, {"hands": hands, "turn": "p2"}, seed="x")
    state.answer({1: "duchess"})
    state.answer({0: "pass", 2: "challenge"})
    heard, dice = state.information(0), random.Random(1)
    assert heard[-1] == "event refuted p2 duchess"

    known = next(arena.worlds(table, heard, dice, start={"hands": hands, "turn": "p2"}))
    assert (known.information(0), known.match.position.hands) == (heard, state.match.position.hands)

    def drawn():
        court = deck(3, "ambassador")
        for card in hands["p1"]:
            court.remove(card)
        others = dice.sample(court, 4)
        return {"hands": {**hands, "p2": others[:2], "p3": others[2:]}, "turn": "p2"}

    found = [world.match for world in islice(arena.worlds(table, heard, dice, start=drawn), 30)]
    assert all("duchess" not in match.given["hands"]["p2"] for match in found)
    assert len({str(match.position.hands) for match in found}) > 5


@pytest.fixture
def poker(tmp_path, monkeypatch):
    """A table of the smallest game, which foresees nothing."""
    monkeypatch.syspath_prepend(install(tmp_path)["PYTHONPATH"])
    yield arena.table("poker")
    INSTALLED.pop("poker")


def queens(worlds, number):
    """How often the other player has the queen."""
    return sum(world.match.position.hands[0] == "queen" for world in islice(worlds, number)) / number


def test_without_foresight_worlds_are_found_by_trying(poker):
    state = arena.new(poker)
    for card in ("queen", "jack"):
        state.draw(card)
    state.answer({0: "bet"})
    worlds = arena.worlds(poker, state.information(1), random.Random(1))
    assert queens(worlds, 600) == pytest.approx(1 / 2, abs=0.06)


def test_a_likelihood_says_how_the_others_play(poker):
    def king_bets(view, word):
        has_king = "hand=king" in " ".join(f"{key}={value}" for key, value in view.state[view.name].items())
        return 0.9 if (word == "bet") == has_king else 0.1

    state = arena.new(poker)
    for card in ("queen", "jack"):
        state.draw(card)
    state.answer({0: "bet"})
    worlds = arena.worlds(poker, state.information(1), random.Random(2), king_bets)
    assert queens(worlds, 900) == pytest.approx(1 / 10, abs=0.04)


def test_lines_that_cannot_be():
    table = arena.table("complots", seats=3)
    heard = arena.new(table, seed="1").information(0)
    impossible = [heard[0], "event starter p1", "secret hand duchess duke"]
    with pytest.raises(arena.NoWorld, match="no position that fits these lines was found in 2000 attempts"):
        next(arena.worlds(table, impossible, random.Random(1)))
    with pytest.raises(arena.LibraryError, match="these lines are not of a game local seats=2 you=p1"):
        arena.worlds(arena.table("local"), heard, random.Random(1))
