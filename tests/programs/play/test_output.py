"""Bots that write without end, to stdout or to stderr."""

from dataclasses import replace

import pytest
from programs import AMPLE, READY, fixture, kinds, misbehaving_bot, play, shell, table_with, words

from arena.programs.sandbox.policy import Sandbox
from arena.referee.conditions import Limits


def test_lines_without_end_from_the_start():
    record = play(shell("misbehaving", "exec yes"), **AMPLE)
    assert kinds(record) == ["unstarted"]
    assert words(record) == "wrote 1000 lines, but not 'ok' to hello"


def test_lines_without_end_before_ready():
    record = play(shell("misbehaving", "echo ok; exec yes"), **AMPLE)
    assert kinds(record) == ["flood"]
    assert words(record) == "wrote 1000 lines, but not 'ok' to ready"


@pytest.mark.attack("write to stdout or stderr without end")
@pytest.mark.parametrize("game", ["relay", "duel"])
def test_answers_without_end(game):
    record = play(shell("misbehaving", f"{READY} exec yes stay"), game=game, same=False, **AMPLE)
    assert set(kinds(record)) <= {"early", "flood"}
    assert record.forfeits == (1,)


def test_lines_without_end_in_mid_game():
    record = play(misbehaving_bot(move="os.execvp('yes', ['yes'])"), same=False, **AMPLE)
    assert kinds(record)[0] == "illegal"
    assert record.forfeits == (1,)


def test_a_line_without_end_from_the_start():
    record = play(shell("misbehaving", "exec tr '\\0' x < /dev/zero"), **AMPLE)
    assert kinds(record) == ["unstarted"]


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_a_line_without_end_in_mid_game(game):
    code = "exec('while True: os.write(1, b\"x\" * 65536)')"
    record = play(misbehaving_bot(move=code), game=game, **AMPLE)
    assert kinds(record) == ["long", "flood"]
    assert "without" in words(record)
    assert record.forfeits == (1,)


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_binary_noise_without_end(game):
    record = play(shell("misbehaving", f"{READY} exec cat /dev/urandom"), game=game, same=False, **AMPLE)
    assert record.forfeits == (1,)


@pytest.mark.attack("write to stdout or stderr without end")
def test_all_that_is_written_in_one_game_has_a_limit():
    """No line of it is too long, and the late ones pay debts; but all of it has to be read."""
    lines = "b''.join(b'%d ' % (10**9 - 1) + b'x' * 8000 + b'\\n' for _ in range(MANY))"
    talker = misbehaving_bot(
        start="MANY = 300", move=f"os.write(1, b'\\n'); [os.write(1, {lines}) for _ in range(9)]"
    )
    record = play(talker, strikes=9999, same=False, **AMPLE)
    assert kinds(record)[-1] == "flood"


def test_what_is_written_counts_anew_in_every_game():
    small = Sandbox(Limits(output=200))
    with table_with(misbehaving_bot(each="answer += ' ' * 30"), sandbox=small) as table:
        for _ in range(4):
            assert table.play(fixture("one", "misbehaving", "two", rounds=3, **AMPLE)).faults == ()
        record = table.play(fixture("one", "misbehaving", "two", rounds=9, **AMPLE))
    assert kinds(record) == ["flood"]
    assert words(record) == "more than 200 bytes in one game"


def test_a_huge_line_before_ready_does_no_harm():
    assert play(misbehaving_bot(start="os.write(1, b'x' * 900_000 + b'\\n')"), **AMPLE).faults == ()


@pytest.mark.slow
@pytest.mark.attack("write to stdout or stderr without end")
def test_endless_stderr_does_not_delay_the_game():
    """It writes to stderr for as long as it lives, beside its game."""
    noise = "os.fork() or exec('while True: os.write(2, b\"x\" * 4096)')"
    record = play(misbehaving_bot(start=noise), move=1, rounds=20)
    assert record.faults == ()


def test_ten_megabytes_of_stderr_at_each_move():
    record = play(misbehaving_bot(move="os.write(2, b'x') and sys.stderr.write('x' * 10_000_000)"), **AMPLE)
    assert record.faults == ()


@pytest.mark.slow
@pytest.mark.attack("write to stdout or stderr without end")
def test_the_output_of_a_game_is_limited():
    """Each answer is one, but there is a page of spaces behind it."""
    small = Sandbox(replace(Limits(), output=20_000))
    record = play(misbehaving_bot(each="answer += ' ' * 7000"), sandbox=small, rounds=9)
    assert kinds(record) == ["flood"]
    assert words(record) == "more than 20000 bytes in one game"
