"""`arena report` of real runs: rounds, versions, commitments, several files; and of hundreds of bots."""

import csv
import random

import pytest
from sites import csv_of

from arena import __version__
from arena.rating.outcomes import Outcome
from arena.tournament.runs.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture
def report(told, tmp_path):
    """Writes the pages of these files, and returns their texts by name."""

    def write(*runs, out="pages"):
        told("report", *runs, "--out", out)
        return {path.name: path.read_text() for path in (tmp_path / out).glob("*.html")}

    return write


@pytest.mark.parametrize("format", ["knockout", "swiss"])
def test_a_tournament_with_rounds_has_each_of_its_games_there(arena, report, plan_file, tmp_path, format):
    plan = plan_file(f"seats: 2\nseed: 5\ngroups: 1\nformat: {format}\n", bots=5)
    assert arena("run", plan, "--out", "run.db").returncode == 0
    pages = report("run.db")
    with Store(tmp_path / "run.db") as store:
        assert all(f'href="game.html#{game.id}"' in pages["rounds.html"] for game in store.games())
    assert "sat out" in pages["rounds.html"] and "Places" in pages["rounds.html"]
    assert "does not decide the places" in pages["index.html"]


def test_a_run_says_how_its_seeds_were_made(arena, report, plan_file, tmp_path):
    assert arena("run", plan_file("groups: 2\nseats: 2\n"), "--out", "run.db").returncode == 0
    with Store(tmp_path / "run.db") as store:
        facts = store.facts
    first = report("run.db")["index.html"]
    assert facts.commitment in first and facts.secret not in first
    assert "arena verify run.db" in first
    arena("reveal", "run.db", "--yes")
    assert facts.secret in report("run.db")["index.html"]


def test_a_run_says_with_what_it_was_played_and_who_wrote_the_bots(
    arena, report, plan_file, first_bot, tmp_path
):
    plan = plan_file("groups: 1\nseats: 2\nsandbox: limits\n")
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "bot.yaml").write_text("run: [sh, bot.sh]\nversion: 7\nauthor: <i>Ann</i>\n")
    (folder / "bot.sh").write_text(first_bot.read_text())
    assert arena("run", plan, folder, "--out", "run.db").returncode == 0
    pages = report("run.db")
    assert f"arena {__version__}, sandbox limits" in pages["index.html"]
    assert "<bdi>&lt;i&gt;Ann&lt;/i&gt;</bdi>" in pages["index.html"]
    assert (
        ", <bdi>version 7 by &lt;i&gt;Ann&lt;/i&gt;</bdi>."
        in (tmp_path / "pages" / "bots" / "own.html").read_text()
    )


def test_bots_that_changed_or_were_excluded_are_named(arena, report, plan_file, first_bot):
    plan = plan_file()
    assert arena("run", plan, "--out", "run.db").returncode == 0
    first_bot.write_text(first_bot.read_text() + "\n# version 2\n")
    plan.write_text(plan.read_text().replace("groups: 2", "groups: 4"))
    assert arena("run", plan, "--out", "run.db").returncode == 0
    assert "New versions" in report("run.db")["course.html"]
    arena("exclude", "run.db", "bot1", "--why", "plays <b>badly</b>")
    assert "excluded: plays &lt;b&gt;badly&lt;/b&gt;" in report("run.db")["index.html"]


def test_several_runs_are_rated_together(arena, report, plan_file):
    for seed in 1, 2:
        plan = plan_file(f"seed: {seed}\ngroups: 2\nseats: 2\n")
        assert arena("run", plan, "--out", f"run{seed}.db").returncode == 0
    pages = report("run1.db", "run2.db")
    assert "24 games" in pages["index.html"] and "Conditions of <bdi>run2.db" in pages["index.html"]
    assert "arena table run1.db run2.db\narena verify run1.db\n" in pages["index.html"]
    assert "<title>Standings" in pages["index.html"] and "run1 run2</title>" in pages["index.html"]


def test_pages_grow_as_the_bots_do_and_not_as_their_pairs(report, tmp_path):
    rng = random.Random(1)
    names = [f"a bot of a team with a long name, number {number}" for number in range(400)]
    games = [Outcome(tuple(rng.sample(names, 4)), (1, 2, 3, 4), str(number)) for number in range(2000)]
    pages = report(csv_of(games, tmp_path / "season.csv"))
    assert all(len(page.encode()) < 400_000 for page in pages.values())
    assert all(name in pages["index.html"] for name in names)
    with (tmp_path / "pages" / "charts" / "standings.csv").open() as file:
        assert sorted(row["bot"] for row in csv.DictReader(file)) == sorted(names)
