"""Hostile programs, and hostile ends of the arena itself: what they cost, and that nothing is left alive.

Most of these take seconds, because time has to run out: `pytest -m slow`.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from programs import (
    MARK,
    PLAIN,
    fixture,
    games_in,
    heard,
    in_c,
    kinds,
    misbehaving_bot,
    play,
    shell,
    survivors,
    table_with,
    words,
)

from arena.core.limits import Limits
from arena.play.table import Table, Unstarted
from arena.sandbox.policy import Sandbox
from arena.tournament.work_queue import WorkQueue
from arena.tournament.workers import Workers

slow = pytest.mark.slow

READY = "read -r hello; echo ok; read -r game; read -r ready; echo ok; "  # and what follows is the game


# Silence


@pytest.mark.attack("answer later than its limits allow")
@slow
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


@slow
def test_overdue_answers_cost_no_further_strikes():
    """Each answer comes while the others are asked."""
    record = play(misbehaving_bot(move="time.sleep(0.25)"), move=0.2, strikes=4, rounds=3)
    assert kinds(record) == ["late"] * 3
    assert record.forfeits == ()


@slow
def test_a_bot_that_never_reads_is_late():
    record = play(shell("misbehaving", f"{READY} exec sleep 100"))
    assert kinds(record) == ["late"] * 3


@slow
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
        record = table.play(fixture("one", "misbehaving", "two", game="gossip", move=2, rounds=2))
        assert record.faults == ()
        said = heard(table.play(fixture("one", "misbehaving", rounds=1)), 1)
    assert int(said) > 160_000, "told when the next game begins"


@slow
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


@slow
def test_a_bot_may_be_slow_to_start_if_the_start_limit_allows_it():
    record = play(misbehaving_bot(start="time.sleep(0.5)"), start=5)
    assert record.faults == ()


# Noise


def test_lines_without_end_from_the_start():
    record = play(shell("misbehaving", "exec yes"))
    assert kinds(record) == ["unstarted"]
    assert words(record) == "wrote 1000 lines, but not 'ok' to hello"


def test_lines_without_end_before_ready():
    record = play(shell("misbehaving", "echo ok; exec yes"))
    assert kinds(record) == ["flood"]
    assert words(record) == "wrote 1000 lines, but not 'ok' to ready"


@pytest.mark.attack("write to stdout or stderr without end")
@pytest.mark.parametrize("game", ["relay", "duel"])
def test_answers_without_end(game):
    record = play(shell("misbehaving", f"{READY} exec yes stay"), game=game, same=False)
    assert set(kinds(record)) <= {"early", "flood"}
    assert record.forfeits == (1,)


def test_lines_without_end_in_mid_game():
    record = play(misbehaving_bot(move="os.execvp('yes', ['yes'])"), same=False)
    assert kinds(record)[0] == "illegal"
    assert record.forfeits == (1,)


def test_a_line_without_end_from_the_start():
    record = play(shell("misbehaving", "exec tr '\\0' x < /dev/zero"))
    assert kinds(record) == ["unstarted"]


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_a_line_without_end_in_mid_game(game):
    code = "exec('while True: os.write(1, b\"x\" * 65536)')"
    record = play(misbehaving_bot(move=code), game=game)
    assert kinds(record) == ["long", "flood"]
    assert "without" in words(record)
    assert record.forfeits == (1,)


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_binary_noise_without_end(game):
    record = play(shell("misbehaving", f"{READY} exec cat /dev/urandom"), game=game, same=False)
    assert record.forfeits == (1,)


@pytest.mark.attack("write to stdout or stderr without end")
def test_all_that_is_written_in_one_game_has_a_limit():
    """No line of it is too long, and the late ones pay debts; but all of it has to be read."""
    lines = "b''.join(b'%d ' % (10**9 - 1) + b'x' * 8000 + b'\\n' for _ in range(MANY))"
    talker = misbehaving_bot(
        start="MANY = 300", move=f"os.write(1, b'\\n'); [os.write(1, {lines}) for _ in range(9)]"
    )
    record = play(talker, strikes=9999, move=5, same=False)
    assert kinds(record)[-1] == "flood"


def test_what_is_written_counts_anew_in_every_game():
    small = Sandbox(Limits(output=200))
    with table_with(misbehaving_bot(each="answer += ' ' * 30"), sandbox=small) as table:
        for _ in range(4):
            assert table.play(fixture("one", "misbehaving", "two", rounds=3)).faults == ()
        record = table.play(fixture("one", "misbehaving", "two", rounds=9))
    assert kinds(record) == ["flood"]
    assert words(record) == "more than 200 bytes in one game"


def test_a_huge_line_before_ready_does_no_harm():
    assert play(misbehaving_bot(start="os.write(1, b'x' * 900_000 + b'\\n')")).faults == ()


@pytest.mark.attack("write to stdout or stderr without end")
@slow
def test_endless_stderr_does_not_delay_the_game():
    """It writes to stderr for as long as it lives, beside its game."""
    noise = "os.fork() or exec('while True: os.write(2, b\"x\" * 4096)')"
    record = play(misbehaving_bot(start=noise), move=1, rounds=20)
    assert record.faults == ()


def test_ten_megabytes_of_stderr_at_each_move():
    record = play(misbehaving_bot(move="os.write(2, b'x') and sys.stderr.write('x' * 10_000_000)"), move=2)
    assert record.faults == ()


# What is left behind


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
    record = play(shell("misbehaving", f"{start}\n{PLAIN}"), reuse=reuse)
    assert record.faults == ()


@pytest.mark.parametrize("how", ["os._exit(1)", "answer = 'jump'"])
def test_children_do_not_outlive_a_bot_that_is_killed(how):
    """It dies, or is killed for its faults, in mid-game: its orphans go before the next game begins."""
    start = "os.system('sleep 1000 >&- 2>&- & setsid sleep 1000 >&- 2>&- &')"
    with table_with(misbehaving_bot(start=start, move=how)) as table:
        table.play(fixture("one", "misbehaving", "two"))
        left = [line for line in survivors() if "sleep" in line]
        assert left == []


@pytest.mark.parametrize("child", ["sleep", "setsid sleep"])
def test_children_of_a_good_bot_do_not_suffer_for_another_bot(child):
    """An orphan in the group of a living bot is no stray, and to kill its group would kill the bot."""
    start = f"os.system('({child} 1000 >&- 2>&- &)')"
    helped = misbehaving_bot(start=start, each="print(os.getpid(), file=sys.stderr, flush=True)")
    bots = {"misbehaving": misbehaving_bot(move="os._exit(1)"), "helped": helped, "one": shell("one", PLAIN)}
    with Table(bots) as table:
        record = table.play(fixture("one", "misbehaving", "helped", rounds=1))
        assert kinds(record) == ["crashed"]
        before = set(heard(record, 2).split())
        after = set(heard(table.play(fixture("one", "helped", rounds=1)), 1).split())
        assert len(before) == 1
        assert after == before, "the same process"
        if child == "sleep":
            assert any("sleep" in line for line in survivors()), "it lives as long as its bot"
    assert survivors(within=1) == []


def test_children_forked_without_exec_do_not_outlive_the_table():
    start = "os.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(1000))"
    assert play(misbehaving_bot(start=start)).faults == ()


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


@slow
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
    record = play(bot, game=game, same=False)
    assert record.forfeits == (1,)
    if "sleep" in child:
        assert kinds(record) == ["crashed"]
        assert words(record) == "exited with status 1"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system does not tell of it")
def test_what_a_bot_said_before_its_death_counts_though_a_child_keeps_stdout_open():
    answer_and_die = "print(answer, flush=True); os.fork() and os._exit(1); time.sleep(1000)"
    record = play(misbehaving_bot(move=answer_and_die))
    assert [(fault.kind, fault.reply) for fault in record.faults] == [("crashed", 5)]
    assert record.replies[1] == {1: "stay"}


@slow
def test_many_children_do_not_outlive_the_table():
    """None of them is of the bot's group, and half of them start more."""
    start = "[os.system('setsid sh -c \"setsid sleep 1000 & exec sleep 1000\" >&- 2>&- &') for _ in range(9)]"
    assert play(misbehaving_bot(start=start), start=5, move=1).faults == ()


