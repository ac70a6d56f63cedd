"""Bots that close stdout, or whose children keep it open."""

import os
import time
from dataclasses import replace

import pytest
from programs import AMPLE, PLAIN, fixture, heard, kinds, misbehaving_bot, play, shell, table_with, words

from arena.programs.play.player import Player
from arena.programs.play.table import ProgramTable

pytestmark = pytest.mark.alone


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system does not tell of it")
@pytest.mark.parametrize(
    "child",
    [
        "time.sleep(1000)",
        "exec('while True: os.write(1, answer.encode())')",
        "os.execvp('yes', ['yes', answer])",
    ],
)
@pytest.mark.parametrize("game", ["relay", "duel"])
def test_a_child_that_keeps_stdout_open_does_not_hide_the_death_of_a_bot(child, game):
    """There is no end of output, but the process has ended; its children may not play on for it."""
    bot = misbehaving_bot(
        start="signal.signal(signal.SIGPIPE, signal.SIG_DFL)", move=f"os.fork() and os._exit(1); {child}"
    )
    record = play(bot, game=game, same=False, **AMPLE)
    assert record.forfeits == (1,)
    if "sleep" in child:
        assert kinds(record) == ["crashed"]
        assert words(record) == "exited with status 1"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system does not tell of it")
def test_what_a_bot_said_before_its_death_counts_though_a_child_keeps_stdout_open():
    answer_and_die = "print(answer, flush=True); os.fork() and os._exit(1); time.sleep(1000)"
    record = play(misbehaving_bot(move=answer_and_die), **AMPLE)
    assert [(fault.kind, fault.reply) for fault in record.faults] == [("crashed", 5)]
    assert record.replies[1] == {1: "stay"}


@pytest.mark.slow
def test_a_bot_that_closes_stdout_is_killed_before_the_end_of_the_game():
    """It would take the processor from the others for as long as they think."""
    beat = "print(time.time(), file=sys.stderr)"
    bot = misbehaving_bot(move=f"os.close(1); [({beat}, time.sleep(0.01)) for _ in range(10_000)]")
    steady = replace(misbehaving_bot(move="time.sleep(0.2)"), name="two")
    with ProgramTable({"misbehaving": bot, "two": steady}) as table:
        record = table.play(fixture("misbehaving", "two", move=1, rounds=10))
        end = time.time()
    assert kinds(record) == ["crashed"]
    assert end - float(heard(record, 0).split()[-1]) > 1, "the game went on for two seconds without it"


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.025, 0.2, 20])
def test_a_bot_that_closes_stdout_in_a_box_has_crashed_without_a_wait(box, limit):
    """Bubblewrap has it open all the same. However short the time is: it was not late."""
    began = time.monotonic()
    record = play(misbehaving_bot(move="os.close(1); time.sleep(100)"), sandbox=box, move=limit)
    assert [(fault.kind, fault.detail) for fault in record.faults] == [("crashed", "closed its stdout")]
    assert time.monotonic() - began < 10


@pytest.mark.slow
@pytest.mark.parametrize("chatter", ["misbehaving", "one"])
def test_noise_on_stderr_does_not_hide_that_a_box_has_closed_its_stdout(box, chatter):
    """Its own, or an opponent's: one byte after another, for as long as the game lasts."""
    chat = "import os\nwhile True: os.write(2, b'x')"
    talk = f"import threading\nthreading.Thread(target=exec, args=({chat!r},), daemon=True).start()"
    starts = {"misbehaving": "pass", "one": "pass", chatter: talk}
    with table_with(
        misbehaving_bot(start=starts["misbehaving"], move="os.close(1); time.sleep(9)"), sandbox=box
    ) as table:
        table.bots["one"] = replace(misbehaving_bot(start=starts["one"]), name="one")
        began = time.monotonic()
        record = table.play(fixture("misbehaving", "one", move=5, start=10, rounds=1))
        assert time.monotonic() - began < 4
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(0, "crashed")]


@pytest.mark.slow
def test_an_answer_before_the_last_check_of_a_box_counts(box, monkeypatch):
    """It comes while the loop finds out that the bot can give no more."""
    stdout_closed = Player.has_closed_stdout.fget
    monkeypatch.setattr(
        Player, "has_closed_stdout", property(lambda player: time.sleep(0.1) or stdout_closed(player))
    )
    record = play(
        misbehaving_bot(move="time.sleep(0.1); print(answer, flush=True); os.close(1); time.sleep(9)"),
        sandbox=box,
        rounds=1,
        move=1,
    )
    assert record.replies[1] == {1: "stay"}
    assert record.faults == ()


@pytest.mark.slow
def test_a_bot_that_closes_stdout_in_a_box_before_hello_is_unstarted(box):
    record = play(shell("misbehaving", "exec 1>&-; sleep 100"), sandbox=box)
    assert words(record) == "closed its stdout before it answered hello"


@pytest.mark.slow
def test_a_child_may_answer_for_a_bot_that_has_closed_its_stdout(box):
    bot = shell("misbehaving", f"exec 3<&0; ( sleep 0.1; {PLAIN} ) <&3 & exec 1>&-; wait")
    assert play(bot, sandbox=box).faults == ()
