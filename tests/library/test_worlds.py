"""Worlds: games that may have been played, as often as they are probable."""

import random
from collections import Counter
from hashlib import sha256
from itertools import islice, product
from math import ceil, log
from statistics import mean

import pytest
from other_game import install

import arena
from arena.games import GAMES, INSTALLED
from arena.games.complots.position import deck
from arena.library import sampling
from arena.library.attempts import Product
from arena.library.sequential import OVER, layout
from arena.library.views import MatchView, asked_text, told_to
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


def exact(table, seat, lines, likelihood=None, starts=None):
    """The probability of each position that fits the lines, by trying all that may have happened.

    `starts` are pairs of a position that the game may have begun from and its probability.
    """
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
                answers, share = dict(zip(step.choices, words, strict=True)), probability
                for other, word in answers.items():
                    if other != seat:
                        share *= how_probable(match, other, step.choices[other], word)
                follow(match, answers, at, told, share)
        elif isinstance(step, Draw):
            for outcome, count in Counter(step.outcomes).items():
                follow(match, outcome, at, told, probability * count / len(step.outcomes))
        elif step is not None:
            follow(match, (), at, told, probability)

    def how_probable(match, other, choice, word):
        if likelihood is None:
            return 1 / len(choice.options)
        return likelihood(MatchView(table, match, other, choice, 0, 0), word)

    def follow(match, reply, at, told, probability):
        copied = match.copy()
        copied.reply(reply)
        explore(copied, at, told, probability)

    for given, probability in starts or [(None, 1.0)]:
        explore(Match(table.game, table.options, table.seats, given=given), 0, 0, probability)
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
    weights = [sampling._fitting(question, dice).weight.over(Product()) for _ in range(200)]
    ratio = max(weights) / mean(weights)
    return 1 if ratio < 1.001 else ceil(log(CORRELATION) / log(1 - 1 / ratio))


def distance(shares, expected, number):
    """The chi-square and its freedom, of shares among so many independent worlds.

    Positions that are expected less than five times are counted together, as the test wants it.
    """
    rare = [key for key, share in expected.items() if number * share < 5]
    cells = [(shares.get(key, 0.0), share) for key, share in expected.items() if key not in rare]
    if rare:
        cells.append((sum(shares.get(key, 0.0) for key in rare), sum(expected[key] for key in rare)))
    return number * sum((found - usual) ** 2 / usual for found, usual in cells), len(cells) - 1


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
    found, freedom = distance({key: n / NUMBER for key, n in counts.items()}, expected, NUMBER)
    assert found <= at_most(freedom)


def claims_seldom_without(view, word):
    """An honest player: it claims a character that it has nine times as often as another one."""
    if view.kind != "action":
        return 1 / len(view.options)
    name = word.partition(":")[0]
    if name in ("income", "aid", "coup"):
        return 0.2
    return 0.45 if name in view.state[view.name].get("hand", "") else 0.05


def claiming(state, words):
    """The game after these actions, which nobody doubts or blocks."""
    words = list(words)
    while words or state.view(state.to_act[0]).kind != "action":
        answers = {}
        for seat in state.to_act:
            kind, options = state.view(seat).kind, state.legal(seat)
            answers[seat] = words.pop(0) if kind == "action" else "pass" if "pass" in options else options[-1]
        state.answer(answers)
    return state


def duel():
    """The table, the question of p1, and no starts: p2 claims much, and exchanges its cards."""
    table = arena.table("complots", seats=2, starter="p1")
    told = ["duchess", "captain:p1", "ambassador", "duchess"]
    state = claiming(arena.new(table, seed="1"), [word for claim in told for word in ("income", claim)])
    return table, state.information(0), None


def four():
    """A table of four, the question of p1, and the starts that it cannot exclude: all have lost a card."""
    table = arena.table("complots", seats=4)
    own, lost = ["contessa"], ["duchess", "captain", "assassin", "contessa"]
    court = Counter(deck(4, "ambassador")) - Counter([*own, *lost])
    starts = []
    for cards in product(sorted(court), repeat=3):
        left, probability = Counter(court), 1.0
        for card in cards:
            probability *= left[card] / left.total()
            left[card] -= 1
        names = ("p1", "p2", "p3", "p4")
        hands = dict(zip(names, [own, *([card] for card in cards)], strict=True))
        if probability:
            given = {"hands": hands, "lost": {name: [card] for name, card in zip(names, lost, strict=True)}}
            starts.append(({**given, "turn": "p2"}, probability))
    told = ["duchess", "captain:p1", "duchess", "income"]
    return table, claiming(arena.from_setup(table, starts[0][0], seed="1"), told).information(0), starts


def one_of(starts, dice):
    """A function that draws one of these starts; None without any."""
    return starts and (lambda: dice.choices(starts, [share for _, share in starts])[0][0])


def judged(worlds, expected, number):
    """The distance of the weighted worlds from what is expected, with the effective number; and at most."""
    shares, total = Counter(), 0.0
    for world in islice(worlds, number):
        shares[hidden(world.match)] += world.weight
        total += world.weight
    assert shares.keys() <= expected.keys()
    found, freedom = distance(
        {key: weight / total for key, weight in shares.items()}, expected, worlds.effective
    )
    return found, at_most(freedom)


