"""What Tab completes: in bash as a person types it, in the other shells by Click's own protocol."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from samples import CHECKOUT

ARENA = Path(sys.executable).with_name("arena")
IN_BASH = """
eval "$(_ARENA_COMPLETE=bash_source arena)"
compopt() { COMPREPLY+=("<files>"); }  # what bash then completes by itself
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_arena_completion arena
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with two bots, a plan and a run that was never played."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "bot.yaml").write_text("run: [python3, bot.py]\n")
    (tmp_path / "two.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "mine.yaml").write_text("game: complots\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "mine.db").write_text("no run at all")
    return tmp_path


def completed(folder: Path, line: str) -> list[str]:
    """What bash offers at the end of a line."""
    path = f"{ARENA.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", IN_BASH, "bash", *line.split(" ")],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("arena expo", ["export"]),
        ("arena games ", ["complots", "local", "intrigue"]),
        ("arena compare --game in", ["intrigue"]),
        ("arena compare --game belote", []),
        ("arena compare -o cast=a", ["cast=ambassador"]),
        ("arena compare --game local -o reveal", []),
        ("arena compare ", ["one", "two.py"]),
        ("arena compare o", ["one"]),
        ("arena compare nowhere/", ["<files>"]),
        ("arena play lo", ["local"]),
        ("arena play local ", ["human", "one", "two.py"]),
        ("arena check --plan ", ["mine.yaml", "quickstart"]),
        ("arena run ", ["mine.yaml", "quickstart"]),
        ("arena new java", ["java", "javascript"]),
        ("arena table se", ["seats"]),
        ("arena table los ", ["runs/mine.db"]),
        ("arena table --rating me", ["method="]),
        ("arena table x", ["<files>"]),
        ("arena exclude runs/mine.db ", []),
    ],
)
def test_bash_completes_commands_games_options_bots_plans_and_runs(folder, line, words):
    assert completed(folder, line) == words


def test_the_bots_of_a_run_are_completed(arena, tmp_path):
    first = CHECKOUT / "bots" / "shell" / "first.sh"
    arena("play", "complots", first, first, "--seed", "1", "--record", "run.db")
    assert completed(tmp_path, "arena exclude run.db f") == ["first", "first-2"]


@pytest.mark.parametrize(
    ("shell", "words", "said"),
    [
        ("zsh", {"COMP_WORDS": "arena games lo", "COMP_CWORD": "2"}, "plain\nlocal\n_\n"),
        ("fish", {"COMP_WORDS": "arena games lo", "COMP_CWORD": "lo"}, "plain,local\n"),
    ],
)
def test_zsh_and_fish_complete_too(shell, words, said):
    command = [ARENA]
    source = subprocess.run(
        command, env=os.environ | {"_ARENA_COMPLETE": f"{shell}_source"}, capture_output=True, text=True
    )
    assert "_ARENA_COMPLETE" in source.stdout
    environment = os.environ | words | {"_ARENA_COMPLETE": f"{shell}_complete"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (said, "")
