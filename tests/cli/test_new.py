"""`arena new`, as far as it needs no compiler, and the quickstart that comes with the arena."""

import json
import os
import re

import pytest

from arena.programs import kits
from arena.programs.reading import read_bot
from arena.tournament import schedule
from arena.tournament.plan.load import load_plan, part_with


def test_it_writes_a_bot_and_says_what_to_do_next(told, tmp_path):
    assert told("new", "python", "bots/mine", "--game", "intrigue").splitlines() == [
        "Python: bots/mine/bot.py has the strategy, bots/mine/bot.yaml how to run it",
        "bots/mine/AGENTS.md says how to check and to measure it, on a page",
        "next: arena check bots/mine",
        "      arena play intrigue bots/mine bots/mine bots/mine --seed 1",
    ]
    assert told("new", "python", "other").endswith("\n      arena run quickstart other\n")
    bot = read_bot(tmp_path / "bots" / "mine")
    assert (bot.name, [*bot.games], bot.author) == ("mine", ["intrigue"], kits.author())


@pytest.mark.parametrize(
    ("name", "language"), [("C++", "cpp"), ("c#", "csharp"), ("js", "javascript"), ("Python", "python")]
)
def test_a_language_has_its_usual_names(name, language):
    assert kits.find_language(name) == language


@pytest.mark.parametrize("name", ["12", "true", "null", "0x1", "é", "1e3", "a.b+c"])
def test_a_name_that_looks_like_a_number_stays_a_name(name, tmp_path):
    kits.create("python", tmp_path / name, "complots")
    assert read_bot(tmp_path / name).name == name


def test_the_list_of_languages_is_for_people_and_programs(told):
    assert told("new").splitlines()[2].startswith("python")
    python = json.loads(told("new", "--format", "json"))[0]
    assert (python["language"], python["needs"]) == ("python", "python3")


def test_what_it_has_written_is_for_programs_too(told):
    assert json.loads(told("new", "bash", "mine", "--game", "local", "--format", "json")) == {
        "source": "mine/bot.sh",
        "manifest": "mine/bot.yaml",
        "notes": "mine/AGENTS.md",
        "game": "local",
        "language": "bash",
        "missing": [],
        "next": ["arena check mine", "arena play local mine mine --seed 1"],
    }


