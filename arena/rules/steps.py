"""The steps of the rules of a game: `Tell`, `Draw`, `Ask`, `RollCall`; and `Checkpoint`, which is no step.

The rules of a game are a coroutine. `await` hands a step to the code that drives the coroutine and returns
the reply to it (`arena.rules.match`); asyncio has no part in this. Rules reach seats and chance only by
steps. Steps are compared by identity.
"""

from collections.abc import Generator, Sequence
from typing import Literal, TypeVar, final

from arena.rules.choices import Choice

ALL = None  # the audience of public news

_Seat = TypeVar("_Seat")

Answers = dict[int, str]
"""The answer of each seat that was asked."""

Reply = str | Answers | tuple[int, ...]
"""The reply to a step: the outcome of a `Draw`, the answers to an `Ask`, or the seats of a `RollCall`."""


@final
class Tell:
    """News for one seat, or for `ALL`. The audience comes first and has no default (ruling A9)."""

    __slots__ = ("text", "to")

    def __init__(self, to: int | None, text: str) -> None:
        self.to = to
        self.text = text

    def __await__(self) -> Generator["Tell", None, None]:
        yield self

    def __repr__(self) -> str:
        return f"Tell({self.to}, {self.text!r})"

    @property
    def is_public(self) -> bool:
        """Whether all seats hear it, and spectators."""
        return self.to is ALL

    @property
    def begins_turn(self) -> bool:
        return self.to is ALL and self.text.startswith("turn ")

    @property
    def kind(self) -> str:
        """The first word of its line: `event` if it is public, else `secret`."""
        return "event" if self.to is ALL else "secret"

    @property
    def line(self) -> str:
        """The line that its audience reads."""
        return f"event {self.text}" if self.to is ALL else f"secret {self.text}"

    def reaches(self, seat: int | None) -> bool:
        """Whether this seat hears it; for `ALL`, whether spectators do."""
        return self.to is ALL or self.to == seat

    def audience(self, seats: Sequence[_Seat]) -> Sequence[_Seat]:
        """The `seats` that hear it, in order."""
        return seats if self.to is ALL else (seats[self.to],)


@final
class Draw:
    """Lets chance pick one of `outcomes`; `await` returns it.

    `purpose` names the random stream (ruling A8). `to` says who may know the outcome: a seat, `ALL`, or the
    string `"nobody"`. The rules have to `Tell` it: a draw itself tells nothing.
    """

    __slots__ = ("outcomes", "purpose", "to")

    def __init__(self, purpose: str, outcomes: Sequence[str], to: int | Literal["nobody"] | None) -> None:
        self.purpose = purpose
        self.outcomes = tuple(outcomes)
        self.to = to

    def __await__(self) -> Generator["Draw", str, str]:
        return (yield self)

    def __repr__(self) -> str:
        return f"Draw({self.purpose!r}, {self.outcomes}, to={self.to!r})"

    def reaches(self, seat: int | None) -> bool:
        """Whether this seat may know the outcome; for `ALL`, whether spectators may."""
        return self.to is ALL or self.to == seat


@final
class Ask:
    """Asks one or more seats at once; no answer is revealed before all are given. `await` returns them.

    The answers are in the order of `choices`; with `race`, of the time charged for them, the fastest first,
    and equal times in the order of `choices`. Of the arena's games only `priority: fastest` in Complots uses
    `race`: such games replay exactly, but a second game with the same seed may differ.
    """

    __slots__ = ("choices", "race")

    def __init__(self, choices: dict[int, Choice], race: bool = False) -> None:
        self.choices = choices
        self.race = race

    def __await__(self) -> Generator["Ask", Answers, Answers]:
        return (yield self)

    def __repr__(self) -> str:
        return f"Ask({self.choices})"


@final
class RollCall:
    """Asks which seats have forfeited since the last roll call; `await` returns them in seat order."""

    __slots__ = ()

    def __await__(self) -> Generator["RollCall", tuple[int, ...], tuple[int, ...]]:
        return (yield self)

    def __repr__(self) -> str:
        return "RollCall()"


@final
class Checkpoint:
    """Marks a moment from which the rules, begun anew with the position as it is, would go on as they do now.

    It is no step: nothing is logged. A copy of a match begins at one of the last checkpoints that it passed.
    """

    __slots__ = ()

    def __await__(self) -> Generator["Checkpoint", None, None]:
        yield self


Step = Tell | Draw | Ask | RollCall

Log = Sequence[tuple[Step, Reply | None]]
"""Every step of a game in order, with its reply; a `Tell` has none."""


async def ask(seat: int, choice: Choice) -> str:
    """Ask one seat, and return its answer."""
    return (await Ask({seat: choice}))[seat]
