"""`teams: apart`: two bots of one author never sit at one table."""

import random
import re
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import combinations

import pytest
from plans import changed

from arena.config.document import ConfigError
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.formats import find, gauntlet, knockout, round_robin, swiss
from arena.tournament.formats.adaptive import phase_tag
from arena.tournament.formats.lineups import count_apart, lineups, lineups_apart
from arena.tournament.formats.pairing import sitting_out
from arena.tournament.formats.plan import WAIT
from arena.tournament.plan.entrants import teams_of
from arena.tournament.plan.load import focused, load_plan


def field(*sizes):
    """Teams of these sizes, with names of bots in mixed order."""
    return {f"{bot}{team}": f"t{team}" for team, size in enumerate(sizes) for bot in "abcdefghij"[:size]}


def together(teams, lineup):
    return len({teams[bot] for bot in lineup}) < len(lineup)


FIELDS = [(1, 1, 1, 1), (2, 1, 1), (2, 2, 2), (3, 2, 1, 1), (4, 4, 1, 1, 1), (5, 1, 1, 1, 1, 1)]


@pytest.mark.parametrize("sizes", FIELDS)
@pytest.mark.parametrize("seats", [2, 3])
def test_all_lineups_are_those_without_two_of_a_team(sizes, seats):
    teams = field(*sizes)
    expected = [each for each in lineups(tuple(sorted(teams)), seats, 10_000) if not together(teams, each)]
    assert list(lineups_apart(teams, seats, 10_000)) == expected
    assert count_apart(teams, seats) == len(expected)


@pytest.mark.parametrize(
    ("sizes", "seats", "most"),
    [((2,) * 10, 4, 100), ((1,) * 20, 4, 100), ((5, 5, 5, 5), 4, 100), ((3, 2, 2, 1, 1, 1, 1, 1), 3, 60),
     ((2,) * 15, 2, 200), ((4, 3, 2, 1) * 3, 6, 90)],
)  # fmt: skip
def test_a_sample_is_balanced_as_far_as_teams_let_it(sizes, seats, most):
    teams = field(*sizes)
    sample = lineups_apart(teams, seats, most)
    assert most - len(teams) < len(sample) <= most < count_apart(teams, seats)
    assert not any(together(teams, lineup) for lineup in sample)
    sat = Counter(bot for lineup in sample for bot in lineup)
    assert max(sat.values()) - min(sat.values()) <= 3 and len(sat) == len(teams)
    met = Counter(pair for lineup in sample for pair in combinations(lineup, 2))
    rivals = [pair for pair in combinations(sorted(teams), 2) if not together(teams, pair)]
    times = [met[pair] for pair in rivals]
    mean = sum(times) / len(times)
    assert max(times) < mean + 2 and min(times) > mean - 2, Counter(times)


def test_a_large_team_sits_as_often_as_it_can():
    teams = field(9, 1, 1, 1, 1, 1)
    sample = lineups_apart(teams, 3, 70)
    sat = Counter(bot for lineup in sample for bot in lineup)
    assert all(any(teams[bot] == "t0" for bot in lineup) for lineup in sample)
    own = [sat[bot] for bot in teams if teams[bot] == "t0"]
    assert max(own) - min(own) <= 1


@pytest.fixture
def entries(tmp_path):
    """Bots a1 and a2 by Ada, b1 to b3 by Bo, and c, d, e without an author."""
    for name in ("a1", "a2", "b1", "b2", "b3", "c", "d", "e"):
        folder = tmp_path / "entries" / name
        folder.mkdir(parents=True)
        author = {"a": "author: Ada\n", "b": "author: Bo\n"}.get(name[0], "")
        (folder / "bot.yaml").write_text(f"{author}run: [sh, bot.sh]\n")

    def load(text):
        path = tmp_path / "plan.yaml"
        path.write_text(f"game: complots\nseed: 1\n{text}bots: [entries/*]\n")
        return load_plan(path)

    return load


AUTHORS = {"a1": "Ada", "a2": "Ada", "b1": "Bo", "b2": "Bo", "b3": "Bo"}