@pytest.mark.parametrize("situation", [duel, four])
def test_worlds_with_a_likelihood_come_as_often_as_they_are_probable(situation, monkeypatch):
    """Against an enumeration, as so many independent worlds as they say that they are worth."""
    monkeypatch.setattr(sampling, "_FEW", 0)  # not by playing all courses
    table, lines, starts = situation()
    expected = exact(table, 0, lines[1:], claims_seldom_without, starts)
    dice = random.Random(2)
    worlds = arena.worlds(table, lines, dice, claims_seldom_without, start=one_of(starts, dice))
    found, bound = judged(worlds, expected, 320)
    assert len(expected) > 10 and worlds.effective > 60 and found <= bound


def test_a_chain_of_single_attempts_would_not(monkeypatch):
    """Worlds without a likelihood come from it. With one it repeats a world whose weight is large."""
    monkeypatch.setattr(sampling, "_FEW", 0)
    table, lines, starts = four()
    expected = exact(table, 0, lines[1:], claims_seldom_without, starts)
    dice = random.Random(2)
    known = list(lines[1:]), claims_seldom_without, one_of(starts, dice), None
    chain = sampling.Worlds(sampling.Question(table, 0, *known, alike=True), dice)
    with pytest.warns(arena.FewWorlds, match=r"20 worlds are worth about [0-9.]+ independent ones"):
        counts = Counter(hidden(world.match) for world in islice(chain, 320))
    found, freedom = distance({key: n / 320 for key, n in counts.items()}, expected, 320)
    assert found > 2 * at_most(freedom)


def test_worlds_of_several_batches_have_weights():
    table, lines, _ = duel()
    worlds = arena.worlds(table, lines, random.Random(1), claims_seldom_without)
    assert worlds.effective == 0.0
    weights = Counter(world.weight for world in islice(worlds, 140))
    assert len(weights) > 1 and 1.0 in weights
    assert 14 < worlds.effective <= 140
    plain = arena.worlds(table, lines, random.Random(1))
    assert {world.weight for world in islice(plain, 30)} == {1.0}


def test_the_same_random_numbers_make_the_same_worlds():
    """Every Python rounds their sums alike, so this digest is that of all machines."""
    table, lines, _ = duel()
    worlds = arena.worlds(table, lines, random.Random("same"), claims_seldom_without)
    drawn = [(hidden(world.match), world.weight) for world in islice(worlds, 70)]
    again = arena.worlds(table, lines, random.Random("same"), claims_seldom_without)
    assert drawn == [(hidden(world.match), world.weight) for world in islice(again, 70)]
    assert sha256(repr(drawn).encode()).hexdigest()[:16] == "0fd0fe8d70a80b96"


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), None, "0.5", 1j])
def test_a_likelihood_that_is_no_number(value, poker):
    state = arena.new(poker)
    for card in ("queen", "jack"):
        state.draw(card)
    state.answer({0: "bet"})
    worlds = arena.worlds(poker, state.information(1), random.Random(2), lambda view, word: value)
    for _ in range(2):  # not only once
        with pytest.raises(arena.LibraryError, match="likelihood of 'check' for p1: should be a number"):
            next(worlds)


def test_nothing_that_fails_ends_the_worlds_in_silence(poker):
    state = arena.new(poker)
    for card in ("queen", "jack"):
        state.draw(card)
    state.answer({0: "bet"})
    lines = state.information(1)
    never = arena.worlds(poker, lines, random.Random(2), lambda view, word: 0.0)
    for _ in range(2):
        with pytest.raises(arena.NoWorld, match="no position that fits these lines was found"):
            next(never)

    class Few:
        def __init__(self):
            self.random = iter([0.5] * 50).__next__

    with pytest.raises((arena.LibraryError, RuntimeError), match=r"no more random|StopIteration"):
        list(islice(arena.worlds(poker, lines, Few()), 1000))


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


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"table": None}, "table: should be a table"),
        ({"table": "complots"}, "table: should be a table"),
        ({"lines": None}, "lines: should be those of an information, not None"),
        ({"lines": "game complots"}, "lines: should be"),
        ({"lines": [1]}, "lines: should be"),
        ({"lines": []}, "these lines are not of a game complots"),
        ({"rng": 1}, "rng: should be a source of random numbers"),
        ({"rng": random.Random}, "rng: should be a source"),
        ({"likelihood": 5}, "likelihood: should be a function, not 5"),
        ({"start": 5}, "start: should be a position"),
        ({"start": lambda: 5}, "start: should draw a position, not 5"),
        ({"state": 5}, "state: should be that of a view, not 5"),
    ],
)
def test_wrong_arguments(given, problem):
    table = arena.table("complots", seats=3)
    right = {"table": table, "lines": arena.new(table, seed="1").information(0), "rng": random.Random(1)}
    with pytest.raises(arena.LibraryError, match=problem):
        next(arena.worlds(**{**right, **given}))


def test_an_impossible_start_and_a_seat_that_is_none():
    table = arena.table("complots", seats=3)
    state = arena.new(table, seed="1")
    with pytest.raises(arena.ConfigError, match="position: hands: should be a mapping"):
        next(arena.worlds(table, state.information(0), random.Random(1), start={"hands": 5}))
    for call in (state.information, state.news, state.view):
        for seat in (-1, 3, "p1", None, 1.0):
            with pytest.raises(arena.LibraryError, match=r"no seat .*; the seats are 0 to 2"):
                call(seat)
