"""The bot and the plan of README.md work as they stand there."""

import json
import re
import shutil

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
