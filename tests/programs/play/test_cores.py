"""Core slots: no more workers than slots have bots that compute, however a worker ends."""

import subprocess
import sys

import pytest

from arena.programs.play.cores import Cores


@pytest.fixture
def slots(tmp_path):
    made = []

    def open_slots(count=2):
        made.append(Cores(tmp_path, count))
        return made[-1]

    yield open_slots
    for each in made:
        each.close()


def test_a_worker_waits_for_a_slot_until_another_gives_one_back(slots):
    """Each `Cores` has descriptors of its own, as that of another worker."""
    one, two, three = slots(), slots(), slots()
    one.take()
    one.take()  # it has one already
    two.take()
    assert one.is_held and two.is_held
    assert not three.try_to_take()
    one.give_back()
    three.take()
    assert three.is_held and not one.is_held


def test_a_killed_worker_holds_no_slot(slots, tmp_path):
    hold = (
        "import sys; from pathlib import Path; from arena.programs.play.cores import Cores;"
        "Cores(Path(sys.argv[1]), 1).take(); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout.readline() == "held\n"
        cores = slots(1)
        assert not cores.try_to_take()
        worker.kill()
        worker.wait()
        cores.take()
        assert cores.is_held
