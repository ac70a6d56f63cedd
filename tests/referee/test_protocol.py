"""Bytes into lines, lines into answers, and the lines that the arena writes."""

import random

import pytest
from driving import MOVE, game_of, relay
from samples import CHECKOUT

from arena.config.text import CONTROL, quote
from arena.referee.judging import describe_illegal
from arena.referee.protocol import (
    MAX_FLOOD,
    MAX_LINE,
    BadLine,
    Lines,
    ask_line,
    check_lines,
    end_line,
    error_line,
    game_line,
    hello_line,
    milliseconds,
    option_words,
    read_answer,
)
from arena.rules import Choice, numbers

PROTOCOL_PAGE = CHECKOUT / "protocol.md"


# Bytes into lines


def cut(*pieces: bytes) -> list[str | BadLine]:
    """What `Lines` makes of these pieces, read one after another."""
    lines = Lines()
    return [line for piece in pieces for line in lines.feed(piece)]


def kinds(lines: list[str | BadLine]) -> list[str]:
    return [line.kind if isinstance(line, BadLine) else "text" for line in lines]


def test_a_line_ends_with_its_newline():
    assert cut(b"3 go\n4 stay\n") == ["3 go", "4 stay"]
    assert cut(b"3 go\n4 st") == ["3 go"]


def test_a_line_may_come_byte_by_byte():
    assert cut(*(bytes([byte]) for byte in b"3 go\n4 stay\n")) == ["3 go", "4 stay"]


def test_a_carriage_return_before_the_newline_does_not_count():
    assert cut(b"3 go\r\n", b"4 stay\r", b"\n") == ["3 go", "4 stay"]


def test_an_empty_line_is_a_line():
    assert cut(b"\n\r\n\n") == ["", "", ""]


def test_tabs_are_spaces():
    assert cut(b"3\tgo\t\n") == ["3 go "]


def test_letters_of_all_the_world_are_text():
    assert cut("say:été:日本語\n".encode()) == ["say:été:日本語"]


def test_a_letter_may_be_cut_in_two():
    data = "é日\n".encode()
    for place in range(len(data)):
        assert cut(data[:place], data[place:]) == ["é日"]


@pytest.mark.parametrize(
    "data",
    [b"3 g\x00o", b"3\x1bgo", b"3 go\r\r", b"\r3 go", b"3 go\x0b", b"3 go\x0c", b"3 go\x7f"]
    + [f"3 go{character}".encode() for character in "\x85\u2028\u2029\u202e\ufeff"],
)
def test_control_characters_are_garbled(data):
    [line] = cut(data + b"\n")
    assert line.kind == "garbled"
    assert "control characters" in line.detail
    assert line.detail.isascii(), "what cannot be shown is escaped"
    assert line.detail.isprintable()


@pytest.mark.parametrize(
    ("data", "fix"),
    [
        (b"3 g\x00o", "a zero byte is no text"),
        (b"3 go\r4 stay\r", "a line ends with \\n"),
        ("3 go\u20284 stay".encode(), "a line ends with \\n"),
        (b"3 go\x0b", "a line ends with \\n"),
        (b"\x1b[31m3 go", "no colours on stdout"),
        ("\ufeff3 go".encode(), "UTF-8 needs no byte order mark"),
    ],
)
def test_the_words_of_a_control_character_say_what_to_fix(data, fix):
    assert f"({fix})" in cut(data + b"\n")[0].detail


def test_what_is_a_control_character_does_not_depend_on_the_version_of_python():
    """What Unicode calls printable does; here is all that is refused, and the rest is text."""
    refused = [code for code in range(0x110000) if CONTROL.search(chr(code))]
    assert len(refused) == 0x20 + 0x21 + 1 + 1 + 5 + 7 + 16 + 1 + 3 + 0x80
    for code in (9, 10, 0xA0, 0x3000, 0x378, 0xE000, 0x1FAE9):
        assert (code in refused) == (code < 32)


