"""Bots in control groups of their own: what the kernel itself holds them to, and that nothing is left.

The whole of it needs a group that is delegated to us, as by `systemd-run --user --scope -p Delegate=yes`.
What needs no controllers is tried wherever we may make groups at all.
"""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import boxed_or_skip
from programs import (
    culprit,
    fixture,
    kinds,
    play,
    stage,
    survivors,
    the_little_games,  # noqa: F401, for every test here
    words,
)

from arena.meter import Meter
from arena.player import Player
from arena.sandbox import stale
from arena.sandbox.client import SupervisorClient, SupervisorLost
from arena.sandbox.linux import cgroup
from arena.sandbox.policy import Sandbox

pytestmark = pytest.mark.slow  # real processes, most of them up to no good


@pytest.fixture
def held() -> Sandbox:
    box = boxed_or_skip()
    if not box.group:
        pytest.skip(f"no control group is delegated to us: {cgroup.DELEGATE} pytest ...")
    return box


def groups(box: Sandbox) -> list[Path]:
    """The groups of supervisors, and of their bots."""
    return [path for path in Path(box.group).rglob("arena-*") if path.is_dir() and path.name != cgroup.MAIN]


# With a delegated group


def test_who_runs_the_arena_is_in_a_group_beside_those_of_bots(held):
    assert cgroup.of("self") == f"{held.group}/{cgroup.MAIN}"
    assert "sandbox: bubblewrap with control groups; not prevented: " in held.words


def test_each_bot_is_in_a_leaf_with_limits_and_cannot_leave(held):
    escape = "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '1000'])"
    with stage(culprit(start=escape), sandbox=held) as table:
        table.play(fixture("one", "culprit", start=60))
        leaves = [Path(leaf) for group in groups(held) for leaf in group.iterdir() if leaf.is_dir()]
        assert len(leaves) == 2
        for leaf in leaves:
            assert (leaf / "memory.max").read_text() == f"{(256 + 16) * 2**20}\n"
            assert (leaf / "pids.max").read_text() == f"{8 * 32 + 2}\n"
            assert (leaf / "memory.oom.group").read_text() == "1\n"
        commands = [
            Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
            for leaf in leaves
            for pid in (leaf / "cgroup.procs").read_text().split()
        ]
        assert b"sleep" in commands and len(commands) >= 7
    assert groups(held) == []
    assert survivors(within=1) == []


@pytest.mark.parametrize(
    "deed",
    [
        "x = b'x' * 600_000_000; time.sleep(9)",
        "import mmap; m = mmap.mmap(-1, 2**29); [m.write(b'x' * 2**20) for _ in range(400)]; time.sleep(9)",
        "[os.fork() or (globals().update(x=b'x' * 2**26), time.sleep(9)) for _ in range(6)]; time.sleep(9)",
    ],
    ids=["at_once", "shared", "in_children"],
)
def test_memory(held, deed):
    """Nobody needs to look in time: the kernel kills all of the bot, and the verdict is the same."""
    record = play(culprit(move=deed), sandbox=held, move=20, start=60)
    assert kinds(record) == ["memory"]
    assert words(record) == "used more than 256 MB of memory"


def empty(group: str) -> bool:
    """Whether all of a group have died within a second."""
    deadline = time.monotonic() + 1
    while left := Path(group, "cgroup.procs").read_text():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return not left


@pytest.fixture
def leaf(held) -> str:
    """A leaf with 32 MB and 16 processes, and nobody who watches it."""
    above = f"{held.group}/arena-test"
    cgroup.create(above)
    yield cgroup.leaf(above, 1, 2**25, 16)
    cgroup.remove(above)


HOG = f"{sys.executable} -c \"x = b'x' * 2**26\""


@pytest.mark.parametrize(
    ("script", "status", "event"),
    [
        ("sleep 1000 & sleep 1000 & :", 0, ""),
        (f"setsid sleep 1000 & {HOG}; sleep 1000", -signal.SIGKILL, "memory"),
        ("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 1000 & done", 2, "pids"),
    ],
    ids=["nothing", "memory", "pids"],
)
def test_what_the_kernel_does_by_itself(leaf, script, status, event):
    """Without memory all of the leaf dies, with too many processes there is just no further one."""
    assert cgroup.spawn(leaf, order(script)).wait() == status
    assert cgroup.exceeded(leaf) == event
    assert event != "memory" or empty(leaf)


def test_a_fork_bomb_stops_at_the_limit_of_its_group(held):
    deed = "import threading; threading.stack_size(65536)\n            "
    threads = "[threading.Thread(target=time.sleep, args=(9,)).start() for _ in range(400)]"
    record = play(culprit(move=f"{deed}{threads}"), sandbox=held, move=20, start=60)
    assert kinds(record) == ["processes"]
    assert words(record) == "had more than 256 threads"


