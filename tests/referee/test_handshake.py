"""The hello to new processes, with time moved by hand."""

from math import inf

import pytest

from arena.referee.clock import TimeUsage
from arena.referee.handshake import Handshake
from arena.referee.protocol import MAX_FLOOD, MAX_IGNORED, Lines

HELLO = "ask 1 hello 10000 version=1 : ok\n"


def greet(candidates: int = 1, limit: float = 10) -> Handshake:
    handshake = Handshake(candidates, limit)
    sent = [(each.seat, each.text) for each in handshake.begin(100.0)]
    assert sent == [(seat, HELLO) for seat in range(candidates)]
    return handshake


def write(handshake: Handshake, data: bytes, seat: int = 0, lines: Lines | None = None) -> None:
    for line in (lines or Lines()).feed(data):
        assert handshake.hear(seat, line, 101.0) == []


def test_all_are_asked_at_once_and_have_the_same_time():
    handshake = greet(3)
    assert not handshake.is_over
    assert handshake.deadline == 110


def test_a_handshake_without_candidates_is_over():
    assert Handshake(0, 10).is_over


def test_a_handshake_has_no_deadline_before_it_begins():
    assert Handshake(1, 10).deadline == inf


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"ok\n", ""),
        (b"1 ok\n", ""),
        (b"  1\tok \r\n", ""),
        (b"1 ok name=walnut version=2.1\n", "name=walnut version=2.1"),
        (b"ok name=walnut\n", "name=walnut"),
    ],
)
def test_ok_is_enough_and_more_is_kept(line, said):
    handshake = greet()
    write(handshake, line)
    assert handshake.is_over
    assert handshake.candidates[0].said == said
    assert handshake.candidates[0].fault == ""


@pytest.mark.parametrize("noise", [b"hello\n", b"okay\n", b"\n", b"1 OK\n", b"\xff\n", b"x" * 9000 + b"\n"])
def test_other_lines_are_thrown_away(noise):
    """A banner, a blank line, what a library prints: all before the bot itself has said a word."""
    handshake = greet()
    write(handshake, noise * 3)
    assert not handshake.is_over
    write(handshake, b"1 ok\n")
    assert handshake.is_over
    assert handshake.candidates[0].fault == ""


def test_it_waits_for_all():
    handshake = greet(3)
    write(handshake, b"ok\n", seat=2)
    write(handshake, b"ok\n", seat=0)
    assert not handshake.is_over
    write(handshake, b"ok\n", seat=1)
    assert handshake.is_over


def test_a_bot_that_has_not_answered_in_time_has_failed_alone():
    handshake = greet(2, limit=10)
    write(handshake, b"ok\n", seat=1)
    assert handshake.expire(110.0) == []
    assert handshake.is_over
    assert [candidate.fault for candidate in handshake.candidates] == ["no 'ok' to hello within 10 s", ""]


def test_a_bot_that_exits_before_hello_has_failed():
    handshake = greet(2)
    assert handshake.lose(0, "crashed", "exited with status 1", 101.0) == []
    write(handshake, b"ok\n", seat=1)
    assert handshake.is_over
    assert handshake.candidates[0].fault == "exited with status 1 before it answered hello"


def test_a_bot_that_exits_after_hello_has_answered_it():
    """Its death is noticed when the game asks whether it is ready."""
    handshake = greet()
    write(handshake, b"ok\n")
    handshake.lose(0, "crashed", "exited with status 1", 101.0)
    assert handshake.candidates[0].fault == ""


def test_noise_without_end_has_failed():
    handshake = greet()
    write(handshake, b"noise\n" * MAX_IGNORED)
    assert not handshake.is_over
    write(handshake, b"noise\n")
    assert handshake.is_over
    assert handshake.candidates[0].fault == f"wrote {MAX_IGNORED} lines, but not 'ok' to hello"


def test_a_line_without_end_has_failed_at_once():
    """A mebibyte is enough to know, and the words say what it was."""
    handshake, lines = greet(), Lines()
    for _ in range(MAX_FLOOD // 65536 + 2):
        write(handshake, b"x" * 65536, lines=lines)
    assert handshake.is_over
    assert "newline" in handshake.candidates[0].fault


def test_what_a_bot_says_after_it_has_failed_changes_nothing():
    handshake = greet(2)
    write(handshake, b"noise\n" * (MAX_IGNORED + 1))
    fault = handshake.candidates[0].fault
    write(handshake, b"ok\n")
    handshake.lose(0, "crashed", "killed by SIGKILL", 101.0)
    handshake.expire(110.0)
    assert handshake.candidates[0].fault == fault


def test_a_bot_that_waited_for_a_core_has_the_rest_of_its_time_later():
    handshake = greet(2)
    assert handshake.expire(110.0, [TimeUsage(10, 2, 8), TimeUsage(10)]) == []
    assert [candidate.fault for candidate in handshake.candidates] == ["", "no 'ok' to hello within 10 s"]
    assert handshake.deadline == 118
    handshake.expire(118.0, [TimeUsage(18, 10, 8), TimeUsage(18)])
    assert handshake.is_over
