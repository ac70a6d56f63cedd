"""The bot and the plan of README.md work as they stand there."""

import json
import os
import re
import shutil
import subprocess

from samples import CHECKOUT

from arena.tournament.plan.load import load_plan

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", README, re.S)[1]


def test_the_bot_has_ten_lines_and_no_faults(arena, tmp_path):
    assert len(block("python").splitlines()) <= 10
    (tmp_path / "tycoon.py").write_text(block("python"))
    done = arena("play", "complots", *["tycoon.py"] * 3, "--seed", "1", "--format", "json")
    assert json.loads(done.stdout)["faults"] == []


def test_the_plan_has_eight_lines_and_can_be_read(tmp_path):
    assert len(block("yaml").splitlines()) == 8
    (tmp_path / "tycoon.py").write_text(block("python"))
    (tmp_path / "contest.yaml").write_text(block("yaml"))
    shutil.copytree(CHECKOUT / "bots", tmp_path / "bots")
    assert set(load_plan(tmp_path / "contest.yaml").bots) == {"tycoon", "counting", "miser"}


def test_the_second_command_is_what_ci_runs():
    second = re.findall(r"```sh\n(.*?)```", README, re.S)[1]
    done = subprocess.run([CHECKOUT / ".ci" / "test-command"], capture_output=True, text=True, check=True)
    assert done.stdout == second and second.endswith("'.[test]' && .venv/bin/pytest\n")


def test_ci_runs_scripts_in_less_than_90_minutes():
    """A program that runs CI ends it then."""
    checks = re.findall(r"^check (\d+) ([\w-]+)$", (CHECKOUT / ".ci" / "run").read_text(), re.M)
    assert sum(int(minutes) for minutes, _ in checks) <= 88
    scripts = [CHECKOUT / ".ci" / name for _, name in checks]
    assert len(scripts) == 7 and all(os.access(script, os.X_OK) for script in scripts)
