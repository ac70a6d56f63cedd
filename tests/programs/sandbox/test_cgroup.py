"""Bots in control groups of their own: what the kernel itself holds them to, and that nothing is left.

The whole of it needs a group that is delegated to us, as by `systemd-run --user --scope -p Delegate=yes`.
What needs no controllers is tried wherever we may make groups at all.
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from programs import fixture, in_c, kinds, misbehaving_bot, play, survivors, table_with, words

from arena.programs.play.meter import Meter
from arena.programs.play.player import Player
from arena.programs.sandbox import stale
from arena.programs.sandbox.client import SupervisorClient, SupervisorLost
from arena.programs.sandbox.linux import cgroup
from arena.programs.sandbox.policy import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.alone]  # real processes, most of them up to no good


@pytest.fixture
def held(box) -> Sandbox:
    if not box.group:
        if os.environ.get("ARENA_CONTROL_GROUPS"):  # .ci/control-groups has made some
            pytest.fail("the control group was not found")
        pytest.skip(f"no control group is delegated to us: {cgroup.DELEGATE} pytest ...")
    return box


def groups(box: Sandbox) -> list[Path]:
    """The groups of supervisors, and of their bots."""
    return [path for path in Path(box.group).rglob("arena-*") if path.is_dir() and path.name != cgroup.MAIN]


def commands_in(leaves: list[Path]) -> list[bytes]:
    """The program of each process in these groups."""
    pids = [pid for leaf in leaves for pid in (leaf / "cgroup.procs").read_text().split()]
    return [Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] for pid in pids]


# With a delegated group


def test_the_arena_is_in_a_group_beside_those_of_bots(held):
    assert cgroup.of("self") == f"{held.group}/{cgroup.MAIN}"
    assert (
        "sandbox: bubblewrap with control groups; not promised: epoll and pipes, covert channels, load, "
        "kernel holes" in held.summary
    )


def test_each_bot_is_in_a_leaf_with_limits_and_cannot_leave(held):
    escape = "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '1000'])"
    with table_with(misbehaving_bot(start=escape), sandbox=held) as table:
        table.play(fixture("one", "misbehaving", start=60))
        leaves = [Path(leaf) for group in groups(held) for leaf in group.iterdir() if leaf.is_dir()]
        assert len(leaves) == 2
        for leaf in leaves:
            assert (leaf / "memory.max").read_text() == f"{(256 + 16) * 2**20}\n"
            assert (leaf / "pids.max").read_text() == f"{8 * 32 + 2}\n"
            assert (leaf / "memory.oom.group").read_text() == "1\n"
        end = time.monotonic() + 20
        while b"sleep" not in (commands := commands_in(leaves)) and time.monotonic() < end:
            time.sleep(0.1)
        assert b"sleep" in commands and len(commands) >= 7
    assert groups(held) == []
    assert survivors(within=1) == []


@pytest.mark.attack("use too much memory")
@pytest.mark.parametrize(
    "code",
    [
        "x = b'x' * 600_000_000; time.sleep(9)",
        "[os.fork() or (globals().update(x=b'x' * 2**26), time.sleep(9)) for _ in range(6)]; time.sleep(9)",
    ],
    ids=["at_once", "in_children"],
)
def test_memory(held, code):
    """No check needs to be in time: the kernel kills all of the bot, and the fault is the same."""
    record = play(misbehaving_bot(move=code), sandbox=held, move=20, start=60)
    assert kinds(record) == ["memory"]
    assert words(record) == "used more than 256 MB of memory"


HIDDEN = {
    "a shared mapping, all but a page of it unmapped": """
        for (int n = 0; n < 20; n++) {
            char *shared = mmap(0, 10 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            memset(shared, 1, 10 << 20);
            munmap(shared + 4096, (10 << 20) - 4096);
        }""",
    "huge pages of which a pipe has a byte": """
        for (int n = 0; n < 50; n++) {
            int pipes[2];
            pipe(pipes);
            for (int k = 0; k < 8; k++) {
                char *both = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                char *page = (char *)(((size_t)both + (2 << 20) - 1) & ~((size_t)(2 << 20) - 1));
                madvise(page, 2 << 20, MADV_HUGEPAGE);
                *page = 1;
                struct iovec byte = {page, 1};
                vmsplice(pipes[1], &byte, 1, 0);
                munmap(both, 4 << 20);
            }
        }""",
    "page tables of memory that is only read": """
        volatile char *all = mmap(0, 1UL << 38, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
        0); for (size_t at = 0; at < 1UL << 38; at += 2 << 20)
            all[at];""",
    "a file without a name": """
        int file = memfd_create("x", 0);
        static char block[1 << 20];
        memset(block, 1, sizeof block);
        for (int n = 0; n < 15 * 12; n++) {
            if (n % 15 == 0) file = memfd_create("x", 0);
            write(file, block, sizeof block);
        }""",
    "full pipes in children": """
        static char block[65536];
        for (int n = 0; n < 28; n++)
            if (fork() == 0) {
                for (int k = 0, pipes[2]; k < 50; k++) {
                    pipe(pipes);
                    write(pipes[1], block, sizeof block);
                }
                sleep(9);
                _exit(0);
            }""",
}


@pytest.mark.attack("hide memory that it uses")
@pytest.mark.compiler
@pytest.mark.parametrize("way", HIDDEN)
def test_hidden_memory(held, way, tmp_path):
    """It is in no figure of /proc that a process has to itself."""
    small = replace(held, limits=replace(held.limits, memory=2**24))
    with table_with(in_c("", f"{HIDDEN[way]}\nsleep(9);", tmp_path), sandbox=small) as table:
        record = table.play(fixture("one", "misbehaving", "two", move=20, start=60))
    assert kinds(record) == ["memory"], record.faults


@pytest.mark.attack("hide memory that it uses")
@pytest.mark.compiler
def test_memory_of_a_process_whose_first_thread_has_exited(held, tmp_path):
    leave = "pthread_t t; pthread_create(&t, NULL, play, NULL); pthread_exit(NULL);"
    bot = in_c(leave, "memset(malloc(600 << 20), 1, 600 << 20); sleep(9);", tmp_path)
    with table_with(bot, sandbox=held) as table:
        record = table.play(fixture("one", "misbehaving", "two", move=20, start=60))
    assert kinds(record) == ["memory"], record.faults


@pytest.mark.attack("compute in children off the clock")
@pytest.mark.attack("compute in children on more cores")
def test_all_that_children_compute_is_charged(held):
    """Two of them, whose end the bot does not want to know of, compute for longer than it waits."""
    burn = "exec('while time.process_time() < 2: pass')"
    start = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    move = f"[os.fork() or ({burn}, os._exit(0)) for _ in range(2)]; time.sleep(1.6)"
    with table_with(misbehaving_bot(start=start, move=move), sandbox=held) as table:
        record = table.play(fixture("one", "misbehaving", "two", move=2, start=60, rounds=1))
    assert kinds(record) == ["late"]
    wall, cpu, _ = next(iter(record.trace["figures"][2].values()))
    assert cpu > 1.2 * wall


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
    """A leaf with 32 MB and 16 processes, without a supervisor."""
    above = f"{held.group}/arena-test"
    cgroup.create(above)
    yield cgroup.create_leaf(above, 1, 2**25, 16)
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
    assert started(leaf, script).wait() == status
    assert cgroup.exceeded_limit(leaf) == event
    assert event != "memory" or empty(leaf)


@pytest.mark.attack("start too many processes or threads")
def test_a_fork_bomb_stops_at_the_limit_of_its_group(held):
    code = "import threading; threading.stack_size(65536)\n            "
    threads = "[threading.Thread(target=time.sleep, args=(9,)).start() for _ in range(400)]"
    record = play(misbehaving_bot(move=f"{code}{threads}"), sandbox=held, move=20, start=60)
    assert kinds(record) == ["processes"]
    assert words(record) == "had more than 256 threads"


@pytest.mark.attack("leave processes behind")
def test_nothing_is_left_of_a_supervisor_that_was_killed(held):
    supervisor = SupervisorClient(held)
    player = Player(misbehaving_bot(), supervisor)
    assert player.is_alive and groups(held) != []
    os.kill(supervisor.pid, signal.SIGKILL)
    with pytest.raises(SupervisorLost):
        player.end()
    supervisor.close()
    assert groups(held) == []


def test_a_program_that_does_not_start_leaves_no_group(held):
    with table_with(misbehaving_bot(), sandbox=replace(held, bwrap="/nowhere/bwrap")) as table:
        assert {fault.kind for fault in table.play(fixture("one", "misbehaving", start=60)).faults} == {
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


def started(group: str, script: str, **more: object) -> subprocess.Popen:
    return subprocess.Popen(cgroup.command_in(group, ["/bin/sh", "-c", script]), **more)


def test_a_program_begins_in_its_group(group):
    script = "cat /proc/self/cgroup; ls /proc/$$/fd; echo $$ $PPID"
    child = started(group, script, stdout=subprocess.PIPE, text=True)
    said = child.communicate()[0].splitlines()
    assert f"0::/{os.path.relpath(group, root())}" in said
    assert {line for line in said if line.isdecimal()} == {"0", "1", "2"}
    assert said[-1] == f"{child.pid} {os.getpid()}"


def root() -> str:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return next(fields[1] for fields in mounts if fields[2] == "cgroup2")


@pytest.mark.parametrize(
    ("script", "status"), [("exit 3", 3), ("kill -SEGV $$", -11), ("kill -PIPE $$", -13)]
)
def test_how_a_process_ends(group, script, status):
    assert started(group, script).wait() == status


def test_a_group_is_killed_as_a_whole(group):
    child = started(group, "setsid sleep 1000 & setsid sleep 1000 & setsid sleep 1000 & wait")
    while len(Path(group, "cgroup.procs").read_text().split()) < 4:
        time.sleep(0.01)
    assert child.poll() is None
    cgroup.kill(group)
    assert child.wait() == -signal.SIGKILL
    cgroup.remove(group)
    assert not os.path.isdir(group)
    os.mkdir(group)


def cpu_seconds(group: str) -> float:
    fields = Path(group, "cpu.stat").read_text().split()
    return int(fields[fields.index("usage_usec") + 1]) / 1e6


def test_what_children_have_computed_counts_also_if_they_have_come_and_gone(group):
    """Each takes less than 10 ms, which the system's own sum may round down to nothing, and is an orphan."""
    spin = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"
    loop = f"for n in 1 2 3 4 5 6 7 8 9 10; do (setsid sh -c '{spin}' &); sleep 0.05; done"
    script = f"sleep 1000 & read x; {loop}; read x"
    read, write = os.pipe()
    child = started(group, script, stdin=read)
    while len(Path(group, "cgroup.procs").read_text().split()) < 2:
        time.sleep(0.01)
    meter = Meter(child.pid, group)
    meter.start()
    before = cpu_seconds(group)
    os.write(write, b"go\n")
    time.sleep(1.5)
    used = cpu_seconds(group) - before
    assert 0.02 < used == pytest.approx(meter.read(time.monotonic()).cpu, rel=0.2)
    meter.close()
    for descriptor in (read, write):
        os.close(descriptor)
    cgroup.kill(group)
    child.wait()


def test_the_group_of_a_dead_supervisor_is_removed(group):
    folder, lock = stale.create_folder()
    path = stale.choose_group(folder, group)
    os.makedirs(f"{path}/1")
    child = started(f"{path}/1", "sleep 1000")
    while not Path(path, "1", "cgroup.procs").read_text():
        time.sleep(0.01)
    os.close(lock)
    stale.clean_up()
    assert child.wait() == -signal.SIGKILL
    assert not os.path.exists(path) and not os.path.exists(folder)
