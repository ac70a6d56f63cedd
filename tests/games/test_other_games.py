"""A game from another package: the one on the page about adding games, installed and played by bots."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from other_game import PAGE, install


@pytest.fixture
def installed(tmp_path) -> dict[str, str]:
    """The environment in which a package `poker` offers the game of the page by an entry point."""
    return install(tmp_path)


def change(installed: dict[str, str], old: str, new: str) -> None:
    """Change the rules."""
    module = Path(installed["PYTHONPATH"]) / "poker.py"
    assert old in module.read_text()
    module.write_text(module.read_text().replace(old, new))


def test_it_is_listed_and_explained(arena, installed):
    assert "poker  2 players" in arena("games", env=installed).stdout
    assert arena("games", "poker", env=installed).stdout == "# Kuhn poker\n\n"
    assert "no game 'poker'" in arena("games", "poker").stderr


def test_a_game_without_its_page_says_where_it_should_be(arena, installed):
    page = Path(installed["PYTHONPATH"]) / "poker.md"
    page.unlink()
    assert arena("games", "poker", env=installed).stdout == f"poker has no page: there is no {page}.\n"


def test_the_package_of_the_page_installs_the_page_too(tmp_path):
    """Built as pip does, and so not found beside the sources."""
    pytest.importorskip("setuptools")
    page = PAGE.read_text(encoding="utf-8")
    (tmp_path / "kuhn").mkdir()
    (tmp_path / "kuhn" / "__init__.py").write_text(re.search(r"```python\n(.*?)```", page, re.S)[1])
    (tmp_path / "kuhn" / "kuhn.md").write_text("# Kuhn poker\n")
    (tmp_path / "pyproject.toml").write_text(re.search(r"```toml\n(.*?)```", page, re.S)[1])
    build = [sys.executable, "-W", "ignore", "-c", "import setuptools; setuptools.setup()"]
    done = subprocess.run([*build, "-q", "build", "-b", "made"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "made" / "lib" / "kuhn").iterdir()) == [
        "__init__.py",
        "kuhn.md",
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import numpy_of_tomorrow\n", "ModuleNotFoundError: No module named 'numpy_of_tomorrow'"),
        ("def GAME(:\n", "SyntaxError: invalid syntax (poker.py, line 1)"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("", "AttributeError: module 'poker' has no attribute 'GAME'"),
        ("GAME = 'poker'\n", "this should be a Game of arena.rules, not a str"),
        ("from arena.games import GAMES\nGAME = GAMES['local']\n", "its name is local, and its entry point"),
    ],
)
def test_a_package_that_is_broken_gets_one_line(arena, installed, code, words):
    (Path(installed["PYTHONPATH"]) / "poker.py").write_text(code)
    begins = f"arena: the game poker cannot be loaded from poker:GAME: {words}"
    listed = arena("games", env=installed)  # the other games are listed all the same
    assert listed.stderr.startswith(begins) and listed.stderr.count("\n") == 1
    assert listed.returncode == 0 and "complots  2-8 players" in listed.stdout


def test_a_package_that_is_broken_is_named_by_the_commands_that_need_it(arena, installed):
    (Path(installed["PYTHONPATH"]) / "poker.py").write_text("import nothing_of_this_name\n")
    done = arena("games", "poker", env=installed)
    assert done.returncode == 2 and done.stderr == arena("games", env=installed).stderr


@pytest.mark.slow
def test_a_plan_of_a_broken_package_gets_one_line(arena, installed, plan_file, first_bot):
    (Path(installed["PYTHONPATH"]) / "poker.py").write_text("import nothing_of_this_name\n")
    for words in (
        ("run", plan_file(game="poker")),
        ("play", "poker", first_bot, first_bot),
        ("check-game", "poker"),
    ):
        done = arena(*words, env=installed)
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert "the game poker cannot be loaded from poker:GAME: ModuleNotFoundError" in done.stderr
    assert arena("schema", env=installed).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("return ((2, 1), (-coins", "return ((0, 1), (-coins", "a place is 1 plus the number of seats"),
        (
            "((1, 2), (coins, -coins))",
            "((1, 2, 2), (coins, -coins))",
            "with a whole number for each of 2 seats",
        ),
        (
            '("check", "bet")',
            '("check", "bet", "bet")',
            "the options of move should be single words, all different",
        ),
        (
            '("check", "bet")',
            '("check", "big bet")',
            "the options of move should be single words, all different",
        ),
    ],
)
def test_impossible_places_and_options_end_a_game_with_a_message(
    arena, installed, first_bot, old, new, words
):
    if old.startswith("return"):  # so that p1 loses
        change(installed, "key=lambda each: DECK.index(p.hands[each])", "key=lambda each: each")
    elif old.startswith("((1"):
        change(installed, "key=lambda each: DECK.index(p.hands[each])", "key=lambda each: -each")
    change(installed, old, new)
    done = arena("play", "poker", first_bot, first_bot, "--seed", 1, env=installed)
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("arena: the ") and words in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_its_rules_are_checked(arena, installed):
    sound = arena("check-game", "poker", env=installed)
    assert sound.returncode == 0 and sound.stdout.endswith("no problems found\n"), sound.stdout
    (Path(installed["PYTHONPATH"]) / "poker.md").unlink()
    change(installed, "if seat in (None, each)", "if seat != each")
    wrong = arena("check-game", "poker", "--games", 4, "--format", "json", env=installed)
    assert wrong.returncode == 1
    found = {finding["check"]: finding for finding in json.loads(wrong.stdout)}
    assert found["ends"]["verdict"] == "ok" and found["page"]["verdict"] == "note"
    assert found["draws"]["verdict"] == "fault" and " sees 'p" in found["draws"]["details"][0]


def test_rules_that_depend_on_the_order_of_a_set_are_found(arena, installed):
    change(
        installed,
        "left = tuple(card for card in DECK if card not in p.hands)",
        "left = tuple({*DECK} - {*p.hands})",
    )
    done = arena("check-game", "poker", env=installed)
    assert done.returncode == 1
    assert "FAULT hashes    games depend on PYTHONHASHSEED" in done.stdout


def test_an_unknown_game_gets_one_line(refused):
    assert "arena: no game 'complot'; did you mean complots?" in refused("check-game", "complot")


def test_it_is_played_replayed_and_verified(arena, installed, first_bot, checkout):
    bots = (first_bot, checkout / "bots" / "python" / "random_bot.py")
    played = arena("play", "poker", *bots, "--seed", 1, "--record", "kuhn.db", env=installed)
    assert played.returncode == 0, played.stderr
    assert played.stdout.startswith("poker: p1 first  p2 random")
    assert "0 with problems" in arena("verify", "kuhn.db", env=installed).stdout
    without = arena("verify", "kuhn.db")
    assert without.returncode == 1 and "the game poker is not installed" in without.stdout


@pytest.mark.slow
def test_a_tournament_of_it(arena, installed, plan_file):
    plan = plan_file("seats: 2\ngroups: 5\nseed: 1\n", game="poker")
    done = arena("run", plan, "--format", "json", env=installed)
    assert done.returncode == 0, done.stderr
    assert {row["bot"] for row in json.loads(done.stdout)["standings"]} == {"bot0", "bot1", "bot2"}


@pytest.mark.slow
def test_a_run_of_another_version_is_refused_in_one_line(arena, installed, plan_file):
    """The rules have changed: what they would make of the old answers is not what was played."""
    plan = plan_file("seats: 2\ngroups: 1\nseed: 1\n", game="poker")
    assert arena("run", plan, "--out", "kuhn.db", env=installed).returncode == 0
    change(installed, "version=1", "version=2")
    versions = "version 1 of poker, and this arena has version 2"
    shown = f"game [0-9a-f]{{16}}: played by {versions}, so it cannot be shown"
    for words, message in [
        (["run", plan, "--out", "kuhn.db"], f"kuhn.db: the run began with {versions}; use --out .*"),
        (["replay", "kuhn.db", "1"], shown),
        (["export", "kuhn.db", "--entries"], shown),
        (["verify", "kuhn.db"], f"kuhn.db: played by {versions}, so it cannot be verified"),
    ]:
        done = arena(*words, env=installed)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(f"arena: {message}\n", done.stderr)
    assert arena("table", "kuhn.db", env=installed).returncode == 0  # this replays nothing


BEHAVIOUR = """
from pathlib import Path
from arena.games import find
from arena.show.tables.behaviour import behaviour_table
from arena.show.tables.text import text_grid
from arena.tournament.runs.behaviour import behaviour
from arena.tournament.runs.store import Store

