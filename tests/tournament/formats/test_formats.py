"""Formats: they are fair and complete, depend only on played games, and announce their sizes correctly."""

import json
import re
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import combinations, pairwise
from math import comb

import pytest
from plans import changed
from runs import begin, wait_for_games

from arena.config.document import ConfigError
from arena.programs.play.table import ProgramTable
from arena.referee.deals import deal
from arena.referee.record import Summary
from arena.show.tables.placings import placings_lines
from arena.tournament import run as tournament
from arena.tournament import schedule
from arena.tournament.formats import find, planned
from arena.tournament.formats.knockout import advancing, ranked_by, scores_of, serpentine, steps
from arena.tournament.formats.knockout import rounds as knockout_rounds
from arena.tournament.formats.lineups import lineups
from arena.tournament.formats.pairing import pairing
from arena.tournament.formats.plan import WAIT
from arena.tournament.formats.rounds import seed_order
from arena.tournament.formats.seating import all_rotations
from arena.tournament.formats.swiss import rounds as swiss_rounds
from arena.tournament.formats.swiss import standings
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack


@pytest.fixture
def plan(plan_file):
    """A plan of this many bots, as if read from a file, with further values."""

    def make(bots, form, seats, **changes):
        loaded = load_plan(plan_file("seed: 7\ngroups: 1\n", bots=2))
        (like, _) = loaded.bots.values()
        field = {name: replace(like, name=name) for name in names(bots)}
        rounds = {"swiss": {"rounds": 3}, "knockout": {"advance": max(1, seats // 2)}}.get(form, {})
        seeded = replace(loaded, bots=field, seats=(seats,), teams=changes.pop("teams", {}))
        keys = {"groups": 1} | rounds | changes
        if "groups" not in find(form).keys:
            del keys["groups"]
        return seeded.in_format(find(form), **keys)

    return make


def names(count: int) -> list[str]:
    return [f"bot{number:02}" for number in range(count)]


def by_chance(fixture):
    """Invented places, by a hash of the game, sometimes with ties."""
    luck = [sha256(f"{fixture.id}{seat}".encode()).digest()[0] // 32 for seat in range(len(fixture.bots))]
    return tuple(1 + sum(other > own for other in luck) for own in luck)


def by_name(fixture):
    """The bot with the last name always wins."""
    return tuple(1 + sum(other > own for other in fixture.bots) for own in fixture.bots)


def nobody(fixture):
    return (1,) * len(fixture.bots)


def ended(fixture, places):
    return Summary(
        fixture.id, fixture.bots, fixture.fingerprints, places, {}, 0, fixture.group, fixture.rotation
    )


def play(whole, judge=by_chance):
    """All games in order, and their results."""
    played, games = {}, []
    for fixture in schedule.fixtures(whole, played):
        if fixture is not WAIT:
            games.append(fixture)
            played[fixture.id] = ended(fixture, judge(fixture))
    return games, played


def rounds_of(whole, played):
    rounds = {"swiss": swiss_rounds, "knockout": knockout_rounds}[whole.format.name]
    return list({each.number: each for each in rounds(whole, played)}.values())  # with their further games


JUDGES = [by_chance, by_name, nobody]


def judged(shapes):
    """Each shape with one of the judges, in turn."""
    return [(*shape, JUDGES[number % len(JUDGES)]) for number, shape in enumerate(shapes)]


SHAPES = judged([(seats + more, seats) for more in (0, 1, 4, 7, 11) for seats in (2, 3, 4, 5)])


# All formats


def every(plan):
    """Plans of each format, with special cases."""
    yield plan(7, "round-robin", 3, groups=2)
    yield plan(12, "round-robin", 4, lineups=30)
    yield plan(7, "gauntlet", 3, challengers=("bot00", "bot03"), groups=2)
    yield plan(9, "swiss", 2, groups=2, rounds=6)
    yield plan(11, "swiss", 4, groups=2)
    yield plan(11, "knockout", 2, groups=3)
    yield plan(13, "knockout", 4, groups=2)


def test_the_games_are_as_many_as_was_said_and_no_two_are_the_same(plan):
    for whole in every(plan):
        if whole.format.name == "knockout":
            whole = changed(whole, further_groups=0)  # ties need games that nobody can announce
        games, played = play(whole)
        assert len(games) == len(played) == schedule.size(whole), whole.format
        assert f"= {len(games)} games" in schedule.describe(whole)


def test_every_seed_group_is_the_rotations_of_one_circle_with_one_seed(plan):
    """So every bot of a group sits on every seat once, with the same deal."""
    for whole in every(plan):
        groups: dict[str, list] = {}
        for game in play(whole)[0]:
            groups.setdefault(game.group, []).append(game)
        assert len({deal(games[0], whole.seed, 0).seed for games in groups.values()}) == len(groups)
        for games in groups.values():
            first, seats = games[0].bots, whole.seats[0]
            assert {game.bots for game in games} == {first[k:] + first[:k] for k in range(seats)}
            assert len(games) == seats and len({deal(game, whole.seed, 0).seed for game in games}) == 1


def test_to_go_on_from_any_moment_plays_the_same(plan):
    """Any part of the games before a wait may have been played: the rest is due, in the same order."""
    for whole in every(plan):
        order = [game.id for game in play(whole)[0]]
        for cut in range(0, len(order) + 1, 23):
            played = {}
            for fixture in schedule.fixtures(whole, played):
                if fixture is WAIT and len(played) >= cut:
                    break
                if fixture is not WAIT and (len(played) < cut or fixture.id < "5"):
                    played[fixture.id] = ended(fixture, by_chance(fixture))
            before = set(played)
            rest = []
            for fixture in schedule.due(whole, played):
                if fixture is not WAIT:
                    rest.append(fixture.id)
                    played[fixture.id] = ended(fixture, by_chance(fixture))
            assert rest == [id for id in order if id not in before]


def test_the_order_of_the_bots_in_the_plan_does_not_matter(plan):
    for whole in every(plan):
        turned = replace(whole, bots=dict(reversed(whole.bots.items())))
        assert [game.id for game in play(whole)[0]] == [game.id for game in play(turned)[0]]


def test_after_a_tenth_of_the_games_all_bots_have_played_about_as_much(plan):
    for whole in (
        plan(12, "round-robin", 4, lineups=60, groups=3),
        plan(10, "swiss", 2, groups=20, rounds=4),
    ):
        games = play(whole)[0]
        sat = Counter(bot for game in games[: len(games) // 10] for bot in game.bots)
        assert len(sat) == len(whole.bots) and max(sat.values()) <= 2 * min(sat.values())


# Balance, in all formats: small fields, fields that the seats do not divide, tables of two sizes

FIELDS = [(2, (2,)), (5, (4,)), (5, (2, 4)), (7, (3,)), (9, (2, 3)), (14, (6,))]
KEYS = {
    "round-robin": {"groups": 2, "lineups": 45},
    "gauntlet": {"groups": 2, "lineups": 45, "challengers": ("bot00",)},
    "swiss": {"groups": 2, "rounds": 4},
    "knockout": {"groups": 2, "advance": 1},
    "adaptive": {"games": 150},
    "ladder": {"games": 150},
    "series": {"groups": 4},
}
ONE_SIZE = ("swiss", "knockout", "series")


def test_every_format_has_its_fields():
    assert set(KEYS) == set(planned())


@pytest.mark.parametrize("form", KEYS)
@pytest.mark.parametrize(("bots", "seats"), FIELDS)
def test_the_seats_of_a_group_are_balanced_in_every_format(plan, form, bots, seats):
    """In each group every bot sits on every seat once, with the same deal; in a series it keeps its seat."""
    if form in ONE_SIZE and len(seats) > 1:
        seats = seats[:1]
    if form == "series":
        bots = seats[0]
    whole = replace(plan(bots, form, seats[0], **KEYS[form]), seats=seats)
    games, _ = play(whole)
    groups: dict[str, list] = {}
    for game in games:
        groups.setdefault(game.group, []).append(game)
    for together in groups.values():
        lineup = sorted(together[0].bots)
        assert len({deal(game, whole.seed, 0).seed for game in together}) == 1
        assert len(set(lineup)) == len(lineup)
        if form == "series":
            assert [game.bots for game in together] == [tuple(whole.bots)]
            continue
        assert [game.rotation for game in together] == list(range(len(lineup)))
        for seat in range(len(lineup)):
            assert sorted(game.bots[seat] for game in together) == lineup
        assert all_rotations(together[-1]) == together
    assert {len(game.bots) for game in games} == set(seats)
    assert {bot for game in games for bot in game.bots} == set(whole.bots)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "series", "ladder"])
@pytest.mark.parametrize(("bots", "seats"), FIELDS)
def test_two_bots_meet_as_often_as_any_other_two(plan, form, bots, seats):
    """The counts differ by at most one group, for each size of table; in a gauntlet, for each challenger.

    A swiss avoids repeated meetings instead. Knockouts and adaptive tournaments do not aim for balance. A
    ladder with larger tables is nearly balanced, over all sizes.
    """
    if form in ONE_SIZE:
        seats = seats[:1]
    if form == "series":
        bots = seats[0]
    rounds = {"rounds": max(1, (bots - 1) // (seats[0] - 1) // 2)} if form == "swiss" else {}
    whole = replace(plan(bots, form, seats[0], **{**KEYS[form], "groups": 1, **rounds}), seats=seats)
    tables = {game.group: game.bots for game in play(whole)[0]}.values()
    for size in [seats] if form == "ladder" else [(each,) for each in seats]:
        met = Counter(
            frozenset(pair) for table in tables if len(table) in size for pair in combinations(table, 2)
        )
        pairs = [frozenset(pair) for pair in combinations(whole.bots, 2)]
        if form == "gauntlet":
            pairs = [pair for pair in pairs if "bot00" in pair]
        counts = [met[pair] for pair in pairs]
        assert max(counts) - min(counts) <= (3 if form == "ladder" and max(size) > 2 else 1), size


@pytest.mark.parametrize(
    ("bots", "seats"), [(10, 4), (14, 5), (17, 7), (20, 8), (21, 4), (21, 5), (30, 7), (30, 8)]
)
def test_a_sample_of_a_few_line_ups_a_bot_is_nearly_balanced(bots, seats):
    """With few blocks the counts differ by at most two, with more blocks by one."""
    for most, spread in ((bots, 2), (4 * bots, 1)):
        sample = lineups(tuple(names(bots)), seats, most)
        met = Counter(pair for lineup in sample for pair in combinations(lineup, 2))
        counts = [met[pair] for pair in combinations(names(bots), 2)]
        assert max(counts) - min(counts) <= spread


@pytest.mark.parametrize("bots", [6, 9, 16, 50, 51, 60])
@pytest.mark.parametrize("most", [0, 1, 3, 6])
def test_a_sample_of_pairs_links_all_bots_and_meets_each_pair_once_at_most(bots, most):
    """Among these sizes are samples of a few distances that are all even."""
    sample = lineups(tuple(names(bots)), 2, most * bots)
    linked = {names(bots)[0]}
    while more := {bot for pair in sample if linked & {*pair} for bot in pair} - linked:
        linked |= more
    assert linked == {*names(bots)}
    assert len({*sample}) == len(sample)


# Gauntlet


@pytest.mark.parametrize(("seats", "most"), [(2, 40), (3, 500), (4, 3), (5, 40)])
@pytest.mark.parametrize(("bots", "challengers"), [(6, 1), (7, 2), (12, 3), (20, 1)])
def test_a_challenger_meets_each_of_the_field_equally_often_and_no_challenger(
    plan, bots, challengers, seats, most
):
    who = names(bots)[1 : 1 + challengers]
    whole = plan(bots, "gauntlet", seats, challengers=tuple(who), lineups=most)
    games, _ = play(whole)
    field = [name for name in whole.bots if name not in who]
    met = Counter(frozenset(pair) for game in games for pair in combinations(game.bots, 2))
    assert all(len(set(game.bots) & set(who)) == 1 for game in games)
    counts = [met[frozenset((one, two))] // seats for one in who for two in field]
    assert max(counts) - min(counts) <= 1
    within = [met[frozenset(pair)] // seats for pair in combinations(field, 2)]
    if challengers * comb(len(field), seats - 1) <= most:
        assert len(games) == challengers * comb(len(field), seats - 1) * seats
        assert max(within) == min(within)
    elif seats > 2:
        assert max(within) - min(within) <= challengers  # all challengers have the same sample


def test_a_gauntlet_takes_more_of_everything(plan):
    """Games that were played are still in the plan when a bot or a challenger is added."""
    few = plan(6, "gauntlet", 3, challengers=("bot01",))
    before = {game.id for game in play(few)[0]}
    assert before < {game.id for game in play(plan(7, "gauntlet", 3, challengers=("bot01",)))[0]}
    more = plan(7, "gauntlet", 3, challengers=("bot01", "bot06"))
    assert before < {game.id for game in play(more)[0]}


# Swiss


@pytest.mark.parametrize(("bots", "seats", "judge"), SHAPES)
def test_every_bot_plays_in_every_round_or_sits_out_and_nobody_twice_too_soon(plan, bots, seats, judge):
    whole = plan(bots, "swiss", seats, rounds=4)
    _, played = play(whole, judge)
    byes = Counter(dict.fromkeys(whole.bots, 0))
    for each in rounds_of(whole, played):
        assert sorted([*each.byes, *(bot for table in each.tables for bot in table)]) == sorted(whole.bots)
        assert len(each.byes) == bots % seats and all(len(table) == seats for table in each.tables)
        byes.update(each.byes)
        assert max(byes.values()) - min(byes.values()) <= 1
        if bots % seats and each.number:
            least = min(byes[bot] - (bot in each.byes) for bot in whole.bots)
            assert any(byes[bot] - 1 == least for bot in each.byes)


def fewest_repeats(bots, seats, met):
    """By brute force: over all ways to distribute these bots to tables."""
    if not bots:
        return 0
    first, *others = bots
    return min(
        sum(met[frozenset(pair)] > 0 for pair in combinations((first, *more), 2))
        + fewest_repeats([bot for bot in others if bot not in more], seats, met)
        for more in combinations(others, seats - 1)
    )


@pytest.mark.parametrize(
    ("bots", "seats", "judge"),
    judged([(4, 2), (7, 2), (5, 2), (8, 2), (6, 2), (6, 3), (7, 3), (8, 4), (7, 2), (9, 3), (8, 2), (7, 3)]),
)
def test_nobody_meets_anybody_twice_while_that_can_be_avoided(plan, bots, seats, judge):
    """Each round is checked on its own, given the earlier rounds and the bots that may sit out."""
    whole = plan(bots, "swiss", seats, rounds=7)
    _, played = play(whole, judge)
    met: Counter[frozenset[str]] = Counter()
    byes = Counter(dict.fromkeys(whole.bots, 0))
    for each in rounds_of(whole, played):
        pairs = [frozenset(pair) for table in each.tables for pair in combinations(table, 2)]
        repeats = sum(met[pair] > 0 for pair in pairs)
        load = Counter(byes[bot] for bot in each.byes)
        possible = [
            out
            for out in combinations(sorted(whole.bots), bots % seats)
            if Counter(byes[bot] for bot in out) == load
        ]
        best = (
            min(
                fewest_repeats([bot for bot in sorted(whole.bots) if bot not in out], seats, met)
                for out in possible
            )
            if repeats
            else 0
        )
        assert repeats == 0 or best > 0, f"round {each.number + 1}"
        met.update(pairs)
        byes.update(each.byes)


def test_a_swiss_of_eight_finds_the_order_in_three_rounds(plan):
    """The better bot always wins. Bots with equal scores meet, and after three rounds the best is alone."""
    whole = plan(8, "swiss", 2)
    games, played = play(whole, by_name)
    assert len(games) == 3 * 4 * 2
    rows = standings(whole, rounds_of(whole, played)[:2], played)
    assert rounds_of(whole, played)[-1].tables[0] == (rows[0].bot, rows[1].bot)
    assert [row.points for row in rows] == [8, 8, 4, 4, 4, 4, 0, 0]
    order = find("swiss").placings(whole, played).ranking
    assert order[0] == "bot07" and order[-1] == "bot00"
    lines = placings_lines(find("swiss").placings(whole, played))
    assert lines[0] == "swiss after 3 of 3 rounds:" and lines[1].split() == [
        "place",
        "bot",
        "score",
        "opponents",
    ]
    assert lines[3].split()[:3] == ["1", "bot07", "100.0%"]


def test_a_bye_counts_half_and_falls_to_the_last_without_one(plan):
    whole = plan(5, "swiss", 2, rounds=5, groups=2)
    _, played = play(whole, by_name)
    past = rounds_of(whole, played)
    for each in past[1:]:
        rows = standings(whole, past[: each.number], played)
        turn = [row.bot for row in rows if not row.byes]
        assert each.byes[0] in turn
    first = past[0]
    assert first.points(whole, played)[first.byes[0]] == 4  # of 8: two groups of two games, two for each win
    assert sorted(bye for each in past for bye in each.byes) == sorted(whole.bots)


def test_the_first_round_keeps_the_seeds_apart(plan):
    whole = plan(8, "swiss", 4, rounds=1, seeds=("bot05", "bot02"))
    assert seed_order(whole)[:2] == ["bot05", "bot02"]
    tables = rounds_of(whole, play(whole)[1])[0].tables
    assert tables[0][0] == "bot05" and tables[1][0] == "bot02"
    assert seed_order(whole) != seed_order(replace(whole, seed="8"))


def test_tables_are_the_nearest_that_have_not_met():
    """From the top, the next bot that may sit at the table; at a dead end the search goes back."""
    order = ["a", "b", "c", "d"]
    assert pairing(order, 2, {}, {}, {}) == ([("a", "b"), ("c", "d")], ())
    assert pairing(order, 2, {frozenset("ab"): 1}, {}, {}) == ([("a", "c"), ("b", "d")], ())
    assert pairing(order, 2, {frozenset("cd"): 1}, {}, {}) == ([("a", "c"), ("b", "d")], ())
    assert pairing(list("abcdef"), 3, {frozenset("ab"): 1}, {}, {})[0] == [("a", "c", "d"), ("b", "e", "f")]
    assert pairing([*order, "e"], 2, {}, {"e": 1}, {}) == ([("a", "b"), ("c", "e")], ("d",))


def test_where_repeats_cannot_be_avoided_they_are_few_and_old_pairs_the_last():
    """All four bots have met each other: the pairs that have met least meet again."""
    once = {frozenset(pair): 1 for pair in combinations("abcd", 2)}
    assert pairing(list("abcd"), 2, once, {}, {})[0] == [("a", "b"), ("c", "d")]
    twice = once | {frozenset("ab"): 2, frozenset("cd"): 2}
    assert pairing(list("abcd"), 2, twice, {}, {})[0] == [("a", "c"), ("b", "d")]


def test_who_sits_out_is_another_where_that_saves_a_repeat():
    met = {frozenset(pair): 1 for pair in ("ab", "ac", "bc")}
    assert pairing(["a", "b", "c"], 2, met | {frozenset("ab"): 0}, {}, {}) == ([("a", "b")], ("c",))
    del met[frozenset("ac")]
    assert pairing(["a", "b", "c"], 2, met, {}, {}) == ([("a", "c")], ("b",))


def test_a_large_field_is_paired_without_repeats(plan):
    for bots, seats in ((60, 2), (60, 4), (200, 3)):
        whole = plan(bots, "swiss", seats, rounds=8)
        _, played = play(whole)
        pairs = Counter(
            frozenset(pair)
            for each in rounds_of(whole, played)
            for table in each.tables
            for pair in combinations(table, 2)
        )
        assert max(pairs.values()) == 1


# Knockout


@pytest.mark.parametrize(("bots", "seats", "judge"), SHAPES)
def test_a_knockout_leaves_one_winner_and_the_best_of_each_table_go_on(plan, bots, seats, judge):
    for advance in range(1, seats):
        whole = plan(bots, "knockout", seats, advance=advance)
        _, played = play(whole, judge)
        alive, had = set(whole.bots), Counter()
        for each in rounds_of(whole, played):
            here = [*each.byes, *(bot for table in each.tables for bot in table)]
            assert set(here) == alive and len(here) == len(alive)
            known = scores_of(whole, each, played)
            on = set(advancing(whole, each, known))
            final = len(alive) == seats
            assert on < alive and len(on) >= (1 if final else seats)
            points = known.points
            for seated in each.tables:
                assert len(seated) == seats
                best = ranked_by(known, seated)
                assert [points[bot] for bot in best] == sorted((points[bot] for bot in seated), reverse=True)
                assert set(best[: 1 if final else advance]) <= on
            if each.byes:
                left = [bot for bot in seed_order(whole) if bot in alive and bot not in each.byes]
                worst = max(had[bot] for bot in each.byes)
                assert all(had[bot] >= worst for bot in left)
            had.update(each.byes)
            alive = on
        order = find("knockout").placings(whole, played).ranking
        assert {order[0]} == alive and sorted(order) == sorted(whole.bots)


@pytest.mark.parametrize(
    ("bots", "seats", "advance", "rounds"),
    [
        (2, 2, 1, [(2, 1, 1)]),
        (8, 2, 1, [(8, 4, 4), (4, 2, 2), (2, 1, 1)]),
        (6, 2, 1, [(6, 2, 4), (4, 2, 2), (2, 1, 1)]),  # two byes, then all rounds are full
        (9, 2, 1, [(9, 1, 8), (8, 4, 4), (4, 2, 2), (2, 1, 1)]),
        (16, 4, 2, [(16, 4, 8), (8, 2, 4), (4, 1, 1)]),
        (13, 4, 2, [(13, 3, 8), (8, 2, 4), (4, 1, 1)]),  # one bye, six, and the best third
        (5, 4, 2, [(5, 1, 4), (4, 1, 1)]),  # three of four advance: the last table is full
        (8, 4, 1, [(8, 2, 4), (4, 1, 1)]),
        (16, 4, 1, [(16, 4, 4), (4, 1, 1)]),
        (9, 3, 2, [(9, 3, 6), (6, 2, 4), (4, 1, 3), (3, 1, 1)]),
    ],
)
def test_the_rounds_of_a_knockout(bots, seats, advance, rounds):
    assert steps(bots, seats, advance) == rounds


def test_any_field_comes_to_a_last_table():
    for seats in range(2, 9):
        for advance in range(1, seats):
            for bots in range(seats, 120):
                rounds = steps(bots, seats, advance)
                for (here, tables, left), (following, *_) in pairwise(rounds):
                    assert left == following and seats <= left < here
                    assert tables > 0 and tables * seats <= here
                    assert left - (here - tables * seats) >= min(tables * advance, left)
                assert rounds[-1] == (seats, 1, 1)


def test_the_best_meets_the_worst():
    assert serpentine(8, 4) == [[0, 7], [1, 6], [2, 5], [3, 4]]
    assert serpentine(8, 2) == [[0, 3, 4, 7], [1, 2, 5, 6]]


BRACKET = """\
quarter-finals   semi-finals     final
> bot07  100%    > bot07  100%   > bot07  100%
  bot00    0%      bot04    0%     bot06    0%

> bot06  100%    > bot06  100%   third place:
  bot01    0%      bot05    0%     bot05  100%
                                   bot04    0%
> bot05  100%
  bot02    0%

> bot04  100%
  bot03    0%"""


def test_the_favourites_meet_last_and_the_places_follow(plan):
    """With seeds in the order of strength, bots that were eliminated later have better places."""
    seeds = tuple(reversed(names(8)))
    whole = plan(8, "knockout", 2, seeds=seeds, groups=2)
    _, played = play(whole, by_name)
    first, second, final = rounds_of(whole, played)
    assert first.tables == (("bot07", "bot00"), ("bot06", "bot01"), ("bot05", "bot02"), ("bot04", "bot03"))
    assert second.tables == (("bot07", "bot04"), ("bot06", "bot05"))
    assert final.tables == (("bot07", "bot06"),)
    assert tuple(find("knockout").placings(whole, played).ranking) == seeds
    lines = placings_lines(find("knockout").placings(whole, played))
    assert lines[0] == "places:" and lines[3].split() == ["1", "bot07"]
    assert "\n".join(lines[12:]) == BRACKET


@pytest.mark.parametrize(
    ("results", "order"),
    [
        ([(1, 2, 3, 4)] * 4, "abcd"),  # by points
        ([(1, 1, 1, 1)] * 4, "abcd"),  # all equal: by seed
        # b and d have 14 points and equally many wins: b was behind d twice, and ahead of it once
        ([(3, 2, 4, 1), (3, 1, 4, 2), (4, 2, 3, 1), (2, 1, 4, 2)], "bdac"),
    ],
)
def test_ties_at_a_table(plan, results, order):
    whole = plan(4, "knockout", 4, advance=1, seeds=tuple(names(4)))
    only = next(knockout_rounds(whole, {}))
    played = {}
    for game, places in zip(only.games, results, strict=True):
        by_bot = dict(zip(names(4), places, strict=True))
        played[game.id] = ended(game, tuple(by_bot[bot] for bot in game.bots))
    named = dict(zip(names(4), "abcd", strict=True))
    assert "".join(named[bot] for bot in ranked_by(scores_of(whole, only, played), only.tables[0])) == order


def undecided(until, judge):
    """A judge of two seats who lets the first seat win, or all share the win, until this further group."""

    def places(fixture):
        number = int(fixture.group.split()[-1]) - 1_000_000
        return judge(fixture) if number >= until else (1, *range(2, len(fixture.bots) + 1))

    return places


@pytest.mark.parametrize(
    ("judge", "most", "expected"),
    [
        (undecided(0, by_name), 10, "> bot01   50%|  bot00   50%|  tie: 1 more group"),
        (undecided(2, by_name), 10, "> bot01   50%|  bot00   50%|  tie: 3 more groups"),
        (undecided(9, by_name), 3, "> bot00   50%|  bot01   50%|  tie: better seed after 3 more groups"),
        (undecided(0, by_name), 0, "> bot00   50%|  bot01   50%|  tie: better seed"),
    ],
)
def test_a_tie_is_played_on_within_a_bound(plan, judge, most, expected):
    whole = plan(2, "knockout", 2, seeds=tuple(names(2)), groups=2, further_groups=most)
    games, played = play(whole, judge)
    groups = 1 + int(expected.split("after ")[-1].split("tie: ")[-1][0]) if "more" in expected else 1
    assert len(games) == 4 + 2 * (groups - 1)
    found = find("knockout").placings(whole, played)
    assert "|".join(placings_lines(found)[6:]) == f"final|{expected}"
    assert len(found.rounds[0].tables[0].games) == len(games)


def test_a_round_waits_for_the_further_games_of_its_ties(plan):
    whole = plan(4, "knockout", 2, seeds=tuple(names(4)))
    games, played = play(whole, undecided(1, by_name))
    assert [len(each.latest) for each in knockout_rounds(whole, played)] == [4, 4, 4, 4, 4]
    assert len(find("knockout").placings(whole, played).rounds) == 2
    for number in range(4, 12):  # the regular games of the first round, and a part of the further ones
        some = dict(list(played.items())[:number])
        assert not find("knockout").placings(whole, some).rounds
        assert next(filter(None, schedule.due(whole, some))) == games[number]


def test_further_games_count_only_for_bots_that_were_level(plan):
    """Of four at a table the two in the middle play on for second place, with the two others."""
    whole = plan(8, "knockout", 4, seeds=tuple(names(8)), advance=2)
    tied = next(knockout_rounds(whole, {})).tables[0]
    places = dict(zip(tied, (1, 2, 2, 4), strict=True)), dict(zip(tied, (4, 3, 2, 1), strict=True))

    def level(fixture):
        further = int(fixture.group.split()[-1]) >= 1_000_000
        if set(fixture.bots) == set(tied):
            return tuple(places[further][bot] for bot in fixture.bots)
        return by_name(fixture)

    _, played = play(whole, level)
    table = find("knockout").placings(whole, played).rounds[0].tables[0]
    assert table.decided == "1 more group"
    assert [(each.bot, each.advanced) for each in table.bots] == [
        (tied[0], True),
        (tied[2], True),
        (tied[1], False),
        (tied[3], False),
    ]


def test_bots_that_lost_before_the_last_table_play_one_more(plan):
    whole = plan(8, "knockout", 4, seeds=tuple(reversed(names(8))), advance=2)
    games, played = play(whole, by_name)
    assert len(games) == schedule.size(whole) == 4 * 4
    found = find("knockout").placings(whole, played)
    first, last = found.rounds
    assert (first.title, last.title) == ("semi-finals", "final")
    assert [table.title for table in last.tables] == ["", "places 5 to 8"]
    assert found.ranking == list(reversed(names(8)))
    assert [each.advanced for each in last.tables[1].bots] == [False] * 4
    assert "then a last table and one for places 5 to 8" in schedule.describe(whole)


@pytest.mark.parametrize(("bots", "seats", "advance"), [(2, 2, 1), (3, 2, 1), (5, 4, 2), (4, 4, 2)])
def test_too_few_bots_for_one_more_table(plan, bots, seats, advance):
    whole = plan(bots, "knockout", seats, advance=advance)
    games, played = play(whole, by_name)
    assert len(games) == schedule.size(whole)
    assert not any(
        table.title for each in find("knockout").placings(whole, played).rounds for table in each.tables
    )


def test_the_best_of_several_tables_may_be_chosen_by_seed(plan):
    """Of three third-placed bots, which have as many points, the one with the better seed advances."""
    whole = plan(13, "knockout", 4, seeds=tuple(names(13)), advance=2)
    _, played = play(whole, by_name)
    first = find("knockout").placings(whole, played).rounds[0]
    third = [table.bots[2] for table in first.tables]
    (on,) = [each.bot for each in third if each.advanced]
    assert on == min(each.bot for each in third)
    assert [table.decided for table in first.tables if table.decided] == [f"{on} by better seed"]


# Ladder


def climb(whole, count, played=None, judge=by_name):
    """The next `count` games of a ladder, and the results of all games so far."""
    played, games = dict(played or {}), []
    for fixture in schedule.due(whole, played):
        if fixture is not WAIT:
            if len(games) == count:
                break
            games.append(fixture)
            played[fixture.id] = ended(fixture, judge(fixture))
    return games, played


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (5, 2), (9, 3), (6, 4)])
def test_on_a_ladder_all_meet_about_equally_often(plan, bots, seats):
    games, _ = climb(plan(bots, "ladder", seats), 60 * bots * seats)
    met = Counter(frozenset(pair) for game in games for pair in combinations(game.bots, 2))
    counts = [met[frozenset(pair)] // seats for pair in combinations(names(bots), 2)]
    assert max(counts) - min(counts) <= (1 if seats == 2 else 4)
    assert len({game.id for game in games}) == len(games)


def test_a_newcomer_plays_its_neighbours_first(plan):
    """The bot with the last name wins, so the newcomer is between bot03 and bot04."""
    _, played = climb(plan(8, "ladder", 2), 800)
    whole = plan(8, "ladder", 2)
    whole = replace(whole, bots={**whole.bots, "bot03x": replace(whole.bots["bot03"], name="bot03x")})
    games, played = climb(whole, 20, played)  # the first batch is chosen without results of the newcomer
    assert all("bot03x" in game.bots for game in games)
    later, _ = climb(whole, 800, played)
    met = Counter(bot for game in later for bot in game.bots if "bot03x" in game.bots)
    assert met["bot03x"] > 100 and min(met[bot] for bot in names(8)) > 10  # it catches up with all others


def test_a_changed_bot_begins_anew_and_one_that_has_gone_keeps_its_games(plan):
    whole = plan(4, "ladder", 2)
    _, played = climb(whole, 240)
    changed = {**whole.bots, "bot01": replace(whole.bots["bot01"], fingerprint="changed")}
    del changed["bot03"]
    games, after = climb(replace(whole, bots=changed), 20, played)
    assert all("bot01" in game.bots and "bot03" not in game.bots for game in games)
    assert not {game.id for game in games} & played.keys() and played.keys() < after.keys()
    back, _ = climb(whole, 1, after)
    assert back[0].id not in after  # the old version continues, with new deals


def test_a_ladder_ends_what_it_began_and_stops_at_its_games(plan):
    whole = plan(5, "ladder", 3, games=100)
    games, played = climb(whole, 1000)
    assert 100 <= len(games) < 103
    for gone in (games[4], games[50]):
        del played[gone.id]
    rest, _ = climb(whole, 1000, played)
    assert {game.id for game in rest} == {games[4].id, games[50].id}


def test_sizes_of_tables_take_turns_on_a_ladder(plan):
    for seats in ((2, 4), (2, 3), (3, 4)):
        games, _ = climb(replace(plan(7, "ladder", 2), seats=seats), 500)
        groups = Counter(len(lineup) for lineup in {game.group: game.bots for game in games}.values())
        assert groups.keys() == set(seats) and abs(groups[seats[0]] - groups[seats[1]]) <= 1


def test_a_ladder_knows_the_group_of_a_game_that_it_would_not_choose_any_more(plan):
    """A void game is due again with its group, while other games of the batch have been played."""
    whole = plan(6, "ladder", 2)
    games, _ = climb(whole, 12)
    for void in games:
        played = {game.id: ended(game, by_name(game)) for game in games if game.group != void.group}
        assert schedule.group_of(whole, played, void) == [each for each in games if each.group == void.group]


# Plans


SWISS = "format: swiss\nseats: 2\nseed: 1\ngroups: 1\n"


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ("rounds: 3\n", 2, "rounds: does not apply here; it needs format: swiss"),
        ("advance: 1\n", 2, "advance: does not apply here; it needs format: knockout"),
        ("seeds: [bot1]\n", 2, "seeds: does not apply here; it needs format: knockout or swiss"),
        ("challengers: [bot1]\n", 2, "challengers: does not apply here; it needs format: gauntlet"),
        ("games: 7\n", 2, "games: does not apply here; it needs format: adaptive or ladder"),
        ("hours: 7\n", 2, "hours: does not apply here; it needs format: ladder"),
        ("format: swiss\nseats: 2\nlineups: 5\n", 4, "lineups: does not apply here"),
        ("format: adaptive\ngames: 10\ngroups: 5\n", 4, "groups: does not apply here"),
        ("format: gauntlet\n", 2, "gauntlet needs challengers:"),
        ("format: gauntlet\nchallengers: []\n", 3, "challengers: should have 1 or more values"),
        ("format: gauntlet\nchallengers: [bot9]\n", 3, "no bot 'bot9'; did you mean bot2?"),
        ("format: gauntlet\nchallengers: [bot1, bot1]\n", 3, "names a bot twice"),
        ("format: gauntlet\nseats: 3\nchallengers: [bot1, bot2]\n", 4, "leave a field of 1"),
        ("format: gauntlet\nseats: 2\nchallengers: [bot0, bot1, bot2]\n", 4, "leave a field of 0"),
        ("format: swiss\nseats: [2, 3]\n", 3, "a swiss has tables of one size"),
        ("format: knockout\nseats: [2, 3]\n", 3, "a knockout has tables of one size"),
        ("format: swiss\nseats: 2\nrounds: 0\n", 4, "rounds: should be at least 1"),
        ("format: knockout\nseats: 2\nadvance: 2\n", 4, "should be less than the 2 seats of a table"),
        ("format: knockout\nseats: 2\nseeds: [bot7]\n", 4, "no bot 'bot7'"),
    ],
)
def test_keys_count_only_where_they_mean_something(plan_file, lines, line, words):
    path = plan_file(lines)
    with pytest.raises(ConfigError) as caught:
        load_plan(path)
    assert str(caught.value).startswith(f"{path}:{line}:1: ") and words in str(caught.value)


@pytest.mark.parametrize(
    ("bots", "seats", "rounds"),
    [(2, 2, 1), (3, 2, 2), (8, 2, 3), (9, 2, 4), (8, 4, 2), (16, 4, 4), (4, 4, 1)],
)
def test_a_swiss_has_about_log2_rounds_but_none_that_only_repeats(plan_file, bots, seats, rounds):
    assert load_plan(plan_file(f"format: swiss\nseats: {seats}\n", bots=bots)).config.rounds == rounds


@pytest.mark.parametrize(("seats", "advance"), [(2, 1), (3, 1), (4, 2), (5, 2)])
def test_half_of_a_table_go_on(plan_file, seats, advance):
    assert load_plan(plan_file(f"format: knockout\nseats: {seats}\n", bots=5)).config.advance == advance


# Whole runs


RUNS = {
    "gauntlet": "format: gauntlet\nchallengers: [bot1]\nseats: 3\nseed: 5\ngroups: 2\n",
    "swiss": "format: swiss\nseats: 2\nseed: 5\ngroups: 2\n",
    "knockout": "format: knockout\nseats: 2\nseed: 5\ngroups: 2\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("form", RUNS)
def test_a_run_of_each_format(arena, plan_file, form):
    path = plan_file(RUNS[form] + "clock: {move: 5s}\n", bots=5)
    done = arena("run", path, "--out", "run.db")
    assert done.returncode == 0, done.stderr
    least, (played,) = schedule.size(load_plan(path)), re.findall(r"(\d+) games in", done.stdout)
    assert least == int(played) if form != "knockout" else least <= int(played)  # and games that decide ties
    if form != "gauntlet":
        assert "  1  bot" in done.stdout.split("\n\n")[0]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_bots_that_forfeit_everything_come_last(arena, plan_file, tmp_path, form):
    """Two of five bots answer hello and exit: they lose to all others, also after a bye, and tie together."""
    (tmp_path / "quitter.sh").write_text('read -r verb id rest; echo "$id ok"\n')
    path = plan_file(f"format: {form}\nseats: 2\nseed: 3\ngroups: 1\nseeds: [quits1, quits2]\n", bots=3)
    path.write_text(path.read_text() + "  quits1: quitter.sh\n  quits2: quitter.sh\n")
    done = arena("run", path, "--out", "run.db")
    assert done.returncode == 0, done.stderr
    plan = load_plan(path)
    with Store(tmp_path / "run.db") as store:
        played = dict(store.played())
    assert len(played) >= schedule.size(plan)
    assert all(
        place > 1 or ("quits1" in game.bots and "quits2" in game.bots)
        for game in played.values()
        for bot, place in zip(game.bots, game.places, strict=True)
        if bot.startswith("quits")
    )
    order = find(form).placings(plan, played).ranking
    assert not order[0].startswith("quits") and sorted(order) == sorted(plan.bots)
    if form == "swiss":
        assert {*order[-2:]} == {"quits1", "quits2"}


@pytest.mark.slow
@pytest.mark.parametrize("form", RUNS)
def test_the_same_games_on_any_number_of_workers(arena, plan_file, form):
    path = plan_file(RUNS[form] + "clock: {move: 5s}\n", bots=5)
    exports = []
    for jobs in (1, 4):
        assert arena("run", path, "--out", f"{jobs}.db", "--jobs", jobs).returncode == 0
        exports.append(arena("export", f"{jobs}.db").stdout)
    assert exports[0] == exports[1]
    games = [json.loads(line)["fixture"] for line in exports[0].splitlines()]
    assert len(games) >= schedule.size(load_plan(path))
    numbers = [int(game["group"].split()[-1]) for game in games]
    assert numbers == sorted(numbers)  # exports are in the order of play, round by round


@pytest.mark.slow
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_kill_between_two_rounds_or_within_one_changes_nothing(arena, plan_file, tmp_path, form):
    path = plan_file(RUNS[form].replace("groups: 2", "groups: 20") + "clock: {move: 5s}\n", bots=5)
    for count in (10, 75, 85):
        with begin(path, tmp_path) as process:
            wait_for_games(tmp_path / "run.db", count)
            process.kill()
    assert arena("run", path, "--out", "run.db").returncode == 0
    assert arena("run", path, "--out", "whole.db").returncode == 0
    assert arena("export", "run.db").stdout == arena("export", "whole.db").stdout


def test_the_page_has_every_format(checkout):
    page = (checkout / "tournaments" / "README.md").read_text()
    for form in planned():
        assert f"| `{form}` |" in page and f"\n## {form.capitalize().replace('-', ' ')}\n" in page


@pytest.fixture
def begun(tmp_path, first_bot):
    """Begins a run with one plan, and continues it with another."""

    def write(before, after):
        with Store(tmp_path / "run.db", writer=True) as store:
            store.write_facts(replace(store.facts, plan=before.identity(), secret=before.seed))
            table = ProgramTable(before.bots)
            with table:
                store.append([pack(table.play(deal(next(schedule.fixtures(before, {})), before.seed, 0)))])
            return tournament.prepare(after, store)

    return write


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_rounds_take_no_new_bots_once_begun(begun, plan_file, first_bot, form):
    few, more = (load_plan(plan_file(RUNS[form], bots=bots)) for bots in (4, 5))
    words = f"the run began with no bot bot4, and a {form} takes no new ones; use --out"
    with pytest.raises(ConfigError, match=words):
        begun(few, replace(more, config=few.config))
    first_bot.write_text(first_bot.read_text() + "# changed\n")
    with pytest.raises(ConfigError, match="another version of bot bot0, and"):
        begun(few, load_plan(plan_file(RUNS[form], bots=4)))


@pytest.mark.parametrize(
    ("form", "before", "after", "words"),
    [
        ("swiss", {"rounds": 2}, {"rounds": 3}, None),
        ("swiss", {"rounds": 3}, {"rounds": 2}, "the run began with rounds: 3, not 2"),
        ("swiss", {"groups": 2}, {"groups": 3}, "the run began with groups: 2, not 3"),
        ("swiss", {}, {"seeds": ("bot1",)}, "the run began with seeds: None"),
        ("knockout", {}, {"groups": 3}, "the run began with groups: 2, not 3"),
        ("gauntlet", {}, {"groups": 3}, None),
        ("gauntlet", {}, {"challengers": ("bot1", "bot2")}, None),
        ("gauntlet", {"challengers": ("bot1", "bot2")}, {}, "the run began with challengers:"),
    ],
)
def test_what_may_grow_in_a_run(begun, plan_file, form, before, after, words):
    loaded = load_plan(plan_file(RUNS[form], bots=5))
    if words is None:
        assert begun(changed(loaded, **before), changed(loaded, **after)).format.name == form
        return
    with pytest.raises(ConfigError, match=words):
        begun(changed(loaded, **before), changed(loaded, **after))
