"""The lines and the answers of a seat as numbers, for a learner and for the bot that it becomes.

A bot has a copy of this file beside it: it needs only the standard library of Python 3.9. So the same code
computes the observations in training and in a tournament. `Encoder` makes the columns and the words of a
seat.

Theory of operation
-------------------
Most lines are repeated many times, and each sets columns of its own. So the numbers of a line are computed
once and kept as one large integer, with the 32 bits of a float for each column: `|` joins the lines, and the
bytes of the result are the observation.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from struct import pack
from typing import Any

_MAX_KEPT = 10_000  # lines, words and options; most are repeated many times


class Numbering:
    """Turns the lines that one seat reads into observations, and its answers into numbers.

    `columns` are pairs of a name and a greatest value; the number of an answer is its place in `words`.
    """

    def __init__(self, columns: Sequence[tuple[str, int]], words: Sequence[str]):
        self.columns = [name for name, _ in columns]
        self.highs = [high for _, high in columns]
        self.words = list(words)
        self._number = {word: number for number, word in enumerate(words)}
        self._column = {name: number for number, name in enumerate(self.columns)}
        self._lines: dict[str, int] = {}  # the bits that each line sets
        self._parts: dict[str, dict[str, int]] = {}  # the bits of each word, by the first word of its line
        self._legal: dict[tuple[str, ...], dict[int, str]] = {}

    def observe(
        self, lines: Iterable[str], kind: str | None = None, context: Mapping[str, Any] | None = None
    ) -> array[float]:
        """The observation, a float for each column, of `state` lines (without the word `state`) and an ask.

        `coins=3` in the line of `p1` sets the column `p1.coins` to 3. If there is no such column, each of the
        words of `hand=duchess,captain` adds 1 to its column, such as `p1.hand=duchess`. No value exceeds the
        greatest one of its column, and words without a column are left out. Without `kind`, the columns of
        the ask are 0.
        """
        bits = 0
        for line in lines:
            bits |= self._bits(line)
        if kind is not None:
            line = f"ask kind={kind}"
            for key, each in (context or {}).items():
                line += f" {key}={each}"
            bits |= self._bits(line)
        values = array("f", bits.to_bytes(4 * len(self.columns), "little"))
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def number(self, options: tuple[str, ...]) -> dict[int, str]:
        """The options of an ask by their numbers; an option without a number is left out."""
        found = self._legal.get(options)
        if found is None:
            found = self._number_options(options)
            keep(self._legal, options, found)
        return found

    def _bits(self, line: str) -> int:
        found = self._lines.get(line)
        if found is None:
            found = self._bits_of_words(line.split(" "))
            keep(self._lines, line, found)
        return found

    def _bits_of_words(self, words: list[str]) -> int:
        name, found = words[0], 0
        parts = self._parts.setdefault(name, {})
        for word in words:  # the first word has no column
            bits = parts.get(word)
            if bits is None:
                bits = _bits_of(self._read(name, word))
                keep(parts, word, bits)
            found |= bits
        return found

    def _read(self, name: str, word: str) -> dict[int, float]:
        """The columns that a word of a line sets, with their values."""
        key, _, text = word.partition("=")
        at = self._column.get(f"{name}.{key}", -1)
        if at >= 0 and text.isdigit():
            return {at: min(float(text), self.highs[at])}
        found: dict[int, float] = {}
        for each in text.split(","):
            at = self._column.get(f"{name}.{key}={each}", -1)
            if at >= 0:
                found[at] = min(found.get(at, 0.0) + 1.0, self.highs[at])
        return found

    def _number_options(self, options: Sequence[str]) -> dict[int, str]:
        found: dict[int, str] = {}
        counts: dict[str, int] = {}
        for option in options:
            at = self._number.get(option, -1)
            if at < 0 and ":" in option:  # such as `accept:17`: the number of an offer is no word
                verb = option.partition(":")[0]
                counts[verb] = counts.get(verb, 0) + 1
                at = self._number.get(f"{verb}#{counts[verb]}", -1)
            if at >= 0:
                found[at] = option
        return found


def _bits_of(values: dict[int, float]) -> int:
    bits = 0
    for at, value in values.items():
        bits |= int.from_bytes(pack("<f", value), "little") << 32 * at
    return bits


def keep(cache: dict[Any, Any], key: object, value: object) -> None:
    """Put a value into a cache, which is emptied first if it is full."""
    if len(cache) >= _MAX_KEPT:
        cache.clear()
    cache[key] = value
