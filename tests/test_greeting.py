"""The hello to fresh processes, with time moved by hand."""

from math import inf

import pytest

from arena.core.clock import TimeUsage
from arena.referee.handshake import Greeting
from arena.referee.protocol import MAX_FLOOD, MAX_IGNORED, Lines
from arena.referee.seat import Send

HELLO = "ask 1 hello 10000 version=1 : ok\n"


def greet(guests: int = 1, limit: float = 10) -> Greeting:
    greeting = Greeting(guests, limit)
    assert greeting.begin(100.0) == [Send(seat, HELLO) for seat in range(guests)]
    return greeting


def write(greeting: Greeting, data: bytes, seat: int = 0, lines: Lines | None = None) -> None:
    for line in (lines or Lines()).feed(data):
        assert greeting.hear(seat, line, 101.0) == []


def test_all_are_asked_at_once_and_have_the_same_time():
    greeting = greet(3)
    assert not greeting.over
    assert greeting.deadline == 110


def test_nobody_to_greet_is_a_greeting_that_is_over():
    assert Greeting(0, 10).over


def test_a_greeting_has_no_deadline_before_it_begins():
    assert Greeting(1, 10).deadline == inf


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
    greeting = greet()
    write(greeting, line)
    assert greeting.over
    assert greeting.guests[0].said == said
    assert greeting.guests[0].fault == ""


@pytest.mark.parametrize("noise", [b"hello\n", b"okay\n", b"\n", b"1 OK\n", b"\xff\n", b"x" * 9000 + b"\n"])
def test_other_lines_are_thrown_away(noise):
    """A banner, a blank line, what a library prints: all before the bot itself has said a word."""
    greeting = greet()
    write(greeting, noise * 3)
    assert not greeting.over
    write(greeting, b"1 ok\n")
    assert greeting.over
    assert greeting.guests[0].fault == ""


def test_it_waits_for_everybody():
    greeting = greet(3)
    write(greeting, b"ok\n", seat=2)
    write(greeting, b"ok\n", seat=0)
    assert not greeting.over
    write(greeting, b"ok\n", seat=1)
    assert greeting.over


def test_who_has_not_answered_in_time_has_failed_and_the_others_have_not():
    greeting = greet(2, limit=10)
    write(greeting, b"ok\n", seat=1)
    assert greeting.expire(110.0) == []
    assert greeting.over
    assert [guest.fault for guest in greeting.guests] == ["no 'ok' to hello within 10 s", ""]


def test_who_ends_before_hello_has_failed():
    greeting = greet(2)
    assert greeting.lose(0, "crashed", "exited with status 1", 101.0) == []
    write(greeting, b"ok\n", seat=1)
    assert greeting.over
    assert greeting.guests[0].fault == "exited with status 1 before it answered hello"


def test_who_ends_after_hello_has_answered_it():
    """Its death is noticed when the game asks whether it is ready."""
    greeting = greet()
    write(greeting, b"ok\n")
    greeting.lose(0, "crashed", "exited with status 1", 101.0)
    assert greeting.guests[0].fault == ""


def test_noise_without_end_has_failed():
    greeting = greet()
    write(greeting, b"noise\n" * MAX_IGNORED)
    assert not greeting.over
    write(greeting, b"noise\n")
    assert greeting.over
    assert greeting.guests[0].fault == f"wrote {MAX_IGNORED} lines, but not 'ok' to hello"


def test_a_line_without_end_has_failed_at_once():
    """A mebibyte is enough to know, and the words say what it was."""
    greeting, lines = greet(), Lines()
    for _ in range(MAX_FLOOD // 65536 + 2):
        write(greeting, b"x" * 65536, lines=lines)
    assert greeting.over
    assert "newline" in greeting.guests[0].fault


def test_what_a_bot_says_after_it_has_failed_changes_nothing():
    greeting = greet(2)
    write(greeting, b"noise\n" * (MAX_IGNORED + 1))
    fault = greeting.guests[0].fault
    write(greeting, b"ok\n")
    greeting.lose(0, "crashed", "killed by SIGKILL", 101.0)
    greeting.expire(110.0)
    assert greeting.guests[0].fault == fault


def test_who_was_kept_from_the_processor_has_the_rest_of_his_time_later():
    greeting = greet(2)
    assert greeting.expire(110.0, [TimeUsage(10, 2, 8), TimeUsage(10)]) == []
    assert [guest.fault for guest in greeting.guests] == ["", "no 'ok' to hello within 10 s"]
    assert greeting.deadline == 118
    greeting.expire(118.0, [TimeUsage(18, 10, 8), TimeUsage(18)])
    assert greeting.over
