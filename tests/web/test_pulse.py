"""When the parent takes a child for hung: by its beats, and by its own computing time, not by time alone."""

import os
from contextlib import closing

import pytest

from arena.web.pulse import Pulse


@pytest.fixture
def pulse():
    with closing(Pulse()) as found:
        yield found


def beat(pulse):
    os.write(pulse.write, b".")


def looks(pulse, count, work=lambda look: 0.0):
    """How often the parent looks until it takes the child for hung, at most `count` times."""
    return next((look for look in range(1, count + 1) if pulse.look(work(look))), count)


def test_a_process_that_has_not_begun_to_beat_does_not_hang(pulse):
    assert looks(pulse, 1000) == 1000


def test_a_process_that_beats_does_not_hang(pulse):
    for look in range(100):
        beat(pulse)
        assert not pulse.look(look * 1000.0), "whatever it computes between two beats"
        assert not pulse.look(look * 1000.0 + 1)


def test_a_process_that_neither_beats_nor_works_hangs(pulse):
    beat(pulse)
    assert looks(pulse, 100) == 21


def test_threads_that_only_look_at_a_clock_are_no_work(pulse):
    beat(pulse)
    assert looks(pulse, 100, lambda look: look * 0.001) == 21


def test_a_busy_process_does_not_hang_until_it_has_computed_for_long(pulse):
    """As a web process with thousands of streams on a slow machine, which gets a tenth of a core."""
    beat(pulse)
    pulse.look(7.0)
    assert looks(pulse, 10_000, lambda look: 7.0 + look * 0.1) == 3001


def test_a_process_that_works_and_then_stops_hangs(pulse):
    beat(pulse)
    assert looks(pulse, 100, lambda look: min(look, 50.0)) == 70


def test_the_process_that_replaces_it_begins_anew(pulse):
    beat(pulse)
    pulse.look(500.0)
    pulse.begin()
    assert looks(pulse, 100) == 100
    beat(pulse)
    assert not pulse.look(1.0), "the computing time is that of another process"