def test_nothing_is_left_of_a_warden_that_was_killed(held):
    supervisor = SupervisorClient(held)
    player = Player(culprit(), supervisor)
    assert player.alive and groups(held) != []
    os.kill(supervisor.pid, signal.SIGKILL)
    with pytest.raises(SupervisorLost):
        player.end()
    supervisor.close()
    assert groups(held) == []


def test_a_program_that_does_not_start_leaves_no_group(held):
    with stage(culprit(), sandbox=replace(held, bwrap="/nowhere/bwrap")) as table:
        assert {fault.kind for fault in table.play(fixture("one", "culprit", start=60)).faults} == {
            "unstarted"
        }
    assert groups(held) == []


# Without controllers


@pytest.fixture
def group() -> str:
    """A new group below our own, without any limits."""
    path = f"{cgroup.of('self')}/arena-test-{os.getpid()}"
    try:
        os.mkdir(path)
    except OSError as error:
        pytest.skip(f"no control groups (v2) to make here: {error.strerror}")
    yield path
    cgroup.remove(path)
    assert not os.path.isdir(path)


def order(script: str) -> dict:
    return {"start": ["/bin/sh", "-c", script], "folder": "/", "environment": {"PATH": os.environ["PATH"]}}


def test_a_process_is_born_in_its_group_with_what_it_was_given(group):
    read, write = os.pipe()
    os.set_inheritable(write, False)
    other = os.dup(write)
    script = f"cat /proc/self/cgroup; ls /proc/$$/fd; pwd; echo $$ $PPID > /proc/self/fd/{write}"
    with open(os.devnull, "rb") as nothing:
        child = cgroup.spawn(group, order(script), nothing.fileno(), write, write, (write,))
    os.close(write)
    os.close(other)
    assert child.wait() == 0
    said = os.read(read, 65536).decode().splitlines()
    os.close(read)
    assert f"0::/{os.path.relpath(group, root())}" in said
    assert {line for line in said if line.isdecimal()} == {"0", "1", "2", str(write)}
    assert said[-2:] == ["/", f"{child.pid} {os.getpid()}"]


def root() -> str:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return next(fields[1] for fields in mounts if fields[2] == "cgroup2")


@pytest.mark.parametrize(
    ("script", "status"), [("exit 3", 3), ("kill -SEGV $$", -11), ("kill -PIPE $$", -13)]
)
def test_how_a_process_ends(group, script, status):
    assert cgroup.spawn(group, order(script)).wait() == status


def test_a_program_that_is_not_there_ends_with_127(group):
    assert cgroup.spawn(group, order("") | {"start": ["/nowhere"]}).wait() == 127


def test_all_of_a_group_die_at_one_blow(group):
    child = cgroup.spawn(group, order("setsid sleep 1000 & setsid sleep 1000 & setsid sleep 1000 & wait"))
    while len(Path(group, "cgroup.procs").read_text().split()) < 4:
        time.sleep(0.01)
    assert child.poll() is None
    cgroup.kill(group)
    assert child.wait() == -signal.SIGKILL
    cgroup.remove(group)
    assert not os.path.isdir(group)
    os.mkdir(group)


def test_what_children_have_computed_counts_also_if_they_have_come_and_gone(group):
    """Each takes less than 10 ms, which the system's own sum may round down to nothing, and is an orphan."""
    spin = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"
    loop = f"for n in 1 2 3 4 5 6 7 8 9 10; do (setsid sh -c '{spin}' &); sleep 0.05; done"
    script = f"sleep 1000 & read x; {loop}; read x"
    read, write = os.pipe()
    child = cgroup.spawn(group, order(script), stdin=read)
    while len(Path(group, "cgroup.procs").read_text().split()) < 2:
        time.sleep(0.01)
    meter = Meter(child.pid, group)
    meter.survey()
    meter.start()
    before = cgroup.seconds(group)
    os.write(write, b"go\n")
    time.sleep(1.5)
    used = cgroup.seconds(group) - before
    assert 0.02 < used == pytest.approx(meter.read(time.monotonic()).cpu, rel=0.2)
    meter.close()
    for descriptor in (read, write):
        os.close(descriptor)
    cgroup.kill(group)
    child.wait()


def test_the_group_of_a_dead_warden_is_swept_away(group):
    folder, lock = stale.claim()
    path = stale.group(folder, group)
    os.makedirs(f"{path}/1")
    child = cgroup.spawn(f"{path}/1", order("sleep 1000"))
    os.close(lock)
    stale.clean_up()
    assert child.wait() == -signal.SIGKILL
    assert not os.path.exists(path) and not os.path.exists(folder)
