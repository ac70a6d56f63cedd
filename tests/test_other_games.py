"""A game from another package: the one on the page about adding games, installed and played by bots."""

import json
import os
import re

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
    assert {row["bot"] for row in json.loads(done.stdout)} == {"bot0", "bot1", "bot2"}
