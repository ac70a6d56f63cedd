"""Bots that tell each other something: by locks, caches, load. Which channels are open is listed.

Where a program must hear nothing, it is also played in a way in which it does hear something: so each of
these tests could fail.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cheats import BOTH, believing, program, records_of, said_by, write_plan
from programs import tried

pytestmark = pytest.mark.slow


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


# Channels that are open now, by the tiers in which they are. A change that closes one takes its line out.
OPEN = {"page cache": BOTH, "futex": BOTH} | dict.fromkeys(("atime", "name", "sockets"), ("limits",))

CHANNELS = ["flock", "record lock", "description lock", "inotify", "page cache", "futex"]
CHANNELS += ["atime", "name", "sockets"]

HEARD: dict[str, dict[str, list[str]]] = {}  # by tier and channel, what each process said of each game


def gossips(folder: Path) -> dict[str, Path]:
    """A bot for each channel. Its note was last changed in the year 2100, so that reading it is noticed."""
    bots = {}
    for channel in CHANNELS:
        path = bots[channel.replace(" ", "-")] = program(folder / channel, "gossip.py", argument=channel)
        (path / "note").write_bytes(bytes(2**20))
        os.sync()  # what is not on the disk stays in memory
        os.utime(path / "note", (0, 4102444800))
    return bots


@pytest.mark.parametrize("channel", CHANNELS)
def test_two_processes_outside_of_a_sandbox_would_hear_each_other(tmp_path, channel):
    """The positive control. On some file systems reads leave no trace, or all files stay in memory."""
    folder = gossips(tmp_path)[channel.replace(" ", "-")]
    command = [sys.executable, "gossip.py", channel]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}

    def say(process: subprocess.Popen[str]) -> str:
        process.stdin.write("game 1 complots\n")
        process.stdin.flush()
        return process.stderr.readline().split()[2]

    with subprocess.Popen(command, cwd=folder, **pipes) as one:
        alone = [say(one) for _ in range(3)]
        with subprocess.Popen(command, cwd=folder, **pipes) as two:
            said = [say(process) for process in (two, one) * 5]
            two.stdin.close()
        one.stdin.close()
    if (channel == "atime" and "another" not in said) or (channel == "page cache" and "another" in alone):
        pytest.skip("not on the file system of these tests")
    assert alone == ["silence"] * 3 and "another" in said


@pytest.mark.parametrize("channel", CHANNELS)
def test_no_process_hears_another(arena, tmp_path, tier, channel, request):
    """Each bot has a process for each of two seats in each of two workers. All live as long as the run."""
    if tier.tier in OPEN.get(channel, ()):
        reason = f"open in the tier {tier.tier}: processes of a bot tell each other by {channel}"
        request.applymarker(pytest.mark.xfail(strict=channel != "atime", reason=reason))
    if tier.tier not in HEARD:
        plan = write_plan(tmp_path, gossips(tmp_path / "bots"), seats=2, groups=3, sandbox=tier.tier)
        done = arena("run", plan, "--out", "run.db", "--jobs", 2)
        assert done.returncode == 0 and " 0 faults" in done.stdout, done.stderr + done.stdout
        HEARD[tier.tier] = {}
        for record in records_of(tmp_path / "run.db"):
            for seat, bot in enumerate(record.fixture.bots):
                HEARD[tier.tier].setdefault(bot, []).extend(said_by(record, seat))
    said = [line.split()[1:3] for line in HEARD[tier.tier][channel.replace(" ", "-")]]
    assert len(said) == 6 * (len(CHANNELS) - 1) and len({process for process, _ in said}) >= 2
    assert {word for _, word in said} <= {"silence", "refused:"}


@pytest.mark.parametrize("way", ["locks", "pages"])
def test_what_other_processes_remember_is_worth_nothing(arena, cheats, tmp_path, way, request):
    """A bot whose processes tell each other what they were dealt, with one worker, as on a small machine.

    Where the way is open, it was worth about as much as a memory was where processes were shared.
    """
    if way == "pages" and "page cache" in OPEN:
        request.applymarker(pytest.mark.xfail(strict=True, reason="open: processes tell each other by pages"))
    plan = cheats("whisper", "memory.py", "gossip.py", argument=way, groups=25)
    with (tmp_path / "whisper" / "board").open("wb") as board:
        board.truncate(2**27)
    assert arena("run", plan, "--out", "run.db", "--jobs", 1).returncode == 0
    assert believing(records_of(tmp_path / "run.db"), "whisper") < 0.1
