"""Clocks that are fair on a busy machine, with real bots that measure themselves by their own clocks."""

import multiprocessing
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import programs
import pytest
from plans import changed
from programs import fixture, kinds, misbehaving_bot, play, shell, table_with

from arena import games
from arena.play.meter import has_schedstat
from arena.play.table import Table
from arena.records.record import Record
from arena.sandbox.policy import LIMITS_ONLY, Sandbox

needs_figures = pytest.mark.skipif(not has_schedstat(), reason="the system does not tell what a process uses")

BURN = "end = time.process_time() + {}\n            while time.process_time() < end: pass"
TIGHT = {"move": 0.025, "start": 10.0}


def burners(number: int) -> list[Record]:
    """In a process of its own, as a worker of a run: games of two bots that compute 20 ms for each answer."""
    games.GAMES.update(programs.GAMES)
    bots = {name: replace(misbehaving_bot(move=BURN.format(0.02)), name=name) for name in ("a", "b")}
    with Table(bots) as table:
        return [table.play(fixture("a", "b", rounds=15, strikes=99, **TIGHT)) for _ in range(2)]


@pytest.mark.slow
@needs_figures
def test_on_a_busy_machine_only_bots_that_compute_too_long_are_late():
    """Two games for each core, and 5 ms to spare of 25: by the clock on the wall most answers are late.

    One in a hundred may be: the host of a virtual machine stops it now and then, which cannot be measured.
    """
    jobs = 2 * len(os.sched_getaffinity(0))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        records = [record for some in pool.map(burners, range(jobs), chunksize=1) for record in some]
    figures = [
        each for record in records for seat in record.trace["figures"].values() for each in seat.values()
    ]
    overtime = [wall for wall, _, _ in figures if wall > 25_000]
    assert len(figures) >= 60 * jobs
    assert len(overtime) > len(figures) / 4, "the machine was not busy"
    assert sum(len(record.faults) for record in records) <= len(figures) / 100


@needs_figures
@pytest.mark.attack("answer later than its limits allow")
@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(0.06)",
        BURN.format(0.06),
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "import select; select.select([], [], [], 0.06)",
        "import subprocess; subprocess.run(['sleep', '0.06'])",
    ],
    ids=["sleeps", "computes", "stops", "waits", "waits for a child"],
)
def test_a_bot_that_takes_too_long_is_late(code):
    assert kinds(play(misbehaving_bot(move=code), **TIGHT)) == ["late"] * 3


@needs_figures
@pytest.mark.slow
def test_a_bot_that_computes_with_many_threads_is_late():
    """Each of them has used only a part of the time; together they have used more than there was."""
    work = "hashlib.pbkdf2_hmac('sha256', b'', b'', 20_000)"
    threads = f"[threading.Thread(target=lambda: {work}) for _ in range(64)]"
    code = f"threads = {threads}; [each.start() for each in threads]; [each.join() for each in threads]"
    record = play(misbehaving_bot(start="import hashlib, threading", move=code))
    assert kinds(record) == ["late"] * 3


@needs_figures
def test_threads_that_compute_behind_an_answer_that_is_in_time_are_charged():
    """Two threads on two cores use 1.4 times the limit in 0.7 of it; with one core, more time passes."""
    work = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000)"
    code = f"import threading; threading.Thread(target=lambda: {work}, daemon=True).start(); "
    code += "end = time.process_time() + 0.28\n            while time.process_time() < end: pass"
    assert kinds(play(misbehaving_bot(start="import hashlib", move=code), same=False))[:1] == ["late"]


ORPHANS = """
import mmap
said = mmap.mmap(-1, 1)
for _ in range(8):
    if os.fork() == 0:
        if os.fork() == 0:
            os.close(1)
            while True:
                while said[0]: pass
                time.sleep(0.001)
        os._exit(0)
    os.wait()
"""


@pytest.fixture
def one_core():
    """All that is started meanwhile keeps to one core."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(everywhere)})
    yield
    os.sched_setaffinity(0, everywhere)


@needs_figures
@pytest.mark.slow
@pytest.mark.attack("compute in children off the clock")
def test_a_bot_that_waits_for_a_core_behind_its_orphans_is_late(tier, one_core):
    """It has hardly computed when they have for 0.8 s, and was not asleep."""
    code = "end = time.monotonic() + 0.8; said[0] = 1\n"
    code += " " * 12 + "while time.monotonic() < end: pass\n" + " " * 12 + "said[0] = 0"
    assert kinds(play(misbehaving_bot(start=ORPHANS, move=code), sandbox=tier, start=9)) == ["late"] * 3


STARVED = """
import mmap
said = mmap.mmap(-1, 1)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    os.close(1)
    while True: pass
