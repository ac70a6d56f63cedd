"""The journal of a game in progress, from which it is played again after its process was killed.

Theory of operation
-------------------
A game follows from its fixture and the lines that its players write. The first line of a journal is what the
game begins from; then each answer is written before the referee gets it. So after a kill at any moment the
same game can be played again up to there: each ask that the journal knows is answered from it, whatever the
player says now.

An ask may also run out of time, which no line of a player tells. `_settle` notes such asks before the next
answer is written: only the answers from there on depend on them.

Answers of people are synchronised with the disk. Those of bots are only written, as bots answer the same
again, and a kill of the process loses nothing that was written.
"""

import errno
import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.referee.protocol import BadLine, Line
from arena.referee.referee import Referee

_FIRST_ASK = 3  # of a game: hello and ready come before


@dataclass
class JournalEntry:
    """How one ask was answered. If it ran out of time (`is_late`), the lines came too late."""

    bank: float = 0.0  # seconds that were left then
    is_late: bool = False
    lines: list[Line] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)  # what a person said before that is no answer

    @property
    def is_over(self) -> bool:
        """Whether the ask was answered, or has run out of time."""
        return self.is_late or bool(self.lines)


class Journal:
    """A journal in a file, which only one process may have open.

    Raises:
        BlockingIOError: Another process has it.
    """

    def __init__(self, path: Path):
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            entries = self._read()
        except BaseException:
            os.close(self._file)
            raise
        self.first: Mapping[str, Any] | None = entries[0] if entries else None
        self._earlier: dict[
            tuple[int, int], JournalEntry
        ] = {}  # by seat and ask: of the processes before this one
        self._own: dict[tuple[int, int], JournalEntry] = {}
        self._settled: dict[int, int] = {}  # by seat: the asks up to here are in the journal
        self._left: dict[int, int] = {}  # by seat: the last ask before it left
        for entry in entries[1:]:
            self._know(entry, self._earlier)

    def _read(self) -> list[dict[str, Any]]:
        """The entries so far. Half a line, of a write that was cut off, is removed."""
        with open(self._file, "rb", closefd=False) as file:
            data = file.read()
        complete = data[: data.rfind(b"\n") + 1]
        os.ftruncate(self._file, len(complete))
        os.lseek(self._file, 0, os.SEEK_END)
        return [json.loads(line) for line in complete.splitlines()]

    def begin(self, first: Mapping[str, Any]) -> None:
        """Write `first`, what the game begins from, onto the disk."""
        self.first = first
        self._write(first)
        os.fsync(self._file)

    def answer(self, seat: int, ask: int) -> JournalEntry:
        """How the ask with id `ask` was answered before this process began; an empty entry if it was not."""
        return self._earlier.get((seat, ask)) or JournalEntry()

    def has_left(self, seat: int, ask: int) -> bool:
        """Whether the person on a seat has left the game at this ask, or after its answer."""
        return self._left.get(seat) == ask

    def add_line(self, referee: Referee, seat: int, line: Line, bank: float) -> None:
        """Write what a player has said to its newest ask, unless that was hello or ready.

        `bank` is what the clock's bank is set to, in seconds, when the line is given to the referee again.
        """
        ask = referee.seats[seat].last_ask
        if ask >= _FIRST_ASK:
            self._settle(referee)
            said = {"bad": list(line)} if isinstance(line, BadLine) else {"line": line}
            self._add({"seat": seat, "ask": ask, **said, "bank": bank})

    def add_slip(self, seat: int, ask: int, said: str) -> None:
        """Write what a person has said instead of an answer: after a kill it is refused again."""
        self._add({"seat": seat, "ask": ask, "slip": said})

    def add_leave(self, referee: Referee, seat: int) -> None:
        """Write that the person on a seat has left."""
        self._settle(referee)
        self._add({"seat": seat, "ask": referee.seats[seat].last_ask, "left": True})

    def sync(self) -> None:
        """Have what was written survive a power failure."""
        os.fsync(self._file)

    def _settle(self, referee: Referee) -> None:
        """Write the asks that have run out of time."""
        for state in referee.seats:
            decided = state.last_ask if state.choice is None else state.last_ask - 1
            for ask in range(self._settled.get(state.seat, _FIRST_ASK - 1) + 1, decided + 1):
                key = state.seat, ask
                if not any(key in known and known[key].is_over for known in (self._earlier, self._own)):
                    self._add({"seat": state.seat, "ask": ask, "late": True, "bank": state.clock.bank})
            self._settled[state.seat] = decided

    def _add(self, entry: dict[str, Any]) -> None:
        self._know(entry, self._own)
        self._write(entry)

    def _know(self, entry: Mapping[str, Any], known: dict[tuple[int, int], JournalEntry]) -> None:
        seat, ask = entry["seat"], entry["ask"]
        if "left" in entry:
            self._left[seat] = ask
            return
        answer = known.setdefault((seat, ask), JournalEntry())
        answer.bank = entry.get("bank", 0.0)
        if "late" in entry:
            answer.is_late = True
        elif "slip" in entry:
            answer.slips.append(entry["slip"])
        elif "bad" in entry:
            answer.lines.append(BadLine(*entry["bad"]))
        else:
            answer.lines.append(entry["line"])

    def _write(self, entry: Mapping[str, Any]) -> None:
        """Write an entry as a line.

        Raises:
            OSError: There is no room for it, and nothing is written.
        """
        data = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        end = os.lseek(self._file, 0, os.SEEK_END)
        try:
            if os.write(self._file, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(self._file, end)
            raise

    def close(self) -> None:
        os.close(self._file)
