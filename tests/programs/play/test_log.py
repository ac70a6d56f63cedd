"""`arena play --log` shows what really goes over the pipes of a bot."""

from arena.programs.play.log import MAX_LOGGED, NOTE, STDERR, WROTE, Tap
from arena.referee.protocol import MAX_LINE


def logged(*pieces: bytes, sign: str = WROTE) -> list[str]:
    lines: list[tuple[str, str]] = []
    tap = Tap(lambda *line: lines.append(line), sign)
    for piece in pieces:
        tap.pour(piece)
    assert {each for each, _ in lines} <= {sign, NOTE}
    return [text for _, text in lines]


def test_lines_are_logged_as_they_are():
    assert logged(b"1 ok\n", b"", b"2 a\n\n 3 b \r\n") == ["1 ok", "2 a", "", " 3 b \r"]


def test_a_line_without_its_newline_is_logged_at_once_and_says_so():
    assert logged(b"7 income") == ["7 income (no newline)"]
    assert logged(b"7 inc", b"ome", b"\n8 aid\n") == ["7 inc (no newline)", "ome (no newline)", "8 aid"]
    assert logged(b"7 inc", b"\n", b"\n") == ["7 inc (no newline)", ""]


def test_stderr_needs_no_newline():
    assert logged(b"thinking ", b"hard\n", sign=STDERR) == ["thinking ", "hard"]


def test_bytes_that_are_no_text_are_shown_as_such():
    assert logged(b"caf\xc3\xa9 \xff\n") == ["café \\xff"]


def test_a_flood_is_logged_up_to_a_limit():
    line, *more = logged(b"x" * 100_000 + b"\n", b"y\n")
    assert line == "x" * MAX_LINE + " ... (100000 characters)" and more == ["y"]
    lines = logged(*[b"y" * 999 + b"\n"] * 5000)
    assert (
        len(lines) == MAX_LOGGED // 1000 + 2
        and lines[-1] == f"has written {MAX_LOGGED} bytes; the rest is not logged"
    )
