"""Runs: every game is played once, despite interruptions, and is the same with any number of workers."""

import json
import signal
from itertools import pairwise

import pytest
from runs import begin, wait_for_games
from samples import FIRST

from arena.tournament.runs.store import Store

ROUND_ROBIN = "seats: [2, 3]\nseed: 5\ngroups: 2\nclock: {move: 5s}\n"


def test_a_run_plays_every_fixture_once_and_shows_the_table(arena, plan_file):
    plan = plan_file(ROUND_ROBIN)
    done = arena("run", plan)
    assert done.returncode == 0, done.stderr
    assert "3 line-ups x 2 groups x 2 rotations = 12 games" in done.stderr
    assert "1 line-ups x 2 groups x 3 rotations = 6 games" in done.stderr
    assert "0 of 18 games played" in done.stderr and "\npages: " in done.stderr
    assert "18 games in 8 seed groups, 0 faults" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    again = arena("run", plan)
    assert "18 of 18 games played" in again.stderr
    assert again.stdout == done.stdout


def test_the_table_for_machines_has_no_times_and_no_paths(arena, plan_file, tmp_path):
    arena("run", plan_file(ROUND_ROBIN + "rating: {anchor: {bot: bot1, elo: 1000}}\n"), "--out", "x.db")
    rows = json.loads(arena("table", "x.db", "--format", "json").stdout)["standings"]
    assert {row["bot"] for row in rows} == {"bot0", "bot1", "bot2"}
    assert next(row for row in rows if row["bot"] == "bot1")["elo"] == 1000
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert {"bot", "elo", "error", "los", "games", "groups", "score", "forfeits", "flags"} <= rows[0].keys()
    assert str(tmp_path) not in json.dumps(rows)


@pytest.mark.parametrize(
    "more",
    [
        "options: {cast: inquisitor, priority: random}\n",
        pytest.param("", marks=pytest.mark.slow),
        pytest.param("reuse: false\n", marks=pytest.mark.slow),
    ],
)
def test_the_same_games_byte_for_byte_on_one_worker_and_on_two(arena, plan_file, more):
    plan = plan_file(ROUND_ROBIN + more)
    exports = []
    for jobs in (1, 2):
        assert arena("run", plan, "--out", f"{jobs}.db", "--jobs", jobs).returncode == 0
        exports.append(arena("export", f"{jobs}.db").stdout)
    assert exports[0] == exports[1]
    assert len(exports[0].splitlines()) == 18
    assert "0 with problems" in arena("verify", "2.db").stdout


@pytest.mark.slow
def test_a_seed_that_the_plan_leaves_out_is_drawn_once_and_kept(arena, plan_file, tmp_path):
    plan = plan_file("seats: 2\ngroups: 1\n")
    arena("run", plan, "--out", "a.db")
    arena("run", plan, "--out", "b.db")
    with Store(tmp_path / "a.db") as a, Store(tmp_path / "b.db") as b:
        assert a.facts.secret != b.facts.secret
        assert not a.played().keys() & b.played().keys()
    assert "6 of 6 games played" in arena("run", plan, "--out", "a.db").stderr


@pytest.mark.slow
def test_bots_and_groups_may_be_added_to_a_run(arena, plan_file):
    arena("run", plan_file(ROUND_ROBIN), "--out", "run.db")
    more = arena("run", plan_file(ROUND_ROBIN.replace("groups: 2", "groups: 3"), bots=4), "--out", "run.db")
    assert more.returncode == 0, more.stderr
    assert "18 of 72 games played" in more.stderr
    assert "72 games in" in more.stdout


