"""Whole runs of a ladder: bots are added, changed and removed while it runs."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from plans import changed

from arena.config.document import ConfigError
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.show.tables.standings import live
from arena.show.tables.text import text_grid
from arena.tournament.engine.local import Local
from arena.tournament.ladder import CHECK_INTERVAL_S, LadderEntries, playable, run
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store

FIRST = (
    """while read -r verb id rest; do case $verb in ask) set -- ${rest#*: }; echo "$id $1";; esac; done\n"""
)


@pytest.fixture
def ladder(tmp_path):
    """A plan and its folder of two bots."""
    folder = tmp_path / "entries"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.sh").write_text(FIRST)
    (folder / "README.md").write_text("no bot\n")
    path = tmp_path / "plan.yaml"
    path.write_text("game: complots\nformat: ladder\nseats: 2\nseed: 1\ngames: 20\nbots: entries\n")
    return path, folder


@pytest.mark.slow
def test_a_ladder_stops_and_goes_on_with_other_bots(arena, ladder, tmp_path):
    path, folder = ladder
    done = arena("run", path, "--out", "run.db")
    assert done.returncode == 0, done.stderr
    assert "a ladder of the bots in" in done.stderr and "on the ladder: one, two" in done.stderr
    assert "20 games in 10 seed groups" in done.stdout
    (folder / "one.sh").write_text(FIRST + "# changed\n")
    (folder / "two.sh").rename(folder / "three.sh")
    (folder / "broken.sh").write_text("exit 3\n")
    path.write_text(path.read_text().replace("games: 20", "games: 40"))
    done = arena("run", path, "--out", "run.db")
    assert done.returncode == 0, done.stderr
    assert "bot broken is left out until it changes: " in done.stderr
    assert "on the ladder: one, three" in done.stderr
    rows = json.loads(arena("table", "run.db", "--format", "json").stdout)["standings"]
    played = {row["bot"].partition("@")[0] + "@" * ("@" in row["bot"]): row["games"] for row in rows}
    assert played == {"one": 20, "one@": 20, "two": 20, "three": 20}


def test_a_ladder_keeps_authors_apart_and_waits_while_there_are_too_few(ladder):
    path, folder = ladder
    path.write_text(path.read_text() + "teams: apart\nhours: 0.0003\n")
    for name, author in (("one", "Ann"), ("two", "Ann"), ("three", "Bob")):
        (folder / f"{name}.sh").unlink(missing_ok=True)
        (folder / name).mkdir()
        (folder / name / "bot.sh").write_text(FIRST)
        (folder / name / "bot.yaml").write_text(f"run: [sh, bot.sh]\nauthor: {author}\n")
    (folder / "three").rename(path.parent / "three")
    said = []
    with Store(path.parent / "run.db", writer=True) as store:

        def play(plan):
            run(plan, store, partial(Local, jobs=1), lambda progress: None, said.append, LIMITS_ONLY)

        play(load_plan(path))
        assert said[-1].endswith("2 bots by one author are too few for 2 seats; waiting for more")
        (path.parent / "three").rename(folder / "three")
        plan = changed(load_plan(path), hours=None)
        play(plan)
        met = {frozenset(game.bots) for game in store.played().values()}
    assert met == {frozenset(("one", "three")), frozenset(("two", "three"))}
    assert plan.identity()["teams"] == "apart"


