"""The position of the local variant: hands and other cards; and each seat's view of it."""

from dataclasses import dataclass
from typing import NamedTuple

from arena.games.complots.position import CARDS, TurnPosition, acting, living
from arena.rules import SEAT_NAMES

OWN = CARDS[:5]  # each player has one of each (L1)

_SPECTATOR = -1  # a seat without cards of its own


class PiledCard(NamedTuple):
    """A card in a discard or a cemetery, and whether all players have seen it."""

    card: str
    seen: bool


@dataclass
class Placed:
    """The card that a claimant has placed on the table, until the action is over (L6, L21)."""

    card: str
    proven: bool = False


@dataclass(kw_only=True)
class Position(TurnPosition):
    """The whole state of a game of the local variant; piles have their newest card last."""

    hands: list[list[str]]  # in P6 order, without the placed card
    placed: list[Placed | None]
    discards: list[list[PiledCard]]
    cemeteries: list[list[PiledCard]]
    marker: int = 0  # the seat that opens each tour
    tour: int = 0  # counted from 0 within the manche
    manche: int = 1
    given: bool = False  # by a setup file

    def is_alive(self, seat: int) -> bool:
        """Whether a player is in the game: with a card in the hand, on the table or in the discard (L20)."""
        return bool(self.hands[seat] or self.placed[seat] or self.discards[seat])

    def strength(self, seat: int) -> int:
        placed = self.placed[seat] is not None
        return len(self.hands[seat]) + placed + len(self.discards[seat])

    def placed_by(self, seat: int) -> Placed:
        """The card that a seat has placed; it must have placed one."""
        placed = self.placed[seat]
        assert placed is not None
        return placed


def copy_position(p: Position) -> Position:
    return Position(
        seats=p.seats,
        options=p.options,
        coins=p.coins.copy(),
        treasury=p.treasury,
        actor=p.actor,
        turn=p.turn,
        begun=p.begun,
        fallen=p.fallen.copy(),
        forfeits=p.forfeits.copy(),
        hands=[hand.copy() for hand in p.hands],
        placed=[Placed(each.card, each.proven) if each else None for each in p.placed],
        discards=[pile.copy() for pile in p.discards],
        cemeteries=[pile.copy() for pile in p.cemeteries],
        marker=p.marker,
        tour=p.tour,
        manche=p.manche,
        given=p.given,
    )


def tour_order(p: Position) -> list[int]:
    """The living seats, clockwise from the marker (L4)."""
    return sorted(living(p), key=lambda seat: offset(p, seat))


def offset(p: Position, seat: int) -> int:
    return (seat - p.marker) % p.seats


def view(p: Position, seat: int | None) -> list[str]:
    """The `state` lines for a seat, or for None those of the open table: table, then seats (L18, L23)."""
    treasury = "unlimited" if p.treasury is None else p.treasury
    table = f"table treasury={treasury} turn={p.turn} manche={p.manche} tour={p.tour + 1}"
    lines = [f"{table} marker={SEAT_NAMES[p.marker]}{acting(p)}"]
    return lines + [_seat_line(p, other, seat is None or seat == other) for other in range(p.seats)]


def public_view(p: Position) -> list[str]:
    """The `state` lines for a spectator: only facts that every seat may see."""
    return view(p, _SPECTATOR)


def _seat_line(p: Position, seat: int, own: bool) -> str:
    """The `state` line of a seat: the public part, or with `own` its owner's knowledge."""
    placed = p.placed[seat]  # until it is proven, it counts as a card of the hand (L21)
    cards = len(p.hands[seat]) + (placed is not None and not placed.proven)
    line = f"{SEAT_NAMES[seat]} coins={p.coins[seat]} cards={cards}"
    for key, pile in (("discard", p.discards[seat]), ("cemetery", p.cemeteries[seat])):
        if pile:
            line += f" {key}={','.join(card if seen or own else 'hidden' for card, seen in pile)}"
    if placed:
        line += f" placed={placed.card if own or placed.proven else 'hidden'}"
    if own and p.hands[seat]:
        line += f" hand={','.join(p.hands[seat])}"
    return line
