"""`arena check`: what it prints, its exit status, and what it plays."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from subprocess import PIPE

import pytest

pytestmark = pytest.mark.slow  # real processes


def test_the_command_ends_with_0_if_all_is_well(arena, checkout):
    done = arena("check", checkout / "bots" / "python" / "random_bot.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\nno problems found\n")
    assert "games of complots with 2, 3, 4, 5, 6, 7, 8 seats" in done.stdout


def test_the_command_ends_with_1_if_there_is_a_problem(arena, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("print('ok', flush=True)\n")
    done = arena("check", bot, "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [each["verdict"] for each in found if each["verdict"] == "fault"]


def test_the_command_plays_the_games_that_the_bot_says_it_plays(arena, tmp_path, checkout):
    bot = tmp_path / "mine"
    bot.mkdir()
    (bot / "bot.py").write_text((checkout / "bots" / "python" / "random_bot.py").read_text())
    (bot / "bot.yaml").write_text("games: [intrigue, local]\nrun: [python3, bot.py]\n")
    done = arena("check", bot)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "games of intrigue" in done.stdout
    assert "games of local" in done.stdout
    assert "complots" not in done.stdout
    assert "complots" in arena("check", bot, "--game", "complots").stdout


def test_it_says_what_it_plays_on_stderr_and_nothing_to_programs(arena, checkout):
    bot = checkout / "bots" / "python" / "random_bot.py"
    started, *played = arena("check", bot).stderr.splitlines()
    assert started == "starts the bot"
    assert played[0] == "complots: game 1, 2 seats"
    assert any(line.endswith("with unknown words") for line in played)
    assert any("cast=inquisitor" in line for line in played)
    done = arena("check", bot, "--format", "json")
    assert done.stderr == ""
    assert {finding["verdict"] for finding in json.loads(done.stdout)} <= {"ok", "note"}
    assert {finding["bot"] for finding in json.loads(done.stdout)} == {str(bot)}


def test_a_bot_that_cannot_be_built_is_told_what_the_compiler_says(arena, tmp_path):
    (tmp_path / "make.sh").write_text("printf 'x.c:1: wrong\\n  1 | int\\033[2J\\n' >&2; exit 1\n")
    (tmp_path / "bot.yaml").write_text("build: [sh, make.sh]\nrun: [build/x]\n")
    done = arena("check", tmp_path)
    assert done.returncode == 1, done.stderr
    fault, *said, count = done.stdout.splitlines()
    assert fault == "FAULT builds    sh make.sh failed"
    assert said[:2] == ["        x.c:1: wrong", "          1 | int\\x1b[2J"]
    assert said[2].strip() == "change: fix what the compiler names; it runs in"
    assert count == "1 problem found"
    (tmp_path / "bot.yaml").write_text("build: ['true']\nrun: [build/x]\n")
    assert "FAULT builds    true failed: it has not made " in arena("check", tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nowhere",), "no such bot"),
        (("house:nowhere",), "no house bot 'nowhere'; arena bots lists them"),
        (("{bot}", "--game", "complot"), "no game 'complot'; did you mean complots?"),
        (("{bot}", "-o", "casst=inquisitor"), "casst: unknown option of complots; did you mean cast?"),
        (("{bot}", "-o", "cast"), "--option cast: should be KEY=VALUE"),
        (("{bot}", "-o", "must_coup_at=6"), "must_coup_at: should be a whole number from 7, not 6"),
        (("{bot}", "nowhere"), "nowhere: no such bot"),
        (("{bot}", "--plan", "nowhere.yaml"), "nowhere.yaml: no such file"),
        (("{bot}", "--plan", "p.yaml", "--game", "local"), "--plan sets the game, its options and the time"),
        (("{bot}", "-o", "starter=p9"), "starter: should be random, winner, p1, "),
        ((), "missing argument 'BOT...'"),
        (("{bot}", "--move", "1"), "--move: should be a time such as 500ms"),
    ],
)
def test_a_mistake_of_the_user_is_one_line(arena, checkout, words, why):
    bot = checkout / "bots" / "python" / "random_bot.py"
    done = arena("check", *(word.format(bot=bot) for word in words))
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


GOOD = """import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
"""


@pytest.fixture
def entries(tmp_path):
    """A contest: a good bot, one that is late, one that supports only small tables, and files of the host."""
    folder = tmp_path / "entries"
    for name in ("ann", "bob", "kim"):
        (folder / name).mkdir(parents=True)
        (folder / name / "bot.py").write_text(GOOD)
        (folder / name / "bot.yaml").write_text("run: [python3, bot.py]\n")
    (folder / "bob" / "bot.py").write_text(
        GOOD.replace("if words", "if 'action' in words: 0 / 0\n    if words")
    )
    (folder / "kim" / "bot.yaml").write_text("run: [python3, bot.py]\ngames: {complots: {seats: [2, 3]}}\n")
    (folder / "README.md").write_text("Welcome.\n")
    plan = "game: complots\nseats: 4\nclock: {move: 700ms}\noptions: {cast: inquisitor}\nbots: [entries/*]\n"
    (tmp_path / "plan.yaml").write_text(plan)
    return folder


def with_one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def test_a_folder_of_entries_gets_a_table(arena, entries):
    paths = sorted(entries.iterdir())
    done = arena("check", *paths)
    assert done.returncode == 1, done.stderr
    rows = {row.split()[0]: row for row in done.stdout.splitlines()}
    assert rows["README.md"].split()[1:3] == ["no", "bot"]
    assert rows["ann"].split()[1] == rows["kim"].split()[1] == "ok"
    assert rows["bob"].split()[1] == "FAULT" and "crashed: " in rows["bob"]
    assert all(len(row) <= 80 for row in done.stdout.splitlines()[:-1])
    assert done.stdout.endswith(f"1 of 3 bots have problems; for more: arena check {entries / 'bob'}\n")
    assert "ann (2 of 4): checked" in done.stderr
    alone = arena("check", *paths[1:3], preexec_fn=with_one_core).stderr
    assert "ann (1 of 2): complots: game 1, 2 seats" in alone
    assert "ZeroDivisionError" in arena("check", entries / "bob").stdout
    found = json.loads(arena("check", *paths, "--format", "json").stdout)
    assert {each["bot"] for each in found if each["verdict"] == "fault"} == {str(entries / "bob")}
    assert arena("check", entries / "ann", entries / "kim").returncode == 0
    (entries / "kim" / "bot.yaml").unlink()
    none = arena("check", entries / "README.md", entries / "kim")
    assert (none.returncode, none.stdout) == (2, "")
    assert "none of these is a bot, such as" in none.stderr and none.stderr.count("\n") == 1


def test_of_entries_with_one_name_all_but_one_are_wrong(arena, entries):
    """The one whose folder has the name is right, although it comes last."""
    shutil.copytree(entries / "bob", entries / "abe")
    (entries / "abe" / "bot.yaml").write_text("name: bob\nrun: [python3, bot.py]\n")
    done = arena("check", entries / "abe", entries / "bob")
    assert " ".join(done.stdout.split()).count("the name bob is taken by") == 1
    plan = entries.parent / "plan.yaml"
    plan.write_text("game: complots\nseats: 2\nname_from: folder\nbots: [entries/*]\n")
    assert "also that of" not in arena("check", entries / "abe", entries / "bob", "--plan", plan).stdout


def test_a_check_with_a_plan_plays_what_the_plan_plays(arena, entries):
    plan = entries.parent / "plan.yaml"
    done = arena("check", entries / "ann", "--plan", plan)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "games of complots with 4 seats" in done.stdout
    assert "limit 700" in done.stdout
    assert "starts the bot\ncomplots: game 1, 4 seats, cast=inquisitor\n" in done.stderr
    assert "options" not in done.stdout, "the plan plays no others"
    small = arena("check", entries / "kim", "--plan", plan)
    assert small.returncode == 1
    assert "does not support 4 seats, only 2 and 3" in " ".join(small.stdout.split())
    several = arena("check", entries / "ann", entries / "kim", "--plan", plan)
    assert several.stdout.endswith(f"for more: arena check {entries / 'kim'} --plan {plan}\n")


def test_a_bot_may_end_after_each_game_if_the_plan_starts_it_anew(arena, entries):
    plan, bot = entries.parent / "plan.yaml", entries / "ann"
    (bot / "bot.py").write_text(GOOD + "    if words[0] == 'end':\n        sys.exit()\n")
    kept = arena("check", bot, "--plan", plan)
    assert kept.returncode == 1 and "does not play a second game" in kept.stdout
    plan.write_text(plan.read_text() + "reuse: false\n")
    assert arena("check", bot, "--plan", plan).returncode == 0


def test_a_plan_without_seats_is_checked_with_those_that_it_plays(arena, entries):
    plan = entries.parent / "plan.yaml"
    plan.write_text("game: complots\nbots: [entries/*]\n")
    assert "games of complots with 3 seats" in arena("check", entries / "ann", "--plan", plan).stdout


def test_watching_checks_again_after_a_change_and_ctrl_c_ends_it_in_a_line(checkout, entries):
    bot = entries / "bob"
    command = [sys.executable, "-m", "arena", "check", bot, "--watch"]
    with subprocess.Popen(command, stdout=PIPE, stderr=subprocess.PIPE, text=True, cwd=entries) as watching:

        def until(end):
            seen = []
            for line in watching.stdout:
                seen.append(line)
                if line.endswith(end):
                    return "".join(seen)
            raise AssertionError("".join(seen))

        assert "ZeroDivisionError" in until("problem found\n")
        time.sleep(1.2)  # it watches now
        (bot / "bot.py").write_text(GOOD)
        assert "FAULT" not in until("no problems found\n")
        watching.send_signal(signal.SIGINT)
        out, said = watching.communicate(timeout=20)
        assert watching.returncode == 130 and out == ""
        assert said.splitlines()[-1] == "arena: no longer watching"
        assert "Traceback" not in said
