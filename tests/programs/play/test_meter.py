"""What processes use, measured from outside: real ones, and what they tell of themselves."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from programs import needs_figures

from arena.programs.play.meter import Meter
from arena.programs.sandbox.linux import procfs
from arena.referee.clock import TimeUsage

pytestmark = [needs_figures, pytest.mark.alone]

BURN = "def burn(s):\n end = time.process_time() + s\n while time.process_time() < end: pass\n"
THREADS = "[threading.Thread(target=burn, args=(0.3,), daemon=True).start() for _ in range({})]"


@pytest.fixture
def program():
    """Starts a Python program that says a line when it begins, and another when it has run its code."""
    started = []

    def start(code: str, before: str = "pass") -> subprocess.Popen:
        source = f"import os, signal, subprocess, sys, threading, time\n{BURN}{before}\n"
        source += (
            f"print(1, flush=True)\nsys.stdin.readline()\n{code}\nprint(2, flush=True)\nsys.stdin.readline()"
        )
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        started.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def measured(process: subprocess.Popen) -> TimeUsage:
    """What its code takes."""
    meter = Meter(process.pid)
    meter.choose_thread()
    meter.start()
    meter.started = time.monotonic()
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.stdout.readline()
    figures = meter.read(time.monotonic())
    meter.close()
    return figures


@pytest.mark.slow
def test_computing_is_processor_time(program):
    figures = measured(program("burn(0.1)"))
    assert 0.1 <= figures.cpu < 0.13
    assert figures.cpu <= figures.charged <= figures.wall


@pytest.mark.slow
def test_what_was_used_before_does_not_count(program):
    figures = measured(program("pass", before="burn(0.2)"))
    assert figures.cpu < 0.05


@pytest.mark.slow
def test_sleeping_is_charged_and_is_neither_computing_nor_waiting(program):
    figures = measured(program("time.sleep(0.1)"))
    assert figures.cpu < 0.05
    assert figures.charged > 0.09


@pytest.mark.slow
def test_waiting_for_a_core_is_not_charged(program):
    """Three programs share one core with the one that is measured."""
    core = {max(os.sched_getaffinity(0))}
    pin = f"os.sched_setaffinity(0, {core})"
    others = [program("burn(10)", before=pin) for _ in range(3)]
    process = program("burn(0.1)", before=pin)
    for other in others:
        other.stdin.write(b"\n")
        other.stdin.flush()
    figures = measured(process)
    assert figures.wall > 0.2
    assert figures.wait > 0.1
    assert figures.charged < 0.16


@pytest.mark.slow
@pytest.mark.parametrize("where", ["before", "code"])
def test_the_time_of_all_threads_adds_up(program, where):
    """Whether they were there before the ask, or began with it."""
    start = f"gate = threading.Event()\n{THREADS.format(8).replace('burn', 'work')}"
    work = "def work(s):\n gate.wait()\n burn(s)\n"
    burn = "gate.set()\nburn(0.3)"
    before, code = (work + start, burn) if where == "before" else (work, f"{start}\n{burn}")
    figures = measured(program(code, before=before))
    assert 0.3 <= figures.cpu < 0.4


def test_a_bot_that_has_had_children_is_charged_wall_time(program):
    """It may have disowned them, and then their time is in no account. Waiting would be no excuse."""
    meter = Meter(program("pass").pid, has_had_children=lambda: True)
    meter.start()
    figures = meter.read(meter.started + 1)
    assert (figures.wall, figures.cpu, figures.wait) == (1, 0, 0)
    meter.close()


@pytest.mark.slow
def test_the_waiting_of_the_thread_that_has_computed_most_counts(program):
    """As in Java, whose first thread only waits for the one that it has started."""
    core = {max(os.sched_getaffinity(0))}
    pin = f"os.sched_setaffinity(0, {core})"
    others = [program("burn(10)", before=pin) for _ in range(3)]
    gate = "ready, go, done = (threading.Event() for _ in range(3))"
    work = "def work():\n burn(0.6)\n ready.set()\n go.wait()\n burn(0.1)\n done.set()\n time.sleep(9)\n"
    before = f"{pin}\n{gate}\n{work}threading.Thread(target=work, daemon=True).start()\nready.wait()"
    process = program("go.set()\ndone.wait()", before=before)
    for other in others:
        other.stdin.write(b"\n")
        other.stdin.flush()
    figures = measured(process)
    assert figures.wall > 0.2
    assert figures.wait > 0.1
    assert figures.charged < 0.16


def test_a_thread_that_has_ended_is_measured_no_more(program):
    """The busiest when the bot said hello may be gone later. Then that of the program itself counts."""
    before = "ready, gate = threading.Event(), threading.Event()\n"
    before += "def work():\n burn(0.6)\n ready.set()\n gate.wait()\n"
    before += "thread = threading.Thread(target=work, daemon=True)\nthread.start()\nready.wait()"
    process = program(
        "gate.set(); thread.join(); print(3, flush=True); sys.stdin.readline(); burn(0.1)", before
    )
    meter = Meter(process.pid)
    meter.choose_thread()
    assert meter._busiest != process.pid
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.stdout.readline()
    while procfs.threads(process.pid) > 1:
        time.sleep(0.01)
    meter.choose_thread()
    assert meter._busiest == process.pid
    meter.close()


@pytest.mark.slow
def test_a_program_that_waits_for_a_core_may_have_been_waiting_all_the_time(program):
    """The system counts the time in the queue only when it has ended."""
    process = program("burn(10)")
    meter = Meter(process.pid)
    meter.start()
    meter.started = time.monotonic()
    process.stdin.write(b"\n")
    process.stdin.flush()
    time.sleep(0.05)
    figures = meter.read(time.monotonic(), waiting=True)
    assert figures.charged == pytest.approx(figures.cpu)
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(0.2)
    figures = meter.read(time.monotonic(), waiting=True)
    assert figures.charged >= figures.cpu + 0.15, "a process that has stopped itself does not wait for a core"
    meter.close()


def test_a_process_that_has_ended_is_measured_as_well_as_may_be(program):
    process = program("os._exit(0)")
    meter = Meter(process.pid)
    meter.start()
    meter.started = time.monotonic() - 1
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert meter.read(time.monotonic()).charged >= 0.9, "a zombie"
    process.wait()
    assert meter.read(time.monotonic(), waiting=True).charged >= 0.9, "and then nothing at all"
    meter.start()
    meter.close()


def test_children_and_threads_are_found(program):
    parent = program("pass", before="child = subprocess.Popen(['sleep', '9'], stdout=2)")
    assert len(procfs.tree(parent.pid)) == 2
    assert procfs.threads(parent.pid) == 1
    assert procfs.threads(program("pass", before=THREADS.format(1)).pid) == 2


def test_a_reading_serves_asks_that_follow_at_once(program):
    """What a process uses before the next ask is charged only if the reading before it is used again."""
    for tolerance, charged in ((60.0, True), (0.0, False)):
        process = program("burn(0.2)")
        meter = Meter(process.pid)
        meter.start()
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        meter.start(tolerance)
        meter.started = time.monotonic()
        assert (meter.read(time.monotonic()).cpu >= 0.19) == charged
