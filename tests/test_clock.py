"""Thinking time, moved by hand: a time per answer, and a bank for the whole game."""

from math import inf

import pytest

from arena.clock import Clock, TimeControl


def test_without_a_bank_the_limit_is_the_time_per_move():
    clock = Clock(TimeControl(move=2))
    assert clock.start(100.0) == 2
    assert clock.deadline == 102


def test_the_hard_limit_is_the_time_per_move_and_all_of_the_bank():
    clock = Clock(TimeControl(move=2, bank=60))
    assert clock.start(100.0) == 62
    assert clock.deadline == 162


def test_an_answer_within_the_time_per_move_leaves_the_bank_alone():
    clock = Clock(TimeControl(move=2, bank=60))
    clock.start(100.0)
    assert clock.stop(102.0) == 2
    assert clock.bank == 60


def test_only_time_beyond_the_move_is_taken_from_the_bank():
    clock = Clock(TimeControl(move=2, bank=60))
    clock.start(100.0)
    assert clock.stop(107.0) == 7
    assert clock.bank == 55
    assert clock.start(200.0) == 57


def test_the_bank_never_falls_below_nothing():
    clock = Clock(TimeControl(move=2, bank=1))
    clock.start(100.0)
    clock.stop(500.0)
    assert clock.bank == 0
    assert clock.start(600.0) == 2


def test_a_stopped_clock_has_no_deadline():
    clock = Clock(TimeControl(move=2))
    assert clock.deadline == inf
    clock.start(100.0)
    clock.stop(101.0)
    assert clock.deadline == inf


def test_a_limit_of_its_own_is_the_whole_limit():
    """As for `ready`: the bank is no part of it."""
    clock = Clock(TimeControl(move=2, bank=60))
    assert clock.start(100.0, 10) == 10
    assert clock.deadline == 110


def test_many_answers_take_from_one_bank():
    clock = Clock(TimeControl(move=1, bank=10))
    now = 0.0
    for seconds in (0.5, 3, 1, 4.5):
        clock.start(now)
        now += seconds
        clock.stop(now)
    assert clock.bank == pytest.approx(10 - 2 - 3.5)
