"""Language models on a real Dask cluster: the coordinator has the ledger, and the workers have the keys."""

import os
import signal
import subprocess
import sys
import threading

import psutil
import pytest
from chat_server import chat_server, last_option
from clusters import dask_cluster

from arena.tournament.runs.ledger import CallStore

pytestmark = pytest.mark.slow

KEY = "sk-canary-0123456789abcdef"
LIMIT_S = 90


@pytest.fixture
def without_key(tmp_path, monkeypatch):
    """The environment of the coordinator, which has no key."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CANARY_API_KEY", raising=False)


def write_plan(folder, host, opponent, more=""):
    path = folder / "plan.yaml"
    price = "price: {in: 1, out: 10}"  # a call of `chat_server` costs 0.002
    path.write_text(
        f"game: complots\nseats: 2\nseed: 1\ngroups: 2\nclock: {{move: 20s}}\n{more}bots:\n"
        f"  gpt: {{model: chat-1, at: 'http://{host}/v1', key_env: CANARY_API_KEY, {price}}}\n"
        f"  other: {opponent}\n"
    )
    return path


def spending(run):
    with CallStore(run.with_name(f"{run.name}.calls"), writer=False) as calls:
        return calls.total()


def assert_no_file_has_the_key(folder):
    for path in folder.iterdir():
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_a_worker_and_a_coordinator_killed_in_the_middle_of_a_call_cost_that_call_alone(
    arena, tmp_path, first_bot, without_key
):
    reached, release = {4: threading.Event(), 9: threading.Event()}, threading.Event()

    def answer(number, body):
        if number in reached:
            release.clear()
            reached[number].set()
            release.wait(LIMIT_S)
        return last_option(0, body)

    with chat_server(answer) as server, dask_cluster(tmp_path) as cluster:
        nanny = cluster.worker("worker", CANARY_API_KEY=KEY)
        plan = write_plan(tmp_path, server.host, first_bot)
        words = ["run", str(plan), "--out", "run.db", "--allow", "127.0.0.1", "--engine", cluster.address]
        with (tmp_path / "said").open("w") as said:
            process = subprocess.Popen([sys.executable, "-m", "arena", *words], cwd=tmp_path, stderr=said)
            assert reached[4].wait(LIMIT_S), (tmp_path / "said").read_text()
            for each in psutil.Process(nanny.pid).children(recursive=True):
                if "arena" not in " ".join(each.cmdline()):
                    each.kill()
            release.set()
            assert reached[9].wait(LIMIT_S), (tmp_path / "said").read_text()
            process.send_signal(signal.SIGKILL)
            process.wait()
            release.set()
        done = arena(*words)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in (tmp_path / "said").read_text() + done.stderr
        there = len(server.bodies)
        assert server.keys == {f"Bearer {KEY}"}
        words[words.index("run.db")], words[-1] = "here.db", "local"
        assert arena(*words, env=os.environ | {"CANARY_API_KEY": KEY}).returncode == 0
    total = spending(tmp_path / "run.db")
    assert (total.lost, total.calls) == (2, there - 2)
    assert total.calls == spending(tmp_path / "here.db").calls > 9
    assert arena("export", "run.db").stdout == arena("export", "here.db").stdout
    assert_no_file_has_the_key(tmp_path)


def test_the_budget_holds_over_all_workers_and_one_without_the_key_gets_no_games(
    arena, tmp_path, first_bot, without_key
):
    """And a cassette plays the same, where no worker has a key."""
    with chat_server(lambda number, body: last_option(0, body)) as server, dask_cluster(tmp_path) as cluster:
        cluster.worker("poor")
        words = ["--out", "run.db", "--allow", "127.0.0.1", "--engine", cluster.address]
        plan = write_plan(tmp_path, server.host, first_bot, "budget: 0.06\n")
        done = arena("run", plan, *words)
        assert done.returncode == 2
        (line,) = [each for each in done.stderr.splitlines() if each.startswith("arena:")]
        assert line.startswith("arena: worker tcp://127.0.0.1:")
        assert line.endswith(" gets no games: CANARY_API_KEY is not set; put the key of the server there")
        for number in range(2):
            cluster.worker(f"rich{number}", CANARY_API_KEY=KEY)
        done = arena("run", plan, *words)
        assert done.returncode == 1 and "stopped at the budget: " in done.stderr
        assert 0.03 < spending(tmp_path / "run.db").cost <= 0.06
        write_plan(tmp_path, server.host, first_bot, "budget: 1\n")
        done = arena("run", plan, *words)
        assert done.returncode == 0, done.stderr
        assert spending(tmp_path / "run.db").calls == len(server.bodies)
        (tmp_path / "cassette").write_text(arena("export", "run.db", "--format", "calls").stdout)
        done = arena("run", plan, "--out", "again.db", *words[2:], "--cassette", "cassette")
        assert done.returncode == 0, done.stderr
    assert arena("export", "again.db").stdout == arena("export", "run.db").stdout
    assert_no_file_has_the_key(tmp_path)
