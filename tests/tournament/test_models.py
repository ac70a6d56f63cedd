"""Runs with language models, which a server on loopback plays: killed in the middle of a call, attacked."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

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


def write_plan(folder, host, opponent, more="", groups=1):
    path = folder / "plan.yaml"
    model = f"model: chat-1, at: 'http://{host}/v1', key_env: CANARY_API_KEY, {PRICE}"
    path.write_text(
        f"game: complots\nseats: 2\nseed: 1\ngroups: {groups}\nclock: {{move: 20s}}\n{more}"
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
        process = play_in_background(tmp_path, *words)
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
    assert "spent" not in done.stderr, "nothing is paid for a cassette"
    exported = [arena("export", name, "--format", "jsonl").stdout for name in ("run.db", "again.db")]
    assert exported[0] == exported[1]
    for path in tmp_path.iterdir():
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("tier", ["limits", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def test_no_bot_finds_the_key_in_its_environment_or_in_proc(arena, tmp_path, environment, tier):
    """In the tier `limits` it sees all processes. Root finds it in no environment and no command line."""
    if tier == "limits" and not landlock.version():
        pytest.skip("not promised here: Landlock is missing")
    spy, shown = tmp_path / "spy.py", []
    spy.write_text(SPY)

    def answer(number, body):
        if number == 0:  # coordinator, workers and supervisors are there
            for process in psutil.Process().children(recursive=True):
                for name in ("environ", "cmdline"):
                    with suppress(ProcessLookupError, FileNotFoundError):  # it has ended meanwhile
                        shown.append(Path(f"/proc/{process.pid}/{name}").read_bytes())
        return last_option(number, body)

    with chat_server(answer) as server:
        plan = write_plan(tmp_path, server.host, spy, f"sandbox: {tier}\n")
        done = arena("run", plan, "--out", "run.db", "--allow", server.host)
    assert done.returncode == 0, done.stderr
    assert server.keys == {f"Bearer {KEY}"}
    assert len(shown) >= 6 and not [each for each in shown if KEY.encode() in each]
    with Store(tmp_path / "run.db") as store:
        said = [text for game in store.summaries() for text in store.record(game.id).trace["stderr"].values()]
    assert said and all(text.startswith("looked found []") and KEY not in text for text in said), said


def play_in_background(folder, *words):
    """The process of a command, whose messages go into the file `log`."""
    with (folder / "log").open("w") as log:
        command = [sys.executable, "-m", "arena", *map(str, words)]
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=log)


def test_a_worker_that_is_killed_in_the_middle_of_a_call_costs_that_call_alone(
    arena, tmp_path, first_bot, environment
):
    """The run goes on without a word to it, and sends no call twice that was answered."""
    asked, release = threading.Semaphore(0), threading.Event()

    def answer(number, body):
        if number >= 4:
            asked.release()
            release.wait(LIMIT_S)
        return last_option(number, body)

    with chat_server(answer) as server:
        plan = write_plan(tmp_path, server.host, first_bot, groups=2)
        words = ["run", plan, "--out", "run.db", "--allow", server.host, "--jobs", 1, "--model-games", 2]
        process = play_in_background(tmp_path, *words)
        for _ in range(2):  # a game of each seed group waits for an answer
            assert asked.acquire(timeout=LIMIT_S)
        started = psutil.Process(process.pid).children()
        workers = [each for each in started if "spawn_main" in " ".join(each.cmdline())]
        assert len(workers) == 3
        victim = max(workers, key=lambda each: each.create_time())
        victim.kill()
        psutil.wait_procs([victim], LIMIT_S)
        release.set()
        assert process.wait(LIMIT_S) == 0, (tmp_path / "log").read_text()
        asked_for = Counter(json.dumps(body["messages"]) for body in server.bodies)
    assert "killed by SIGKILL" in (tmp_path / "log").read_text()
    assert sorted(asked_for.values())[-2:] == [1, 2], (
        "the call that was cut off, and no other, was made again"
    )
    with CallStore(tmp_path / "run.db.calls", writer=False) as calls:
        total = calls.total()
    assert (total.calls, total.lost) == (len(asked_for), 1)
    done = arena("verify", "run.db")
    assert done.returncode == 0, done.stdout + done.stderr


# It says on stderr when it began and ended to think, by the clock that all processes share.
THINKER = """#!/usr/bin/env python3
import sys, time
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        began = time.monotonic()
        if words[2] not in ("hello", "ready"):
            time.sleep(0.02)
            print(began, time.monotonic(), file=sys.stderr, flush=True)
        print(words[1], words[words.index(":") + 1], flush=True)
