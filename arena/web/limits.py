"""Limits for one client of the server: sizes of bodies, rates of requests, wrong tokens."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

from arena.web.tokens import Holder

MAX_BODY = 64 * 1024  # bytes, of a request and of a message of a WebSocket
BODY_TIMEOUT_S = 10.0  # for receiving a whole body
UPLOAD_TIMEOUT_S, UPLOAD_PAUSE_S = 600.0, 30.0  # for a file that is sent by PUT, and between two parts of it
MAX_CONNECTIONS = 2000  # of the server
MAX_OF_A_CLIENT = 256  # connections at once, or requests at once through a proxy with many clients
ACCEPTED = 256  # connections at once; those beyond the bound are closed a moment later
DESCRIPTORS = MAX_CONNECTIONS + 2 * ACCEPTED  # needed by the web process
HEAD_TIMEOUT_S = 10.0  # for the headers of a request
READ_TIMEOUT_S = 30.0  # for a client that reads no byte of an answer
_MAX_CLIENTS = 20_000  # clients remembered

Client = str | Holder  # the address of a client, or the holder of its token


class _Rate(NamedTuple):
    """A token bucket: `burst` requests at once, and `refill` a second."""

    burst: float
    refill: float


_RATES = {
    "read": _Rate(600, 100),
    "write": _Rate(200, 20),
    "message": _Rate(5000, 2000),  # of a remote bot
    "game": _Rate(20, 0.1),  # new games of a visitor: each starts a few processes
    "wrong token": _Rate(20, 0.2),
    "failure": _Rate(100, 1),  # lines in the log: a foreign page could fill the disk with them
}


class Rates:
    """The remaining requests of each client, by kind in `_RATES`. The least recent clients are forgotten.

    A client is the holder of a valid token, or an address.
    """

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._answered: Counter[Client] = Counter()
        self._buckets: OrderedDict[tuple[Client, str], tuple[float, float]] = OrderedDict()

    def take(self, client: Client, kind: str) -> bool:
        """Count one request of a kind in `_RATES`; returns False if the client had none left."""
        left = self._left(client, kind)
        self._buckets[client, kind] = (max(0.0, left - 1), self._clock())
        self._buckets.move_to_end((client, kind))
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return left >= 1

    @contextmanager
    def answering(self, client: Client) -> Iterator[bool]:
        """Count a request of this client while it is answered; yields False if the client has too many."""
        self._answered[client] += 1
        try:
            yield self._answered[client] <= MAX_OF_A_CLIENT
        finally:
            self._answered[client] -= 1
            if not self._answered[client]:
                del self._answered[client]

    def _left(self, client: Client, kind: str) -> float:
        rate, now = _RATES[kind], self._clock()
        left, since = self._buckets.get((client, kind), (rate.burst, now))
        return min(rate.burst, left + (now - since) * rate.refill)
