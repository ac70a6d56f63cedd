"""Behaviour over many games: whole sums for each bot, answer times, and the table of both."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from arena.config.document import ConfigError
from arena.games import GAMES
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.game_check.random_games import line_ups, play
from arena.referee.record import Record, record_from_json
from arena.show.tables.behaviour import behaviour_table
from arena.show.tables.grid import WIDTH
from arena.show.tables.text import text, text_grid
from arena.tournament.runs.behaviour import (
    AnswerTimes,
    Behaviour,
    add_game,
    behaviour,
    log_of,
    merge,
    summaries,
)
from arena.tournament.runs.store import Store

COMPLOTS = GAMES["complots"]
NAMES = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal")


def record(match, names, move=1.0, **trace) -> Record:
    """The record of a game that was played without an arena."""
    game = match.game
    control = TimeControl(move=move)
    fixture = Fixture(
        game.name, game.version, match.options, names, names, conditions=Conditions(clock=control)
    )
    return Record(fixture, tuple(match.replies), (), match.result, match.digest(), trace)


def some_games(game=COMPLOTS, games=12) -> list[tuple[tuple[str, ...], Record]]:
    """Random games with named seats, another bot on the first of them each time."""
    played = []
    for number, (options, seats, seed) in enumerate(line_ups(game, {}, games)):
        names = tuple(NAMES[(number + seat) % len(NAMES)] for seat in range(seats))
        match = play(game, options, seats, seed, forfeits=0.02)
        times = [[100 * (seat + 1)] * (number + 1) for seat in range(seats)]
        played.append((names, record(match, names, microseconds=times)))
    return played


# Sums


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_every_mark_goes_to_the_bot_on_its_seat(game):
    played, wanted = some_games(game), Counter()
    for names, each in played:
        for figure, seat, count, of in game.observe(each.fixture.match(game, each.replies).log):
            wanted[names[seat], figure, "count"] += count
            wanted[names[seat], figure, "of"] += of
    rows = behaviour(game, played)
    assert [row.bot for row in rows] == sorted({name for names, _ in played for name in names})
    for row in rows:
        assert row.games == sum(names.count(row.bot) for names, _ in played)
        assert list(row.figures) == list(game.figures)
        for figure, pair in row.figures.items():
            assert pair == (wanted[row.bot, figure, "count"], wanted[row.bot, figure, "of"])
            assert {type(number) for number in pair} == {int}


def test_the_order_of_the_games_does_not_matter():
    played = some_games()
    rows = behaviour(COMPLOTS, iter(played))
    for number in range(3):
        assert behaviour(COMPLOTS, Random(number).sample(played, len(played))) == rows
    double = behaviour(COMPLOTS, played + played)
    for once, twice in zip(rows, double, strict=True):
        assert twice.games == 2 * once.games
        assert twice.figures == {name: (2 * n, 2 * of) for name, (n, of) in once.figures.items()}
        assert (twice.p50, twice.p99) == (once.p50, once.p99)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_tallies_of_parts_of_the_games_can_be_merged_in_any_order(game):
    """Several processes count a part each."""
    played, whole = some_games(game), {}
    parts = [{} for _ in range(4)]
    for number, (names, each) in enumerate(played):
        for tallies in (parts[number % 4], whole):
            add_game(tallies, game, names, each, log_of(game, each))
    total = {}
    for part in Random(1).sample(parts, 4):
        merge(total, part)
    assert total == whole
    assert summaries(game, total) == behaviour(game, played)


def test_the_caller_names_the_bots():
    """A bot that was changed is another one, and one bot may have several seats."""
    (names, each), *_ = some_games(games=1)
    first, second = names
    rows = behaviour(COMPLOTS, [(names, each), (("ann@123456", second), each)])
    assert [(row.bot, row.games) for row in rows] == [(first, 1), ("ann@123456", 1), (second, 2)]
    (both,) = behaviour(COMPLOTS, [(("same", "same"), each)])
    assert both.games == 2
    assert behaviour(COMPLOTS, []) == []


def test_a_game_from_a_given_position_counts_what_was_played():
    position = {"hands": {"p1": ["captain", "captain"], "p2": ["duchess", "contessa"]}, "coins": {"p1": 2}}
    position |= {"court": ["assassin", "assassin", "ambassador"], "turn": "p1"}
    options = COMPLOTS.defaults() | {"max_turns": 1}
    fixture = Fixture("complots", COMPLOTS.version, options, ("a", "b"), ("", ""), position=position)
    replies = ((), {0: "duchess"}, {1: "challenge"}, {0: "captain"}, ())
    given = Record(fixture, replies, (), ((1, 1), None), "")
    a, b = behaviour(COMPLOTS, [(fixture.bots, given)])
    assert (a.figures["bluffs"], a.figures["caught"], b.figures["right"]) == ((1, 1), (1, 1), (1, 1))
    assert (a.p50, a.p99, a.limit) == (None, None, None)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            {"version": 0},
            "played by version 0 of complots, and this arena has version 2, so it cannot be shown",
        ),
        ({"game": "local"}, "of local, not of complots"),
        ({"replies": ("p9",)}, "does not replay: 'p9' is not an outcome of starter"),
        ({"replies": ()}, "does not replay: the record ends before the game is over"),
    ],
)
def test_a_record_that_the_rules_do_not_play_is_named(damage, words):
    (names, each), *_ = some_games(games=1)
    replies = damage.pop("replies", each.replies)
    wrong = replace(each, fixture=replace(each.fixture, **damage), replies=replies)
    with pytest.raises(ConfigError) as error:
        behaviour(COMPLOTS, [(names, wrong)])
    assert str(error.value).startswith(f"game {wrong.fixture.id}: {words}")


# AnswerTimes


def times(*groups) -> AnswerTimes:
    made = AnswerTimes()
    for limit, microseconds in groups:
        made.add(limit, microseconds)
    return made


@pytest.mark.parametrize("percent", [50, 99])
@pytest.mark.parametrize("many", [1, 2, 3, 99, 100, 101, 1000])
def test_quantiles_are_right_within_one_percent(percent, many):
    dice = Random(many)
    spent = [round(10 ** dice.uniform(0, 7)) for _ in range(many)]
    nearest_rank = sorted(spent)[-(-many * percent // 100) - 1]
    assert times((2.0, spent)).milliseconds(percent) == pytest.approx(nearest_rank / 1e3, rel=0.01)
    assert times((2.0, spent)).of_limit(percent) == pytest.approx(nearest_rank / 2e6, rel=0.01)


def test_an_answer_in_no_time_and_no_answer_at_all():
    assert times((1.0, [0, 0])).milliseconds(99) == 0.001
    assert times((1.0, [])).milliseconds(99) is None
    assert times((1.0, [])).of_limit(99) is None


def test_each_time_is_a_share_of_its_own_limit():
    """The same 99 % over games of two limits: 0.4 s of 10 s are less than 0.1 s of 0.2 s."""
    mixed = times((10.0, [400_000] * 50), (0.2, [100_000] * 50))
    assert mixed.milliseconds(99) == pytest.approx(400, rel=0.01)
    assert mixed.of_limit(99) == pytest.approx(0.5, rel=0.01)
    with_bank = times((1.0, [3_000_000]))
    assert with_bank.of_limit(50) == pytest.approx(3, rel=0.01)


def test_times_need_no_more_memory_for_more_answers():
    """From a microsecond to an hour there are 1111 buckets."""
    assert len(times((1.0, range(0, 3_600_000_000, 9_999)))._buckets) < 1112


def test_a_distribution_has_all_answers_in_order():
    mixed = times((10.0, [1000, 1001]), (2.0, [1000, 500_000]))
    (low, few), (high, one) = mixed.distribution()
    assert (low, few, one) == (pytest.approx(1, rel=0.01), 3, 1) and high == pytest.approx(500, rel=0.01)
    assert mixed.limits == [2.0, 10.0]


# The table

EDGES = {"0.00": 0.001, "0.05": 0.0512, "1.3": 1.3, "24": 24.2, "3600000": 3_600_000}


def wide_row(game, bot="n" * 32 + "@123456") -> Behaviour:
    figures = dict.fromkeys(game.figures, (10**9, 10**9)) | {
        name: (123456, 1000) for name, figure in game.figures.items() if figure.ratio
    }
    return Behaviour(bot, 1_000_000, figures, 1000.4, 60_000.0, 1.0)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_table_fits_80_columns_and_says_what_it_counts(game):
    idle = Behaviour("idle", 3, dict.fromkeys(game.figures, (0, 0)), None, None, None)
    table = behaviour_table(game, [wide_row(game), idle])
    shown = text([table])
    assert max(map(len, shown.splitlines())) <= WIDTH
    head, _, *body = text_grid(table).splitlines()
    assert head.split() == ["bot", "games", *game.figures, "p50", "p99", "limit"]
    name_parts = [line.split()[0] for line in body[: [line[:4] for line in body].index("idle")]]
    assert "".join(name_parts) == "n" * 32 + "@123456"
    assert {*next(line for line in body if line.startswith("idle")).split()[2:]} == {"-"}
    legend = " ".join(shown.split())
    assert all(f"{name} {figure.meaning}" in legend for name, figure in game.figures.items())


@pytest.mark.parametrize(("words", "milliseconds"), EDGES.items())
def test_times_have_the_digits_that_mean_something(words, milliseconds):
    row = Behaviour("ann", 1, dict.fromkeys(COMPLOTS.figures, (1, 3)), milliseconds, None, 0.5)
    line = text_grid(behaviour_table(COMPLOTS, [row])).splitlines()[2].split()
    assert line == ["ann", "1", *["33.3%"] * 5, words, "-", "50.0%"]


def test_a_ratio_is_no_percentage():
    row = wide_row(GAMES["intrigue"], "ann")
    assert text_grid(behaviour_table(GAMES["intrigue"], [row])).splitlines()[2].split()[5] == "123.46"


def test_the_plain_form_has_the_whole_numbers():
    rows = behaviour(COMPLOTS, some_games())
    plain = list(behaviour_table(COMPLOTS, rows).for_programs.records())
    assert [row["bot"] for row in plain] == [row.bot for row in rows]
    for row, one in zip(rows, plain, strict=True):
        assert one["games"] == row.games and one["p99"] == pytest.approx(row.p99, abs=1e-6)
        for name, (count, of) in row.figures.items():
            assert (one[f"{name}_count"], one[f"{name}_of"]) == (count, of)
            assert one[name] == (pytest.approx(count / of, abs=1e-6) if of else None)


# A run


def test_the_records_of_a_run(arena, plan_file, tmp_path):
    """First bots never claim and never speak; the random one does. All took some time, and not too much."""
    done = arena("run", plan_file("seats: 3\ngroups: 2\nseed: 1\nclock: {move: 5s}\n"), "--out", "run.db")
    assert done.returncode == 0, done.stderr
    with Store(tmp_path / "run.db") as store:
        games = store.summaries()
        first, random, other = behaviour(COMPLOTS, ((game.bots, store.record(game.id)) for game in games))
        stored = record_from_json(store.record(games[0].id).game_part())  # as exported, without a trace
    assert first.games == random.games == 6
    for quiet in (first, other):
        assert quiet.figures["bluffs"] == (0, 0)
        assert quiet.figures["challenges"][0] == quiet.figures["blocks"][0] == 0
        assert quiet.figures["challenges"][1] > 0
    assert random.figures["bluffs"][0] > 0
    assert 0 < random.p50 <= random.p99 < 5000 and 0 < random.limit < 1
    assert behaviour(COMPLOTS, [(stored.fixture.bots, stored)])[0].p50 is None
