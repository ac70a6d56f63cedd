"""The lines between the arena and a bot, both ways; `protocol.md` is their reference."""

import itertools
from collections.abc import Iterable
from typing import Literal, NamedTuple

from arena.config.text import CONTROL, quote, yaml_word
from arena.rules import Choice, Game, Result, seat_name

_VERSION = 1
MAX_LINE = 8192  # bytes, without the newline, in either direction
MAX_IGNORED = 1000  # lines without an ask
MAX_FLOOD = 2**20  # bytes without a newline

FaultKind = Literal[
    "late",
    "illegal",
    "early",
    "long",
    "flood",
    "garbled",
    "unread",
    "crashed",
    "memory",
    "processes",
    "unstarted",
]

_HINTS = dict.fromkeys("\r\x0b\x0c\u2028\u2029", "a line ends with \\n") | {
    "\0": "a zero byte is no text",
    "\x1b": "no colours on stdout",
    "\ufeff": "UTF-8 needs no byte order mark",
}

HELLO = Choice("hello", ("ok",), version=_VERSION)
READY = Choice("ready", ("ok",))


DEATH = "<how it died>"
"""A placeholder in the detail of a fault until it is known how the process ended: no game waits for that."""


class BadLine(NamedTuple):
    """A fault of a line, or the end of a process: the kind of fault, and the details."""

    kind: FaultKind
    detail: str


Line = str | BadLine
"""A line of a bot, or its fault."""


class Lines:
    """Splits the bytes that a bot writes into lines; keeps no more of an unfinished one than is allowed."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipped = 0  # bytes of an overlong line that were dropped

    def feed(self, data: bytes) -> list[Line]:
        """The lines that more bytes complete; an overlong line or a flood is reported before its end."""
        if not self._rest and not self._skipped and 0 <= len(data) - 1 == data.find(b"\n"):
            return [read_text(data[:-1])]  # the usual case: exactly one line
        if self._rest:
            data = self._rest + data
        *complete, self._rest = data.split(b"\n")
        if complete and self._skipped:
            del complete[0]
            self._skipped = 0
        lines = [read_text(line) for line in complete]
        if self._skipped or len(self._rest.removesuffix(b"\r")) > MAX_LINE:
            if not self._skipped:
                lines.append(read_text(self._rest))
            elif self._skipped > MAX_FLOOD:
                lines.append(BadLine("flood", f"more than {MAX_FLOOD} bytes without a newline"))
            self._skipped += len(self._rest)
            self._rest = b""
        return lines

    @property
    def unfinished(self) -> bool:
        """Whether the last line has no newline yet."""
        return bool(self._rest or self._skipped)


def read_text(line: bytes) -> Line:
    """The text of a line given without its newline, or its fault. Ignores `\\r` at its end."""
    line = line.removesuffix(b"\r")
    if len(line) > MAX_LINE:
        return BadLine("long", f"a line of more than {MAX_LINE} bytes")
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = read_answer(line.decode(errors="replace"))[1]
        return BadLine("garbled", f"a line that is not UTF-8: {quote(text)}")
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\t", " ")
    found = CONTROL.search(text)
    if not found:
        return text
    hint = f" ({_HINTS[found[0]]})" if found[0] in _HINTS else ""
    return BadLine("garbled", f"a line with control characters{hint}: {quote(read_answer(text)[1])}")


def read_answer(line: str) -> tuple[int | None, str]:
    """The id and the option of a line `<id> <option>`, or None and the option of a line `<option>`."""
    head, _, rest = line.partition(" ")
    if head.isdigit() and head.isascii() and len(head) < 10 and (rest := rest.strip()):
        return int(head), rest
    stripped = line.strip()
    return (None, line) if stripped == line else read_answer(stripped)


# The lines that the arena writes


def check_lines(news: Iterable[str]) -> None:
    """Raise ValueError if a line for a bot is too long for the protocol."""
    for line in itertools.chain.from_iterable(each.split("\n") for each in news):
        if len(line.encode()) > MAX_LINE:
            raise ValueError(f"a line of {len(line.encode())} bytes for a bot: {line[:200]}...")


def hello_line(number: int, limit: float) -> str:
    return f"ask {number} hello {milliseconds(limit)} {HELLO.tail}"


def game_line(number: int, game: Game, seats: int, seat: int, seed: int, options: str) -> str:
    """The line that opens a game; `options` are the words that `option_words` makes."""
    line = f"game {number} {game.name} seats={seats} you={seat_name(seat)} seed={seed}"
    return f"{line} {options}" if options else line


def ask_line(number: int, choice: Choice, limit: float, move: float, bank: float) -> str:
    """The line of an ask, with its `limit`, and with `move` and `bank` if there is a bank.

    The arguments are in seconds; the line has milliseconds.
    """
    if bank:
        parts = f"move={milliseconds(move)} bank={milliseconds(bank)} "
        return f"ask {number} {choice.kind} {milliseconds(limit)} {parts}{choice.tail}"
    return f"ask {number} {choice.kind} {milliseconds(limit)} {choice.tail}"


def error_line(number: int, kind: FaultKind, strikes: int, limit: int, detail: str) -> str:
    return f"error {number} {kind} strikes={strikes}/{limit} {detail}"


def end_line(number: int, seat: int, result: Result) -> str:
    places, scores = result
    line = f"end {number} place={places[seat]} places={','.join(map(str, places))}"
    return line if scores is None else f"{line} scores={','.join(map(str, scores))}"


def option_words(options: Iterable[tuple[str, object]]) -> str:
    return " ".join([f"{key}={yaml_word(value)}" for key, value in options])


def milliseconds(seconds: float) -> int:
    return int(seconds * 1000 + 1e-6)
