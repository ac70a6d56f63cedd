"""What Tab completes: in bash as a person types it, in the other shells by Click's own protocol."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from stored_runs import stored_run

from arena.cli import main

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


def completed(line: str) -> list[str]:
    """What is offered at the end of a line."""
    _, *words, last = line.split(" ")
    found = ShellComplete(main, {}, "arena", "_ARENA_COMPLETE").get_completions(words, last)
    return ["<files>" if each.type == "file" else each.value for each in found]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("arena ex", ["exclude", "explain", "export"]),
        ("arena games ", ["complots", "local", "intrigue"]),
        ("arena compare --game in", ["intrigue"]),
        ("arena compare --game belote", []),
        ("arena compare -o cast=a", ["cast=ambassador"]),
        ("arena compare --game local -o reveal", []),
        ("arena compare ", ["one", "two.py"]),
        ("arena compare o", ["one"]),
        ("arena compare nowhere/", ["<files>"]),
        ("arena compare house:co", ["house:counting"]),
        ("arena play local two.py house:li", ["house:liar"]),
        ("arena run mine.yaml house:li", ["house:liar"]),
        ("arena bots in", ["intrigue"]),
        ("arena play lo", ["local"]),
        ("arena play local ", ["human", "one", "two.py"]),
        ("arena check --plan ", ["mine.yaml", "quickstart"]),
        ("arena run ", ["mine.yaml", "quickstart"]),
        ("arena new java", ["java", "javascript"]),
        ("arena table se", ["seats"]),
        ("arena table los ", ["runs/mine.db"]),
        ("arena table --rating me", ["method="]),
        ("arena table x", ["<files>"]),
        *((f"arena {command} ru", ["runs/mine.db"]) for command in ("list", "replay", "verify", "reveal")),
        ("arena rehearse runs/mine.db 1 ", ["one", "two.py"]),
        ("arena exclude runs/mine.db ", []),
        ("arena list --only ", ["faults", "won", "lost"]),
        ("arena re", ["rehearse", "reveal", "replay", "report", "review"]),
        ("arena compare --sprt model", ["model=logistic"]),
        ("arena run --engine d", ["dask"]),
    ],
)
def test_commands_games_options_bots_plans_and_runs_are_completed(folder, line, words, monkeypatch):
    monkeypatch.chdir(folder)
    assert sorted(completed(line)) == sorted(words)


def test_the_bots_of_a_run_are_completed(tmp_path, monkeypatch):
    stored_run(tmp_path / "run.db", games=2)
    monkeypatch.chdir(tmp_path)
    for command in ("exclude run.db", "list run.db"):
        assert completed(f"arena {command} c") == ["cat"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("arena exclu", "exclude\n"),
        ("arena check ", "one\ntwo.py\n"),
        ("arena table x", "<files>\n"),
        ("arena compare two.py house : li", "liar\n"),
        ("arena compare house : first house : li", "liar\n"),
    ],
)
def test_bash_completes_a_line(folder, line, said):
    done = subprocess.run(
        ["bash", "-c", IN_BASH, "bash", *line.split(" ")],
        cwd=folder,
        env=os.environ | {"PATH": f"{ARENA.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == (said, "")


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
