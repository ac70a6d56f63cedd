"""The position of Intrigue: castles, candidates, money, promises; and each seat's view of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.rules import SEAT_NAMES, Options, seat_name

ZONES = (1000, 3000, 6000, 10000)  # by value, which is also their order everywhere (I12, A10)
TYPES = ("priest", "writer", "doctor", "biologist")
NOTE = 1000  # every amount is a multiple of it (I16)

_SPECTATOR = -1  # a seat without money of its own


class Advisor(NamedTuple):
    """An advisor: its owner and its type; as text `p4.writer`. Each player has two of each type (I35)."""

    owner: int
    type: str

    def __str__(self) -> str:
        return _NAMES[self]


_NAMES = {(seat, kind): f"{name}.{kind}" for seat, name in enumerate(SEAT_NAMES) for kind in TYPES}


def joined(advisors: Iterable[Advisor]) -> str:
    return ",".join([_NAMES[each] for each in advisors])


class Promise(NamedTuple):
    """One promise of an accepted offer in the book of the arena."""

    offer: int
    by: int  # the seat that promises
    to: int  # the seat to which it promises
    word: str  # a term such as `8000`, `writer@10000` or `next=p3@6000`
    due: int  # the number of the turn that decides it; for `pay`, of the first payment that can


Payment = tuple[int, tuple[Advisor, ...]]
"""The seat that pays a bribe, and the advisors that it pays for."""


@dataclass
class Stage:
    """A stage of a turn: the free stage, the external stage, or one internal conflict.

    `candidates` are in the order of A10. `zones` are the free zones when the stage begins, or in an internal
    conflict the zone of `occupant`.
    """

    kind: str
    owner: int
    candidates: tuple[Advisor, ...]
    zones: tuple[int, ...] = ()
    occupant: Advisor | None = None
    begun: bool = False
    due: list[Payment] = field(default_factory=list)  # the remaining payments, once the stage has begun

    def involved(self) -> tuple[Advisor, ...]:
        return (self.occupant, *self.candidates) if self.occupant else self.candidates


@dataclass
class Position:
    """The whole state of a game of Intrigue."""

    seats: int
    options: Options
    money: list[int]
    castles: list[dict[int, Advisor]]  # by seat and zone
    candidates: list[list[Advisor]]
    reserves: list[list[str]]  # types, in order
    island: list[Advisor] = field(default_factory=list)
    starter: int | None = None  # the seat that began, once it is known
    begun: bool = False  # the set-up is over, and the first turn follows or is past
    turn: int = 0  # the number of turns that have begun
    in_turn: bool = False  # the turn `turn` is not over
    stages: list[Stage] = field(default_factory=list)  # the stages of this turn that are not over
    hopeless: list[Promise] = field(default_factory=list)  # impossible since the beginning of this turn
    offers: int = 0  # turns to speak so far; they number the offers
    payments: int = 0  # the number of payments so far
    book: list[Promise] = field(default_factory=list)  # promises that are not yet decided

    @property
    def owner(self) -> int:
        """The seat whose turn it is."""
        return ((self.starter or 0) + max(self.turn, 1) - 1) % self.seats

    @property
    def round(self) -> int:
        return (max(self.turn, 1) - 1) // self.seats + 1

    @property
    def last_round(self) -> bool:
        rounds: int = self.options["rounds"]
        return self.round == rounds


def copy_position(p: Position) -> Position:
    return Position(
        p.seats,
        p.options,
        money=p.money.copy(),
        castles=[castle.copy() for castle in p.castles],
        candidates=[some.copy() for some in p.candidates],
        reserves=[some.copy() for some in p.reserves],
        island=p.island.copy(),
        starter=p.starter,
        begun=p.begun,
        turn=p.turn,
        in_turn=p.in_turn,
        stages=[_copy_stage(stage) for stage in p.stages],
        hopeless=p.hopeless.copy(),
        offers=p.offers,
        payments=p.payments,
        book=p.book.copy(),
    )


def _copy_stage(stage: Stage) -> Stage:
    kind, owner, due = stage.kind, stage.owner, stage.due.copy()
    return Stage(kind, owner, stage.candidates, stage.zones, stage.occupant, stage.begun, due)


def clockwise(p: Position, first: int) -> list[int]:
    """All seats, clockwise, from this one on."""
    return [(first + step) % p.seats for step in range(p.seats)]


def in_order(p: Position, owner: int, advisors: Iterable[Advisor]) -> list[Advisor]:
    """The advisors at a castle, sorted: clockwise from the left of its owner, then by type (A10)."""
    return sorted(advisors, key=lambda each: ((each.owner - owner - 1) % p.seats, TYPES.index(each.type)))


def income(p: Position, seat: int) -> int:
    """The ducats that the advisors of a seat earn in all castles at this moment (I7)."""
    return sum(zone for castle in p.castles for zone, advisor in castle.items() if advisor.owner == seat)


# The views of seats


def view(p: Position, seat: int | None) -> list[str]:
    """The `state` lines for a seat, or for None those of the open table: the table, then each seat."""
    # Money is shown to its owner, or to all with `show_money` (I27).
    lines = [f"table round={p.round} turn={p.turn}"]
    if p.turn:
        lines[0] += f" owner={seat_name(p.owner)}"
    for other, castle in enumerate(p.castles):
        line = SEAT_NAMES[other]
        if castle:
            line += " castle=" + ",".join([f"{zone}:{castle[zone]}" for zone in ZONES if zone in castle])
        if p.candidates[other]:
            line += " candidates=" + ",".join(map(str, in_order(p, other, p.candidates[other])))
        if p.reserves[other]:
            line += " reserve=" + _counts(p.reserves[other])
        if banned := [each.type for each in p.island if each.owner == other]:
            line += " island=" + _counts(banned)
        if seat in (None, other) or p.options["show_money"] == "all":
            line += f" money={p.money[other]}"
        lines.append(line)
    return lines


def public_view(p: Position) -> list[str]:
    """The `state` lines for a spectator: only facts that every seat may see."""
    return view(p, _SPECTATOR)


def _counts(types: list[str]) -> str:
    return ",".join([f"{each}:{number}" for each in TYPES if (number := types.count(each))])
