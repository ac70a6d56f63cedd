"""The kernel counts waiting signals, timers and watches for each user: a bot leaves some for all others."""

import ctypes
from dataclasses import replace

import pytest
from programs import built_by, fixture, heard, misbehaving_bot, table_with, trying

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


@pytest.mark.attack("use up signals, timers or watches")
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


@pytest.mark.attack("use up signals, timers or watches")
def test_a_build_has_no_watches(tier, tmp_path):
    """A user may have 128 of them. (Those of bots are tried in `test_covert_channels.py`.)"""
    refused = "import ctypes; 1 / (ctypes.CDLL(None).inotify_init() == -1)"
    build([built_by(tmp_path, f"touch build/bot; python3 -c '{refused}'")], tier)
