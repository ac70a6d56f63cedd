"""Programs that want too much: memory, processes, disk, the network, other people's files. In both tiers.

Every bomb here has a cap of its own, so that these tests do no harm if the sandbox fails.
"""

import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Timer

import psutil
import pytest
from programs import (
    MARK,
    PLAIN,
    fixture,
    heard,
    in_c,
    kinds,
    misbehaving_bot,
    play,
    raw,
    shell,
    survivors,
    table_with,
    words,
)

from arena.core.bot import Bot, bot_from_command
from arena.core.limits import Limits
from arena.core.values import MB
from arena.play.player import Player
from arena.play.table import Table
from arena.sandbox import client, promises
from arena.sandbox.client import SupervisorLost
from arena.sandbox.linux import folders, procfs
from arena.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.tournament import workers

pytestmark = pytest.mark.slow  # real processes, most of them up to no good

LAST_PID = Path("/proc/sys/kernel/ns_last_pid")


@pytest.fixture
def closed(tier) -> Sandbox:
    """A tier that keeps all that it promises, which `limits` does not on each kernel."""
    if tier is LIMITS_ONLY and list(promises.on_this_machine()) != list(promises.PROMISES):
        pytest.skip(f"not promised here: {', '.join(promises.not_promised('limits'))}")
    return tier


# Too much


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


@pytest.mark.parametrize("size", [300_000])
def test_a_command_that_is_longer_than_the_socket_holds(size):
    """It is sent whole; the system then refuses what is too long for it."""
    with table_with(
        replace(misbehaving_bot(), command=(sys.executable, "-c", "pass #" + "x" * size))
    ) as table:
        record = table.play(fixture("one", "misbehaving"))
        assert words(record).startswith("cannot be started: Argument list too long")
        assert table.play(fixture("one", "two")).faults == ()


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


@pytest.mark.attack("fill the disk")
@pytest.mark.parametrize("size", [1, 40], ids=["many_files", "one_file"])
def test_filling_the_disk(tier, size):
    file = "open(os.environ['TMPDIR'] + f'/{n}', 'wb')"
    code = f"[{file}.write(b'x' * {size} * 2**20) for n in range(40)]; time.sleep(9)"
    record = play(misbehaving_bot(move=code), sandbox=tier, move=5)
    assert kinds(record) == ["crashed"]


def test_what_a_bot_writes_is_gone_with_its_process(tier, tmp_path):
    start = "print(os.listdir(os.environ['TMPDIR']), file=sys.stderr)"
    bot = misbehaving_bot(
        start=start, move="open(os.environ['TMPDIR'] + '/note', 'w').write('x'); os._exit(1)"
    )
    with table_with(bot, sandbox=tier) as table:
        for _ in range(2):
            record = table.play(fixture("one", "misbehaving"))
            assert kinds(record) == ["crashed"]
            assert heard(record, 1).startswith("[]\n") or "note" not in heard(record, 1)


@pytest.mark.attack("write to stdout or stderr without end")
def test_the_output_of_a_game_is_limited():
    """Each answer is one, but there is a page of spaces behind it."""
    small = Sandbox(replace(Limits(), output=20_000))
    record = play(misbehaving_bot(each="answer += ' ' * 7000"), sandbox=small, rounds=9)
    assert kinds(record) == ["flood"]
    assert words(record) == "more than 20000 bytes in one game"


def test_busy_threads_beside_a_game(tier):
    """64 of them, spinning from the beginning to the end. The others have all the time they need."""
    thread = "threading.Thread(target=exec, args=('while True: pass',), daemon=True).start()"
    start = f"import threading\n[{thread} for _ in range(64)]"
    record = play(misbehaving_bot(start=start), sandbox=tier, move=5, start=5, same=False)
    assert {fault.seat for fault in record.faults} <= {1}


def test_limits_as_a_bot_sees_them(tier):
    names = "r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_MEMLOCK"
    start = f"import resource as r\nprint([r.getrlimit(x)[1] for x in ({names})], file=sys.stderr)"
    record = play(misbehaving_bot(start=start), sandbox=tier)
    assert heard(record, 1) == f"[0, {16 * MB}, 128, 0]\n"