@pytest.mark.slow
def test_bots_join_a_ladder_while_it_runs(ladder, tmp_path):
    path, folder = ladder
    path.write_text(path.read_text().replace("games: 20\n", ""))
    command = [sys.executable, "-m", "arena", "run", path, "--out", "run.db"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        await_bots(tmp_path / "run.db", {"one", "two"})
        (folder / "late.sh").write_text(FIRST)
        (folder / "broken.py").write_text("syntax error\n")
        await_bots(tmp_path / "run.db", {"one", "two", "late"})
        (folder / "broken.py").unlink()
        (folder / "broken.sh").write_text(FIRST)
        await_bots(tmp_path / "run.db", {"one", "two", "late", "broken"})
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in errors
    assert "bot broken is left out until it changes: " in errors
    assert "on the ladder: broken, late, one, two" in errors


def test_the_live_table_has_a_row_for_each_version(ladder, tmp_path):
    """The names in the standings: the current version by its name, old ones with their fingerprints."""
    path, folder = ladder

    def last_picture(games):
        pictures, plan = [], changed(load_plan(path), games=games)
        with Store(tmp_path / "run.db", writer=True) as store:
            run(
                plan,
                store,
                partial(Local, jobs=1),
                lambda now: pictures.append(text_grid(live(now.plan, now.played))),
                print,
                LIMITS_ONLY,
            )
        return sorted(re.findall(r"(?:one|two)\S*", pictures[-1]))

    assert last_picture(20) == ["one", "two"]
    made = LadderEntries(folder).read()["one"][1]
    (folder / "one.sh").write_text(FIRST + "# changed\n")
    assert last_picture(40) == ["one", f"one@{made[:6]}", "two"]


def test_a_ladder_that_nobody_is_on_says_so_and_ends(arena, ladder):
    path, folder = ladder
    path.write_text(path.read_text().replace("games: 20", "hours: 0.0001"))
    for bot in folder.glob("*.sh"):
        bot.unlink()
    done = arena("run", path, "--out", "run.db")
    assert done.returncode == 0 and done.stdout.startswith("no games yet\n")
    assert done.stderr.endswith("entries: 0 bots are too few for 2 seats; waiting for more\n")


@pytest.mark.slow
def test_a_ladder_of_broken_bots_says_once_what_it_waits_for(ladder, tmp_path):
    path, folder = ladder
    for bot in folder.glob("*.sh"):
        bot.write_text("exit 3\n")
    command = [sys.executable, "-m", "arena", "run", path, "--out", "run.db"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        words = "entries: 0 bots are too few for 2 seats; waiting for more, or for a change in one, two\n"
        assert any(line.endswith(words) for line in iter(process.stderr.readline, ""))
        time.sleep(2 * CHECK_INTERVAL_S)
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=20)
    assert process.returncode == 130 and words not in rest and "Traceback" not in rest


@pytest.mark.slow
def test_a_ladder_that_waits_goes_on_as_soon_as_bots_are_fixed(ladder, tmp_path):
    """Without a terminal, a line now and then says that the run still waits."""
    path, folder = ladder
    (folder / "two.sh").write_text("exit 3\n")
    command = [sys.executable, "-m", "arena", "run", path, "--out", "run.db"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        wanting = "1 bots are too few for 2 seats; waiting for more, or for a change in two"
        lines = iter(process.stderr.readline, "")
        assert any(line.endswith(f"entries: {wanting}\n") for line in lines)
        assert (next(lines), next(lines)) == ("0 of 20 games, 0 faults\n", f"{wanting}\n")
        (folder / "two.sh").write_text(FIRST)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and "on the ladder: one, two" in errors
    with Store(tmp_path / "run.db") as store:
        assert len(store.played()) == 20


def await_bots(path, names) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with Store(path) as store:
                if {bot for game in store.played().values() for bot in game.bots} == names:
                    return
        except ConfigError:  # it does not exist yet
            pass
        time.sleep(0.1)
    raise AssertionError(f"{names} do not all play")


def test_bots_are_played_from_copies(ladder, tmp_path):
    """Changes in the folder do not affect a bot that is playing."""
    _, folder = ladder
    (folder / "c").mkdir()
    (folder / "c" / "bot.yaml").write_text("run: [sh, bot.sh]\nbuild: [cp, source, bot.sh]\n")
    (folder / "c" / "source").write_text(FIRST)
    said, failed = [], {}
    entries = LadderEntries(folder)
    bots = playable(entries.read(), tmp_path / "copies", failed, said.append)
    assert set(bots) == {"one", "two", "c"} and said == ["building bot c"]
    assert all(tmp_path / "copies" in bot.folder.parents for bot in bots.values())
    assert (bots["c"].folder / "bot.sh").read_text() == FIRST
    (folder / "one.sh").write_text(FIRST + "# changed\n")
    assert entries.have_changed()
    (folder / "one.sh").write_text(FIRST)
    assert entries.have_changed()  # until the folder is read again, whatever happens to it
    (folder / "one.sh").write_text(FIRST + "# changed\n")
    again = playable(entries.read(), tmp_path / "copies", failed, said.append)
    assert again["one"].fingerprint != bots["one"].fingerprint and again["two"] == bots["two"]


def test_a_bot_has_the_name_in_its_bot_yaml_or_that_of_its_file_or_folder(ladder):
    _, folder = ladder
    for name, text in (("v1.1", "name: alice\n"), ("v1.2", ""), ("one", "")):
        entry(folder / name, text)
    assert names_of(LadderEntries(folder)) == {
        "alice": "v1.1", "v1.2": "v1.2", "one": "one", "one.sh": "one.sh", "two": "two.sh"
    }  # fmt: skip


def test_names_may_come_from_folders_alone(ladder):
    _, folder = ladder
    entry(folder / "m", "name: alice\n")
    found = names_of(LadderEntries(folder, names_by_folder=True))
    assert found == {"m": "m", "one": "one.sh", "two": "two.sh"}


def test_no_entry_takes_the_name_of_another(ladder):
    _, folder = ladder
    entries = LadderEntries(folder)
    entry(folder / "m", "name: alice\n")
    assert names_of(entries) == {"alice": "m", "one": "one.sh", "two": "two.sh"}
    entry(folder / "a", "name: alice\n")  # comes before m, and wants its name
    entry(folder / "b", "name: two\n")
    assert names_of(entries) == {"alice": "m", "a": "a", "b": "b", "one": "one.sh", "two": "two.sh"}
    entry(folder / "z", "name: m\n")  # wants the name that m falls back to
    assert names_of(entries) == {
        "alice": "m", "a": "a", "b": "b", "z": "z", "one": "one.sh", "two": "two.sh"
    }  # fmt: skip
    shutil.rmtree(folder / "z")
    entry(folder / "alice", "")  # its folder has this name
    assert names_of(entries) == {
        "alice": "alice", "m": "m", "a": "a", "b": "b", "one": "one.sh", "two": "two.sh"
    }  # fmt: skip


def entry(folder, text):
    folder.mkdir()
    (folder / "bot.yaml").write_text(f"{text}run: [sh, bot.sh]\n")


def names_of(entries):
    return {name: path.name for name, (path, _) in entries.read().items()}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a b.sh", FIRST, "a name has only letters"),
        ("+a.sh", FIRST, "begins with a letter or a digit"),
        ("bad/bot.yaml", "run: []\n", "bot.yaml:1:1: run: "),
        ("bad/bot.yaml", "run: [sh, x]\nbuild: ['false']\n", "build failed"),
    ],
)
def test_what_is_no_bot_is_left_out_until_it_changes(ladder, tmp_path, name, text, words):
    _, folder = ladder
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    said, failed = [], {}
    for _ in range(2):  # the message comes once
        found = playable(LadderEntries(folder).read(), tmp_path / "copies", failed, said.append)
        assert set(found) == {"one", "two"}
    (line,) = [line for line in said if "is left out until it changes" in line]
    assert words in line
    path.write_text(text + "# changed\n")
    playable(LadderEntries(folder).read(), tmp_path / "copies", failed, said.append)
    assert (
        sum("is left out" in line for line in said) == 2 or "bot.yaml:1" in words
    )  # the message for the same mistake is not repeated


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("bots: entries", "bots: nowhere"), "nowhere: no such folder"),
        (("bots: entries", "bots: {a: entries/one.sh, b: entries/two.sh}"), "should be a folder"),
        (("format: ladder\nseats: 2\nseed: 1\ngames: 20", "seed: 1"), "a folder needs format: ladder"),
        (("seed: 1", "groups: 3"), "groups: does not apply here"),
        (("seats: 2\n", ""), "a ladder needs seats:"),
    ],
)
def test_plans_of_ladders(ladder, change, words):
    path, _ = ladder
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ConfigError, match=words):
        load_plan(path)
