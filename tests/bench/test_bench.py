"""The benchmark of starts and of the referee, in small."""

import json
import shutil
import sys
from math import isclose
from time import sleep

import costs
import pytest
from samples import CHECKOUT

from arena.bench.bots import fast_bot
from arena.bench.referee import Turn, ask_cost
from arena.bench.runs import TimeLimit, load
from arena.cli.bench import limit_lines
from arena.programs.machine import arena_build, cpu_model, is_compiled, python_build

pytestmark = pytest.mark.alone


def test_the_cost_of_an_ask_is_the_median_of_the_turns():
    turns = [Turn(seconds, 1e-3, 1, [10] * 10) for seconds in (1e-3, 2e-3, 9e-3)]
    cost = ask_cost(2, [5e-6, 6e-6, 7e-6], turns)
    assert (cost.games, cost.asks) == (3, 30)
    found = (cost.ask_us, cost.bare_us, cost.overhead_us, cost.cpu_us, cost.games_per_s)
    for value, expected in zip(found, (200, 6, 194, 100, 250), strict=True):
        assert isclose(value, expected)


@pytest.mark.slow
def test_a_core_without_a_ready_process_is_idle():
    """One child that computes, and two cores: half of their time is idle."""
    with load(1):
        sampler = costs.IdleSampler(2)
        sampler.start()
        sleep(1.5)
        sampler.stop()
    assert 0.45 <= sampler.share <= 0.55
    assert costs.IdleSampler(2).share is None


def test_it_says_whether_the_promise_of_the_limit_holds():
    assert TimeLimit(900, 2, 10_000, 1).holds and not TimeLimit(900, 2, 10_000, 2).holds
    assert "NOT" not in "".join(limit_lines(TimeLimit(900, 2, 10_000, 1)))
    assert "does NOT hold" in "".join(limit_lines(TimeLimit(900, 2, 10_000, 2)))


def test_the_load_ends():
    with load(1) as burners:
        assert burners[0].poll() is None
    assert burners[0].poll() is not None


def test_the_machine_is_described():
    assert cpu_model() and python_build()
    assert arena_build() == ("compiled" if is_compiled() else "interpreted")
    match = sys.modules["arena.rules.match"].__file__
    assert is_compiled() == (not match.endswith(".py"))


def test_a_language_that_is_missing_is_skipped_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert costs.language_line("lua", tmp_path).endswith(" skipped: lua: not found on this machine")


@pytest.mark.slow
def test_without_a_compiler_the_fast_bot_is_in_python(tmp_path, monkeypatch):
    for tool in ("python3", "sh"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fast_bot(tmp_path / "built").name == "python"


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.sandbox
def test_it_measures_the_same_for_people_and_programs(arena):
    done = arena("bench", "--games", 100, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["bot"]["name"] == "c", "no checkout is needed"
    assert found["machine"]["arena"] == arena_build()
    two, four = found["asks"]
    assert (two["seats"], four["seats"]) == (2, 4)
    assert found["ask_us"] == two["ask_us"] > found["bare_us"] > 0
    assert found["overhead_us"] == two["overhead_us"] > 0
    for each in (two, four):
        assert 0 < each["p50_us"] <= each["p99_us"] <= each["p999_us"]
    assert [each["around"] for each in found["starts"]] == ["nothing", "limits", "bubblewrap"]
    starts = [each["start_ms"] for each in found["starts"]]
    assert 0 < starts[0] < starts[2], "a box costs more than nothing"
    assert [(each["bot"], each["seats"]) for each in found["runs"]] == [("c", 2), ("c", 4), ("python", 2)]
    assert all(each["games_per_s"] > 0 for each in found["runs"])
    assert found["time_limit"]["move_ms"] >= 1 and found["time_limit"]["answers"] > 1000


@pytest.mark.slow
def test_threads_of_a_bot_and_many_games_cost_the_referee_next_to_nothing(tmp_path):
    bot = fast_bot(tmp_path)
    assert costs.metering(bot, 50).ratio < 1.5, "1.1 is aimed at"
    (line,) = costs.memory_lines(bot, 250)
    assert float(line.partition(": ")[2].split()[0]) < 5


@pytest.mark.slow
def test_a_bot_of_the_user_is_measured(arena):
    done = arena("bench", CHECKOUT / "bots" / "python" / "random_bot.py", "--games", 20, "--only", "asks")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "the bot is random_bot: " in lines[2]
    assert [line.split("  ")[0] for line in lines[3:]][::3] == [
        f"{seats} seats, one table, one core" for seats in (2, 4)
    ]


@pytest.mark.slow
def test_who_says_nothing_cannot_be_measured(arena, tmp_path):
    (tmp_path / "silent.sh").write_text("exit 0\n")
    done = arena("bench", "silent.sh")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["arena: the bot does not answer hello"]