@pytest.mark.slow
def test_a_run_is_not_mixed_with_another_tournament(arena, refused, plan_file):
    arena("run", plan_file(ROUND_ROBIN), "--out", "run.db")
    for before, now, words in (
        ("seed: 5", "seed: 6", "the run began with another seed"),
        ("groups: 2", "groups: 1", "the run began with groups: 2, not 1"),
        ("seats: [2, 3]", "seats: 2", "the run began with seats: [2, 3], not [2]"),
        ("seats", "options: {cast: inquisitor}\nseats", "the run began with options:"),
        ("move: 5s", "move: 4s", "the run began with clock:"),
    ):
        said = refused("run", plan_file(ROUND_ROBIN.replace(before, now)), "--out", "run.db")
        assert words in said and "use --out" in said


@pytest.mark.slow
def test_a_changed_bot_is_another_player(arena, plan_file, first_bot):
    plan = plan_file("seats: 2\nseed: 5\ngroups: 1\n")
    arena("run", plan, "--out", "run.db")
    first_bot.write_text(first_bot.read_text() + "# changed\n")
    again = arena("run", plan, "--out", "run.db", "--format", "json")
    assert "run.db: 6 of 12 games played" in again.stderr and "starting 2 bots" in again.stderr
    for bot in ("bot0", "bot2"):  # the same program; each plays both others in both seats
        assert f"{bot} changed: 4 new games, the old version stays" in again.stderr
    rows = json.loads(again.stdout)["standings"]
    names = sorted(row["bot"] for row in rows)
    assert names[0] == "bot0" and names[1].startswith("bot0@") and "bot1" in names


@pytest.mark.slow
def test_a_bot_that_no_longer_starts_does_not_end_the_run(arena, plan_file, tmp_path):
    """The bot forfeits the remaining games. A new run would refuse it."""
    late, gone = tmp_path / "late.sh", tmp_path / "gone"
    late.write_text(f"[ ! -e {gone} ] || exit 3\n{FIRST}")
    more = "seats: 2\nseed: 5\ngroups: 2\nsandbox: limits\n"
    plan = plan_file(more, bots=2)
    plan.write_text(f"{plan.read_text()}  late: {late}\n")
    begun = arena("run", plan, "--out", "run.db")
    assert begun.returncode == 0, begun.stderr
    gone.touch()
    plan.write_text(plan.read_text().replace("groups: 2", "groups: 4"))
    done = arena("run", plan, "--out", "run.db", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "starting" not in done.stderr, "all have started before, and have not changed"
    assert "unstarted" in done.stderr, "the faults are listed at the end"
    games = [json.loads(line) for line in arena("export", "run.db").stdout.splitlines()]
    assert len(games) == 24
    faults = [
        [fault["fault"] for fault in game["faults"]] for game in games if "late" in game["fixture"]["bots"]
    ]
    assert faults == [[]] * 8 + [["unstarted"]] * 8
    assert arena("exclude", "run.db", "late", "--why", "does not start").returncode == 0
    fresh = arena("run", plan, "--out", "new.db")
    assert fresh.returncode == 2 and "bot late: exited with status 3" in fresh.stderr


@pytest.mark.slow
def test_a_series_where_the_winner_starts(arena, plan_file):
    """GC-37 in a whole run: with two players the winner of a game begins the next one, with one coin."""
    plan = plan_file("format: series\nseats: 2\ngroups: 6\nseed: 3\noptions: {starter: winner}\n", bots=2)
    assert arena("run", plan, "--out", "run.db").returncode == 0
    games = [json.loads(line) for line in arena("export", "run.db").stdout.splitlines()]
    assert len(games) == 6
    for before, game in pairwise(games):
        winner = before["places"].index(1) + 1
        assert game["fixture"]["options"]["starter"] == f"p{winner}"


def test_ctrl_c_says_how_to_go_on(plan_file, tmp_path):
    plan = plan_file(ROUND_ROBIN.replace("groups: 2", "groups: 4000"))
    with begin(plan, tmp_path) as process:
        wait_for_games(tmp_path / "run.db", 20)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"resume with: arena run {plan} --out run.db" in errors
    assert "Traceback" not in errors
