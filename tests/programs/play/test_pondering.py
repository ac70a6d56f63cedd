"""Bots that may not think while another one is asked."""

import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import programs
import pytest
from plans import changed
from programs import AMPLE, fixture, kinds, misbehaving_bot, needs_figures, table_with

from arena.programs.play.table import ProgramTable
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox

pytestmark = pytest.mark.alone

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
    with ProgramTable({"misbehaving": bot, "slow": slow}, sandbox=sandbox) as table:
        record = table.play(changed(fixture("misbehaving", "slow", move=1, rounds=6), ponder=ponder))
    assert record.faults == ()
    said = [float(line) for line in record.trace["stderr"][1].split()]
    return sum(after - before for before, after in zip(said[1::2], said[2::2], strict=False))


@pytest.mark.slow
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


@pytest.mark.slow
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
    start = f"child = os.fork()\nif child == 0:\n    {stop}\nos.waitpid(child, os.WUNTRACED)"
    with table_with(misbehaving_bot(start=start, move=look)) as table:
        record = table.play(changed(fixture("one", "misbehaving", **AMPLE), ponder=False))
    assert programs.heard(record, 1).split() == ["T"] * 4


@pytest.mark.slow
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


@pytest.mark.slow
@needs_figures
def test_a_paused_bot_that_another_process_continues_is_charged():
    """Another process, here, continues it again and again while it is paused."""
    slow = replace(misbehaving_bot(move="time.sleep(0.15)"), name="slow")
    game = changed(fixture("misbehaving", *["slow"] * 4, rounds=2), ponder=False)
    with ProgramTable({"misbehaving": misbehaving_bot(start=THREAD), "slow": slow}) as table:
        table.play(game)
        (pid,) = (player.pid for (name, *_), player in table._players.items() if name == "misbehaving")
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
