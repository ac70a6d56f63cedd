"""A record to store: small, with a fault and a draw."""

from dataclasses import replace

from arena.games import GAMES
from arena.records.fixture import Fixture
from arena.records.record import Record
from arena.referee.seat import Fault

GAME = GAMES["complots"]


def fixture(number: int = 0, **more) -> Fixture:
    return Fixture("complots", 1, GAME.defaults(), ("a", "b"), ("fa", "fb"), "run", f"a b {number}", **more)


def record(number: int = 0, **more) -> Record:
    fault = Fault(1, "illegal", 4, "answered '\\x1b[31m' to action; played income")
    replies = ("p1", "duchess", {0: "captain", 1: "duchess"}, (1,), {0: "income"})
    made = Record(fixture(number), replies, (fault,), ((1, 2), None), "digest", {"seconds": 0.5})
    return replace(made, **more)
