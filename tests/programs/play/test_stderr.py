"""What a bot writes to stderr is kept by the asks that it came with, head and tail."""

import os

from arena.programs.play.stderr import CUT, KEEP, Stderr


def kept(*parts: tuple[int, bytes]) -> list[tuple[int, str]]:
    stderr = Stderr()
    for ask, data in parts:
        stderr.add(data, ask)
    return stderr.take()


def test_each_part_has_its_ask():
    assert kept() == []
    assert kept((0, b"start\n"), (3, b"one\n"), (3, b"two\n"), (4, b"no newline")) == [
        (0, "start\n"),
        (3, "one\ntwo\n"),
        (4, "no newline"),
    ]


def test_the_end_of_the_stream_is_no_part():
    assert kept((1, b"words"), (2, b"")) == [(1, "words")]


def test_a_letter_may_come_in_two_pieces_and_bytes_that_are_no_text_are_replaced():
    assert kept((1, b"caf\xc3"), (1, b"\xa9 \xff")) == [(1, "café \ufffd")]


def test_what_is_taken_is_gone():
    stderr = Stderr()
    stderr.add(b"first game", 2)
    assert stderr.take() == [(2, "first game")]
    assert stderr.take() == []
    stderr.add(b"second game", 0)
    assert stderr.take() == [(0, "second game")]


def test_as_much_as_fits_is_not_cut():
    data = os.urandom(KEEP).hex().encode()
    assert kept((1, data[:KEEP]), (2, data[KEEP:])) == [(1, data[:KEEP].decode()), (2, data[KEEP:].decode())]
    assert kept((1, data)) == [(1, data.decode())]


def test_what_is_cut_out_of_the_middle_leaves_a_mark():
    assert kept((1, b"a" * KEEP + b"-" + b"b" * KEEP)) == [(1, "a" * KEEP + CUT.decode() + "b" * KEEP)]
    parts = kept((1, b"a" * KEEP), (2, b"lost"), (3, b"lost too, " + b"b" * KEEP))
    assert parts == [(1, "a" * KEEP), (3, CUT.decode() + "b" * KEEP)]


def test_any_stream_in_any_pieces_keeps_its_beginning_and_its_end():
    """The parts together are the same text, however the bytes come and at however many asks."""
    for size in (1, 7, 100, KEEP - 1, KEEP, 2 * KEEP, 2 * KEEP + 1, 5 * KEEP):
        data = "".join(f"{number:06d} " for number in range(size // 7 + 1)).encode()[:size]
        whole = kept((0, data))[0][1]
        for step in (1, 33, 4096):
            parts = kept(*((at // 50, data[at : at + step]) for at in range(0, size, step)))
            assert "".join(text for _, text in parts) == whole
            assert [ask for ask, _ in parts] == sorted({ask for ask, _ in parts})
            assert len(whole) <= 2 * KEEP + len(CUT)
