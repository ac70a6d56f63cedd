"""Runs with language models, which a server on loopback plays: killed in the middle of a call, attacked."""

import json
import signal
import subprocess
import sys
import threading

import psutil
import pytest
from chat_server import chat_server, last_option

from arena.programs.sandbox.linux import landlock
from arena.tournament.runs.ledger import CallStore
from arena.tournament.runs.store import Store

pytestmark = pytest.mark.slow

KEY = "sk-canary-0123456789abcdef"
LIMIT_S = 60
PRICE = "price: {in: 1, out: 10}"  # a call of `chat_server` costs 0.002

# It looks for the key wherever a process of the same user might find it, and says what it found.
SPY = """#!/usr/bin/env python3
import os, sys
found, looked = [], 0
for pid in [each for each in os.listdir("/proc") if each.isdigit()]:
    for name in ("environ", "cmdline", "mem", "maps"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                looked += 1
                if b"sk-canary" in file.read(1 << 20):
                    found.append(f"{pid} {name}")
        except OSError:
            pass
print("looked" if looked else "blind", "found", found, dict(os.environ), file=sys.stderr, flush=True)
for line in sys.stdin:
    if line.startswith("ask"):
        print(line.split()[1], "ok" if line.split()[2] in ("hello", "ready") else "no option", flush=True)
"""


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """The variables with which a user starts the arena."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CANARY_API_KEY", KEY)


def write_plan(folder, host, opponent, more=""):
    path = folder / "plan.yaml"
    model = f"model: chat-1, at: 'http://{host}/v1', key_env: CANARY_API_KEY, {PRICE}"
    path.write_text(
        f"game: complots\nseats: 2\nseed: 1\ngroups: 1\nclock: {{move: 20s}}\n{more}"
        f"bots:\n  gpt: {{{model}}}\n  other: {opponent}\n"
    )
    return path


def test_after_a_kill_in_the_middle_of_a_call_no_answer_is_paid_twice_and_a_cassette_plays_the_same(
    arena, tmp_path, first_bot, environment
):
    reached, release = threading.Event(), threading.Event()

    def answer(number, body):
        if number == 5:
            reached.set()
            release.wait(LIMIT_S)
        return last_option(number, body)

    with chat_server(answer) as server:
        plan = write_plan(tmp_path, server.host, first_bot)
        words = ["run", str(plan), "--out", "run.db", "--allow", "127.0.0.1", "--model-games", "1"]
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen([sys.executable, "-m", "arena", *words], cwd=tmp_path, stderr=log)
            assert reached.wait(LIMIT_S)
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGKILL)
            process.wait()
            psutil.wait_procs(children, LIMIT_S)
        release.set()
        done = arena(*words)
        assert done.returncode == 0, done.stderr
        asked = [json.dumps(body["messages"]) for body in server.bodies]
        assert server.keys == {f"Bearer {KEY}"}
    with CallStore(tmp_path / "run.db.calls", writer=False) as calls:
        total, answered = calls.total(), [call for _, call in calls.calls()]
    assert total.lost == 1 and total.calls == len(answered) == len(asked) - 1
    assert " spent\n" in done.stderr
    (tmp_path / "run.cassette").write_text(arena("export", "run.db", "--format", "calls").stdout)
    done = arena("run", plan, "--out", "again.db", "--cassette", "run.cassette")
    assert done.returncode == 0, done.stderr
    exported = [arena("export", name, "--format", "jsonl").stdout for name in ("run.db", "again.db")]
    assert exported[0] == exported[1]
    for path in tmp_path.iterdir():
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_no_bot_finds_the_key_in_its_environment_or_in_proc(arena, tmp_path, environment):
    """In the tier `limits`, where it sees all processes. Even root finds it in no environment."""
    if not landlock.version():
        pytest.skip("not promised here: Landlock is missing")
    spy, shown = tmp_path / "spy.py", []
    spy.write_text(SPY)

    def answer(number, body):
        if number == 0:  # coordinator, workers and supervisors are there
            for process in psutil.Process().children(recursive=True):
                with open(f"/proc/{process.pid}/environ", "rb") as file:
                    shown.append(file.read())
        return last_option(number, body)

    with chat_server(answer) as server:
        plan = write_plan(tmp_path, server.host, spy, "sandbox: limits\n")
        done = arena("run", plan, "--out", "run.db", "--allow", server.host)
    assert done.returncode == 0, done.stderr
    assert server.keys == {f"Bearer {KEY}"}
    assert len(shown) >= 3 and not [each for each in shown if KEY.encode() in each]
    with Store(tmp_path / "run.db") as store:
        said = [text for game in store.summaries() for text in store.record(game.id).trace["stderr"].values()]
    assert said and all(text.startswith("looked found []") and KEY not in text for text in said), said
