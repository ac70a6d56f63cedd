"""Bots that change, and bots that are taken out: what the table makes of them."""

import json

import pytest

from arena.rating.outcomes import Outcome

PLAN = "seats: 3\nseed: 5\ngroups: 2\n"


def names(done):
    return sorted(row["bot"] for row in json.loads(done.stdout)["standings"])


@pytest.fixture
def run(arena, plan_file):
    arena("run", plan_file(PLAN, bots=4), "--out", "run.db")
    return "run.db"


@pytest.mark.slow
def test_versions_are_apart_unless_told_otherwise(arena, plan_file, first_bot):
    plan = plan_file("seats: 2\nseed: 5\ngroups: 1\n")
    arena("run", plan, "--out", "run.db")
    first_bot.write_text(first_bot.read_text() + "# changed\n")
    arena("run", plan, "--out", "run.db")
    apart = names(arena("table", "run.db", "--format", "json"))
    assert {name.partition("@")[0] for name in apart} == {"bot0", "bot1", "bot2"} and len(apart) > 3
    assert names(arena("table", "run.db", "--format", "json", "--rating", "versions=together")) == [
        "bot0",
        "bot1",
        "bot2",
    ]


@pytest.mark.slow
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


@pytest.mark.slow
def test_seats_of_excluded_bots_stay_seats(arena, plan_file):
    """A game of three of which two are left is no game of two: seats and duels do not count it as one."""
    plan = plan_file("seats: 3\nseed: 5\ngroups: 1\n")
    arena("run", plan, "--out", "run.db")
    arena("exclude", "run.db", "bot1", "--why", "plays for two")
    found = json.loads(arena("table", "seats", "run.db", "--format", "json").stdout)
    assert {seat["size"] for seat in found["seats"]} == {3}
    found = json.loads(arena("table", "run.db", "--format", "json").stdout)
    assert {(row["wins"], row["losses"]) for row in found["standings"]} == {(None, None)}
    assert " 2 a table" not in arena("table", "run.db", "--rating", "seats=fit").stdout
    by_size = json.loads(arena("table", "run.db", "--by-size", "--format", "json").stdout)
    assert [part["size"] for part in by_size] == [3]


@pytest.mark.slow
def test_runs_of_different_rules_are_not_merged_without_a_word(arena, refused, plan_file):
    """A good player of one game may be a bad player of another."""
    for name, keys in {"plain": "", "inquisitor": "options: {cast: inquisitor}\n"}.items():
        plan = plan_file(f"seats: 2\nseed: 5\ngroups: 1\n{keys}")
        arena("run", plan, "--out", f"{name}.db")
    said = "these runs have different rules (inquisitor.db: cast inquisitor; plain.db: cast ambassador)"
    assert said in refused("table", "plain.db", "inquisitor.db")
    merged = arena("table", "plain.db", "inquisitor.db", "--merge-anyway")
    assert merged.returncode == 0 and "runs with different rules (inquisitor.db: cast" in " ".join(
        merged.stdout.split()
    )
    assert arena("table", "plain.db", "plain.db").returncode == 0


@pytest.mark.slow
def test_the_table_of_a_knockout_begins_with_its_places(arena, plan_file):
    plan = plan_file("seats: 2\nseed: 5\ngroups: 1\nformat: knockout\n")
    done = arena("run", plan, "--out", "run.db")
    shown = arena("table", "run.db").stdout
    assert done.stdout == shown and shown.startswith("places:\nplace  bot\n")
    found = json.loads(arena("table", "run.db", "--format", "json").stdout)
    assert shown.splitlines()[3].split()[1] == found["ranking"][0] and len(found["ranking"]) == 3
    assert '<pre tabindex="0">\nplaces:' in arena("table", "run.db", "--format", "html").stdout
    assert arena("table", "run.db", "--format", "markdown").stdout.startswith("```text\nplaces:")
    assert arena("table", "run.db", "--format", "latex").stdout.startswith("% places:")
