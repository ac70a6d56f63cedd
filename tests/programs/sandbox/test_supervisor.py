"""Supervisors that are killed, are sent too much at once, or find no room for a process."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from statistics import fmean
from threading import Timer

import psutil
import pytest
from programs import fixture, in_c, misbehaving_bot, survivors, table_with, words

from arena.programs.sandbox import client
from arena.programs.sandbox.client import SupervisorLost
from arena.programs.sandbox.linux import procfs
from arena.programs.sandbox.supervisor.main import random_pause
from arena.tournament.engine import local

pytestmark = [pytest.mark.slow, pytest.mark.alone]


def test_when_the_supervisor_is_killed_the_game_is_interrupted_and_nothing_is_left(monkeypatch):
    bot = misbehaving_bot(start="os.system('setsid sleep 1000 >&- 2>&- &')", move="time.sleep(9)")
    with table_with(bot) as table:
        table.play(fixture("one", "two"))
        Timer(0.5, os.kill, (table._supervisor.pid, signal.SIGKILL)).start()
        monkeypatch.setattr(local, "_table", table, raising=False)
        made = local.play_batch([fixture("one", "misbehaving", move=1)])
        assert (made.finished, made.games, made.void) == (0, [], None) and "the supervisor" in made.failure
        assert survivors(within=1) == []
        assert table.play(fixture("one", "two")).faults == ()


def test_the_death_of_a_supervisor_leaves_another_of_the_same_process_alone():
    """As in builds of several bots at a time."""
    with table_with(misbehaving_bot()) as one, table_with(misbehaving_bot()) as other:
        for table in (one, other):
            table.play(fixture("one", "two"))
        os.kill(one._supervisor.pid, signal.SIGKILL)
        os.waitid(os.P_PID, one._supervisor.pid, os.WEXITED | os.WNOWAIT)  # a busy machine kills late
        with pytest.raises(SupervisorLost):
            one.play(fixture("one", "two"))
        assert other.play(fixture("one", "two")).faults == ()


def test_a_command_whose_supervisor_is_killed_says_so_in_a_line(tmp_path):
    (tmp_path / "slow.sh").write_text("sleep 100\n")
    command = [sys.executable, "-m", "arena", "play", "complots", "slow.sh", "slow.sh"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as arena:
        killed = False
        while not killed:
            for child in psutil.Process(arena.pid).children():
                with suppress(psutil.NoSuchProcess):
                    if any(each.name() == "sleep" for each in child.children(recursive=True)):
                        child.kill()
                        killed = True
        said = arena.communicate()[1].splitlines()
    assert (arena.returncode, said[-1]) == (1, "arena: the supervisor has died")
    assert not any("Traceback" in line for line in said)


@pytest.mark.parametrize("error", ["EAGAIN", "ENOMEM", "ENOSPC", "EMFILE"])
@pytest.mark.parametrize("times", [3, 10**6])
def test_no_room_for_another_process_is_no_fault_of_a_bot(times, error, monkeypatch):
    """It passes, or the game does not begin. It is not void, or a bot could have lost games played again."""
    short = f"""
from arena.programs.sandbox.supervisor import main
launch, left = main.launch, [{times}]
def fail(*given):
    if not left[0]: return launch(*given)
    left[0] -= 1
    raise OSError({getattr(errno, error)}, "no more of it")
main.launch = fail
from arena"""
    monkeypatch.setattr(client, "PROGRAM", client.PROGRAM.replace("from arena", short))
    monkeypatch.setattr(client, "SHORTAGE_TIMEOUT_S", 2)
    with table_with(misbehaving_bot()) as table:
        if times < 10:
            assert table.play(fixture("one", "misbehaving")).faults == ()
        else:
            monkeypatch.setattr(local, "_table", table, raising=False)
            made = local.play_batch([fixture("one", "misbehaving")])
            assert (made.finished, made.games, made.void) == (0, [], None)
            assert "this machine cannot start another process: no more of it" in made.failure


def test_without_a_supervisor_no_game_counts_though_its_bots_play_on():
    with table_with(misbehaving_bot()) as table:
        table.play(fixture("one", "two"))
        psutil.Process(table._supervisor.pid).kill()
        time.sleep(0.2)
        with pytest.raises(SupervisorLost):
            table.play(fixture("one", "two"))
        assert table.play(fixture("one", "two")).faults == ()


@pytest.mark.parametrize(("took", "mean"), [(0, 0.02), (0.0001, 0.02), (0.001, 0.1), (0.004, 0.4), (9, 0.5)])
def test_the_pause_after_a_check_is_random_and_in_the_mean_a_hundred_times_what_it_took(took, mean):
    pauses = [random_pause(took) for _ in range(2000)]
    assert abs(fmean(pauses) / mean - 1) < 0.1
    assert 0 <= min(pauses) < 0.1 * mean and 1.9 * mean < max(pauses) <= 2 * mean


RESTLESS = "for (int n = 0; n < 2; n++) if (fork() == 0) { close(1); for (;;) usleep(1000); }"


@pytest.mark.compiler
def test_the_checks_of_many_bots_that_never_rest_take_a_hundredth_of_a_core(tmp_path):
    """Their children compute for a moment and sleep, again and again: all must be checked each time."""
    restless = in_c(RESTLESS, "", tmp_path)
    with table_with(restless) as table:
        table.bots = {name: replace(restless, name=name) for name in map(str, range(12))}
        assert table.greet(60) == {}
        clock = procfs.cpu_clock(table._supervisor.pid)
        before, began = time.clock_gettime(clock), time.monotonic()
        time.sleep(5)
        assert (time.clock_gettime(clock) - before) / (time.monotonic() - began) < 0.02, "it was 0.08"


def test_a_supervisor_that_reads_two_requests_at_once_handles_both():
    """As when a Ctrl-C has broken off the wait for the first."""
    with table_with(misbehaving_bot()) as table:
        table.play(fixture("one", "misbehaving"))
        table._supervisor._socket.sendall(b'{"id": -2, "check": 0}\n{"id": -1, "check": 0}\n')
        assert table.play(fixture("one", "misbehaving", "two")).faults == ()


@pytest.mark.parametrize("size", [300_000])
def test_a_command_that_is_longer_than_the_socket_holds(size):
    """It is sent whole; the system then refuses what is too long for it."""
    with table_with(
        replace(misbehaving_bot(), command=(sys.executable, "-c", "pass #" + "x" * size))
    ) as table:
        record = table.play(fixture("one", "misbehaving"))
        assert words(record).startswith("cannot be started: Argument list too long")
        assert table.play(fixture("one", "two")).faults == ()
