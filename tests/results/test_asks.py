"""`arena replay` shows the time of each answer, and the stderr of the bot beside it."""

from dataclasses import replace

import pytest
from stored_games import record

from arena.records.fixture import to_json
from arena.records.record import record_from_json
from arena.results.asks import traced_asks


def stored(seat: int, **trace: object):
    """What is read of a record with this trace once it was stored."""
    made = replace(record(), trace=trace)
    return traced_asks(record_from_json(made.game_part(), to_json(made.trace)), seat)


TIMES = {"microseconds": [[100, 200, 300], [400]], "sent": [[1, 0, 4, []], [5, 1, 7, []]]}


def test_each_ask_has_its_time_and_its_stderr():
    asks = stored(0, **TIMES, stderr={1: "start\none\nthree"}, stderr_asks={1: [[0, 6], [1, 4], [2, 5]]})
    assert asks == [(100, "start\n"), (200, "one\n"), (300, "three")]


def test_an_ask_that_was_never_answered_has_no_time():
    assert stored(1, **TIMES, stderr={2: "dead"}, stderr_asks={2: [[1, 4]]}) == [(400, ""), (None, "dead")]


def test_what_came_after_the_last_ask_is_with_the_last_ask():
    assert stored(1, **TIMES, stderr={2: "a b"}, stderr_asks={2: [[1, 2], [2, 1]]})[-1] == (None, "a b")


@pytest.mark.parametrize("text", ["", "all of it\n"])
def test_older_records_do_not_say_when_it_came(text):
    rest = [(None, text)] if text else []
    assert stored(0, **TIMES, stderr={1: text}) == [(100, ""), (200, ""), (300, ""), *rest]
    assert stored(0, stderr={1: text}) == rest
    assert stored(0) == []