def test_the_arena_itself_never_writes_a_line_that_is_too_long():
    check_lines(["x" * MAX_LINE, "state a\n" + "x" * MAX_LINE, ""])
    with pytest.raises(ValueError, match="a line of 8193 bytes for a bot: xxx"):
        check_lines(["state a\n" + "x" * (MAX_LINE + 1)])


@pytest.mark.parametrize("data", [b"3 go\xff", b"\xc3", b"3 \xc0\x80", b"3 \xed\xa0\x80", b"\xff\xfe3\x00"])
def test_what_is_not_utf8_is_garbled(data):
    [line] = cut(data + b"\n")
    assert line.kind == "garbled"
    assert "not UTF-8" in line.detail
    assert line.detail.isascii()
    assert line.detail.isprintable()


def test_a_garbled_line_does_no_harm_to_the_next():
    assert kinds(cut(b"\xff\n3 go\n\x00\n")) == ["garbled", "text", "garbled"]


def test_a_line_may_have_all_the_bytes_that_the_limit_allows():
    assert cut(b"x" * MAX_LINE + b"\n") == ["x" * MAX_LINE]
    assert kinds(cut(b"x" * (MAX_LINE + 1) + b"\n")) == ["long"]


def test_the_end_of_a_line_is_no_part_of_its_length():
    assert cut(b"x" * MAX_LINE + b"\r\n") == ["x" * MAX_LINE]
    assert cut(b"x" * MAX_LINE + b"\r", b"\n") == ["x" * MAX_LINE]


