"""The lines of JSON between a worker and its supervisor.

Each request has a reply with the same `id`. With a start come three descriptors: stdin, stdout and stderr.
"""

from typing import Literal, TypedDict

ViolationKind = Literal["crashed", "memory", "processes"]
Violation = tuple[ViolationKind, str]
"""The limit that a bot has broken: a kind of fault, and a detail without measured values."""


class Limits(TypedDict):
    """The limits of bots, as JSON (`arena.referee.conditions`)."""

    memory: int
    processes: int
    cpu: float
    disk: int


class StartRequest(TypedDict):
    """How to start a bot or a build; `home` is its new $TMPDIR, empty in a box, which has its own."""

    command: list[str]
    folder: str
    environment: dict[str, str]
    home: str
    readable: list[str]
    writable: list[str]
    own_user: bool  # run it as a new user


class Request(TypedDict, total=False):
    """One of `start`, `check`, `forget` and `end`; the last three name a bot by its PID."""

    id: int
    start: StartRequest
    check: int  # for a violation by the kernel; it is reported before the reply
    forget: int  # that it has had children: they are reported again
    end: int  # it, with all its descendants
    grace: float  # seconds after which the end is forced


class Reply(TypedDict, total=False):
    """The reply to the request `id`, or one of the two reports."""

    id: int
    pid: int  # to `start`, or
    error: str
    errno: int
    status: int | None  # to `end`; None if the bot was killed
    violation: tuple[int, ViolationKind, str]  # report: PID and `Violation`, just before the bot is killed
    children: int  # report: PID; once per bot, because a full socket would stop all checks
