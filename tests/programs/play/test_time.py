"""Bots that are late, or compute for too long: clocks are fair on a busy machine, and charge children too."""

import multiprocessing
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from burners import BURN, TIGHT, burners
from programs import (
    AMPLE,
    PLAIN,
    READY,
    fixture,
    heard,
    kinds,
    misbehaving_bot,
    needs_figures,
    play,
    shell,
    table_with,
    words,
)

from arena import games
from arena.programs.play.table import ProgramTable
from arena.programs.sandbox.policy import Sandbox
from arena.referee.conditions import Limits

pytestmark = pytest.mark.alone


@pytest.mark.slow
@pytest.mark.attack("answer later than its limits allow")
@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(100)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "os.write(1, answer.encode()); continue",  # no newline, ever
        "os.close(0); time.sleep(100)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(100)",
        "exec('while True: pass')",
        "time.sleep(0.25)",  # late, each time, and pays its debts
    ],
)
def test_silence_is_late_until_it_costs_the_game(code):
    record = play(misbehaving_bot(move=code), game="duel")
    assert kinds(record) == ["late"] * 3
    assert words(record) == "no answer to move in time; played stay"
    assert record.forfeits == (1,)


@pytest.mark.slow
def test_overdue_answers_cost_no_further_strikes():
    """Each answer comes while the others are asked."""
    record = play(misbehaving_bot(move="time.sleep(0.25)"), move=0.2, strikes=4, rounds=3)
    assert kinds(record) == ["late"] * 3
    assert record.forfeits == ()


@pytest.mark.slow
def test_a_bot_that_never_reads_is_late():
    record = play(shell("misbehaving", f"{READY} exec sleep 100"))
    assert kinds(record) == ["late"] * 3


@pytest.mark.slow
def test_a_bot_that_never_reads_does_not_delay_the_game():
    """The pipe is full after a part of the first round's news; the rest waits here, and costs nothing."""
    record = play(shell("misbehaving", f"{READY} exec sleep 100"), game="gossip", move=0.5)
    assert kinds(record) == ["late"] * 3


def test_a_bot_that_reads_slowly_gets_everything():
    """News of 80 kB a round go through the pipe in pieces, while the others wait for nothing."""
    bot = misbehaving_bot(
        start="total = 0",
        news="total += len(line); total % 10_000 < 1000 and time.sleep(0.005)",
        each="words[2] == 'ready' and print(total, file=sys.stderr, flush=True)",
    )
    with table_with(bot) as table:
        record = table.play(fixture("one", "misbehaving", "two", game="gossip", rounds=2, **AMPLE))
        assert record.faults == ()
        said = heard(table.play(fixture("one", "misbehaving", rounds=1, **AMPLE)), 1)
    assert int(said) > 160_000, "told when the next game begins"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exec sleep 100", "no 'ok' to hello within 0.5 s"),
        ("kill -STOP $$", "no 'ok' to hello within 0.5 s"),
        ("echo ok; exec sleep 100", "no 'ok' to ready in time"),
        ("printf ok; exec sleep 100", "no 'ok' to hello within 0.5 s"),
        ("exec 0<&-; exec sleep 100", "no 'ok' to hello within 0.5 s"),
        ("echo 'a walnut'; echo OK; exec sleep 100", "no 'ok' to hello within 0.5 s; the last line was 'OK'"),
        (
            r"printf '\033[1mok\n'; exec sleep 100",
            "no 'ok' to hello within 0.5 s; the last line was a line with control characters "
            r"(no colours on stdout): '\x1b[1mok'",
        ),
        (
            "echo ok; read -r hello; read -r game; read -r ready; echo Ready; exec sleep 100",
            "no 'ok' to ready in time; the last line was 'Ready'",
        ),
    ],
)
def test_a_bot_that_does_not_answer_before_the_game_is_unstarted(script, why):
    record = play(shell("misbehaving", script), start=0.5)
    assert kinds(record) == ["unstarted"]
    assert words(record) == why


@pytest.mark.slow
def test_a_bot_may_be_slow_to_start_if_the_start_limit_allows_it():
    record = play(misbehaving_bot(start="time.sleep(0.5)"), start=5)
    assert record.faults == ()


