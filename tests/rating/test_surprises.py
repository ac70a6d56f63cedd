"""How unexpected the result of a bot in a game was."""

import numpy as np
import pytest

from arena.rating.standings import surprises


def test_two_bots_of_equal_strength():
    score, expected = surprises(np.array([[1500.0, 1500.0]] * 3), np.array([[1, 2], [2, 1], [1, 1]]))
    assert score.tolist() == [[1, 0], [0, 1], [0.5, 0.5]]
    assert expected == pytest.approx(0.5)


def test_four_hundred_points_are_ten_to_one():
    _, expected = surprises(np.array([[1900.0, 1500.0]]), np.array([[1, 2]]))
    assert expected[0] == pytest.approx([10 / 11, 1 / 11])


def test_more_seats_are_all_their_pairs():
    score, expected = surprises(np.array([[1900.0, 1500.0, 1500.0]]), np.array([[2, 1, 2]]))
    assert score[0] == pytest.approx([0.25, 1, 0.25])
    assert expected[0] == pytest.approx([10 / 11, (1 / 11 + 0.5) / 2, (1 / 11 + 0.5) / 2])
    assert expected.sum() == pytest.approx(score.sum())  # one pair, one point