def test_computing_for_too_long():
    short = Sandbox(replace(Limits(), cpu=1))
    record = play(misbehaving_bot(move="exec('while True: pass')"), sandbox=short, move=9)
    assert kinds(record) == ["crashed"]
    assert words(record) == "used more than 1 s of CPU time"


def test_a_process_that_has_computed_much_is_replaced_between_games():
    """So that no game begins with little CPU time left. It has used over half when the second game ends."""
    work = "exec('while time.process_time() < 0.6: pass')"
    bot = misbehaving_bot(start="print(os.getpid(), file=sys.stderr)", move=f"words[1] == '5' and {work}")
    with table_with(bot, sandbox=Sandbox(replace(Limits(), cpu=1))) as table:
        said = [heard(table.play(fixture("one", "misbehaving", rounds=1, move=5)), 1) for _ in range(3)]
    assert said[0] and not said[1] and said[2] not in ("", said[0])


# Misbehaviour that is not of one tier


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("os.close(0)", []),
        ("os.close(1); time.sleep(9)", ["crashed"]),
        ("os._exit(255)", ["crashed"]),
        ("os.kill(os.getpid(), signal.SIGSEGV)", ["crashed"]),
        ("os.write(2, b'x' * 10_000_000)", []),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(1); time.sleep(9)", ["crashed"]),
        ("[os.write(1, bytes([byte])) for byte in (answer + '\\n').encode()]; continue", []),
    ],
)
def test_the_faults_are_the_same_in_a_box(box, code, kind):
    bot = misbehaving_bot(move=code, start="os.environ.clear()")
    record = play(bot, sandbox=box, move=1, rounds=1)
    assert kinds(record) == kind
    if "SIGSEGV" in code:
        assert words(record) == "killed by SIGSEGV"
    if "255" in code:
        assert words(record) == "exited with status 255"


def test_a_command_that_no_system_takes(tier):
    with table_with(raw("/bin/sh", "-c", "zero \0 byte"), sandbox=tier) as table:
        record = table.play(fixture("one", "misbehaving"))
        assert words(record) == "cannot be started: embedded null byte"
        assert table.play(fixture("one", "two")).faults == ()


@pytest.mark.parametrize("code", ["os.kill(os.getpid(), signal.SIGSTOP)", "time.sleep(100)"])
def test_silence_is_late_in_a_box_too(box, code):
    assert kinds(play(misbehaving_bot(move=code), sandbox=box)) == ["late"] * 3


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


@pytest.mark.attack("leave processes behind")
def test_an_escaped_child_does_not_live_as_long_as_its_bot():
    """It has left its session and its parent: its memory could not be attributed to a bot."""
    start = "os.system('(setsid sleep 1000 >&- 2>&- &)')"
    with table_with(misbehaving_bot(start=start)) as table:
        table.play(fixture("one", "misbehaving"))
        assert [line for line in survivors(within=1) if line.split()[1] == "sleep"] == []


def test_when_the_supervisor_is_killed_the_game_is_interrupted_and_nothing_is_left(monkeypatch):
    bot = misbehaving_bot(start="os.system('setsid sleep 1000 >&- 2>&- &')", move="time.sleep(9)")
    with table_with(bot) as table:
        table.play(fixture("one", "two"))
        Timer(0.5, os.kill, (table._supervisor.pid, signal.SIGKILL)).start()
        monkeypatch.setattr(workers, "_table", table, raising=False)
        made = workers.play_batch([fixture("one", "misbehaving", move=1)])
        assert (made.tried, made.rows, made.void) == (0, [], None) and "the supervisor" in made.failure
        assert survivors(within=1) == []
        assert table.play(fixture("one", "two")).faults == ()


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
from arena.sandbox.supervisor import main
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
            monkeypatch.setattr(workers, "_table", table, raising=False)
            made = workers.play_batch([fixture("one", "misbehaving")])
            assert (made.tried, made.rows, made.void) == (0, [], None)
            assert "this machine cannot start another process: no more of it" in made.failure


def test_without_a_supervisor_no_game_counts_though_its_bots_play_on():
    with table_with(misbehaving_bot()) as table:
        table.play(fixture("one", "two"))
        psutil.Process(table._supervisor.pid).kill()
        time.sleep(0.2)
        with pytest.raises(SupervisorLost):
            table.play(fixture("one", "two"))
        assert table.play(fixture("one", "two")).faults == ()


