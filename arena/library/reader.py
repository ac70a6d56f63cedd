"""Reads the lines of the arena for a bot in Python: `Reader` turns each ask into a `View`.

A bot may say `from arena import Reader`, or have a copy of this file beside it: it needs only the standard
library of Python 3.9.

    for view in (reader := Reader()):
        reader.answer(view.options[0])

`Reader().run(player)` does the same for a player of the library: a function of a `View`, or an object with
`answer` and perhaps `begin`, `heard` and `end`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

State = dict[str, dict[str, str]]
"""The `state` lines: for `table`, `p1`, … its words `key=value`; a word without `=` has the value ""."""


class Seating(NamedTuple):
    """The game that was opened: its name, the number of seats, and its options with any other words."""

    name: str
    seats: int
    options: dict[str, Any]


class View:
    """The view of a seat when it is asked. The answer is one of the `options`, or an open word."""

    def __init__(
        self,
        table: Any,
        seat: int,
        line: str,
        news: Sequence[str],
        states: Sequence[str],
        heard: Sequence[str],
    ):
        question, _, options = _without_times(line).partition(" : ")
        _, kind, *words = question.split(" ")
        self.table = table
        """The game: `name`, `seats`, `options`."""
        self.seat = seat
        """The number of the seat, from 0; in texts it is `p1`, `p2`, …"""
        self.kind = kind
        """The kind of the ask, such as `action`."""
        self.options = tuple(options.split(" "))
        """The legal answers; the first is played if the seat does not answer."""
        self.context = _pairs(words)
        """The rest of the question, as texts by key."""
        self.news = tuple(news)
        """The `event`, `secret` and `error` lines since the last ask."""
        self.line = line
        """The exact line of the ask."""
        self._states, self._heard, self._count = states, heard, len(heard)

    @property
    def name(self) -> str:
        """The name of the seat in texts."""
        return f"p{self.seat + 1}"

    @property
    def seconds(self) -> float:
        """The time for the answer, with the rest of the bank."""
        return int(self.line.split(" ")[3]) / 1000

    @property
    def state(self) -> State:
        """The position as this seat sees it."""
        return read_states(self._states)

    @property
    def state_lines(self) -> Sequence[str]:
        """The `state` lines without the word `state`, as `Numbering` reads them."""
        return self._states

    @property
    def information(self) -> tuple[str, ...]:
        """The news, asks and answers of this seat in this game, without times and ids."""
        return tuple(self._heard[: self._count])


class Reader:
    """Makes views of the asks in `lines` (default: stdin), and gives answers to `write` (default: stdout)."""

    def __init__(
        self,
        lines: Iterable[str] | None = None,
        write: Callable[[str], None] | None = None,
        said: str = "",  # the words after the first `ok`: `name=walnut version=2.1`
    ):
        self.table: Seating | None = None
        self.seat = 0
        self.seed = 0
        """A seed for the bot's random numbers."""
        self.places: tuple[int, ...] = ()
        """The places by seat, 1 is first; () until the game is over."""
        self.news: list[str] = []
        self._lines = sys.stdin if lines is None else lines
        self._write = write or _print
        self._said = f"ok {said}".strip()
        self._states: dict[str, str] = {}  # the newest `state` line of the table and of each seat
        self._heard: list[str] = []
        self._asked = ""  # the id of the pending ask
        self._player: Any = None

    def __iter__(self) -> Iterator[View]:
        """Yield a view of each ask of a game, until `bye` or the last line; answer `hello` and `ready`."""
        for line in self._lines:
            if line.split() == ["bye"]:  # there are no more games
                return
            view = self.read(line.rstrip("\r\n"))
            if view:
                yield view

    def read(self, line: str) -> View | None:
        """Read one line. Returns a view if it is an ask of a game, else None; answers `hello` and `ready`."""
        verb, _, rest = line.partition(" ")
        if verb == "ask":
            return self._ask(line)
        if verb in ("event", "secret"):
            self.news.append(line)
            self._heard.append(line)
        elif verb == "state":
            self._states[rest.partition(" ")[0]] = rest
        elif verb == "error":
            self.news.append(line)
            self._correct(line)
        elif verb == "game":
            self._open(rest.split(" "))
        elif verb == "end":
            self._end(rest)
        return None

    def answer(self, word: str) -> None:
        """Answer the ask of the newest view."""
        self._heard.append(f"answer {word}")
        self._write(f"{self._asked} {word}")

    def run(self, player: Any) -> None:
        """Play all games with a player: a function, or an object with `answer` (see `arena.Player`)."""
        self._player = player
        answer = getattr(player, "answer", player)
        for view in self:
            self._call("heard", view.news)
            self.answer(answer(view))

    def _call(self, name: str, *values: Any) -> None:
        method = getattr(self._player, name, None)
        if method:
            method(*values)

    def _ask(self, line: str) -> View | None:
        words = line.split(" ", 3)
        self._asked, kind = words[1], words[2]
        if kind in ("hello", "ready"):
            self._write(f"{self._asked} {self._said if kind == 'hello' else 'ok'}")
            return None
        self._heard.append(_without_times(line))
        view = View(self.table, self.seat, line, self.news, list(self._states.values()), self._heard)
        self.news = []
        return view

    def _open(self, words: list[str]) -> None:
        facts = _pairs(words)
        options = {key: _value(text) for key, text in facts.items() if key not in ("seats", "you", "seed")}
        self.table = Seating(words[1], int(facts["seats"]), options)
        self.seat, self.seed = int(facts["you"][1:]) - 1, int(facts["seed"])
        opening = [word for word in words[1:] if not word.startswith("seed=")]
        self.news, self._states, self.places = [], {}, ()
        self._heard = [" ".join(["game", *opening])]
        self._call("begin", self.table, self.seat, self.seed)

    def _end(self, rest: str) -> None:
        self.places = tuple(int(place) for place in _pairs(rest.split(" "))["places"].split(","))
        self._call("heard", tuple(self.news))
        self._call("end", self.places)

    def _correct(self, line: str) -> None:
        """Note the default that was played instead of a wrong or late answer."""
        _, played, word = line.rpartition("; played ")
        if played and self._heard and line.split(" ")[1] == self._asked:
            if self._heard[-1].startswith("answer "):
                self._heard.pop()
            self._heard.append(f"answer {word}")


_TIMES = ("move", "bank")


def _without_times(line: str) -> str:
    """An ask line without its id and its times: equal for equal asks."""
    _, _, kind, _, *words = line.split(" ")
    while words[0].partition("=")[0] in _TIMES:
        del words[0]
    return " ".join(["ask", kind, *words])


def read_states(lines: Iterable[str]) -> State:
    """The words of `state` lines (given without `state`) as dictionaries, by the first word of each line."""
    states = (line.split(" ") for line in lines)
    return {name: dict(word.partition("=")[::2] for word in words) for name, *words in states}


def _pairs(words: Iterable[str]) -> dict[str, str]:
    """A dictionary of the words of the form key=value."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def _value(text: str) -> Any:
    """The value of an option: a truth value, a number, or the text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text


def _print(line: str) -> None:
    print(line, flush=True)