def authors(lineup):
    return [AUTHORS.get(bot, bot) for bot in lineup]


@pytest.mark.parametrize("seats", ["2", "4", "[2, 3]"])
@pytest.mark.parametrize("limit", ["", "lineups: 16\n"])
@pytest.mark.parametrize("form", ["", "format: gauntlet\nchallengers: [a1, c]\n"])
def test_no_game_has_two_bots_of_an_author(entries, seats, limit, form):
    plan = entries(f"teams: apart\ngroups: 1\nseats: {seats}\n{limit}{form}")
    games = list(schedule.due(plan, {}))
    assert len(games) == schedule.size(plan) > 0
    assert all(len(set(authors(game.bots))) == len(game.bots) for game in games)
    words = schedule.describe(plan)
    assert "authors apart" in words and sum(map(int, re.findall(r"= (\d+) games", words))) == len(games)
    plain = entries(f"groups: 1\nseats: {seats}\n{limit}{form}")
    assert any(len(set(authors(game.bots))) < len(game.bots) for game in schedule.due(plain, {}))


def test_all_lineups_of_a_plan(entries):
    plan = entries("teams: apart\nseats: 2\n")
    expected = {frozenset(pair) for pair in combinations(plan.bots, 2) if len(set(authors(pair))) == 2}
    assert {frozenset(lineup) for lineup in round_robin.plan_lineups(plan, 2)} == expected
    plan = entries("teams: apart\nseats: 2\nformat: gauntlet\nchallengers: [a1, c]\n")
    met = {bot: {rival for one, rival in gauntlet.plan_lineups(plan, 2) if one == bot} for bot in ("a1", "c")}
    assert met == {"a1": {"b1", "b2", "b3", "d", "e"}, "c": {"a2", "b1", "b2", "b3", "d", "e"}}


def test_a_run_is_not_mixed_with_one_that_has_authors_apart(entries):
    assert entries("seats: 2\nteams: apart\n").identity()["teams"] == "apart"
    assert entries("seats: 2\n").identity()["teams"] is None


@pytest.mark.slow
@pytest.mark.parametrize("form", ["swiss", pytest.param("knockout", marks=pytest.mark.slow)])
def test_rounds_are_not_mixed_with_those_of_other_authors(arena, tmp_path, first_bot, form):
    """An author in the plan does not change a bot's fingerprint."""
    plan = tmp_path / "plan.yaml"
    bots = "".join(
        f"  {name}: {{run: [sh, {first_bot}], author: {name[0]}}}\n" for name in ("a1", "a2", "b", "c")
    )
    plan.write_text(f"game: complots\nformat: {form}\nteams: apart\nseats: 2\ngroups: 1\nbots:\n{bots}")
    assert arena("run", plan, "--out", "run.db").returncode == 0
    assert arena("run", plan, "--out", "run.db").returncode == 0
    plan.write_text(plan.read_text().replace("author: c", "author: b"))
    done = arena("run", plan, "--out", "run.db")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    before, now = {"author a": ["a1", "a2"]}, {"author a": ["a1", "a2"], "author b": ["b", "c"]}
    assert f"the run began with teams: {before}, not {now}; use --out for a new run" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("teams: apart\nseats: 6\n", ":3:1: teams: leaves no line-up here: 6 seats need bots of as many"),
        (
            "teams: apart\nseats: 5\nformat: gauntlet\nchallengers: [b1, c]\n",
            ":3:1: teams: leaves no line-up for b1: 5 seats need bots of as many authors, not of 4",
        ),
        (
            "seats: 4\nformat: swiss\nteams: apart\n",
            ":5:1: teams: leaves no round: author Bo has 3 of 8 bots, for 2 tables, and 0 can sit out;",
        ),
        ("seats: 6\nformat: swiss\nteams: apart\n", ":5:1: teams: leaves no line-up here: 6 seats need bots"),
        ("seats: 6\nformat: knockout\nteams: apart\n", ":5:1: teams: leaves no line-up here: 6 seats need"),
        ("seats: 6\nformat: adaptive\ngames: 9\nteams: apart\n", ":6:1: teams: leaves no line-up here: 6"),
        (
            "seats: 8\nformat: series\nteams: apart\n",
            ":5:1: teams: does not apply here; it needs format: adaptive",
        ),
        ("teams: together\n", ":3:1: teams: should be 'apart'"),
    ],
)
def test_mistakes(entries, text, words):
    with pytest.raises(ConfigError) as caught:
        entries(text)
    assert words in str(caught.value) and "\n" not in str(caught.value)