def test_a_supervisor_that_reads_two_requests_at_once_handles_both():
    """As when a Ctrl-C has broken off the wait for the first."""
    with table_with(misbehaving_bot()) as table:
        table.play(fixture("one", "misbehaving"))
        table._supervisor._socket.sendall(b'{"id": -2, "check": 0}\n{"id": -1, "check": 0}\n')
        assert table.play(fixture("one", "misbehaving", "two")).faults == ()


# What a tier keeps from its bots


def trying(code: str) -> Bot:
    """A bot that writes to stderr what it gets for an expression: its value, or the error."""
    attempt = f"try:\n    said = repr({code})\nexcept Exception as error:\n    said = repr(error)"
    modules = "ctypes, fcntl, resource, socket, struct, subprocess"
    return misbehaving_bot(start=f"import {modules}\n{attempt}\nprint(said, file=sys.stderr)")


def tried(sandbox: Sandbox, code: str, **files: Path) -> str:
    """What a bot with these files gets for an expression."""
    record = play(replace(trying(code), files=tuple(files.values())), sandbox=sandbox)
    assert record.faults == ()
    return heard(record, 1).strip()


@pytest.mark.attack("use the network")
def test_there_is_no_network(closed):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert "Error" in tried(closed, f"socket.create_connection(('127.0.0.1', {port}), 1)")
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "Error" in tried(closed, "socket.create_connection(('192.0.2.1', 80), 1)")
    assert "Error" in tried(
        closed, "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
    )


def test_a_bot_cannot_listen_for_connections(closed):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    listen = f"import socket\ntry: s = socket.create_server(('127.0.0.1', {port}))\nexcept OSError: pass"
    with table_with(misbehaving_bot(start=listen, move="time.sleep(0.1)"), sandbox=closed) as table:
        assert table.play(fixture("one", "misbehaving")).faults == ()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 1)