with Store(Path("kuhn.db")) as store:
    played = [(game.bots, store.record(game.id)) for game in store.summaries()]
    print(text_grid(behaviour_table(find("poker"), behaviour(find("poker"), played))))
"""


def test_without_figures_its_bots_still_have_times(arena, installed, first_bot, checkout, tmp_path):
    bots = (first_bot, checkout / "bots" / "python" / "random_bot.py")
    arena("play", "poker", *bots, "--seed", 1, "--record", "kuhn.db", env=installed)
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
    kuhn = Path(installed["PYTHONPATH"]) / "poker.py"
    kuhn.write_text(kuhn.read_text() + FAILING.format(armed=str(armed)))


@pytest.mark.slow
def test_a_fault_of_the_arena_voids_the_seed_group_which_gets_another_deal(
    arena, installed, plan_file, tmp_path
):
    plan = plan_file("seats: 2\ngroups: 5\nseed: 1\n", game="poker")
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
    assert done.returncode == 0, "one of 31 games was void"
    verified = arena("verify", "void.db", env=installed).stdout
    assert "0 with problems" in verified and "no game of it failed" not in verified
    assert f"void: seed group {void}, deal 1, " in verified
    assert verified.count("RuntimeError: these rules have a mistake") == 1


def games_by_group(export: str) -> dict[str, list[dict]]:
    games: dict[str, list[dict]] = {}
    for line in export.splitlines():
        game = json.loads(line)
        games.setdefault(game["fixture"]["group"], []).append(game)
    return games


@pytest.mark.slow
def test_a_run_whose_games_are_all_void_stops_and_says_why(arena, installed, plan_file, tmp_path):
    break_rules(installed, tmp_path / "armed")
    kuhn = Path(installed["PYTHONPATH"]) / "poker.py"
    kuhn.write_text(kuhn.read_text().replace("os.unlink(", "open("))
    (tmp_path / "armed").touch()
    done = arena("run", plan_file("seed: 1\n", game="poker"), env=installed)
    assert done.returncode == 1
    assert "the arena itself failed" in done.stderr
    assert "RuntimeError: these rules have a mistake" in done.stderr