"""


@needs_figures
@pytest.mark.slow
@pytest.mark.attack("compute in children off the clock")
def test_a_bot_with_one_child_that_waits_and_another_that_computes_is_late(tier, one_core):
    """The first waits behind the second at low priority; that time is not charged to any process."""
    child = (
        "os.fork() or (exec('while time.process_time() < 0.5: pass'), said.__setitem__(0, 1), os._exit(0))"
    )
    code = f"said[0] = 0; {child}\n" + " " * 12 + "while not said[0]: time.sleep(0.01)"
    assert kinds(play(misbehaving_bot(start=STARVED, move=code), sandbox=tier, start=9)) == ["late"] * 3


@needs_figures
def test_a_shell_script_that_starts_a_program_for_every_answer_is_charged_for_it():
    script = "while read -r verb id rest; do case $verb in ask) set -- ${rest#*: }; "
    bot = shell("misbehaving", script + 'case $rest in move*) sleep 0.3;; esac; echo "$id $1";; esac; done')
    assert kinds(play(bot)) == ["late"] * 3


def test_the_trace_has_the_figures_of_answers_that_took_long():
    with table_with(misbehaving_bot(move="time.sleep(0.15) if moves == 2 else 0")) as table:
        record = table.play(fixture("one", "misbehaving", "two"))
    assert record.faults == ()
    [(number, (wall, cpu, wait))] = record.trace["figures"][2].items()
    assert number == 2, "0 is ready, 1 the first move"
    assert wall >= 150_000 > max(cpu, wait)
    assert record.trace["microseconds"][1][2] == pytest.approx(max(cpu, wall - wait), abs=2)
    assert set(record.trace["figures"]) == {2}


@needs_figures
def test_in_a_box_the_bot_is_measured_and_not_what_is_around_it(box):
    code = "time.sleep(0.1) if moves == 2 else 0; " + BURN.format("0.1 * (moves == 2)")
    with table_with(misbehaving_bot(move=code), sandbox=box) as table:
        record = table.play(fixture("one", "misbehaving", "two", move=0.3))
    (wall, cpu, _) = record.trace["figures"][2][2]
    assert record.faults == ()
    assert wall >= 200_000 and 100_000 <= cpu <= 150_000


# Without pondering

THREAD = """
import threading
def think():
    while True: pass
threading.Thread(target=think, daemon=True).start()
"""

CHILD = """
child = os.fork()
if child == 0:
    {}
    while True: pass
"""


def thought(ponder: bool, start: str, used: str, sandbox: Sandbox = LIMITS_ONLY) -> float:
    """Processor seconds that a bot has used while another one was asked, for half a second in all."""
    each = f"print({used}, file=sys.stderr, flush=True)"
    bot = misbehaving_bot(start=start, move=f"{each}; time.sleep(0.01); {each}")
    slow = replace(misbehaving_bot(move="time.sleep(0.1)"), name="slow")
    with Table({"misbehaving": bot, "slow": slow}, sandbox=sandbox) as table:
        record = table.play(changed(fixture("misbehaving", "slow", move=1, rounds=6), ponder=ponder))
    assert record.faults == ()
    said = [float(line) for line in record.trace["stderr"][1].split()]
    return sum(after - before for before, after in zip(said[1::2], said[2::2], strict=False))


@pytest.mark.parametrize(("ponder", "low", "high"), [(True, 0.15, 1.0), (False, 0.0, 0.1)])
@pytest.mark.parametrize(
    ("start", "used"),
    [
        (THREAD, "time.process_time()"),
        (CHILD.format("pass"), "time.clock_gettime((~child << 3) | 2)"),
        (CHILD.format("os.setsid()"), "time.clock_gettime((~child << 3) | 2)"),
    ],
    ids=["thread", "child", "session"],
)
def test_without_pondering_only_the_bot_that_is_asked_thinks(start, used, ponder, low, high):
    assert low <= thought(ponder, start, used) <= high


@pytest.mark.parametrize("start", ["pass", "os.setsid()", "os.setsid(); os.fork() and os._exit(0)"])
def test_without_pondering_only_the_bot_that_is_asked_thinks_in_a_box_too(box, start):
    """Nor an orphan, which the box keeps with its bot; all of it computes while its bot waits."""
    ticks = "int(open(f'/proc/{each}/stat').read().split()[13])"
    all_but_bwrap = "(each for each in os.listdir('/proc') if each.isdigit() and each != '1')"
    used = f"sum({ticks} for each in {all_but_bwrap}) / os.sysconf('SC_CLK_TCK')"
    assert thought(False, CHILD.format(start), used, box) <= 0.1


def test_what_a_bot_has_stopped_itself_is_not_continued():
    """A child that has stopped itself is stopped at the next move, too, though the bot was paused between."""
    stop = "os.close(1)\n    os.kill(os.getpid(), signal.SIGSTOP)\n    time.sleep(9)"
    look = "time.sleep(0.02); print(open(f'/proc/{child}/stat').read().split()[2], file=sys.stderr)"
    bot = misbehaving_bot(start=f"child = os.fork()\nif child == 0:\n    {stop}", move=look)
    with table_with(bot) as table:
        record = table.play(changed(fixture("one", "misbehaving"), ponder=False))
    assert programs.heard(record, 1).split() == ["T"] * 4


def test_without_pondering_everything_else_is_as_it_was():
    """Answers, late answers that pay their debts, deaths, and leaving when told to."""
    for code, wanted in (
        ("pass", []),
        ("moves == 2 and time.sleep(0.3)", ["late"]),
        ("moves == 2 and os._exit(1)", ["crashed"]),
        ("answer += ' go'", ["illegal"] * 3),
    ):
        with table_with(misbehaving_bot(move=code)) as table:
            for _ in range(2):
                record = table.play(changed(fixture("one", "misbehaving", "two"), ponder=False))
                assert kinds(record) == wanted
            began = time.monotonic()
        assert time.monotonic() - began < 0.4, "no process has to be killed"


@needs_figures
def test_a_paused_bot_that_another_process_continues_is_charged():
    """Another process, here, continues it again and again while it is paused."""
    slow = replace(misbehaving_bot(move="time.sleep(0.15)"), name="slow")
    game = changed(fixture("misbehaving", *["slow"] * 4, rounds=2), ponder=False)
    with Table({"misbehaving": misbehaving_bot(start=THREAD), "slow": slow}) as table:
        table.play(game)
        pid = table._players["misbehaving", 0, 0, 0].pid
        over = threading.Event()
        waker = threading.Thread(target=keep_awake, args=(pid, over))
        waker.start()
        record = table.play(replace(game, seed="1"))
        over.set()
        waker.join()
    assert "late" in kinds(record)


def keep_awake(pid: int, over: threading.Event) -> None:
    while not over.wait(0.005):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