@pytest.mark.attack("use the network")
def test_no_service_is_reached_by_its_socket(closed, tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/service")
        server.listen()
        assert "Error" in tried(closed, f"socket.socket(socket.AF_UNIX).connect('{tmp_path}/service')")


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize(
    "path",
    ["{home}", "{other}", "{checkout}", "/etc/shadow", "/root", "/var", "/run", "/proc/{referee}/environ"],
)
def test_nothing_is_seen_but_the_system_and_the_bot(closed, tmp_path, checkout, path):
    (tmp_path / "other.py").write_text("secret")
    path = path.format(
        home=Path.home(), other=tmp_path / "other.py", checkout=checkout / "tests", referee=os.getpid()
    )
    seen = tried(closed, f"os.listdir({path!r}) if os.path.isdir({path!r}) else open({path!r}).read()")
    on_the_way = {*Path(sys.prefix).parts, *Path(sys.base_prefix).parts}  # to the Python that runs the bot
    assert "Error" in seen or set(eval(seen)) <= on_the_way


@pytest.mark.attack("read files of the user or other bots")
def test_a_word_of_a_command_does_not_show_what_is_beside_it(closed, tmp_path):
    """Only the program itself, and its interpreter, are shown with their installation."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "secret").write_text("secret")
    tool = tmp_path / "bin" / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    read = trying(f"open({str(tmp_path / 'secret')!r}).read()")
    bots = {"misbehaving": replace(read, command=(*read.command, str(tool))), "one": shell("one", PLAIN)}
    with Table(bots, sandbox=closed) as table:
        assert "Error" in heard(table.play(fixture("one", "misbehaving")), 1)


SWAP = """
import os, sys, time
os.chdir(os.environ["TMPDIR"])
for n in range(1500): os.mkdir(f"d{{n}}")
if os.fork() == 0:
    os.close(1)
    names = len(os.listdir("."))
    while len(os.listdir(".")) == names: pass
    for n in reversed(range(1500)):
        try: os.rmdir(f"d{{n}}"); os.symlink({victim!r}, f"d{{n}}")
        except OSError: pass
    os._exit(0)
"""


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_a_folder_that_a_child_changes_while_it_is_removed_leads_nowhere_else(tmp_path):
    """It is removed with all rights of the user; if links were followed, their targets would be removed."""
    victim = tmp_path / "victim"
    victim.mkdir(mode=0o755)
    (victim / "file").write_text("mine")
    for _ in range(3):
        with table_with(misbehaving_bot(start=SWAP.format(victim=str(victim)))) as table:
            table.play(fixture("one", "misbehaving", start=20))
    assert (victim / "file").read_text() == "mine"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o755


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_links_that_come_while_a_folder_is_removed_are_not_followed(tmp_path, monkeypatch):
    """The same, sure: each subfolder becomes a link in the moment before it is opened."""
    victim, top = tmp_path / "victim", tmp_path / "top"
    victim.mkdir()
    (victim / "file").write_text("mine")
    (top / "sub").mkdir(parents=True)
    rename = os.rename

    def swap(*names, **more):
        rename(*names, **more)
        moved = next(path for path in top.iterdir() if path.name == names[1])
        moved.rmdir()
        moved.symlink_to(victim)

    monkeypatch.setattr(os, "rename", swap)
    folders.remove(str(top))
    assert (victim / "file").read_text() == "mine"


@pytest.mark.attack("compute in children off the clock")
def test_a_bot_does_not_reach_the_first_process_of_its_box(box):
    """It is bwrap, with the user id of the bot.

    It could be made to compute for the bot, and its time is not charged.
    """
    assert "Error" in tried(box, "open('/proc/1/mem', 'r+b')")
    assert "Error" in tried(box, "os.listdir('/proc/1/task')")


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize("where", ["other", "bin", "."])
def test_no_bot_sees_another_by_naming_it_in_its_command(closed, tmp_path, where):
    """Programs in a command are shown with all that is installed beside them; bots are not installed."""
    (tmp_path / where).mkdir(exist_ok=True)
    other = tmp_path / where / "other"
    other.write_text("#!/bin/sh\n# secret")
    other.chmod(0o755)
    read = trying(f"open({str(other)!r}).read()")
    read = replace(read, command=(*read.command, str(other)))
    bots = {"misbehaving": read, "one": replace(shell("one", PLAIN), files=(other,))}
    with Table(bots, sandbox=closed) as table:
        assert "Error" in heard(table.play(fixture("one", "misbehaving")), 1)


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
@pytest.mark.parametrize(
    "where",
    [
        "/note",
        "/usr/note",
        "/dev/note",
        "/etc/note",
        "{own}/note",
        "{own}/own.txt",
        "/proc/self/oom_score_adj",
    ],
)
def test_nothing_else_is_written(closed, tmp_path, where):
    own = tmp_path / "own"
    own.mkdir()
    (own / "own.txt").write_text("mine")
    write = f"open({where.format(own=own)!r}, 'w').write('x')"
    # a box has a /proc of its own, and only what can be done to others in there is kept from its bot
    assert "Error" in tried(closed, write, own=own) or (closed is not LIMITS_ONLY and "/proc" in where)
    assert tried(closed, f"open('{own}/own.txt').read()", own=own) == "'mine'"
    assert (own / "own.txt").read_text() == "mine"


@pytest.mark.attack("change modes, owners, times of files")
@pytest.mark.parametrize(
    "change",
    [
        "os.chmod({path}, os.stat({path}).st_mode)",
        "os.chown({path}, -1, -1)",
        "os.utime({path}, (os.stat({path}).st_atime, os.stat({path}).st_mtime))",
        "os.setxattr({path}, 'user.arena', b'1')",
        "fcntl.ioctl(open({path} if os.path.isfile({path}) else '/usr/bin/env'), 0x40086602, bytes(8))",
        "ctypes.CDLL(None).syscall(452, -100, {path}.encode(), os.stat({path}).st_mode, 0)",  # fchmodat2
    ],
)
@pytest.mark.parametrize("where", ["'{own}'", "os.environ['TMPDIR']", "'/dev/null'", "'/usr/bin/env'"])
def test_no_bot_leaves_a_note_in_the_rights_or_times_of_a_file(closed, tmp_path, where, change):
    """Its next process could read it there, whatever folder it may write to; and all bots share /dev/null."""
    own = tmp_path / "own.txt"
    own.write_text("mine")
    said = tried(closed, change.format(path=where.format(own=own)), own=own)
    assert "PermissionError" in said or said == "-1"


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize(
    "code",
    [
        "os.listdir(os.path.dirname(os.environ['TMPDIR'] or '/'))",
        "open('/proc/{pid}/environ').read() or 1 / 0",
        "os.readlink('/proc/{pid}/cwd')",
        "os.listdir({home!r})",
        "open({home!r} + '/note', 'w')",
        "os.rmdir({home!r})",
        "os.rename({home!r}, {home!r} + 'x')",
        "os.chmod({home!r}, 0o700)",
        "os.symlink('/', {home!r} + '/link')",
    ],
)
def test_no_bot_reaches_the_folder_of_another(closed, code):
    """Neither does it learn its name: a random one, in a folder that it cannot list."""
    with table_with(misbehaving_bot(), sandbox=closed) as table:
        table.play(fixture("one", "two"))
        opponent = next(player for (name, *_), player in table._players.items() if name == "one")
        home = psutil.Process(opponent.pid).environ()["TMPDIR"]
        table.bots["misbehaving"] = trying(code.format(pid=opponent.pid, home=home))
        record = table.play(fixture("one", "misbehaving"))
        in_box = closed is not LIMITS_ONLY and ("dirname" in code or "home" in code)  # that is its own /tmp
        assert in_box or "Error" in heard(record, 1)
        assert table.play(fixture("one", "two")).faults == ()


@pytest.mark.attack("talk by locks, watches or signals")
@pytest.mark.parametrize(
    "say",
    [
        "fcntl.flock(open('/usr/bin/env'), fcntl.LOCK_SH)",
        "fcntl.lockf(open('/usr/bin/env'), fcntl.LOCK_SH)",
        "fcntl.fcntl(open('/usr/bin/env'), fcntl.F_GETLK, bytes(32))",
        "fcntl.fcntl(open('/usr/bin/env'), 37, struct.pack('hhqqi4x', 0, 0, 0, 0, 0))",  # F_OFD_SETLK
        "fcntl.fcntl(open('/usr/bin/env'), 1024, 0)",  # F_SETLEASE
        "fcntl.fcntl(os.open('/usr/bin', os.O_RDONLY), 1026, 1)",  # F_NOTIFY
        "fcntl.fcntl(open('/usr/bin/env'), 1036, struct.pack('q', 4))",  # F_SET_RW_HINT
        "1 / (1 + ctypes.CDLL(None).inotify_init())",
        "1 / (1 + ctypes.CDLL(None).inotify_init1(0))",
        "1 / (1 + ctypes.CDLL(None).fanotify_init(0x200, 0))",
    ],
)
def test_two_bots_tell_each_other_nothing_by_locks_or_watches_on_a_file(closed, say):
    assert "Error" in tried(closed, say)


def test_when_the_machine_runs_out_of_memory_bots_are_killed_first(closed):
    """Or a bot that is about to lose could have the game interrupted."""
    assert tried(closed, "time.sleep(0.3) or open('/proc/self/oom_score_adj').read()") == r"'1000\n'"
    assert Path("/proc/self/oom_score_adj").read_text() != "1000\n"


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_no_setting_of_the_kernel_is_changed(closed):
    """Root could do that without any capabilities."""
    assert "Error" in tried(closed, "open('/proc/sys/kernel/core_pattern', 'a')")


@pytest.mark.attack("hide files that it uses")
def test_files_without_names_count_in_a_box(box):
    code = "os.open('/tmp/x', os.O_CREAT | os.O_RDWR)"
    code = f"[(f := {code}, os.unlink('/tmp/x'), os.write(f, b'x' * 2**20)) for _ in range(40)]"
    assert "No space left" in tried(box, code)


@pytest.mark.attack("fill the disk")
@pytest.mark.parametrize("where", ["/tmp", "/dev/shm"])
def test_what_a_box_lets_be_written_is_limited(box, where):
    assert "No space left" in tried(
        box, f"[open('{where}/' + str(n), 'wb').write(b'x' * 2**20) for n in range(40)]"
    )


@pytest.mark.attack("see other processes")
def test_a_box_has_no_other_processes(box):
    pids = tried(box, "[pid for pid in os.listdir('/proc') if pid.isdecimal()]")
    assert len(eval(pids)) <= 3


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


def test_no_shared_memory_outlives_its_bot(closed):
    assert "Error" in tried(closed, "ctypes.CDLL(None).shmget(0, 4096, 0o1600) + 1 or 1 / 0")


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


@pytest.mark.attack("use the network")
@pytest.mark.parametrize("lacking", ["", "namespaces.leave = lambda: False", "seccomp.load = lambda: None"])
def test_a_box_has_a_network_of_nothing(box, lacking, monkeypatch):
    """A supervisor leaves the network for all its boxes; where it may not, each box gets one by itself.

    So it does without a filter: in a shared one, bots of two boxes could speak to each other.
    """
    without = f"from arena.sandbox.linux import namespaces, seccomp; {lacking}; from arena"
    monkeypatch.setattr(
        client, "PROGRAM", client.PROGRAM.replace("from arena", without) if lacking else client.PROGRAM
    )
    assert tried(box, "[line.split()[0] for line in open('/proc/net/dev')][2:]") == "['lo:']"
    network = "os.readlink('/proc/self/ns/net')"
    bots = {name: replace(trying(network), name=name) for name in ("one", "two")}
    with Table(bots, sandbox=box) as table:
        record = table.play(fixture("one", "two"))
    networks = {heard(record, seat).strip() for seat in (0, 1)}
    assert len(networks) == (2 if lacking else 1)
    assert repr(os.readlink("/proc/self/ns/net")) not in networks


@pytest.mark.parametrize("limit", [0.025, 0.2, 20])
def test_a_bot_that_closes_stdout_in_a_box_has_crashed_without_a_wait(box, limit):
    """Bubblewrap has it open all the same. However short the time is: it was not late."""
    began = time.monotonic()
    record = play(misbehaving_bot(move="os.close(1); time.sleep(100)"), sandbox=box, move=limit)
    assert [(fault.kind, fault.detail) for fault in record.faults] == [("crashed", "closed its stdout")]
    assert time.monotonic() - began < 10


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


def test_an_answer_before_the_last_check_of_a_box_counts(box, monkeypatch):
    """It comes while the loop finds out that the bot can give no more."""
    stdout_closed = Player.stdout_closed.fget
    monkeypatch.setattr(
        Player, "stdout_closed", property(lambda player: time.sleep(0.1) or stdout_closed(player))
    )
    record = play(
        misbehaving_bot(move="time.sleep(0.1); print(answer, flush=True); os.close(1); time.sleep(9)"),
        sandbox=box,
        rounds=1,
        move=1,
    )
    assert record.replies[1] == {1: "stay"}
    assert record.faults == ()


def test_a_bot_that_closes_stdout_in_a_box_before_hello_is_unstarted(box):
    record = play(shell("misbehaving", "exec 1>&-; sleep 100"), sandbox=box)
    assert words(record) == "closed its stdout before it answered hello"


def test_a_child_may_answer_for_a_bot_that_has_closed_its_stdout(box):
    bot = shell("misbehaving", f"exec 3<&0; ( sleep 0.1; {PLAIN} ) <&3 & exec 1>&-; wait")
    assert play(bot, sandbox=box).faults == ()


# Real languages


NODE = """
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "ask") console.log(words[1], words[words.indexOf(":") + 1]);
});
"""
JAVA = """
import java.util.*;
public class Main {
    public static void main(String[] none) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            List<String> w = Arrays.asList(lines.nextLine().split(" "));
            if (w.get(0).equals("ask")) System.out.println(w.get(1) + " " + w.get(w.indexOf(":") + 1));
        }
    }
}
"""


@pytest.mark.parametrize(("command", "file", "text"), [("node", "bot.js", NODE), ("java", "Main.java", JAVA)])
def test_interpreters_start_with_the_default_limits(tier, tmp_path, command, file, text):
    if not (found := shutil.which(command)):
        pytest.skip(f"no {command}")
    (tmp_path / file).write_text(text)
    bot = bot_from_command("misbehaving", [found, file], tmp_path)
    record = play(bot, sandbox=tier, move=2, start=20)
    assert record.faults == ()


# The referee


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
        sweep = "from arena.sandbox.stale import clean_up; clean_up()"
        where = os.environ | {"TMPDIR": str(tmp_path)}
        time.sleep(0.2)
        subprocess.run([sys.executable, "-c", sweep], env=where, check=True)
    time.sleep(1)
    assert family(tmp_path, "") == []
    assert list(tmp_path.glob("arena-*")) == []


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