@slow
def test_a_bot_that_closes_stdout_is_killed_before_the_end_of_the_game():
    """It would take the processor from the others for as long as they think."""
    beat = "print(time.time(), file=sys.stderr)"
    bot = misbehaving_bot(move=f"os.close(1); [({beat}, time.sleep(0.01)) for _ in range(10_000)]")
    steady = replace(misbehaving_bot(move="time.sleep(0.2)"), name="two")
    with Table({"misbehaving": bot, "two": steady}) as table:
        record = table.play(fixture("misbehaving", "two", move=1, rounds=10))
        end = time.time()
    assert kinds(record) == ["crashed"]
    assert end - float(heard(record, 0).split()[-1]) > 1, "the game went on for two seconds without it"


@slow
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


# What a bot hides, and which processes it starves of CPU time


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


@pytest.mark.attack("leave processes behind")
@slow
@pytest.mark.compiler
@pytest.mark.parametrize("case", IN_C)
def test_a_program_in_c_that(case, tier, tmp_path):
    at_start, at_move, kind = IN_C[case]
    bot = in_c(at_start, at_move, tmp_path)
    record = play(bot, sandbox=tier, move=0.3 if "late" in kind else 5, start=5)
    assert kinds(record) == kind


@pytest.mark.attack("fill the disk")
@slow
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("[os.mkdir(str(n)) for n in range(900)]", "had more than 1 MB in $TMPDIR"),
        ("[(os.mkdir('d' * 99), os.chdir('d' * 99)) for _ in range(60)]", "hid files in $TMPDIR"),
    ],
    ids=["folders", "a long path"],
)
def test_what_is_hidden_on_the_disk_counts(code, why):
    small = Sandbox(Limits(disk=2**20))
    bot = misbehaving_bot(move=f"os.chdir(os.environ['TMPDIR']); {code}; time.sleep(9)")
    record = play(bot, sandbox=small, move=9)
    assert kinds(record) == ["crashed"]
    assert words(record) == why


