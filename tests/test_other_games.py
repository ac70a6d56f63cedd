"""A game from another package: the one on the page about adding games, installed and played by bots."""

import json
import os
import re
import subprocess
import sys

import pytest

NEWCOMER = "games/README.md"


@pytest.fixture
def installed(checkout, tmp_path) -> dict[str, str]:
    """The environment in which a package `kuhn` offers the game of the page by an entry point."""
    page = (checkout / "arena" / NEWCOMER).read_text(encoding="utf-8")
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
    assert "0 of them different" in arena("replay", "kuhn.db", "--verify", env=installed).stdout
    without = arena("replay", "kuhn.db", "--verify")
    assert without.returncode == 1 and "no game kuhn" in without.stdout


def test_a_tournament_of_it(arena, installed, plan_file):
    plan = plan_file("seats: 2\ngroups: 5\nseed: 1\n", game="kuhn")
    done = arena("run", plan, "--format", "json", env=installed)
    assert done.returncode == 0, done.stderr
    assert {row["bot"] for row in json.loads(done.stdout)["standings"]} == {"bot0", "bot1", "bot2"}


BEHAVIOUR = """
from pathlib import Path
from arena.behaviour import behaviour
from arena.report.behaviour import text_table
from arena.games import find
from arena.store import Store

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
