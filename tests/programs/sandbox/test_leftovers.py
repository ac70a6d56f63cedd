"""What bots leave behind: no process and no shared memory outlives its bot, its table or its run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from programs import (
    AMPLE,
    MARK,
    PLAIN,
    fixture,
    heard,
    in_c,
    kinds,
    misbehaving_bot,
    play,
    shell,
    survivors,
    table_with,
    tried,
)

from arena.programs.play.table import ProgramTable

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.parametrize(
    "start",
    [
        "(exec sleep 1000) &",  # a child in the same group
        "(exec sleep 1000) > /dev/null 2>&1 < /dev/null &",
        "setsid sleep 1000 &",  # a session of its own
        "setsid setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 & exec sleep 1000' > /dev/null 2>&1 &",
        "(setsid sh -c '(setsid sh -c \"(setsid sleep 1000 &)\" &)' &)",  # orphans of orphans
        "(trap '' TERM HUP INT; exec setsid sleep 1000) > /dev/null 2>&1 < /dev/null &",
    ],
)
def test_children_do_not_outlive_the_table(start, reuse):
    """`play` looks for them by a mark in their environment."""
    record = play(shell("misbehaving", f"{start}\n{PLAIN}"), reuse=reuse, **AMPLE)
    assert record.faults == ()


@pytest.mark.parametrize("how", ["os._exit(1)", "answer = 'jump'"])
def test_children_do_not_outlive_a_bot_that_is_killed(how):
    """It dies, or is killed for its faults, in mid-game: its orphans go before the next game begins."""
    start = "os.system('sleep 1000 >&- 2>&- & setsid sleep 1000 >&- 2>&- &')"
    with table_with(misbehaving_bot(start=start, move=how)) as table:
        table.play(fixture("one", "misbehaving", "two", **AMPLE))
        left = [line for line in survivors() if "sleep" in line]
        assert left == []


@pytest.mark.parametrize("child", ["sleep", "setsid sleep"])
def test_children_of_a_good_bot_do_not_suffer_for_another_bot(child):
    """An orphan in the group of a living bot is no stray, and to kill its group would kill the bot."""
    start = f"os.system('({child} 1000 >&- 2>&- &)')"
    helped = misbehaving_bot(start=start, each="print(os.getpid(), file=sys.stderr, flush=True)")
    bots = {"misbehaving": misbehaving_bot(move="os._exit(1)"), "helped": helped, "one": shell("one", PLAIN)}
    with ProgramTable(bots) as table:
        record = table.play(fixture("one", "misbehaving", "helped", rounds=1, **AMPLE))
        assert kinds(record) == ["crashed"]
        before = set(heard(record, 2).split())
        after = set(heard(table.play(fixture("one", "helped", rounds=1, **AMPLE)), 1).split())
        assert len(before) == 1
        assert after == before, "the same process"
        if child == "sleep":
            assert any("sleep" in line for line in survivors()), "it lives as long as its bot"
    assert survivors(within=5) == []


def test_children_forked_without_exec_do_not_outlive_the_table():
    start = "os.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(1000))"
    assert play(misbehaving_bot(start=start), **AMPLE).faults == ()


@pytest.mark.slow
def test_a_child_that_closes_everything_and_keeps_forking_does_not_outlive_the_table():
    """Each of it lives for a moment only; to kill them one by one is too slow."""
    chase = "os.fork() or (os.setsid(), os.closerange(0, 3), exec('while True: os.fork() and os._exit(0)'))"
    began = time.monotonic()
    with table_with(misbehaving_bot(start=chase)) as table:
        record = table.play(fixture("one", "misbehaving", "two"))
        assert record.faults == ()
    assert time.monotonic() - began < 5


CHASER = """
#include <unistd.h>
int main(void)
{
    for (int n = 0; n < 3; n++)
        close(n);
    for (;;) {
        if (fork() != 0)
            _exit(0);
        setsid();
    }
}
"""


@pytest.mark.slow
@pytest.mark.compiler
def test_a_fast_fork_chaser_does_not_hold_up_the_table(tmp_path):
    """The same in C, each in a session of its own: about ten thousand generations a second."""
    source, program = tmp_path / "chaser.c", tmp_path / "chaser"
    source.write_text(CHASER)
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    began = time.monotonic()
    for _ in range(6):
        with table_with(shell("misbehaving", f"{program} & sleep 0.02; exit 1")) as table:
            assert kinds(table.play(fixture("one", "misbehaving", "two"))) == ["unstarted"]
    assert time.monotonic() - began < 3


@pytest.mark.slow
def test_many_children_do_not_outlive_the_table():
    """None of them is of the bot's group, and half of them start more."""
    start = "[os.system('setsid sh -c \"setsid sleep 1000 & exec sleep 1000\" >&- 2>&- &') for _ in range(9)]"
    assert play(misbehaving_bot(start=start), start=5, move=1).faults == ()


