"""Keeps what a bot writes to stderr in a game: the beginning, the end, and at which ask each part came."""

from collections.abc import Sequence

KEEP = 2048  # bytes kept from the beginning, and as many from the end
CUT = b" [...] "


class Stderr:
    """The beginning and the end of what a bot has written to stderr since `take` was called."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._head = self._tail = b""
        self._total = 0
        self._starts: list[tuple[int, int]] = []  # where the part of an ask begins, and the ask

    def add(self, data: bytes, ask: int) -> None:
        """Add bytes that came when `ask` was the newest of the game, counted from 0, which is `ready`."""
        if data and (not self._starts or self._starts[-1][1] != ask):
            self._starts.append((self._total, ask))
        self._total += len(data)
        room = KEEP - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-KEEP:]

    def take(self) -> list[tuple[int, str]]:
        """Take out what was kept: in order, each ask with the text that came while it was the newest."""
        if not self._total:
            return []
        first = self._total - len(self._tail)  # of the bytes in the tail
        cut = CUT if first > len(self._head) else b""
        ends = [*(start for start, _ in self._starts[1:]), self._total]
        parts = []
        for (start, ask), end in zip(self._starts, ends, strict=False):
            text = self._head[start:end]
            if end > first:
                text += cut + self._tail[max(start - first, 0) : end - first]
                cut = b""
            if text:
                parts.append((ask, text.decode(errors="replace")))
        self._clear()
        return parts


def join_parts(parts: Sequence[tuple[int, str]]) -> str:
    return "".join(text for _, text in parts)