def test_the_current_folder_may_be_the_one(told, tmp_path):
    told("new", "python", ".")
    assert read_bot(tmp_path).name == tmp_path.name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pyton", "mybot"), "no kit for 'pyton'; did you mean python?"),
        (("cobol", "mybot"), "no kit for 'cobol'; known are python, c, cpp, rust, go,"),
        (("python", "mybot", "--game", "complot"), "no game 'complot'; did you mean complots?"),
        (
            ("python", "my bot"),
            "my bot: the bot has the name of its folder, and a name has only letters, digits",
        ),
        (("python", "_bot"), "_bot: the bot has the name of its folder, and a name has only letters, digits"),
        (("python", "full"), "full: has files already; name a new or an empty folder"),
        (("python", "full/file"), "full/file: File exists"),
        (("python",), "missing argument 'FOLDER'; see arena new --help"),
    ],
)
def test_a_mistake_gets_one_line_and_writes_nothing(words, message, refused, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    assert f"arena: {message}" in refused("new", *words)
    assert os.listdir(tmp_path) == ["full"] and os.listdir(tmp_path / "full") == ["file"]
    assert (tmp_path / "full" / "file").read_text() == "mine"


def test_the_list_says_what_this_machine_lacks(told, tmp_path, monkeypatch):
    for tool in ("python3", "javac"):
        (tmp_path / tool).write_text("#!/bin/sh\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    lines = told("new").splitlines()
    rows = {line.split()[0]: line for line in lines[2:]}
    assert list(rows) == list(kits.LANGUAGES) and all(len(line) <= 80 for line in lines)
    assert rows["python"].endswith("ready")
    assert rows["java"].endswith("java    apt-get install default-jdk-headless")
    assert rows["csharp"].endswith("apt-get install mono-mcs mono-runtime")
    assert "this machine lacks lua: apt-get install lua5.4\nnext: " in told("new", "lua", "mybot")


def test_the_quickstart_needs_no_checkout(told):
    assert told("plan", "quickstart", "--no-trial").startswith("quickstart: complots, 6 bots\n")


@pytest.mark.parametrize("name", ["quickstart", "quickstart.yaml"])
def test_an_own_quickstart_comes_first(name, told, tmp_path, plan_file):
    plan_file().rename(tmp_path / name)
    assert told("plan", "quickstart", "--no-trial").startswith("quickstart: complots, 3 bots\n")


def test_bots_of_the_command_line_join_those_of_a_plan(tmp_path, plan_file):
    plan, mine = plan_file(), kits.create("python", tmp_path / "mine", "complots").parent
    (tmp_path / "other.sh").write_text("exit\n")
    assert list(load_plan(plan, more=[mine, tmp_path / "other.sh"]).bots)[-2:] == ["mine", "other"]
    assert len(load_plan(kits.quickstart(), more=[mine]).bots) == 7


@pytest.mark.parametrize(
    ("own", "games", "groups", "every"), [(1, 640, 8, 1120), (2, 1760, 8, 2240), (3, 1776, 4, 4032)]
)
def test_the_quickstart_plays_the_games_of_own_bots_first(tmp_path, own, games, groups, every):
    for number in range(own):
        (tmp_path / f"mine{number}.sh").write_text("exit\n")
    whole = load_plan(kits.quickstart(), more=sorted(tmp_path.iterdir()))
    mine = {name for name in whole.bots if name.startswith("mine")}
    part = part_with(whole, mine)
    told = schedule.describe(part)
    assert schedule.size(part) == games and f" x {groups} groups x 4 rotations = {games} games\n" in told
    assert told.endswith(f"for at most 2 minutes; --full plays all {every} games")
    due = list(schedule.due(part, {}))
    assert len(due) == games and all(mine & set(game.bots) for game in due)
    assert {game.id for game in due} < {game.id for game in schedule.due(whole, {})}
    assert part.identity() == whole.identity()  # so that --full may go on with the run


@pytest.mark.slow
def test_the_quickstart_stops_after_its_time_and_has_the_games_of_the_house_bots(told, monkeypatch):
    told("new", "python", "mine")
    monkeypatch.setattr("arena.tournament.plan.load._PART_SECONDS", 6.0)
    shown = told("run", "quickstart", "mine", "--jobs", 1)
    assert 480 < int(re.findall(r"(\d+) games in", shown)[0]) < 1120
    assert "games replayed, 0 with problems" in told("verify", "runs/quickstart.db")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody"], "arena: {folder}/nobody: no such bot"),
        (["mine", "mine"], "arena: mine: the name mine is taken by mine; to keep both, give one a name"),
        (["bot0.sh"], "arena: bot0.sh: the name bot0 is taken by plan.yaml:6:3: bots: bot0; to keep both"),
        (["a b.sh"], "arena: a b.sh: a name has only letters, digits"),
        (["_a.sh"], "at most 32, and begins with a letter or a digit"),
        (["empty"], "arena: {folder}/empty/bot.yaml: no such file"),
    ],
)
def test_a_wrong_bot_on_the_command_line_gets_one_line(words, message, refused, tmp_path, plan_file):
    kits.create("python", tmp_path / "mine", "complots")
    (tmp_path / "empty").mkdir()
    for name in ("bot0.sh", "a b.sh", "_a.sh"):
        (tmp_path / name).write_text("exit\n")
    assert message.format(folder=tmp_path) in refused("run", plan_file().name, *words)


def test_a_ladder_has_its_bots_in_its_folder(refused, tmp_path):
    (tmp_path / "entries").mkdir()
    (tmp_path / "ladder.yaml").write_text("game: complots\nformat: ladder\nbots: entries\n")
    said = refused("run", "ladder.yaml", "mine")
    assert "ladder.yaml:3:1: bots: a ladder has its bots in this folder; put mine there" in said


@pytest.mark.slow
def test_a_new_bot_gets_a_place_in_a_table(arena, plan_file):
    arena("new", "python", "mine")
    done = arena("run", plan_file("seed: 1\ngroups: 20\nseats: 2\n"), "mine", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["standings"][0]["bot"] == "mine"