@slow
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
    with Table(bots, sandbox=tier) as table:
        assert table.play(fixture("misbehaving", "one", move=1, start=20)).faults == ()
        assert table.play(fixture("two", "one", move=1, rounds=2)).faults == (), "while it waits for a game"
        assert table.play(fixture("misbehaving", "two", move=1, rounds=2)).faults == (), "while it plays"


# A run of the arena that is killed


STAYS = """
import sys, time
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
time.sleep(1000)
"""
"""Plays well, but does not exit when its stdin ends: it has to be killed."""


class Run:
    """`arena run` as a process of its own; what it says is in a file, so that no survivor holds it open."""

    def __init__(self, folder: Path, bot: str, groups: int, out: str = "run.db", **more: object):
        self.folder, self.store = folder, folder / out
        self.plan, self.said = folder / "plan.yaml", folder / "said.txt"
        bots = "".join(f"  {name}: {bot}_bot.py\n" for name in "abc")
        self.plan.write_text(f"game: complots\nseats: 2\ngroups: {groups}\nseed: 7\nbots:\n{bots}")
        with self.said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena", "run", self.plan, "--out", self.store, "--jobs", "2"],
                stdout=said,
                stderr=said,
                env=os.environ | {MARK: str(folder)},
                **more,
            )

    @property
    def workers(self) -> list[psutil.Process]:
        return workers_of(psutil.Process(self.process.pid)) if self.process.poll() is None else []

    def wait(self) -> int:
        """Its exit status, when it has ended by itself."""
        return self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to come about before the run ends."""
        deadline = time.monotonic() + 20
        while not condition():
            assert self.process.poll() is None, self.said.read_text()
            assert time.monotonic() < deadline, "the run is stuck"
            time.sleep(0.01)

    def has_games(self, count: int) -> None:
        self.until(lambda: games_in(self.store) >= count)

    def family(self) -> list[psutil.Process]:
        """Whatever is alive of it: its own processes by their mark, bots by where their programs are."""
        alive = []
        for process in psutil.process_iter():
            try:
                command = process.cmdline()
                bot = command and command[-1].startswith(f"{self.folder}/")
                if bot or process.environ().get(MARK) == str(self.folder):
                    alive.append(process)
            except psutil.Error:
                pass  # gone meanwhile, a zombie, or of another user
        return alive

    def is_gone(self) -> bool:
        """Whether nothing of it is alive any more, two seconds from now at the latest."""
        deadline = time.monotonic() + 2
        while self.family():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def workers_of(parent: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in parent.children():
        with suppress(psutil.Error):  # a zombie
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                found.append(child)
    return found


def export(path: Path) -> str:
    command = [sys.executable, "-m", "arena", "export", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def run(tmp_path, checkout):
    """Starts runs with bots of one kind, and in the end kills what is left of them."""
    (tmp_path / "stays_bot.py").write_text(STAYS)
    shutil.copy(checkout / "bots" / "python" / "random_bot.py", tmp_path / "random_bot.py")
    runs = []

    def start(*words: object, **more: object) -> Run:
        runs.append(Run(tmp_path, *words, **more))
        return runs[-1]

    yield start
    for each in runs:
        each.kill()
        for process in each.family():
            process.kill()


@pytest.mark.attack("leave processes behind")
@slow
@pytest.mark.parametrize("bot", ["random", "stays"])
def test_after_kill_9_of_a_run_nothing_of_it_is_alive(run, bot):
    """At any moment: while it starts and greets the bots, while workers start, while they play."""
    moments = random.Random(bot)
    for _ in range(4):
        disturbed = run(bot, 5000)
        time.sleep(moments.uniform(0.2, 1.2))
        disturbed.kill()
        assert disturbed.is_gone()


@slow
@pytest.mark.parametrize("bot", ["random", "stays"])
def test_after_kill_9_of_a_worker_the_run_goes_on_and_leaves_nothing_alive(run, bot):
    disturbed = run(bot, 5000)
    for count in (20, 100):
        disturbed.has_games(count)
        disturbed.until(lambda: disturbed.workers)
        disturbed.workers[0].kill()
    disturbed.has_games(250)
    disturbed.interrupt()
    assert disturbed.wait() == 130
    assert disturbed.is_gone()


@slow
def test_workers_that_die_while_the_coordinator_writes_are_replaced():
    """The pool is broken before the coordinator asks it for anything; every game is played all the same."""
    bots = {name: shell(name, PLAIN) for name in ("one", "two")}
    fixtures = [replace(fixture("one", "two", game="complots"), group=str(number)) for number in range(150)]
    played: list[str] = []
    with Workers(bots, reuse=True, jobs=2) as workers:
        for done in workers.play(WorkQueue(iter(fixtures), 2, lambda game, attempt: game, {})):
            if not played:
                for child in workers_of(psutil.Process()):
                    child.kill()
                time.sleep(0.5)  # as long as a slow disk takes
            played += [row.id for each in done for row in each.rows]
    assert sorted(played) == sorted(each.id for each in fixtures)
    assert survivors(within=1) == []


@slow
def test_a_supervisor_that_is_killed_while_bots_are_greeted_is_replaced():
    """The next one reports what the bot does."""

    def kill() -> None:
        while not (
            found := [each for each in psutil.Process().children(recursive=True) if is_supervisor(each)]
        ):
            time.sleep(0.05)
        time.sleep(0.3)
        found[0].kill()

    def is_supervisor(process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return "arena.sandbox.supervisor.main" in " ".join(process.cmdline())

    killer = threading.Thread(target=kill)
    with Workers({"one": shell("one", "sleep 1; exit 3")}, reuse=True, jobs=1) as workers:
        killer.start()
        with pytest.raises(Unstarted, match="exited with status 3 before it answered hello"):
            workers.greet(10)
        killer.join()
    assert survivors(within=1) == []


@slow
@pytest.mark.parametrize("victim", ["coordinator", "worker"])
def test_a_run_that_is_killed_again_and_again_ends_as_an_undisturbed_one(run, tmp_path, victim):
    """Every fixture is played once, and the records are the same byte for byte."""
    groups, moments = 25, random.Random(victim)
    assert run("random", groups, "whole.db").wait() == 0
    for _ in range(2):
        disturbed = run("random", groups)
        time.sleep(moments.uniform(0.3, 0.7))
        if victim == "coordinator":
            disturbed.kill()
        else:
            for worker in disturbed.workers[:1]:
                worker.kill()
            assert disturbed.wait() == 0, disturbed.said.read_text()
        assert disturbed.is_gone()
    assert run("random", groups).wait() == 0
    assert games_in(tmp_path / "run.db") == 3 * 2 * groups
    assert export(tmp_path / "run.db") == export(tmp_path / "whole.db")


@slow
@pytest.mark.parametrize("bot", ["random", "stays"])
@pytest.mark.parametrize("whom", ["process", "group"])
def test_ctrl_c_at_any_moment_says_how_to_go_on(run, bot, whom):
    """Once the run has said what it will play. A terminal sends it to the workers too."""
    for delay in (0, 0.2, 0.5):
        stopped = run(bot, 5000, process_group=0)
        stopped.until(lambda at=stopped.said: "games" in at.read_text())
        time.sleep(delay)
        os.kill(stopped.process.pid * (-1 if whom == "group" else 1), signal.SIGINT)
        assert stopped.wait() == 130, stopped.said.read_text()
        assert f"resume with: arena run {stopped.plan} --out {stopped.store}" in stopped.said.read_text()
        assert "Traceback" not in stopped.said.read_text()
        assert stopped.is_gone()


@slow
def test_after_ctrl_c_the_run_goes_on_where_it_was(run, tmp_path):
    assert run("random", 25, "whole.db").wait() == 0
    stopped = run("random", 25)
    stopped.has_games(20)
    stopped.interrupt()
    assert stopped.wait() == 130
    before = games_in(stopped.store)
    assert 20 <= before < 150
    again = run("random", 25)
    assert again.wait() == 0
    assert f"{before} of 150 games played" in again.said.read_text()
    assert export(tmp_path / "run.db") == export(tmp_path / "whole.db")


@slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP], ids=lambda sign: sign.name)
@pytest.mark.parametrize("whom", ["process", "group"])
def test_a_run_that_is_ended_leaves_nothing_alive(run, sign, whom):
    """By an administrator, or by a terminal that is closed: that ends the workers at the same moment."""
    ended = run("stays", 5000, process_group=0)
    ended.has_games(20)
    os.kill(ended.process.pid * (-1 if whom == "group" else 1), sign)
    ended.wait()
    assert ended.is_gone()
