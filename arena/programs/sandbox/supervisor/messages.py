"""The lines of JSON between a worker and its supervisor.

Each request of the worker has a reply with the same `id`. Three descriptors accompany a `start`: the stdin,
stdout and stderr of the bot. The supervisor also sends reports, which have no `id`.
"""

from typing import Literal, TypedDict

ViolationKind = Literal["crashed", "memory", "processes"]
Violation = tuple[ViolationKind, str]
"""A broken limit: a kind of fault, and a detail without measured values."""


class Limits(TypedDict):
    """The limits of each bot that the supervisor uses, as JSON (`arena.referee.conditions`)."""

    memory: int  # bytes
    processes: int
    cpu: float  # seconds, of each process
    disk: int  # bytes


class StartRequest(TypedDict):
    """How to start a bot or a build."""

    command: list[str]
    folder: str  # the current folder of the bot
    environment: dict[str, str]
    home: str  # the path of its new $TMPDIR, or "" for a box, which has its own
    readable: list[str]  # paths, for Landlock; none for a box
    writable: list[str]  # folders, of a build; none for a bot
    own_user: bool  # whether it gets a new user id


class Request(TypedDict, total=False):
    """A request: one of the keys `start`, `check`, `forget`, `end`; the last three have the PID of a bot."""

    id: int
    start: StartRequest
    check: int  # whether the bot hit a limit of its control group; a report precedes the reply
    forget: int  # the earlier children of the bot, to report new ones
    end: int  # the bot, with all its descendants
    grace: float  # seconds for the bot to exit, with `end`


class Reply(TypedDict, total=False):
    """The reply to the request `id`, or a report, which is only a `violation` or `children`."""

    id: int
    pid: int  # of a started bot
    error: str  # of a failed `start`, with `errno` (0 if there is none)
    errno: int
    status: int | None  # to `end`: exit status or -signal; None if the bot broke a limit or `grace` was over
    violation: tuple[int, ViolationKind, str]  # the PID of a killed bot, and its `Violation`
    children: int  # the PID of their parent; sent once per bot: a full socket would stop all checks
