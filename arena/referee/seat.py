"""What a referee keeps about one seat, and the messages and faults that come of it."""

from collections import deque
from typing import NamedTuple

from arena.core.clock import Clock, TimeControl, TimeUsage
from arena.referee.protocol import BadLine, FaultKind
from arena.rules import Choice


class Send(NamedTuple):
    """Write this text, whole lines, to the bot on a seat."""

    seat: int
    text: str


class Stop(NamedTuple):
    """Kill the process on a seat: it has forfeited."""

    seat: int


class Renew(NamedTuple):
    """Put a new process on a seat: the one of earlier games has left before this one began."""

    seat: int


Message = Send | Stop | Renew


class Fault(NamedTuple):
    """One fault of the bot on a seat; `reply` is how many replies the match had by then."""

    seat: int
    kind: FaultKind
    reply: int
    words: str


class Chair:
    """What the referee keeps about one seat."""

    __slots__ = (
        "answer",
        "choice",
        "clock",
        "debts",
        "forfeited",
        "game_number",
        "gone",
        "ignored",
        "instead",
        "last_ask",
        "news",
        "seat",
        "spent",
        "strikes",
        "unasked",
        "usage",
    )

    def __init__(self, seat: int, control: TimeControl, asks: int, games: int):
        self.seat = seat
        self.clock = Clock(control)
        self.news: list[str] = []
        self.last_ask = asks  # the id of the newest ask to this process
        self.game_number = games + 1
        self.choice: Choice | None = None  # what is being asked
        self.answer = ""
        self.debts: deque[int] = deque()  # asks that ran out of time and may still be answered
        self.unasked: list[BadLine] = []  # noticed at the next ask
        self.gone: BadLine | None = None  # likewise
        self.strikes = 0
        self.forfeited = False
        self.ignored = 0
        self.instead = ""  # words on the last line that was no `ok` to ready
        self.spent: list[float] = []  # seconds charged per ask
        self.usage: dict[int, TimeUsage] = {}  # by number in `spent`, where they could matter

    def microseconds(self) -> list[int]:
        """What each ask to this seat was charged."""
        return [int(seconds * 1e6) for seconds in self.spent]

    def measured(self) -> dict[int, list[int]]:
        """Wall, processor and waiting time in microseconds of asks by their number from 0, where known."""
        return {number: [int(seconds * 1e6) for seconds in usage] for number, usage in self.usage.items()}
