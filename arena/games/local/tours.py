"""The end of a turn, of a tour and of a manche (§III)."""

from arena.games.complots.position import in_order, living
from arena.games.local.position import Pile, Position
from arena.rules import ALL, Tell


async def end_turn(p: Position) -> None:
    """Move placed cards to their owners' discards (L21), and pass the turn to the next seat of the tour."""
    if len(living(p)) == 1:
        return  # C38, L25: nothing follows the end of the game
    for seat, placed in enumerate(p.placed):
        if placed:
            p.discards[seat].append(Pile(placed.card, placed.proven))
            p.placed[seat] = None
    later = [seat for seat in tour_order(p) if _offset(p, seat) > _offset(p, p.actor)]
    if later:
        p.actor = later[0]
        return
    p.tour += 1
    if p.tour == p.options["tours_per_round"]:
        await _end_manche(p)
    p.actor = tour_order(p)[0]


def tour_order(p: Position) -> list[int]:
    """The living seats, clockwise from the marker (L4)."""
    return sorted(living(p), key=lambda seat: _offset(p, seat))


def _offset(p: Position, seat: int) -> int:
    return (seat - p.marker) % p.seats


async def _end_manche(p: Position) -> None:
    """Return all discards to their owners' hands; cemeteries and coins stay (L24)."""
    p.tour, p.manche = 0, p.manche + 1
    await Tell(ALL, f"manche {p.manche}")
    for seat in living(p):
        p.hands[seat] = in_order([*p.hands[seat], *(pile.card for pile in p.discards[seat])])
        p.discards[seat] = []
        await tell_hand(p, seat)


async def tell_hand(p: Position, seat: int) -> None:
    await Tell(seat, " ".join(["hand", *p.hands[seat]]))