@pytest.mark.slow
@pytest.mark.parametrize("code", ["os.kill(os.getpid(), signal.SIGSTOP)", "time.sleep(100)"])
def test_silence_is_late_in_a_box_too(box, code):
    assert kinds(play(misbehaving_bot(move=code), sandbox=box)) == ["late"] * 3


@pytest.mark.slow
def test_the_time_of_the_referee_before_it_asks_is_not_charged(monkeypatch):
    """The clock starts when the ask is written, not when the last answer came."""
    relay = games.INSTALLED["relay"]

    def slow_view(position: object, seat: int | None) -> list[str]:
        time.sleep(0.02)
        return relay.view(position, seat)

    monkeypatch.setitem(games.INSTALLED, "relay", replace(relay, view=slow_view))
    with ProgramTable({name: shell(name, PLAIN) for name in ("one", "two")}) as table:
        record = table.play(fixture("one", "two", game="relay"))
    times = [each for seat in record.trace["microseconds"] for each in seat[1:]]
    assert len(times) > 4 and sorted(times)[len(times) // 2] < 10_000


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


@pytest.mark.slow
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


@pytest.mark.slow
@needs_figures
def test_a_bot_that_computes_with_many_threads_is_late():
    """Each of them has used only a part of the time; together they have used more than there was."""
    work = "hashlib.pbkdf2_hmac('sha256', b'', b'', 20_000)"
    threads = f"[threading.Thread(target=lambda: {work}) for _ in range(64)]"
    code = f"threads = {threads}; [each.start() for each in threads]; [each.join() for each in threads]"
    record = play(misbehaving_bot(start="import hashlib, threading", move=code))
    assert kinds(record) == ["late"] * 3


@pytest.mark.slow
@needs_figures
def test_threads_that_compute_behind_an_answer_that_is_in_time_are_charged():
    """Two threads on two cores use 1.4 times the limit in 0.7 of it; with one core, more time passes."""
    work = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000)"
    code = f"import threading; threading.Thread(target=lambda: {work}, daemon=True).start(); "
    code += "end = time.process_time() + 0.28\n            while time.process_time() < end: pass"
    assert kinds(play(misbehaving_bot(start="import hashlib", move=code), same=False))[:1] == ["late"]


@pytest.fixture
def one_core():
    """All that is started meanwhile keeps to one core."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(everywhere)})
    yield
    os.sched_setaffinity(0, everywhere)


@pytest.mark.slow
@needs_figures
def test_a_bot_that_waits_for_a_core_may_be_ready_later(one_core):
    """It computes for 15 ms of 25, beside eight programs that compute all the time, each in a session."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(8)
    ]
    try:
        with table_with(misbehaving_bot(when="ready", move=BURN.format(0.015))) as table:
            records = [table.play(fixture("one", "misbehaving", "two", **TIGHT)) for _ in range(3)]
    finally:
        for each in busy:
            each.kill()
            each.wait()
    assert "unstarted" not in [kind for record in records for kind in kinds(record)]
    assert all(record.trace["microseconds"][1][0] > 3 * 25_000 for record in records[1:]), "it did not wait"


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


@pytest.mark.slow
@needs_figures
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


@pytest.mark.slow
@needs_figures
@pytest.mark.attack("compute in children off the clock")
def test_a_bot_with_one_child_that_waits_and_another_that_computes_is_late(tier, one_core):
    """The first waits behind the second at low priority; that time is not charged to any process."""
    child = (
        "os.fork() or (exec('while time.process_time() < 0.5: pass'), said.__setitem__(0, 1), os._exit(0))"
    )
    code = f"said[0] = 0; {child}\n" + " " * 12 + "while not said[0]: time.sleep(0.01)"
    assert kinds(play(misbehaving_bot(start=STARVED, move=code), sandbox=tier, start=9)) == ["late"] * 3