@pytest.mark.slow
def test_zombies_do_not_pile_up():
    """A bot that leaves dead orphans in every game: they have to be reaped."""
    orphan = "os.fork() == 0 and (os.fork() and os._exit(0), os.setsid(), os._exit(0)); os.wait()"
    with table_with(misbehaving_bot(move=orphan)) as table:
        before = zombies()
        for _ in range(40):
            table.play(fixture("one", "misbehaving", "two"))
        assert zombies() - before < 60, "there were 160 of them"


def zombies() -> int:
    return sum(child.status() == psutil.STATUS_ZOMBIE for child in psutil.Process().children())


WITHOUT_FIRST_THREAD = "pthread_t t; pthread_create(&t, NULL, play, NULL); pthread_exit(NULL);"

SIBLING = "if (syscall(SYS_clone, CLONE_PARENT | {}, 0, 0, 0, 0) == 0) {{ setsid(); rest(); }}"

ORPHAN = "if (fork() == 0) { setsid(); if (fork()) _exit(0); rest(); }"

IN_C = {
    "a thought of one whose first thread has ended": (WITHOUT_FIRST_THREAD, "usleep(800000);", []),
    "processes whose first threads have ended": (
        "",
        "for (int n = 0; n < 60; n++) if (fork() == 0) { signal(SIGALRM, exit); alarm(9); pthread_t t; "
        "pthread_create(&t, NULL, (void *(*)(void *))rest, NULL); pthread_exit(NULL); } sleep(9);",
        ["processes"],
    ),
    "children that are their parent's siblings": (SIBLING.format("SIGCHLD"), "", []),
    "children whose exit is not reported": (SIBLING.format("0"), "", []),
    "orphans that stay with their grandparent": (
        "prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);" + ORPHAN,
        "",
        [],
    ),
    "a name like the fields of its state": ('prctl(PR_SET_NAME, ") Z 1 1 (\\n");' + ORPHAN, "", []),
    "a process that is not dumpable": ("prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);" + ORPHAN, "", []),
    "a child that it traces": (
        "pid_t c = fork(); if (c == 0) rest(); ptrace(PTRACE_SEIZE, c, 0, 0);",
        "",
        [],
    ),
    "a child that has stopped itself": ("if (fork() == 0) { setsid(); raise(SIGSTOP); }", "", []),
    "it has lent its memory to a child": ("", "if (vfork() == 0) rest();", ["late"] * 3),
    "its whole group killed": ("", "kill(0, SIGKILL);", ["crashed"]),
    "a stack without end": ("", "struct { char a[1 << 24]; } volatile x; x.a[0] = 1;", ["crashed"]),
}


@pytest.mark.slow
@pytest.mark.attack("leave processes behind")
@pytest.mark.compiler
@pytest.mark.parametrize("case", IN_C)
def test_a_program_in_c_that(case, tier, tmp_path):
    at_start, at_move, kind = IN_C[case]
    bot = in_c(at_start, at_move, tmp_path)
    record = play(bot, sandbox=tier, move=0.3 if "late" in kind else 5, start=5)
    assert kinds(record) == kind


@pytest.mark.slow
@pytest.mark.attack("leave processes behind")
@pytest.mark.parametrize(
    "start",
    [
        "setsid setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 & exec sleep 1000' > /dev/null 2>&1 &",
        "(setsid sh -c '(setsid sh -c \"(setsid sleep 1000 &)\" &)' &)",
        "(trap '' TERM HUP INT; exec setsid sleep 1000) > /dev/null 2>&1 < /dev/null &",
    ],
)
def test_nothing_outlives_a_box(box, start):
    assert play(shell("misbehaving", f"{start}\n{PLAIN}"), sandbox=box).faults == ()


