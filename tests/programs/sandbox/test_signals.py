"""The kernel counts signals, timers, watches and descriptors for each user: a bot leaves some to others."""

import ctypes
from dataclasses import replace

import pytest
from programs import AMPLE, built_by, fixture, heard, misbehaving_bot, table_with, trying

from arena.programs.play.build import build

pytestmark = pytest.mark.slow

HOARD = """
import ctypes
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
taken = 0
while {take}:
    taken += 1
print(taken, file=sys.stderr)
"""
TIMER = "ctypes.CDLL(None).timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0"


@pytest.mark.attack("use up signals, timers or descriptors")
@pytest.mark.parametrize(
    "take",
    [
        "libc.sigqueue(os.getpid(), 40, None) == 0",
        "libc.syscall(297, os.getpid(), os.getpid(), 40, bytes(8) + b'\\xff' * 120) == 0",
        "libc.timer_create(1, None, ctypes.byref(timer)) == 0",
    ],
    ids=["queue", "thread", "timers"],
)
def test_a_bot_that_takes_all_signals_leaves_timers_to_its_rivals_and_to_other_programs(tier, take):
    """(297 is rt_tgsigqueueinfo(2) on x86-64.)"""
    with table_with(misbehaving_bot(start=HOARD.format(take=take)), sandbox=tier) as table:
        record = table.play(fixture("one", "misbehaving", start=20.0))
        assert record.faults == () and int(heard(record, 1)) > 0
        if tier.boxed:  # in limits bots may run as one user, and share what it has
            table.bots["rival"] = replace(trying(TIMER), name="rival")
            assert heard(table.play(fixture("one", "rival", start=20.0)), 1).strip() == "True"
        timer = ctypes.c_void_p()
        assert ctypes.CDLL(None).timer_create(1, None, ctypes.byref(timer)) == 0, (
            "another program of the user"
        )
        ctypes.CDLL(None).timer_delete(timer)


SEND = (
    "socket.send_fds(pair[0], [b'x'], [0] * 100)"  # the kernel lets a user have 128 in flight, and some more
)
REQUESTS = "ctypes.CDLL(None).syscall(206, {}, ctypes.byref(ctypes.c_void_p()))"  # io_setup(2) on x86-64
PER_USER = {"descriptors": ("pair = socket.socketpair()", SEND), "requests": ("", REQUESTS.format(60_000))}


@pytest.mark.attack("use up signals, timers or descriptors")
@pytest.mark.parametrize("what", PER_USER)
def test_a_bot_that_takes_all_that_all_users_share_gets_none_of_it(tier, what):
    """Outside of a sandbox the first program takes all, as this test takes none away from the machine."""
    prepare, take = PER_USER[what]
    code = f"import ctypes, socket\n{prepare}\nfor n in range(5):\n    try:\n        got = {take}"
    code += "\n    except OSError as error:\n        got = error\n    print(got, file=sys.stderr)"
    with table_with(misbehaving_bot(start=code), sandbox=tier) as table:
        record = table.play(fixture("one", "misbehaving", **AMPLE))
    refused = "[Errno 13] Permission denied" if what == "descriptors" else "-1"
    assert record.faults == () and heard(record, 1).splitlines() == [refused] * 5


@pytest.mark.attack("use up signals, timers or descriptors")
def test_a_build_has_no_watches(tier, tmp_path):
    """A user may have 128 of them. (Those of bots are tried in `test_covert_channels.py`.)"""
    refused = "import ctypes; 1 / (ctypes.CDLL(None).inotify_init() == -1)"
    build([built_by(tmp_path, f"touch build/bot; python3 -c '{refused}'")], tier)
