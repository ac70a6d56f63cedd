"""The example of docs/learning.md: a policy that was trained for a moment is a bot."""

import json
import subprocess
import sys

import pytest
from samples import CHECKOUT

import arena

pytest.importorskip("pettingzoo")

FOLDER = CHECKOUT / "docs" / "examples" / "learning"


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_policy_becomes_a_bot_and_the_seed_decides_it(tmp_path):
    command = [sys.executable, str(FOLDER / "learn.py"), "--lessons", "6", "--practice", "6", "--seed", "3"]
    for name in ("one", "two"):
        done = subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
    policies = [(tmp_path / name / "policy.json").read_text() for name in ("one", "two")]
    assert policies[0] == policies[1] and json.loads(policies[0])["hidden"]
    assert "polyline" in (tmp_path / "one.svg").read_text()
    table = arena.table("complots", seats=4)
    bots = [arena.program(tmp_path / "one"), *[arena.program("house:first")] * 3]
    for seed in range(3):
        played = arena.play(table, bots, seed=seed)
        assert played.faults == ()
