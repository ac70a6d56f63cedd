"""Which line answers which ask, as a table (rulings A1 to A3). How referees use it: test_referee.py."""

from arena.referee.judging import Noise, judge
from arena.referee.protocol import HELLO, MAX_IGNORED, MAX_LINE, READY, BadLine, read_text
from arena.rules import Choice

MOVE = Choice("move", ("stay", "go", "gone"), {"offer": lambda word: "" if word == "offer:5" else "not 5"})
KEEP = Choice.of_sets("keep", ("a+b", "a+c"))
GARBLED = BadLine("garbled", "a line with control characters")
OVERDUE, NOISE = "answers an overdue ask", "noise"


def heard(line, choice=MOVE, overdue=(), is_late=False):
    """What a line is while the ask 3 is pending: the word and the kind of fault, or what else it is."""
    read = read_text(line) if isinstance(line, bytes) else line
    found = judge(read, 3, choice, overdue, is_late, lambda choice, text: f"no {text}")
    if found.overdue:
        assert found.word is None and found.fault is None
        return OVERDUE, found.overdue
    if found.word is None and found.fault is None:
        return NOISE
    return found.word, found.fault and found.fault.kind


TABLE = [
    # The answer to the pending ask, with its id or without, however it is spaced
    *[
        (line, {}, ("go", None))
        for line in (b"3 go", b"go", b"3  go", b" go ", b"\t3\tgo\t", b"3 go\r", b"003 go")
    ],
    (b"3 offer:5", {}, ("offer:5", None)),
    (b"3 b+a", {"choice": KEEP}, ("a+b", None)),
    # What is no option, and what is no text: the first option is played (A1)
    *[
        (line, {}, ("stay", "illegal"))
        for line in (b"", b"3 ", b"3", b"stay go", b"3 3 stay", b"stay 3", b"Stay", b"4stay", b"offer:6")
    ],
    *[
        (line, {}, ("stay", "garbled"))
        for line in (b"3 st\0ay", b"3 stay\x1b[0m", "\u2028".encode(), b"\xc0\xaf")
    ],
    (b"3 " + b"stay" * 3000, {}, ("stay", "long")),
    # The id of another ask, or no ask: early, and the pending one still waits
    *[(f"{number} gone", {}, (None, "early")) for number in (0, 1, 2, 4, 99)],
    *[(line, {"choice": None}, (None, "early")) for line in ("3 go", "go", "")],
    (GARBLED, {"choice": None}, (None, "garbled")),
    # Answers to overdue asks have had their fault (A2); without an id it is the oldest
    *[(line, {"overdue": [1, 2]}, (OVERDUE, 1)) for line in ("go", "1 go", "1 nonsense", "", GARBLED)],
    *[("2 go", {"overdue": [1, 2], "choice": choice}, (OVERDUE, 2)) for choice in (MOVE, None)],
    ("3 go", {"overdue": [1, 2]}, ("go", None)),
    ("0 go", {"overdue": [1, 2]}, (None, "early")),
    # An answer that took too much time is late, whatever it says, and nothing else
    *[(line, {"is_late": True}, ("stay", "late")) for line in ("3 go", "go", "3 nonsense", GARBLED)],
    ("9 go", {"is_late": True}, (None, "early")),
    # Before a game only `ok` is an answer
    *[(line, {"choice": READY}, ("ok", None)) for line in ("ok", "3 ok", " 3 ok ")],
    *[(line, {"choice": READY}, NOISE) for line in ("2 ok", "3 OK", "ok go", "hello", "", GARBLED)],
    *[(line, {"choice": HELLO}, (line, None)) for line in ("ok", "ok name=x version=2")],
    ("7 ok", {"choice": HELLO}, ("ok", None)),
    *[(line, {"choice": HELLO}, NOISE) for line in ("okay", "3 OK", "", GARBLED)],
]  # fmt: skip


def test_what_a_line_is():
    wrong = [(line, how, heard(line, **how)) for line, how, what in TABLE if heard(line, **how) != what]
    assert wrong == []


def test_the_details_say_what_was_played():
    for line, words in {
        "3 run": "answered 'run' to move; no run; legal: stay go gone offer:...; played stay",
        b"3 \xff": "a line that is not UTF-8: '\\ufffd'; played stay",
        b"x" * (MAX_LINE + 1): f"a line of more than {MAX_LINE} bytes; played stay",
    }.items():
        read = read_text(line) if isinstance(line, bytes) else line
        assert judge(read, 3, MOVE, reason=lambda choice, text: f"no {text}").fault.detail == words
    assert judge("3 go", 3, MOVE, is_late=True).fault.detail == "no answer to move in time; played stay"


def test_a_part_of_an_option_is_taken_for_a_try_at_it():
    block = Choice("block", ("pass", "block:contessa@duchess", "block:contessa@contessa"))
    for said, option in {"contessa": "block:contessa@duchess", "Pass!": "pass"}.items():
        assert f"; did you mean '{option}'?" in judge(f"3 {said}", 3, block).fault.detail


def test_the_details_hold_no_ids():
    """A process may have played any number of games before, and the record must not tell how many."""

    def details(id: int) -> list[str]:
        lines = [f"{id - 1} gone", f"{id + 9} gone", f"{id} jump", f"{id} Gone", f"{id}", f"{id} g\0ne"]
        judged = [judge(read_text(line.encode()), id, MOVE) for line in lines]
        judged += [judge(f"{id} gone", id, None), judge(f"{id} gone", id, MOVE, is_late=True)]
        return [heard.fault.detail for heard in judged]

    assert details(3) == details(7654320)


def test_noise_is_counted_and_the_last_line_is_told():
    noise = Noise()
    assert not any(noise.add(f"line {number}") for number in range(MAX_IGNORED))
    assert noise.add(GARBLED) and noise.last == "; the last line was a line with control characters"