@pytest.mark.slow
@needs_figures
def test_a_shell_script_that_starts_a_program_for_every_answer_is_charged_for_it():
    script = "while read -r verb id rest; do case $verb in ask) set -- ${rest#*: }; "
    bot = shell("misbehaving", script + 'case $rest in move*) sleep 0.3;; esac; echo "$id $1";; esac; done')
    assert kinds(play(bot)) == ["late"] * 3


@pytest.mark.slow
def test_the_trace_has_the_figures_of_answers_that_took_long():
    with table_with(misbehaving_bot(move="time.sleep(0.15) if moves == 2 else 0")) as table:
        record = table.play(fixture("one", "misbehaving", "two"))
    assert record.faults == ()
    [(number, (wall, cpu, wait))] = record.trace["figures"][2].items()
    assert number == 2, "0 is ready, 1 the first move"
    assert wall >= 150_000 > max(cpu, wait)
    assert record.trace["microseconds"][1][2] == pytest.approx(max(cpu, wall - wait), abs=2)
    assert set(record.trace["figures"]) == {2}


@pytest.mark.slow
@needs_figures
def test_in_a_box_the_bot_is_measured_and_not_what_is_around_it(box):
    code = "time.sleep(0.1) if moves == 2 else 0; " + BURN.format("0.1 * (moves == 2)")
    with table_with(misbehaving_bot(move=code), sandbox=box) as table:
        record = table.play(fixture("one", "misbehaving", "two", move=0.3))
    (wall, cpu, _) = record.trace["figures"][2][2]
    assert record.faults == ()
    assert wall >= 200_000 and 100_000 <= cpu <= 150_000


@pytest.mark.slow
def test_computing_for_too_long():
    short = Sandbox(replace(Limits(), cpu=1))
    record = play(misbehaving_bot(move="exec('while True: pass')"), sandbox=short, move=9)
    assert kinds(record) == ["crashed"]
    assert words(record) == "used more than 1 s of CPU time"


@pytest.mark.slow
def test_a_process_that_has_computed_much_is_replaced_between_games():
    """So that no game begins with little CPU time left. It has used over half when the second game ends."""
    work = "exec('while time.process_time() < 0.6: pass')"
    bot = misbehaving_bot(start="print(os.getpid(), file=sys.stderr)", move=f"words[1] == '5' and {work}")
    with table_with(bot, sandbox=Sandbox(replace(Limits(), cpu=1))) as table:
        said = [heard(table.play(fixture("one", "misbehaving", rounds=1, move=5)), 1) for _ in range(3)]
    assert said[0] and not said[1] and said[2] not in ("", said[0])


@pytest.mark.slow
def test_busy_threads_beside_a_game(tier):
    """64 of them, spinning from the beginning to the end. The others have all the time they need."""
    thread = "threading.Thread(target=exec, args=('while True: pass',), daemon=True).start()"
    start = f"import threading\n[{thread} for _ in range(64)]"
    record = play(misbehaving_bot(start=start), sandbox=tier, move=5, start=5, same=False)
    assert {fault.seat for fault in record.faults} <= {1}


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["threads", "sessions"])
def test_a_bot_that_computes_while_others_are_asked_does_not_use_up_their_time(tier, whose):
    """The other needs a third of its second, and would not get it in three beside 28 that spin.

    A system may share out the processor by sessions, so that 28 of them are worse than 28 threads.
    """
    spin = "exec('while True: pass')"
    start = {
        "threads": f"[os.fork() or {spin} for _ in range(28)]",
        "sessions": f"[os.fork() or (os.setsid(), {spin}) for _ in range(28)]",
    }[whose]
    work = "exec('end = time.process_time() + 0.3\\nwhile time.process_time() < end: pass')"
    thinker = replace(misbehaving_bot(move=work), name="two")
    bots = {"misbehaving": misbehaving_bot(start=start), "two": thinker, "one": shell("one", PLAIN)}
    with ProgramTable(bots, sandbox=tier) as table:
        assert table.play(fixture("misbehaving", "one", move=1, start=20)).faults == ()
        assert table.play(fixture("two", "one", move=1, rounds=2)).faults == (), "while it waits for a game"
        assert table.play(fixture("misbehaving", "two", move=1, rounds=2)).faults == (), "while it plays"