"""


def test_no_more_bots_compute_at_once_than_there_are_slots(arena, tmp_path, environment):
    """However many games with models are played: here four on one slot, each with one bot that computes.

    They are of four seed groups; the other game of each follows, because it has the same deal.
    """
    thinker, together = tmp_path / "thinker.py", threading.Barrier(4)
    thinker.write_text(THINKER)

    def answer(number, body):
        if number < 4:  # the games go on together
            together.wait(LIMIT_S)
        return last_option(number, body)

    with chat_server(answer) as server:
        plan = write_plan(tmp_path, server.host, thinker, "", groups=4)
        done = arena("run", plan, "--out", "run.db", "--allow", server.host, "--jobs", 1, "--model-games", 4)
    assert done.returncode == 0, done.stderr
    with Store(tmp_path / "run.db") as store:
        said = [store.record(game.id).trace["stderr"] for game in store.summaries()]
    games = []
    for seats in said:
        (text,) = seats.values()
        games.append([tuple(map(float, line.split())) for line in text.splitlines()])
    assert len(games) == 8
    spans = sorted((times[0][0], times[-1][1]) for times in games)[:4]
    assert max(began for began, _ in spans) < min(ended for _, ended in spans), "they were played together"
    every = sorted(time for times in games for time in times)
    assert all(ended <= began for (_, ended), (began, _) in pairwise(every))


def test_a_spent_budget_stops_the_run_with_status_1_and_more_of_it_goes_on(
    arena, tmp_path, first_bot, environment
):
    with chat_server() as server:
        plan = write_plan(tmp_path, server.host, first_bot, "budget: 0.04\n")
        words = ["run", plan, "--out", "run.db", "--allow", server.host]
        done = arena(*words)
        assert done.returncode == 1
        *_, why, how = done.stderr.splitlines()
        assert re.fullmatch(
            r"stopped at the budget: 0\.\d+ of 0\.04 is spent or reserved, and the next .* 0\.\d+", why
        )
        assert how == (
            f"to go on, raise budget: in the plan, and repeat: arena run {plan} --out run.db "
            f"--allow {server.host}"
        )
        assert "rank" not in done.stdout and len(server.bodies) * 0.002 <= 0.04
        before = len(server.bodies)
        assert arena(*words).returncode == 1
        assert len(server.bodies) == before, "what is spent stays spent"
        plan.write_text(plan.read_text().replace("budget: 0.04", "budget: 5"))
        done = arena(*words)
        assert done.returncode == 0, done.stderr
        asked = [json.dumps(body["messages"]) for body in server.bodies]
    assert len(set(asked)) == len(asked)


def test_a_server_that_stays_away_ends_the_run_with_status_1_and_says_why(
    arena, tmp_path, first_bot, environment
):
    with chat_server() as server:
        host = server.host
    plan = write_plan(tmp_path, host, first_bot, groups=2)  # nobody listens there now
    plan.write_text(plan.read_text().replace(PRICE, "patience: 1s"))
    done = arena("run", plan, "--out", "run.db", "--allow", host)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    *_, why, how = done.stderr.splitlines()
    assert why.startswith("stopped, the server of a language model does not answer: game ")
    assert f" {host}: Connection refused; the game has waited for " in why
    assert how == f"go on later with: arena run {plan} --out run.db --allow {host}"
    with Store(tmp_path / "run.db") as store:
        assert not store.count() and not store.attempts(), "its deals are played later"
