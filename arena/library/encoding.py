"""What a seat sees as numbers, and its answers as numbers, for learners.

An observation is made of the `state` lines and of the ask of a seat alone, so it cannot have more than a bot
may read. Each `key=value` is a column with a number, or each of its words is a column that counts it. All
columns and words name seats from the seat itself on: they are built once for each seat, with its own name
first. So the same column means the same for every seat.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arena.library.encodings import ENCODINGS, Encoding
from arena.library.errors import LibraryError
from arena.library.tables import Table
from arena.rules import SEAT_NAMES, Choice
from arena.rules.match import Match

Cells = tuple[tuple[int, float], ...]
"""Columns and their values."""


class Encoder:
    """The numbers of one seat of a table."""

    def __init__(self, encoding: Encoding, table: Table, seat: int):
        names = [SEAT_NAMES[(seat + step) % table.seats] for step in range(table.seats)]
        columns = encoding.columns(names, table.options)
        self.seat = seat
        self.words = encoding.words(names, table.options)
        self.columns = [name for name, _ in columns]
        self.highs = [high for _, high in columns]
        self._number = {word: number for number, word in enumerate(self.words)}
        self._column = {name: number for number, (name, _) in enumerate(columns)}
        self._cells: dict[str, Cells] = {}
        self._legal: dict[tuple[str, ...], dict[int, str]] = {}
        self._spoken, self._spoken_by = encoding.spoken(names, table.options), encoding.spoken_by

    def observe(self, match: Match, choice: Choice | None) -> list[float]:
        """What the seat sees; without an ask, the columns of the ask are 0."""
        values = [0.0] * len(self.highs)
        for line in match.game.view(match.position, self.seat):
            for at, value in self._cells.get(line) or self._read(line):
                values[at] = value
        if choice is not None:
            line = " ".join(
                ["ask", f"kind={choice.kind}", *[f"{key}={each}" for key, each in choice.context.items()]]
            )
            for at, value in self._cells.get(line) or self._read(line):
                values[at] = value
        return values

    def _read(self, line: str) -> Cells:
        """The columns that a line sets. What has no column is left out."""
        name, *words = line.split(" ")
        found: dict[int, float] = {}
        for word in words:
            key, _, text = word.partition("=")
            at = self._column.get(f"{name}.{key}", -1)
            if at >= 0 and text.isdigit():
                found[at] = min(float(text), self.highs[at])
                continue
            for each in text.split(","):
                at = self._column.get(f"{name}.{key}={each}", -1)
                if at >= 0:
                    found[at] = min(found.get(at, 0.0) + 1.0, self.highs[at])
        cells = tuple(found.items())
        _keep(self._cells, line, cells)
        return cells

    def legal(self, choice: Choice) -> dict[int, str]:
        """The answers that are legal, by their numbers."""
        found = self._legal.get(choice.options)
        if found is None:
            found = self._number_options(choice.options)
            _keep(self._legal, choice.options, found)
        if choice.open:
            return found | self._number_spoken(choice)
        return found

    def _number_spoken(self, choice: Choice) -> dict[int, str]:
        key = ("", *choice.open, *[str(choice.context.get(name)) for name in self._spoken_by])
        found = self._legal.get(key)
        if found is None:
            found = {self._number[word]: word for word in self._spoken if choice.accepts(word)}
            _keep(self._legal, key, found)
        return found

    def _number_options(self, options: Sequence[str]) -> dict[int, str]:
        found, counts = {}, Counter[str]()
        for option in options:
            at = self._number.get(option, -1)
            if at < 0 and ":" in option:  # such as `accept:17`: the number of an offer is no word
                verb = option.partition(":")[0]
                counts[verb] += 1
                at = self._number.get(f"{verb}#{counts[verb]}", -1)
            if at >= 0:
                found[at] = option
        return found


_MOST_KEPT = 10_000  # lines, and choices: most come again and again


def _keep(cache: dict[Any, Any], key: object, value: object) -> None:
    if len(cache) >= _MOST_KEPT:
        cache.clear()
    cache[key] = value


def encoders(table: Table, encoding: Encoding | None = None) -> list[Encoder]:
    """The encoders of all seats. LibraryError: the game has no encoding, and none is given."""
    found = encoding or ENCODINGS.get(table.name)
    if found is None:
        raise LibraryError(f"{table.name} has no encoding; give one, as arena.library.encodings has")
    return [Encoder(found, table, seat) for seat in range(table.seats)]


def rewards(places: tuple[int, ...]) -> list[float]:
    """From 1 for a place above all others to -1 for one below them."""
    others = len(places) - 1
    return [sum((place > own) - (place < own) for place in places) / others for own in places]
