"""The lines of JSON between a worker and its supervisor.

Each request of the worker has a reply with the same `id`. With a `start` come three descriptors: the stdin,
stdout and stderr of the bot. The supervisor also sends reports, which have no `id`.
"""

from typing import Literal, TypedDict

ViolationKind = Literal["crashed", "memory", "processes"]
Violation = tuple[ViolationKind, str]
"""The limit that a bot has broken: a kind of fault, and a detail without measured values."""


class Limits(TypedDict):
    """The limits of each bot, as JSON (`arena.referee.conditions`): those that the supervisor uses."""

    memory: int  # bytes
    processes: int
    cpu: float  # seconds, of each process
    disk: int  # bytes


class StartRequest(TypedDict):
    """How to start a bot or a build."""

    command: list[str]
    folder: str  # in which it runs
    environment: dict[str, str]
    home: str  # the path of a $TMPDIR to make, or "" for a box, which has its own
    readable: list[str]  # paths, for Landlock; none for a box
    writable: list[str]  # folders, of a build; none for a bot
    own_user: bool  # whether it gets a new user id


class Request(TypedDict, total=False):
    """A request: one of the keys `start`, `check`, `forget`, `end`; the last three have the PID of a bot."""

    id: int
    start: StartRequest
    check: int  # whether the bot has hit a limit of its control group; if so, the report precedes the reply
    forget: int  # that the bot has had children, so that they are reported again
    end: int  # the bot, with all its descendants
    grace: float  # seconds that it gets to exit, with `end`


class Reply(TypedDict, total=False):
    """The reply to the request `id`, or a report, which is a `violation` or `children` alone."""

    id: int
    pid: int  # to `start`
    error: str  # to a `start` that failed, with `errno` (0 if there is none)
    errno: int
    status: int | None  # to `end`: exit status or -signal; None if the bot broke a limit or `grace` was over
    violation: tuple[int, ViolationKind, str]  # the PID and the `Violation` of a bot that is killed for it
    children: int  # the PID of a bot that has some; sent once per bot, as a full socket would stop all checks