@pytest.mark.slow
@pytest.mark.attack("leave processes behind")
def test_an_escaped_child_does_not_live_as_long_as_its_bot():
    """It has left its session and its parent: its memory could not be attributed to a bot."""
    start = "os.system('(setsid sleep 1000 >&- 2>&- &)')"
    with table_with(misbehaving_bot(start=start)) as table:
        table.play(fixture("one", "misbehaving"))
        assert [line for line in survivors(within=1) if line.split()[1] == "sleep"] == []


@pytest.mark.slow
def test_no_shared_memory_outlives_its_bot(closed):
    assert "Error" in tried(closed, "ctypes.CDLL(None).shmget(0, 4096, 0o1600) + 1 or 1 / 0")


HOSTILE = """
import os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    os.fork() and os._exit(0)
    os.closerange(0, 3)
    time.sleep(100)
if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(0.01)
        if os.fork():
            os._exit(0)
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask" and words[2] in ("hello", "ready"):
        print(words[1], "ok", flush=True)
    elif words[0] == "ask":
        print("playing", file=sys.stderr, flush=True)
        time.sleep(100)
time.sleep(100)
"""


@pytest.fixture
def hostile_run(tmp_path):
    """Starts a run of hostile bots, with its temporary files in a folder of its own, and waits for a game."""
    runs = []

    (tmp_path / "hostile.py").write_text(HOSTILE)

    def start(*words: str) -> subprocess.Popen[bytes]:
        runs.append(
            subprocess.Popen(
                [sys.executable, "-m", "arena", *words],
                cwd=tmp_path,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {MARK: str(tmp_path), "TMPDIR": str(tmp_path)},
                process_group=0,
            )
        )
        wait_for(lambda: len(family(tmp_path, "hostile.py")) >= 2)
        time.sleep(0.5)
        return runs[-1]

    yield start
    for run in runs:
        for pid in family(tmp_path, ""):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.wait()


@pytest.mark.slow
@pytest.mark.attack("leave processes behind")
@pytest.mark.parametrize("whom", ["process", "group", "all"])
@pytest.mark.parametrize("sandbox", ["limits", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def test_when_the_referee_is_killed_nothing_is_left(tmp_path, hostile_run, whom, sandbox):
    """Within a second; and if the supervisors are killed with it, as soon as the next arena starts."""
    (tmp_path / "plan.yaml").write_text(
        f"game: complots\nseats: 2\nsandbox: {sandbox}\nclock: {{move: 60s}}\n"
        "bots: {a: hostile.py, b: hostile.py}\n"
    )
    run = hostile_run("run", "plan.yaml", "--jobs", "1")
    if whom == "process":
        run.kill()
    elif whom == "group":
        os.killpg(run.pid, signal.SIGKILL)
    else:
        victims = family(tmp_path, "arena")
        for number in (signal.SIGSTOP, signal.SIGKILL):  # none of them has the time to end another
            for pid in victims:
                os.kill(pid, number)
        sweep = "from arena.programs.sandbox.stale import clean_up; clean_up()"
        where = os.environ | {"TMPDIR": str(tmp_path)}
        time.sleep(0.2)
        subprocess.run([sys.executable, "-c", sweep], env=where, check=True)
    time.sleep(1)
    assert family(tmp_path, "") == []
    assert list(tmp_path.glob("arena-*")) == []


@pytest.mark.slow
def test_when_a_single_game_is_killed_nothing_is_left(tmp_path, hostile_run):
    hostile_run("play", "complots", "hostile.py", "hostile.py", "--move", "60s").kill()
    time.sleep(1)
    assert family(tmp_path, "hostile.py") == []
    assert list(tmp_path.glob("arena-*")) == []


def family(folder: Path, word: str) -> list[int]:
    """The processes of a run with this word in their commands: its own by their mark, and its bots."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            command = " ".join(process.cmdline())
            own = f"{folder}/hostile.py" in command or process.environ().get(MARK) == str(folder)
            if own and word in command and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
