"""A game from another package: the one on the page about adding games, installed and played by bots."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena import games

PAGE = Path(games.__file__).with_name("README.md")


@pytest.fixture
def installed(tmp_path) -> dict[str, str]:
    """The environment in which a package `kuhn` offers the game of the page by an entry point."""
    page = PAGE.read_text(encoding="utf-8")
    package = tmp_path / "site"
    info = package / "kuhn-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "kuhn.py").write_text(re.search(r"```python\n(.*?)```", page, re.S)[1])
    (package / "kuhn.md").write_text("# Kuhn poker\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kuhn\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\nkuhn = kuhn:GAME\n")
    return os.environ | {"PYTHONPATH": str(package)}


def test_it_is_listed_and_explained(arena, installed):
    assert "kuhn  2 players" in arena("games", env=installed).stdout
    assert arena("games", "kuhn", env=installed).stdout == "# Kuhn poker\n\n"
    assert "no game 'kuhn'" in arena("games", "kuhn").stderr


def test_it_is_played_replayed_and_verified(arena, installed, first_bot, checkout):
    bots = (first_bot, checkout / "bots" / "python" / "random_bot.py")
    played = arena("play", "kuhn", *bots, "--seed", 1, "--record", "kuhn.db", env=installed)
    assert played.returncode == 0, played.stderr
    assert played.stdout.startswith("kuhn: p1 first  p2 random")
    assert "0 with problems" in arena("replay", "kuhn.db", "--verify", env=installed).stdout
    without = arena("replay", "kuhn.db", "--verify")
    assert without.returncode == 1 and "the game kuhn is not installed" in without.stdout


def test_a_tournament_of_it(arena, installed, plan_file):
    plan = plan_file("seats: 2\ngroups: 5\nseed: 1\n", game="kuhn")
    done = arena("run", plan, "--format", "json", env=installed)
    assert done.returncode == 0, done.stderr
    assert {row["bot"] for row in json.loads(done.stdout)["standings"]} == {"bot0", "bot1", "bot2"}


def test_a_run_of_another_version_is_refused_in_one_line(arena, installed, plan_file):
    """The rules have changed: what they would make of the old answers is not what was played."""
    plan = plan_file("seats: 2\ngroups: 1\nseed: 1\n", game="kuhn")
    assert arena("run", plan, "--out", "kuhn.db", env=installed).returncode == 0
    rules = Path(installed["PYTHONPATH"]) / "kuhn.py"
    rules.write_text(rules.read_text().replace("version=1", "version=2"))
    versions = "version 1 of kuhn, and this arena has version 2"
    shown = f"game [0-9a-f]{{16}}: played by {versions}, so it cannot be shown"
    for words, message in [
        (["run", plan, "--out", "kuhn.db"], f"kuhn.db: the run began with {versions}; use --out .*"),
        (["replay", "kuhn.db", "1"], shown),
        (["export", "kuhn.db", "--entries"], shown),
        (["replay", "kuhn.db", "--verify"], f"kuhn.db: played by {versions}, so it cannot be verified"),
    ]:
        done = arena(*words, env=installed)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(f"arena: {message}\n", done.stderr)
    assert arena("table", "kuhn.db", env=installed).returncode == 0  # this replays nothing


BEHAVIOUR = """
from pathlib import Path
from arena.games import find
from arena.report.behaviour import text_table
from arena.results.behaviour import behaviour
from arena.results.store import Store

with Store(Path("kuhn.db")) as store:
    played = [(game.bots, store.record(game.id)) for game in store.summaries()]
    print(text_table(find("kuhn"), behaviour(find("kuhn"), played)))
"""


def test_without_figures_its_bots_still_have_times(arena, installed, first_bot, checkout, tmp_path):
    bots = (first_bot, checkout / "bots" / "python" / "random_bot.py")
    arena("play", "kuhn", *bots, "--seed", 1, "--record", "kuhn.db", env=installed)
    done = subprocess.run(
        [sys.executable, "-c", BEHAVIOUR], cwd=tmp_path, env=installed, capture_output=True, text=True
    )
    head, _, first, random, *_ = done.stdout.splitlines()
    assert head.split() == ["bot", "games", "p50", "p99", "limit"], done.stderr
    assert first.split()[:2] == ["first", "1"] and random.split()[:2] == ["random_bot", "1"]
    assert float(random.split()[2]) > 0


FAILING = """

import dataclasses
import os

_rules = GAME.rules


async def rules(position, options):
    try:
        os.unlink({armed!r})
    except FileNotFoundError:
        return await _rules(position, options)
    raise RuntimeError("these rules have a mistake")


GAME = dataclasses.replace(GAME, rules=rules)
"""


def break_rules(installed, armed):
    """The rules fail whenever the file `armed` is there, and remove it."""
    kuhn = Path(installed["PYTHONPATH"]) / "kuhn.py"
    kuhn.write_text(kuhn.read_text() + FAILING.format(armed=str(armed)))


def test_a_fault_of_the_arena_voids_the_seed_group_which_gets_another_deal(
    arena, installed, plan_file, tmp_path
):
    plan = plan_file("seats: 2\ngroups: 5\nseed: 1\n", game="kuhn")
    whole = json.loads(arena("run", plan, "--out", "whole.db", "--format", "json", env=installed).stdout)
    break_rules(installed, tmp_path / "armed")
    (tmp_path / "armed").touch()
    done = arena("run", plan, "--out", "void.db", "--jobs", 1, "--format", "json", env=installed)
    table = json.loads(done.stdout)
    assert {row["games"] for row in table["standings"]} == {row["games"] for row in whole["standings"]}
    assert table["void"] >= 1 and whole["void"] == 0
    undisturbed, again = (games_by_group(arena("export", run).stdout) for run in ("whole.db", "void.db"))
    (void,) = {group for group in again if again[group] != undisturbed[group]}
    assert [game["fixture"]["attempt"] for game in again[void]] == [1, 1]
    assert "0 with problems" in arena("replay", "void.db", "--verify", env=installed).stdout


def games_by_group(export: str) -> dict[str, list[dict]]:
    games: dict[str, list[dict]] = {}
    for line in export.splitlines():
        game = json.loads(line)
        games.setdefault(game["fixture"]["group"], []).append(game)
    return games


def test_a_run_whose_games_are_all_void_stops_and_says_why(arena, installed, plan_file, tmp_path):
    break_rules(installed, tmp_path / "armed")
    kuhn = Path(installed["PYTHONPATH"]) / "kuhn.py"
    kuhn.write_text(kuhn.read_text().replace("os.unlink(", "open("))
    (tmp_path / "armed").touch()
    done = arena("run", plan_file("seed: 1\n", game="kuhn"), env=installed)
    assert done.returncode == 1
    assert "the arena itself failed repeatedly" in done.stderr
    assert "RuntimeError: these rules have a mistake" in done.stderr
