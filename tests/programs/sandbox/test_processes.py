"""What bots do to other processes: they do not see, signal or trace them, and gain no rights over them."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cheats import write_plan
from programs import AMPLE, fixture, heard, kinds, misbehaving_bot, play, survivors, table_with, tried, trying
from samples import FIRST

pytestmark = pytest.mark.slow


@pytest.mark.attack("see other processes or their sockets")
def test_a_box_has_no_other_processes(box):
    pids = tried(box, "[pid for pid in os.listdir('/proc') if pid.isdecimal()]")
    assert len(eval(pids)) <= 3


SOCKETS = "len(open('/proc/net/unix').readlines()) - 1, open('/proc/net/sockstat').readline()"


@pytest.mark.attack("see other processes or their sockets")
def test_a_box_has_no_other_sockets(box):
    """Two bots at a table could talk by how many pairs one of them has."""
    pairs = "import socket\npairs = [socket.socketpair() for _ in range(40)]\n"
    said = f"moves > 1 or print({SOCKETS}, file=sys.stderr)"
    with table_with(misbehaving_bot(start=pairs), sandbox=box) as table:
        table.bots["listener"] = replace(misbehaving_bot(move=said), name="listener")
        record = table.play(fixture("misbehaving", "listener", **AMPLE))
    assert record.faults == () and heard(record, 1) == "0 sockets: used 0\n\n"


@pytest.mark.attack("compute in children off the clock")
def test_a_bot_does_not_reach_the_first_process_of_its_box(box):
    """It is bwrap, with the user id of the bot.

    It could be made to compute for the bot, and its time is not charged.
    """
    assert "Error" in tried(box, "open('/proc/1/mem', 'r+b')")
    assert "Error" in tried(box, "os.listdir('/proc/1/task')")


@pytest.mark.attack("signal or trace other processes")
@pytest.mark.parametrize(
    "code",
    [
        "os.kill({pid}, 0)",
        "os.kill({pid}, signal.SIGKILL)",
        "open('/proc/{pid}/mem', 'rb')",
        "ctypes.CDLL(None).ptrace(16, {pid}, 0, 0) and 1 / 0",
        "resource.prlimit({pid}, resource.RLIMIT_CPU, (0, 0))",
        "os.setpriority(os.PRIO_PROCESS, {pid}, 19)",
        "os.setpriority(os.PRIO_USER, 0, {pid} and 19)",
        "os.sched_setaffinity({pid}, [0])",
    ],
)
@pytest.mark.parametrize("whom", ["referee", "supervisor", "opponent"])
def test_other_processes_are_not_harmed(closed, code, whom):
    """Also where bot and arena are one user's, or root's."""
    with table_with(misbehaving_bot(), sandbox=closed) as table:
        table.play(fixture("one", "two"))
        opponent = next(player for (name, *_), player in table._players.items() if name == "one")
        pid = {"referee": os.getpid(), "supervisor": table._supervisor.pid, "opponent": opponent.pid}[whom]
        table.bots["misbehaving"] = trying(code.format(pid=pid))
        record = table.play(fixture("one", "misbehaving"))
        assert "Error" in heard(record, 1)
        assert record.faults == ()
        assert table.play(fixture("one", "two")).faults == ()


def test_a_signal_to_all_processes_reaches_only_its_own(closed):
    record = play(
        misbehaving_bot(start="os.system('sleep 1000 &')", move="os.kill(-1, 9); time.sleep(9)"),
        sandbox=closed,
    )
    assert kinds(record)[0] in ("crashed", "late")
    assert survivors(within=1) == []


NEW_USERS = "0x10000000 | signal.SIGCHLD"  # flags of clone(2): a user namespace


@pytest.mark.attack("gain rights or make namespaces")
@pytest.mark.parametrize(
    "code",
    [
        "subprocess.run(['unshare', '-U', 'true'], stderr=subprocess.DEVNULL).returncode == 0",
        "ctypes.CDLL(None).unshare(0x10000000) == 0",
        f"os._exit(0) if (pid := ctypes.CDLL(None).syscall(56, {NEW_USERS}, 0, 0, 0, 0)) == 0 else pid > 0",
        "ctypes.CDLL(None).syscall(435, bytes(88), 88) >= 0",
    ],
    ids=["program", "unshare", "clone", "clone3"],
)
def test_there_are_no_new_namespaces(closed, code):
    """(The numbers of clone(2) and clone3(2) are those of x86-64.)"""
    assert tried(closed, code) == "False"


def test_no_bot_is_imported_by_the_arena(tmp_path):
    """An author gives its bot the name of a module; the run is started in the folder of the entries."""
    escaped = tmp_path / "escaped"
    entries = tmp_path / "entries"
    entries.mkdir()
    (entries / "first.sh").write_text(FIRST)
    (entries / "pickle.py").write_text(f"open({str(escaped)!r}, 'w').close()\n")
    plan = write_plan(
        tmp_path, {"first": "entries/first.sh", "second": "entries/first.sh"}, seats=2, groups=1
    )
    command = [Path(sys.executable).with_name("arena"), "run", plan, "--out", tmp_path / "run.db"]
    subprocess.run(command, cwd=entries, capture_output=True, timeout=60)
    assert not escaped.exists()
