"""Thinking time, moved by hand: a time per answer, and a bank for the whole game."""

from math import inf

import pytest

from arena.referee.clock import Clock, TimeUsage
from arena.referee.conditions import TimeControl


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


@pytest.mark.parametrize(("limit", "last"), [(10, 30), (2.5, 7.5), (1, 6), (0.02, 5.02)])
def test_to_get_ready_may_take_longer_on_a_busy_machine(limit, last):
    """It is no fault of a bot that it had no core, and would cost it the game."""
    clock = Clock(TimeControl(move=2))
    clock.start(100.0, limit)
    while not clock.has_run_out(clock.deadline, TimeUsage(clock.deadline - 100, 0, clock.deadline - 100)):
        pass
    assert clock.deadline == pytest.approx(100 + last)


# A limit for the game


def test_no_answer_has_more_than_what_is_left_of_the_game():
    clock = Clock(TimeControl(move=2, bank=60, game=30))
    assert clock.start(100.0) == 30
    clock.stop(125.0)
    assert clock.start(200.0) == 5
    clock.stop(201.0)
    assert clock.start(300.0) == 4


def test_quick_answers_count_too():
    clock = Clock(TimeControl(move=2, game=5))
    for number in range(10):
        assert clock.start(100.0 * number) == min(2, 5 - 0.5 * number)
        clock.stop(100.0 * number + 0.5)
    assert clock.game_left == 0
    assert clock.start(2000.0) == 0 and clock.has_run_out(2000.0)


def test_to_get_ready_takes_nothing_from_the_game():
    clock = Clock(TimeControl(move=2, game=5))
    assert clock.start(100.0, 10) == 10
    clock.stop(109.0)
    assert clock.game_left == 5


def test_a_limit_that_is_not_set_is_no_part_of_a_record():
    """So it changes no ids."""
    assert TimeControl(1, 2, 3).as_json() == {"move": 1, "bank": 2, "start": 3}
    assert TimeControl(1, 2, 3, 4).as_json() == {"move": 1, "bank": 2, "start": 3, "game": 4}


# What is charged


@pytest.mark.parametrize(
    ("wall", "cpu", "wait", "charged"),
    [
        (5, 5, 0, 5),  # computed all the time
        (5, 0, 0, 5),  # slept all the time, or was stopped
        (5, 2, 3, 2),  # others had the processor
        (5, 2, 1, 4),  # and it slept besides
        (5, 9, 0, 9),  # several threads at once
        (5, 9, 4.9, 9),  # which wait for one another
        (5, 0, 0, 5),  # the system tells nothing
    ],
)
def test_computing_and_sleeping_are_charged_and_waiting_for_a_core_is_not(wall, cpu, wait, charged):
    assert TimeUsage(wall, cpu, wait).charged == charged


def test_the_bank_pays_for_what_is_charged():
    clock = Clock(TimeControl(move=2, bank=60))
    clock.start(100.0)
    assert clock.stop(120.0, TimeUsage(20, 5, 13)) == 7
    assert clock.bank == 55


def test_without_figures_the_deadline_is_the_end():
    clock = Clock(TimeControl(move=2))
    clock.start(100.0)
    assert not clock.has_run_out(101.9)
    assert clock.has_run_out(102.0)


def test_a_deadline_moves_on_by_what_has_not_been_used():
    clock = Clock(TimeControl(move=2))
    clock.start(100.0)
    assert not clock.has_run_out(102.0, TimeUsage(2, 1.5, 0.5))
    assert clock.deadline == 102.5
    assert not clock.has_run_out(102.2, TimeUsage(2.2, 2.2, 0)), "nothing is checked before the deadline"
    assert clock.has_run_out(102.5, TimeUsage(2.5, 2, 0.5))


def test_a_deadline_moves_on_by_a_millisecond_at_least():
    clock = Clock(TimeControl(move=2))
    clock.start(100.0)
    assert not clock.has_run_out(102.0, TimeUsage(2, 1.999999, 0.5))
    assert clock.deadline == pytest.approx(102.001)


@pytest.mark.parametrize(("move", "last"), [(0.025, 1.025), (0.2, 1.2), (0.5, 1.5), (2, 3), (10, 11)])
def test_whatever_the_figures_say_there_is_an_end(move, last):
    """A second more than the limit: a busy machine cannot make a game last for ever."""
    clock = Clock(TimeControl(move=move))
    clock.start(100.0)
    looks = 0
    while not clock.has_run_out(clock.deadline, TimeUsage(clock.deadline - 100, 0, clock.deadline - 100)):
        looks += 1
    assert clock.deadline == pytest.approx(100 + last)
    assert looks < 100
