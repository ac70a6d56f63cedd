"""Bots that start too many processes or threads. Each has a limit of its own, in case the sandbox fails."""

import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from programs import fixture, in_c, kinds, misbehaving_bot, play, survivors, table_with, words

pytestmark = [pytest.mark.slow, pytest.mark.alone]


LAST_PID = Path("/proc/sys/kernel/ns_last_pid")


@pytest.mark.attack("start too many processes or threads")
def test_too_many_processes(tier):
    code = "[os.fork() for _ in range(6)]; time.sleep(9)"  # 64
    record = play(misbehaving_bot(move=code), sandbox=tier, move=5)
    assert kinds(record) == ["processes"]
    assert words(record) == "had more than 32 processes"


def test_as_many_processes_as_the_limit_allows(tier):
    code = "pids = [os.fork() or (time.sleep(0.3), os._exit(0)) for _ in range(31)]"
    wait = "[os.waitpid(pid, 0) for pid in pids]"
    assert (
        play(
            misbehaving_bot(move=f"moves > 1 or ({code}, {wait})".replace("pids = ", "pids := ")),
            sandbox=tier,
            move=5,
        ).faults
        == ()
    )


@pytest.mark.attack("start too many processes or threads")
def test_too_many_threads(tier):
    start = "import threading\nthreading.stack_size(65536)"
    thread = "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"
    code = f"[{thread} for _ in range(300)]; time.sleep(9)"
    record = play(misbehaving_bot(start=start, move=code), sandbox=tier, move=5)
    assert kinds(record) == ["processes"]
    assert words(record) == "had more than 256 threads"


@pytest.mark.attack("start too many processes or threads")
def test_too_many_processes_that_have_exited(tier):
    """They take no memory, but each check has to look at them."""
    code = "[os.fork() or os._exit(0) for _ in range(300)]; time.sleep(9)"
    record = play(misbehaving_bot(move=code), sandbox=tier, move=20, start=60)
    assert kinds(record) == ["processes"]
    assert words(record).startswith("had more than 256 threads")


FORKS = "static int done; for (; done < 12000; done++) if (fork() == 0) _exit(0); sleep(2);"


@pytest.mark.attack("start too many processes or threads")
@pytest.mark.compiler
def test_processes_that_exit_at_once_do_not_hold_up_the_check(tier, tmp_path):
    """It forks for two seconds and waits for two, in which a busy machine gets to a check.

    A search for all of them would take longer, and be made again and again.
    """
    with table_with(in_c("", FORKS, tmp_path), sandbox=tier) as table:
        assert kinds(table.play(fixture("one", "misbehaving", move=20, start=60))) == ["processes"]


BOMB = """
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile int *left = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *left = 200;
    for (;;) {
        if (__sync_fetch_and_sub(left, 1) <= 0) {
            sleep(5);
            _exit(0);
        }
        alarm(5);
        if (fork() == 0) {
            if (argc > 1)
                setsid();
            if (argc > 2 && fork() != 0)
                _exit(0);
        }
    }
}
"""


@pytest.fixture(scope="module")
def bomb(tmp_path_factory) -> Path:
    """A fork bomb of 200 forks, for 5 s: plain, in sessions of their own, and doubly forked."""
    folder = tmp_path_factory.mktemp("bomb")
    source, program = folder / "bomb.c", folder / "bomb"
    source.write_text(BOMB)
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    return program


@pytest.mark.attack("start too many processes or threads")
@pytest.mark.compiler
@pytest.mark.parametrize("more", ["", "setsid", "setsid twice"])
def test_a_fork_bomb_is_stopped_whole(tier, bomb, more):
    """Those that escape their bot are killed one by one, and the bot as soon as they are too many at once."""
    bot = misbehaving_bot(
        when="hello", move=f"subprocess.Popen([{str(bomb)!r}] + {more.split()!r})", start="import subprocess"
    )
    bot = replace(bot, files=(bomb,))
    with table_with(bot, sandbox=tier) as table:
        record = table.play(fixture("one", "misbehaving", "two", move=1))
        time.sleep(0.5)
        left = [line for line in survivors(within=1) if line.split()[1] == str(bomb)]
        assert len(left) <= 1, "its first process, a child of the bot, may sit and wait"
        assert {fault.seat for fault in record.faults} <= {1}
