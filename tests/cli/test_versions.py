"""Bots that change, and bots that are taken out: what the table makes of them."""

import json

import pytest

from arena.rating.outcome import Outcome

PLAN = "seats: 3\nseed: 5\ngroups: 2\n"


def names(done):
    return sorted(row["bot"] for row in json.loads(done.stdout)["standings"])


@pytest.fixture
def run(arena, plan_file):
    arena("run", plan_file(PLAN, bots=4), "--out", "run.db")
    return "run.db"


def test_versions_are_apart_unless_told_otherwise(arena, plan_file, first_bot):
    plan = plan_file("seats: 2\nseed: 5\ngroups: 1\n")
    arena("run", plan, "--out", "run.db")
    first_bot.write_text(first_bot.read_text() + "# changed\n")
    arena("run", plan, "--out", "run.db")
    apart = names(arena("table", "run.db", "--format", "json"))
    assert {name.partition("@")[0] for name in apart} == {"bot0", "bot1", "bot2"} and len(apart) > 3
    assert names(arena("table", "run.db", "--format", "json", "--versions", "together")) == [
        "bot0",
        "bot1",
        "bot2",
    ]


def test_a_bot_is_taken_out_of_the_table_and_back(arena, run):
    whole, games = arena("table", run).stdout, arena("export", run).stdout
    assert arena("exclude", run, "bot1", "--why", "plays for two").returncode == 0
    table = arena("table", run)
    assert names(arena("table", run, "--format", "json")) == ["bot0", "bot2", "bot3"]
    assert "without bot1 (plays for two)" in " ".join(table.stdout.split())
    assert arena("export", run).stdout == games
    assert arena("exclude", run, "bot1", "--undo").returncode == 0
    assert arena("table", run).stdout == whole


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["bot9", "--why", "x"], "run.db: no bot 'bot9'; did you mean bot"),
        (["bot1"], "exclude: --why is missing"),
    ],
)
def test_mistakes(refused, run, more, words):
    assert words in refused("exclude", run, *more)


@pytest.mark.parametrize(
    ("places", "out", "left"),
    [
        ((1, 2, 3, 4), "b", (1, 2, 3)),
        ((1, 2, 2, 4), "a", (1, 1, 3)),
        ((3, 1, 1, 3), "c", (2, 1, 2)),
        ((1, 2, 3, 4), "bc", (1, 2)),
        ((1, 2, 3, 4), "", (1, 2, 3, 4)),
    ],
)
def test_a_game_as_if_some_had_not_sat_there(places, out, left):
    outcome = Outcome(tuple("abcd"), places, "g", {3: "late"})
    kept = outcome.without(set(out))
    assert kept.places == left and "".join(kept.bots) == "".join(bot for bot in "abcd" if bot not in out)
    assert kept.forfeits == {len(left) - 1: "late"}


def test_nothing_is_left_of_a_game_of_one():
    assert Outcome(tuple("abc"), (1, 2, 3), "g").without({"a", "b"}) is None
