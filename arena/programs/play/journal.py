"""The journal of a game in progress, to replay it after its process was killed.

Theory of operation
-------------------
A game follows from its fixture and the lines that its players write. The first line of a journal is the
beginning of the game; then each answer is written before the referee gets it. So after a kill at any moment
the same game can be replayed up to there: the journal answers each ask that it knows, whatever the player
says now.

An ask may run out of time, without a line of a player. `_settle` notes such asks before the next answer is
written, because only later answers depend on them.

Answers of people are synchronised with the disk. Answers of bots are only written: bots repeat their answers,
and a killed process loses no written data.
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

_FIRST_ASK = 3  # of a game, after hello and ready


@dataclass
class JournalEntry:
    """The answer to one ask. If it ran out of time (`is_late`), the lines arrived too late."""

    bank: float = 0.0  # seconds left at that time
    is_late: bool = False
    lines: list[Line] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)  # rejected texts of a person before the answer

    @property
    def is_over(self) -> bool:
        """Whether the ask was answered or ran out of time."""
        return self.is_late or bool(self.lines)


class Journal:
    """A journal in a file, which only one process may have open.

    Raises:
        BlockingIOError: Another process has it open.
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
        self._earlier: dict[tuple[int, int], JournalEntry] = {}  # by seat and ask, from earlier processes
        self._own: dict[tuple[int, int], JournalEntry] = {}
        self._settled: dict[int, int] = {}  # by seat: the last ask in the journal
        self._left: dict[int, int] = {}  # by seat: the last ask before its person left
        for entry in entries[1:]:
            self._know(entry, self._earlier)

    def _read(self) -> list[dict[str, Any]]:
        """The entries so far. Half a line of an interrupted write is removed."""
        with open(self._file, "rb", closefd=False) as file:
            data = file.read()
        complete = data[: data.rfind(b"\n") + 1]
        os.ftruncate(self._file, len(complete))
        os.lseek(self._file, 0, os.SEEK_END)
        return [json.loads(line) for line in complete.splitlines()]

    def begin(self, first: Mapping[str, Any]) -> None:
        """Write `first`, the beginning of the game, onto the disk."""
        self.first = first
        self._write(first)
        os.fsync(self._file)

    def answer(self, seat: int, ask: int) -> JournalEntry:
        """The entry of the ask with id `ask` from before this process; empty if it was not answered."""
        return self._earlier.get((seat, ask)) or JournalEntry()

    def has_left(self, seat: int, ask: int) -> bool:
        """Whether the person on a seat left the game at this ask or after its answer."""
        return self._left.get(seat) == ask

    def add_line(self, referee: Referee, seat: int, line: Line, bank: float) -> None:
        """Write a player's line for its newest ask, unless that was hello or ready.

        `bank` is the clock's bank in seconds, to restore when the referee gets the line again.
        """
        ask = referee.seats[seat].last_ask
        if ask >= _FIRST_ASK:
            self._settle(referee)
            said = {"bad": list(line)} if isinstance(line, BadLine) else {"line": line}
            self._add({"seat": seat, "ask": ask, **said, "bank": bank})

    def add_slip(self, seat: int, ask: int, said: str) -> None:
        """Write a person's rejected text, which is rejected again after a kill."""
        self._add({"seat": seat, "ask": ask, "slip": said})

    def add_leave(self, referee: Referee, seat: int) -> None:
        """Write that the person on a seat left."""
        self._settle(referee)
        self._add({"seat": seat, "ask": referee.seats[seat].last_ask, "left": True})

    def sync(self) -> None:
        """Make the written entries survive a power failure."""
        os.fsync(self._file)

    def _settle(self, referee: Referee) -> None:
        """Write the asks that ran out of time."""
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
            OSError: The disk has no room for it; the journal is unchanged.
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
