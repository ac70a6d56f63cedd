"""What a game may say to the table: `Tell`, `Draw`, `Ask`, `RollCall`, and nothing else.

The rules of a game are a coroutine. `await` waits for the table, never for asyncio: whatever drives the
coroutine sends it the answer to each step (`arena.rules.match`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.rules.choices import Choice

ALL = None  # the audience of public news


@dataclass(slots=True, unsafe_hash=True)
class Tell:
    """News for one seat, or for `ALL`. The audience comes first and has no default (ruling A9)."""

    to: int | None
    text: str

    def __await__(self):
        yield self


@dataclass(slots=True, unsafe_hash=True)
class Draw:
    """Chance picks one of `outcomes`; `await` returns it.

    `purpose` names the random stream (ruling A8). `to` names who learns the outcome: a seat, `ALL`,
    or the string `"nobody"`.
    """

    purpose: str
    outcomes: tuple[str, ...]
    to: int | str | None

    def __await__(self):
        return (yield self)


@dataclass(slots=True)
class Ask:
    """These seats answer at once, sealed; `await` returns `{seat: answer}` in the order of `choices`.

    With `race` the answers come in order of charged time, ties in the order of `choices`: for
    `priority: fastest` alone, whose games replay exactly but do not repeat.
    """

    choices: dict[int, Choice]
    race: bool = False

    def __await__(self):
        return (yield self)


@dataclass(slots=True)
class RollCall:
    """`await` returns the seats that have forfeited since the last roll call, in seat order."""

    def __await__(self):
        return (yield self)


Log = Sequence[tuple[Tell | Draw | Ask | RollCall, Any]]
"""Every step of a game in order, with its reply; a `Tell` has none."""


async def ask(seat: int, choice: Choice) -> str:
    """Ask one seat, and return its answer."""
    return (await Ask({seat: choice}))[seat]
