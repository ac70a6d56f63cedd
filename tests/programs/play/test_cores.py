"""Core slots: no more workers than slots have bots that compute, however a worker ends."""

import multiprocessing

import pytest

from arena.programs.play.cores import Cores

LIMIT_S = 60


@pytest.fixture
def slots(tmp_path):
    made = []

    def open_slots(count=2):
        made.append(Cores(tmp_path, count))
        return made[-1]

    yield open_slots
    for each in made:
        each.close()


def _hold(folder, pipe):
    Cores(folder, 1).take()
    pipe.send("held")
    pipe.recv()  # until it is killed


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
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=_hold, args=(tmp_path, there))
    worker.start()
    assert here.poll(LIMIT_S) and here.recv() == "held"
    cores = slots(1)
    assert not cores.try_to_take()
    worker.kill()
    worker.join()
    cores.take()
    assert cores.is_held
