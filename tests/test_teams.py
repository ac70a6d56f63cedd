"""`teams: apart`: two bots of one author never sit at one table."""

import re
from collections import Counter
from itertools import combinations

import pytest

from arena import schedule
from arena.config import ConfigError
from arena.formats import gauntlet, round_robin
from arena.lineups import count_apart, lineups, lineups_apart
from arena.plan import focused, load_plan


def field(*sizes):
    """Teams of these sizes, their bots scattered through the alphabet."""
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
    """Bots a1 and a2 of Ada, b1 to b3 of Bo, and c, d, e of nobody."""
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
    assert {frozenset(lineup) for lineup in round_robin.meetings(plan, 2)} == expected
    plan = entries("teams: apart\nseats: 2\nformat: gauntlet\nchallengers: [a1, c]\n")
    met = {bot: {rival for one, rival in gauntlet.meetings(plan, 2) if one == bot} for bot in ("a1", "c")}
    assert met == {"a1": {"b1", "b2", "b3", "d", "e"}, "c": {"a2", "b1", "b2", "b3", "d", "e"}}


def test_a_run_is_not_mixed_with_one_that_has_authors_apart(entries):
    assert entries("seats: 2\nteams: apart\n").identity()["teams"] == "apart"
    assert entries("seats: 2\n").identity()["teams"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("teams: apart\nseats: 6\n", ":3: teams: leaves no line-up here: 6 seats need bots of as many"),
        (
            "teams: apart\nseats: 5\nformat: gauntlet\nchallengers: [b1, c]\n",
            ":3: teams: leaves no line-up for b1: 5 seats need bots of as many authors, not of 4",
        ),
        ("seats: 2\nformat: swiss\nteams: apart\n", ":5: teams: means nothing here; it needs format: round-"),
        ("seats: 2\nformat: knockout\nteams: apart\n", ":5: teams: means nothing here"),
        ("seats: 8\nformat: series\nteams: apart\n", ":5: teams: means nothing here"),
        ("seats: 2\nformat: adaptive\ngames: 9\nteams: apart\n", ":6: teams: means nothing here"),
        ("teams: together\n", ":3: teams: input should be 'apart'"),
    ],
)
def test_mistakes(entries, text, words):
    with pytest.raises(ConfigError) as caught:
        entries(text)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_bot_in_focus_would_not_keep_to_it(entries):
    with pytest.raises(ConfigError, match="--focus: cannot keep to teams: apart"):
        focused(entries("teams: apart\nseats: 2\n"), "c")