def test_the_limit_counts_bytes_and_not_letters():
    assert kinds(cut("é".encode() * (MAX_LINE // 2) + b"\n")) == ["text"]
    assert kinds(cut("é".encode() * (MAX_LINE // 2 + 1) + b"\n")) == ["long"]


def test_a_long_line_is_reported_before_its_end_and_only_once():
    lines = Lines()
    assert kinds(lines.feed(b"x" * (MAX_LINE + 10))) == ["long"]
    assert lines.feed(b"x" * 5000) == []
    assert lines.feed(b"x" * 5000) == []
    assert lines.feed(b"xx\n3 go\n") == ["3 go"]


def test_long_lines_one_after_another_are_one_fault_each():
    long = b"x" * (MAX_LINE + 1) + b"\n"
    assert kinds(cut(long + long + b"3 go\n" + long)) == ["long", "long", "text", "long"]


def test_a_mebibyte_without_a_newline_is_a_flood():
    lines, seen = Lines(), []
    for _ in range(MAX_FLOOD // 4096 + 8):
        seen += kinds(lines.feed(b"x" * 4096))
    assert seen[0] == "long"
    assert "flood" in seen
    assert set(seen[1:]) == {"flood"}


def test_less_than_a_mebibyte_is_long_but_no_flood():
    assert kinds(cut(*[b"x" * 4096] * (MAX_FLOOD // 4096 - 1), b"\n3 go\n")) == ["long", "text"]


def test_no_more_is_kept_than_a_line_may_have():
    """Whatever a bot writes, the arena holds at most one line of it and the piece just read."""
    lines = Lines()
    for _ in range(100):
        lines.feed(b"x" * 65536)
        assert len(lines._rest) <= MAX_LINE + 1
    lines = Lines()
    for _ in range(MAX_LINE // 4):
        lines.feed(b"x" * 13)
        assert len(lines._rest) <= MAX_LINE + 1


def test_unfinished_tells_of_a_line_without_its_end():
    lines = Lines()
    assert not lines.unfinished
    lines.feed(b"3 go\n4 s")
    assert lines.unfinished
    lines.feed(b"tay\n")
    assert not lines.unfinished


def test_unfinished_tells_of_a_long_line_too():
    lines = Lines()
    lines.feed(b"x" * (MAX_LINE + 10))
    assert lines.unfinished


def test_a_stream_of_single_bytes_gives_the_same_lines():
    chance = random.Random(5)
    stream = b"".join(some_line(chance) for _ in range(6))
    assert cut(*(stream[place : place + 1] for place in range(len(stream)))) == cut(stream)


def test_pieces_do_not_matter():
    """However a stream is cut into reads, the same lines come out of it."""
    chance = random.Random(7)
    for _ in range(200):
        stream = b"".join(some_line(chance) for _ in range(chance.randrange(1, 12)))
        assert cut(*pieces(chance, stream)) == cut(stream)


def some_line(chance: random.Random) -> bytes:
    """A line of any kind, most of them short, some around the limit."""
    length = chance.choice((0, 1, 5, 30, MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 3 * MAX_LINE))
    letters = chance.choice((b"go 1", b"\t \r", "é日".encode(), b"\x00\xff", b"x", b"stay\r"))
    line = (letters * (length // len(letters) + 1))[:length]
    return line + chance.choice((b"\n", b"\n", b"\r\n"))


def pieces(chance: random.Random, stream: bytes) -> list[bytes]:
    most = chance.choice((20, 300, 5000, 65536))
    cuts, place = [], 0
    while place < len(stream):
        size = chance.randint(1, most)
        cuts.append(stream[place : place + size])
        place += size
    return cuts


# Lines into answers


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("3 go", (3, "go")),
        ("go", (None, "go")),
        ("  3   go  ", (3, "go")),
        ("003 go", (3, "go")),
        ("0 go", (0, "go")),
        ("3 go on", (3, "go on")),
        ("go on", (None, "go on")),
        ("", (None, "")),
        ("   ", (None, "")),
        ("-3 go", (None, "-3 go")),
        ("3. go", (None, "3. go")),
    ],
)
def test_an_answer_may_have_its_id_in_front(line, answer):
    assert read_answer(line) == answer


def test_a_number_alone_is_an_answer_and_no_id():
    """Options may be numbers, as the sums of a bribe are."""
    assert read_answer("8000") == (None, "8000")
    assert read_answer("32 8000") == (32, "8000")


@pytest.mark.parametrize("digits", ["³", "٣", "9" * 10, "9" * 5000])
def test_a_number_that_no_ask_has_is_no_id(digits):
    assert read_answer(f"{digits} go")[0] is None


# The lines that the arena writes


def test_an_ask_without_a_bank_shows_its_limit_alone():
    assert ask_line(3, MOVE, 1.5, 1.5, 0.0) == "ask 3 move 1500 : stay go gone"


def test_an_ask_with_a_bank_shows_the_parts_of_the_limit():
    line = ask_line(3, MOVE, 61.5, 1.5, 60.0)
    assert line == "ask 3 move 61500 move=1500 bank=60000 : stay go gone"


def only_fives(word):
    number = word.partition(":")[2]
    return "" if set(number) == {"5"} else f"{number!r} has more than fives"


def test_an_ask_shows_its_context_and_what_is_open():
    choice = Choice("talk", ("pass",), open={"offer": only_fives, "say": only_fives}, on="p2", round="1/2")
    assert ask_line(3, choice, 1, 1, 0) == "ask 3 talk 1000 on=p2 round=1/2 open=offer,say : pass"


def test_open_words_are_accepted_where_they_are_well_formed():
    choice = Choice("talk", ("pass",), open={"offer": only_fives})
    assert choice.accepts("pass")
    assert choice.accepts("offer:555")
    assert not choice.accepts("offer:50")
    assert not choice.accepts("say:555")
    assert not choice.accepts(["offer:555"])
    refusals = [choice.refusal(word) for word in ("pass", "offer:555", "offer:50", "say:555")]
    assert refusals == ["", "", "'50' has more than fives", ""]


def test_hello_names_the_version_of_the_protocol():
    assert hello_line(1, 10) == "ask 1 hello 10000 version=1 : ok"


def test_the_game_line_has_the_options_as_yaml_spells_them():
    options = {"cast": "ambassador", "treasury": 54, "steal_from_dead": False, "open": True}
    line = game_line(2, game_of(relay), 3, 1, 77, option_words(options.items()))
    assert line == (
        "game 2 relay seats=3 you=p2 seed=77 cast=ambassador treasury=54 steal_from_dead=false open=true"
    )


def test_the_end_has_places_and_scores_where_there_are_any():
    assert end_line(1, 2, ((1, 2, 2, 4), None)) == "end 1 place=2 places=1,2,2,4"
    assert end_line(1, 0, ((2, 1), (5000, 9000))) == "end 1 place=2 places=2,1 scores=5000,9000"


def test_an_error_has_the_strikes_and_the_words():
    assert error_line(4, "late", 1, 3, "no answer") == "error 4 late strikes=1/3 no answer"


@pytest.mark.parametrize(("seconds", "ms"), [(0.2, 200), (1.001, 1001), (62, 62000), (0.0299999999, 30)])
def test_times_are_whole_milliseconds(seconds, ms):
    assert milliseconds(seconds) == ms


# The words of faults


def test_an_illegal_answer_is_told_what_was_legal():
    assert describe_illegal(MOVE, "jump") == "answered 'jump' to move; legal: stay go gone; played stay"
    assert describe_illegal(MOVE, "7", 7).startswith("answered nothing but the id to move; legal: ")


def test_a_word_that_breaks_its_form_is_told_how():
    choice = Choice("talk", ("pass",), open={"offer": only_fives, "say": str.strip})
    assert describe_illegal(choice, "offer:50") == (
        "answered 'offer:50' to talk; '50' has more than fives; legal: pass offer:... say:...; played pass"
    )
    assert describe_illegal(choice, "bid:5") == (
        "answered 'bid:5' to talk; legal: pass offer:... say:...; played pass"
    )


@pytest.mark.parametrize("text", ["Go", "GO", "goo"])
def test_an_almost_legal_answer_is_told_what_it_may_have_meant(text):
    assert "did you mean 'go'?" in describe_illegal(MOVE, text)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ("pass block:contessa", "; did you mean 'block:contessa'?"),
        ("pass block:contessa@duchess block:contessa@captain", "; did you mean 'block:contessa@duchess'?"),
    ],
)
def test_a_part_of_an_option_is_told_the_whole(options, hint):
    said = describe_illegal(Choice("block", options.split()), "contessa")
    assert said == f"answered 'contessa' to block; legal: {options}{hint}; played {options.split()[0]}"


def test_a_rule_that_is_named_leaves_no_need_to_guess():
    words = describe_illegal(MOVE, "go!", reason="no gas")
    assert words == "answered 'go!' to move; no gas; legal: stay go gone; played stay"


def test_a_long_list_of_options_is_cut():
    words = describe_illegal(Choice("bribe", numbers(1000, 32000, 1000)), "nothing")
    assert "legal: 1000 2000" in words
    assert words.endswith("12000 ...; played 1000")


def test_what_a_bot_wrote_is_cut_and_escaped():
    assert quote("go") == "'go'"
    assert quote("x" * 61) == f"'{'x' * 60}...'"
    assert quote("é\u2028\x00") == "'\\xe9\\u2028\\x00'"
    assert quote("it's") == '"it\'s"'


def test_an_error_line_is_one_short_line_whatever_a_bot_wrote():
    for text in ("x" * MAX_LINE, "\U0001f600" * 2000, "'\"\\" * 2000):
        line = error_line(9, "illegal", 1, 3, describe_illegal(MOVE, text))
        assert line.isprintable()
        assert len(line.encode()) < 1000


def test_the_page_of_the_protocol_names_the_same_limits():
    page = PROTOCOL_PAGE.read_text()
    assert f"{MAX_LINE} bytes" in page
    assert "1000 lines" in page