# Swiss, knockout and adaptive


@pytest.fixture
def form(entries):
    """A plan of a format with teams of these sizes and a number of bots without team-mates."""
    plain = entries("seats: 2\n")

    def make(form, seats, sizes, **changes):
        authors = field(*sizes)
        like = plain.bots["c"]
        bots = {name: replace(like, name=name, author=authors[name]) for name in authors}
        # with an author of its own or without one: neither has team-mates
        bots = {
            name: replace(bot, author="") if sizes[int(name[1:])] == 1 and int(name[1:]) % 2 else bot
            for name, bot in bots.items()
        }
        keys = {"groups": 1} if "groups" in find(form).keys else {}
        made = plain.in_format(find(form), **keys, teams="apart", **changes)
        return replace(made, seats=seats, bots=bots, teams=teams_of(bots))

    return make


def by_chance(game):
    luck = [sha256(f"{game.id}{seat}".encode()).digest()[0] // 32 for seat in range(len(game.bots))]
    return tuple(1 + sum(other > own for other in luck) for own in luck)


def by_name(game):
    return tuple(1 + sum(other > own for other in game.bots) for own in game.bots)


def played_out(plan, judge=by_chance):
    played = {}
    for game in schedule.fixtures(plan, played):
        if game is not WAIT:
            played[game.id] = Summary(
                game.id, game.bots, game.fingerprints, judge(game), {}, 0, game.group, game.rotation
            )
    return played


def random_fields(count, seats=(2, 3, 4, 5)):
    """Sizes of teams and tables: always the same ones, some of them hardly possible."""
    luck, found = random.Random(5), []
    while len(found) < count:
        each, sizes = (
            luck.choice(seats),
            tuple(luck.choice((1, 1, 1, 2, 3, 5)) for _ in range(luck.randint(2, 9))),
        )
        tables, byes = divmod(sum(sizes), each)
        if len(sizes) >= each and sum(max(0, size - tables) for size in sizes) <= byes:
            found.append((sizes, each))
    return found


# One author has half of the bots or more: one at each table, and the others sit out.
TIGHT = [((4, 1, 1, 1, 1), 2), ((4, 4), 2), ((4, 1, 1, 1), 2), ((3, 1, 1, 1, 1, 1, 1), 3), ((3, 3, 3), 3),
         ((3, 3, 2), 3), ((4, *(1,) * 9), 4), ((20, *(1,) * 20), 2), ((12, 12, *(1,) * 15), 3)]  # fmt: skip


def judged(fields):
    """Each field with one of two judges, in turn."""
    return [(*field, (by_chance, by_name)[number % 2]) for number, field in enumerate(fields)]


@pytest.mark.parametrize(("sizes", "seats", "judge"), judged([*random_fields(24), *TIGHT]))
def test_a_swiss_never_seats_two_of_an_author_whatever_comes(form, sizes, seats, judge):
    """In each round a bot plays or sits out, in turn, except bots of an author with more bots than tables."""
    plan = form("swiss", (seats,), sizes, rounds=5)
    played = played_out(plan, judge)
    assert len(played) == schedule.size(plan)
    byes, tables = Counter(dict.fromkeys(plan.bots, 0)), len(plan.bots) // seats
    for each in swiss.rounds(plan, played):
        assert sorted([*each.byes, *(bot for table in each.tables for bot in table)]) == sorted(plan.bots)
        assert len(each.tables) == tables
        assert not any(together(plan.teams, table) for table in each.tables)
        byes.update(each.byes)
    large = {team for team, size in Counter(plan.teams.values()).items() if size > tables}
    for team in set(plan.teams.values()):
        own = [byes[bot] for bot in plan.bots if plan.teams[bot] == team]
        assert max(own) - min(own) <= 1 + (team not in large)
    if not large:
        assert max(byes.values()) - min(byes.values()) <= 1


def fewest_repeats(bots, seats, met, teams):
    """By brute force, over all ways to seat these bots without two of a team at a table."""
    if not bots:
        return 0
    first, *others = bots
    ways = [
        sum(met[frozenset(pair)] > 0 for pair in combinations((first, *more), 2))
        + fewest_repeats([bot for bot in others if bot not in more], seats, met, teams)
        for more in combinations(others, seats - 1)
        if not together(teams, (first, *more))
    ]
    return min(ways, default=10**6)


@pytest.mark.parametrize(
    ("sizes", "seats", "judge"),
    judged([((2, 2, 1, 1), 2), ((3, 1, 1, 1), 2), ((3, 3), 2), ((2, 2, 2, 1), 2), ((4, 2, 1, 1), 2),
            ((2, 2, 2), 3), ((3, 3, 1, 1, 1), 3), ((4, 3), 2), ((2, 2, 1, 1, 1, 1), 4)]),
)  # fmt: skip
def test_a_swiss_repeats_a_meeting_only_where_authors_leave_no_other_way(form, sizes, seats, judge):
    plan = form("swiss", (seats,), sizes, rounds=6)
    played = played_out(plan, judge)
    met, byes = Counter(), Counter()
    for each in swiss.rounds(plan, played):
        pairs = [frozenset(pair) for table in each.tables for pair in combinations(table, 2)]
        if any(met[pair] for pair in pairs):
            for out in sitting_out(sorted(plan.bots), seats, byes, plan.teams):
                left = [bot for bot in sorted(plan.bots) if bot not in out]
                assert fewest_repeats(left, seats, met, plan.teams) > 0, f"round {each.number + 1}"
        met.update(pairs)
        byes.update(each.byes)


def test_an_author_with_half_of_a_large_field_meets_nobody_twice(form):
    """A search with too many dead ends would give up, and repeat meetings."""
    plan = form("swiss", (2,), (20, *(1,) * 20), rounds=8)
    met = Counter()
    for each in swiss.rounds(plan, played_out(plan)):
        met.update(frozenset(table) for table in each.tables)
    assert max(met.values()) == 1


@pytest.mark.parametrize("form_of", ["swiss", "knockout", "adaptive"])
def test_without_team_mates_nothing_changes(form, form_of):
    keys = {"swiss": {"rounds": 4}, "knockout": {"advance": 2}, "adaptive": {"games": 300}}[form_of]
    plan = form(form_of, (4,), (1,) * 11, **keys)
    seatings = [
        [(game.seed_group.rpartition("/")[0], game.bots) for game in played_out(each, by_name).values()]
        for each in (plan, replace(plan, teams={}))
    ]
    assert seatings[0] == seatings[1] and len(seatings[0]) >= 20


def test_a_swiss_has_rounds_for_as_many_as_one_may_meet(entries):
    """By default: b1 to b3 can meet only five others; at tables of four there is no third round for c."""
    assert (
        entries("format: swiss\nseats: 2\n").config.rounds
        == entries("format: swiss\nseats: 2\nteams: apart\n").config.rounds
    )
    assert entries("format: swiss\nseats: 3\n").config.rounds == 3
    assert entries("format: swiss\nseats: 3\nteams: apart\n").config.rounds == 2


@pytest.mark.parametrize(
    ("sizes", "seats", "judge"), judged([*random_fields(24), *TIGHT, ((6, 1), 2), ((9, 1, 1), 3)])
)
def test_a_knockout_keeps_authors_apart_while_its_draw_can(form, sizes, seats, judge):
    """In each round no table has more bots of an author than necessary, not even the last one."""
    plan = form("knockout", (seats,), sizes, advance=max(1, seats // 2))
    for each in knockout.rounds(plan, played_out(plan, judge)):
        here = Counter(plan.teams[bot] for table in each.tables for bot in table)
        for table in each.tables:
            for team, count in Counter(plan.teams[bot] for bot in table).items():
                assert count <= -(-here[team] // len(each.tables))


def test_the_best_of_a_knockout_meets_the_worst_of_others(form):
    """By seeds alone, a0 would meet d0 and b0 would meet c0, all by one author."""
    plan = form("knockout", (2,), (4, 1, 1, 1, 1), advance=1)
    seeds = ("a0", "b0", "a1", "a2", "a3", "a4", "c0", "d0")
    first = next(knockout.rounds(changed(plan, seeds=seeds), {}))
    assert first.tables == (("a0", "a4"), ("b0", "a3"), ("a1", "c0"), ("a2", "d0"))


@pytest.mark.parametrize(("sizes", "seats", "judge"), judged([*random_fields(8), ((6, 1, 1), (2, 3))]))
def test_an_adaptive_tournament_never_offers_two_of_an_author(form, sizes, seats, judge):
    sizes_of = seats if isinstance(seats, tuple) else (seats,)
    plan = form("adaptive", sizes_of, sizes, games=60 * sum(sizes_of))
    played = played_out(plan, judge)
    assert len(played) == schedule.size(plan)
    assert not any(together(plan.teams, game.bots) for game in played.values())
    assert {bot for game in played.values() for bot in game.bots} == set(plan.bots)
    assert {len(game.bots) for game in played.values()} == set(sizes_of)


@pytest.mark.parametrize(
    ("sizes", "seats"),
    [((2, 1, 1), (2, 3)), ((3, 3, 1, 1), (3,)), ((6, 1, 1, 1), (2, 3)), ((2,) * 6, (2,)), ((1,) * 8, (3,))],
)
def test_a_ladder_never_seats_two_of_an_author(form, sizes, seats):
    plan = form("ladder", seats, sizes, games=40 * sum(sizes))
    played = played_out(plan, by_chance)
    assert len(played) >= plan.config.games
    assert not any(together(plan.teams, game.bots) for game in played.values())
    assert {bot for game in played.values() for bot in game.bots} == set(plan.bots)


def test_other_teams_are_another_era(form):
    plan = form("adaptive", (2,), (2, 1, 1), games=10)
    other = replace(plan, teams={**plan.teams, "a2": plan.teams["a1"]})
    assert len({phase_tag(plan), phase_tag(other), phase_tag(replace(plan, teams={}))}) == 3


def test_a_bot_in_focus_keeps_to_it(entries):
    plan = changed(focused(entries("teams: apart\nseats: 3\n"), "b1"), games=300)
    played = played_out(plan)
    assert all(len(set(authors(game.bots))) == 3 for game in played.values())
    (most, _), *_ = Counter(bot for game in played.values() for bot in game.bots).most_common()
    assert most == "b1"


@pytest.mark.parametrize("form_of", ["swiss", "knockout", "adaptive"])
def test_the_description_says_so(form, form_of):
    keys = {"swiss": {"rounds": 2}, "knockout": {"advance": 1}, "adaptive": {"games": 9}}
    plan = form(form_of, (2,), (2, 1, 1), **keys[form_of])
    assert "authors apart" in schedule.describe(plan)
    assert "authors" not in schedule.describe(replace(plan, teams={}))


def test_everyone_of_one_author(entries, tmp_path):
    for name in ("a1", "a2", "b1", "b2", "b3", "c", "d", "e"):
        (tmp_path / "entries" / name / "bot.yaml").write_text("author: Ada\nrun: [sh, bot.sh]\n")
    for form in ("round-robin", "swiss", "knockout", "adaptive\ngames: 9"):
        with pytest.raises(ConfigError, match="2 seats need bots of as many authors, not of 1"):
            entries(f"seats: 2\nteams: apart\nformat: {form}\n")
