"""Keeps a bot's stderr in a game: the beginning, the end, and the ask of each part."""

from collections.abc import Sequence

KEEP = 2048  # bytes of the beginning, and as many of the end
CUT = b" [...] "


class Stderr:
    """The beginning and the end of a bot's stderr since the last `take`."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._head = self._tail = b""
        self._total = 0
        self._starts: list[tuple[int, int]] = []  # the position and the ask of each part

    def add(self, data: bytes, ask: int) -> None:
        """Add bytes that arrived while `ask` was the newest of the game, counted from 0, which is `ready`."""
        if data and (not self._starts or self._starts[-1][1] != ask):
            self._starts.append((self._total, ask))
        self._total += len(data)
        room = KEEP - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-KEEP:]

    def take(self) -> list[tuple[int, str]]:
        """Take the kept parts in order: each ask with the text that arrived while it was the newest."""
        if not self._total:
            return []
        first = self._total - len(self._tail)  # the position of the first byte in the tail
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
