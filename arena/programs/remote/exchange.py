"""Counts each line of a remote bot exactly once, on a fair clock. The code is free of input and output.

Theory of operation
-------------------
A line goes from a worker (the *link*) to the web process, then over a breakable connection to the client, and
to the bot; answers go back the same way. The two *ends* are the link and the client. Any message between them
may be lost: the web process may be killed, and connections may break unnoticed. So the ends number their
messages from 1 (`Outbox`, `Inbox`) and keep unconfirmed ones. On a new path, each end reports the number of
the last message that it received; the other sends the later ones. A message is dropped as a repetition if its
number is not higher than the last one. The web process keeps no messages.

A restarted client has no process for the link. So a link keeps the messages of the current game, and sends
all of them to the new process. Repeated answers to earlier asks are dropped (`Replay`): the bot cannot take
back its moves.

*The clock* charges the wall time of the arena, from the ask to the answer, less the round trip between the
arena and the client (`RoundTrips`): the lowest of the last 20, at most 250 ms. A client that delays its pongs
must delay all of 20 round trips, and gains less than 250 ms for each answer. A lost connection is on the
bot's clock: time beyond `move` is taken from its bank. Only outages of the web process itself are not charged
(`Outages`).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from math import inf
from typing import Generic, TypeVar

from arena.referee.protocol import read_answer

_T = TypeVar("_T")
_MAX_ALLOWED_S = 0.25  # for the round trip of one answer
_PINGS = 20
_MAX_OUTAGE_S = 60.0  # a lost web process must not hold up a game for ever
_RECONNECT_S = 5.0  # for a client to return after the web process


class Outbox(Generic[_T]):
    """Messages to the other end, numbered from 1, kept while a repetition may be needed."""

    def __init__(self) -> None:
        self.last = 0
        self._kept: deque[tuple[int, _T]] = deque()

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, message: _T) -> int:
        """Keep a message; returns its number."""
        self.last += 1
        self._kept.append((self.last, message))
        return self.last

    def confirm(self, number: int) -> None:
        """Forget the messages up to this one: the other end has received them."""
        while self._kept and self._kept[0][0] <= number:
            self._kept.popleft()

    def forget(self, first: int, number: int) -> None:
        """Forget the messages from `first` up to `number`."""
        self._kept = deque(each for each in self._kept if not first <= each[0] <= number)

    def after(self, number: int) -> Iterator[tuple[int, _T]]:
        """The kept messages after this one, as pairs (number, message)."""
        return ((each, message) for each, message in self._kept if each > number)


class Inbox:
    """Notes the number of the last message from the other end, to drop repetitions."""

    def __init__(self) -> None:
        self.last = 0

    def is_new(self, number: int) -> bool:
        """Whether a message is new, not a repetition; a new one is noted as received."""
        # Numbers may be missing: the other end forgets messages that are no longer needed.
        if number <= self.last:
            return False
        self.last = number
        return True


class Replay:
    """Distinguishes a bot's new answers from those of a new process that repeats the game so far."""

    def __init__(self) -> None:
        self._answered = 0  # the id of the last answered ask
        self._repeated = 0  # asks that the new process will repeat

    def begin(self, asks: Iterable[int]) -> None:
        """Note that a new process gets the game from its beginning, with these asks."""
        self._repeated = sum(each <= self._answered for each in asks)

    def is_repeated(self, line: str, asked: int) -> bool:
        """Note a line; returns whether it repeats an earlier answer. `asked` is the id of the newest ask."""
        number = read_answer(line)[0]
        if self._repeated and (number is None or number <= self._answered):
            self._repeated -= 1
            return True
        self._answered = max(self._answered, asked if number is None else min(number, asked))
        return False


class RoundTrips:
    """The last round trips to a client, in seconds."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_PINGS)

    def add(self, seconds: float) -> None:
        self._last.append(seconds)

    @property
    def allowance(self) -> float:
        """The seconds that the clock does not charge for each answer; 0 before the first round trip."""
        return min(min(self._last, default=0.0), _MAX_ALLOWED_S)


class Outages:
    """The times (by `monotonic`) without a web process, until the client was or could have been back."""

    def __init__(self) -> None:
        self._began, self._until = inf, inf  # of the present outage
        self._over: deque[tuple[float, float]] = deque(maxlen=100)

    def begin(self, now: float) -> None:
        self.end(now)
        self._began, self._until = now, now + _MAX_OUTAGE_S

    def note_web(self, now: float) -> None:
        """Note that the web process is back; the client has some seconds to follow."""
        self._until = min(self._until, now + _RECONNECT_S)

    def end(self, now: float) -> None:
        """Note that the client is back: the outage is over."""
        if self._began < inf:
            self._over.append((self._began, min(now, self._until)))
            self._began = self._until = inf

    def within(self, since: float, now: float) -> float:
        """The seconds of outages between two moments."""
        every = [*self._over, (self._began, self._until)]
        return sum(max(0.0, min(now, ended) - max(since, began)) for began, ended in every)
