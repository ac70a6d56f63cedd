"""Bots that use too much memory. Each has a limit of its own, in case the sandbox fails."""

import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from programs import fixture, in_c, kinds, misbehaving_bot, play, table_with, tried, words

from arena.config.values import MB
from arena.programs.sandbox.linux import procfs
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import Limits

pytestmark = [pytest.mark.slow, pytest.mark.alone]


@pytest.mark.attack("use too much memory")
def test_memory_of_one_process(tier):
    record = play(
        misbehaving_bot(move="x = [b'x' * 2**23 for _ in range(100)]; time.sleep(9)"), sandbox=tier, move=5
    )
    assert kinds(record) == ["memory"]
    assert words(record) == "used more than 256 MB of memory"


@pytest.mark.attack("use too much memory")
def test_memory_spread_over_children(tier):
    code = "[os.fork() or (b'x' * 2**26, time.sleep(9)) for _ in range(5)]; time.sleep(9)"
    held = code.replace("b'x' * 2**26", "globals().update(x=b'x' * 2**26)")
    record = play(misbehaving_bot(move=held), sandbox=tier, move=5)
    assert kinds(record) == ["memory"]


EXITED = """
    for (int n = 0; n < 900; n++)
        if (fork() == 0)
            _exit(0);
    if (fork() == 0) {
        close(1);
        memset(malloc(400 << 20), 1, 400 << 20);
        rest();
    }
"""


@pytest.mark.attack("use too much memory")
@pytest.mark.compiler
def test_memory_of_a_child_behind_children_that_have_exited(tier, tmp_path):
    """The kernel lists the oldest first, and the list of the exited takes more than a page of memory."""
    roomy = replace(tier, limits=Limits(processes=128))
    with table_with(in_c(EXITED, "sleep(2);", tmp_path), sandbox=roomy) as table:
        assert kinds(table.play(fixture("one", "misbehaving", start=20, move=5))) == ["memory"]


@pytest.mark.attack("use too much memory")
@pytest.mark.compiler
def test_memory_of_a_process_whose_first_thread_has_exited(tier, tmp_path):
    leave = "pthread_t thread; pthread_create(&thread, NULL, play, NULL); pthread_exit(NULL);"
    bot = in_c(leave, "memset(malloc(400 << 20), 1, 400 << 20); sleep(3);", tmp_path)
    assert kinds(play(bot, sandbox=tier, move=9)) == ["memory"]


@pytest.mark.attack("use too much memory")
def test_memory_in_a_mapping_that_is_shared():
    """The kernel's limit of data does not see this one."""
    code = "import mmap; m = mmap.mmap(-1, 2**29); [m.write(b'x' * 2**20) for _ in range(400)]; time.sleep(9)"
    assert kinds(play(misbehaving_bot(move=code), move=5)) == ["memory"]


def test_memory_that_children_share_counts_once(tier):
    """Eight processes that show 100 MB each are 100 MB in all: PSS, and not RSS."""
    code = "x = b'x' * 100_000_000; pids = [os.fork() or (time.sleep(0.5), os._exit(0)) for _ in range(8)]"
    wait = "[os.waitpid(pid, 0) for pid in pids]"
    record = play(misbehaving_bot(when="hello", move=f"{code}; {wait}"), sandbox=tier, start=10)
    assert record.faults == ()


MAPS = """
    static char shared[20 << 20];
    memset(shared, 1, sizeof shared);
    for (int n = 0; n < 60000; n++)
        mmap(0, 4096, n % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int n = 0; n < 20; n++)
        if (fork() == 0) {
            close(1);
            for (;;) usleep(1000);
        }
"""


@pytest.mark.compiler
def test_a_bot_that_is_expensive_to_check_is_checked_less_often(tmp_path):
    """To add up the memory of 20 processes with 60,000 mappings each takes longer than a period."""
    with table_with(in_c(MAPS, "", tmp_path)) as table:
        assert table.play(fixture("one", "misbehaving", start=20, move=5)).faults == ()
        clock = procfs.cpu_clock(table._supervisor.pid)
        before = time.clock_gettime(clock)
        time.sleep(4)
        assert (time.clock_gettime(clock) - before) / 4 < 0.15, "it was 0.36"
        table.bots["two"] = replace(misbehaving_bot(move="x = b'x' * 400_000_000; time.sleep(9)"), name="two")
        record = table.play(fixture("one", "two", start=20, move=9))
        assert kinds(record) == ["memory"], "the others are checked as often as before"


@pytest.mark.attack("use too much memory")
def test_children_that_come_and_go_do_not_stop_the_checks():
    """If the supervisor reported each of them, it would wait for room in its socket, and check no more."""
    start = "if os.fork() == 0:\n    os.close(1)\n    while True:\n"
    start += "        os.fork() or (time.sleep(0.03), os._exit(0))\n        os.wait(); time.sleep(0.03)"
    with table_with(misbehaving_bot(start=start), sandbox=LIMITS_ONLY) as table:
        table.play(fixture("one", "misbehaving", start=9))
        time.sleep(0.5)
        table._supervisor.process_events()
        time.sleep(2)
        assert table._supervisor._poller.poll(0) == [], "it was reported once"


def test_when_the_machine_runs_out_of_memory_bots_are_killed_first(closed):
    """Or a bot that is about to lose could have the game interrupted."""
    assert tried(closed, "time.sleep(0.3) or open('/proc/self/oom_score_adj').read()") == r"'1000\n'"
    assert Path("/proc/self/oom_score_adj").read_text() != "1000\n"


def test_the_referee_does_not_grow_by_what_bots_do():
    own = psutil.Process()
    bots = [
        misbehaving_bot(move="os.write(2, b'x' * 10_000_000)"),
        misbehaving_bot(move="os.write(1, b'x' * 3_000_000)"),
        misbehaving_bot(move="x = [b'x' * 2**23 for _ in range(100)]"),
        misbehaving_bot(move="[os.fork() for _ in range(6)]; time.sleep(9)"),
    ]
    before = 0
    for bot in (bots[0], *bots, *bots):
        with table_with(bot) as table:
            table.play(fixture("one", "misbehaving", "two", move=1))
        before = before or own.memory_info().rss
    assert own.memory_info().rss - before < MB
