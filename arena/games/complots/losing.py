"""Losing cards, elimination (Perdre une vie), and the end of a game (But du jeu)."""

from collections.abc import Sequence

from arena.games.complots.coins import pay_coins
from arena.games.complots.position import TurnPosition, living
from arena.games.complots.variant import Cause, P, Variant
from arena.rules import ALL, Tell, seat_name


class LastOneLeft(Exception):
    """Raised when one player is left: the game ends at once, even in mid-turn (C38)."""


async def lose_card(p: P, variant: Variant[P], seat: int, cause: Cause) -> None:
    """Let a seat lose a card, and eliminate it if that was its last one.

    Raises:
        LastOneLeft: The game is over.
    """
    await variant.lose(p, seat, cause)
    await eliminate_if_out(p, seat)


async def eliminate_if_out(p: TurnPosition, seat: int) -> None:
    """Eliminate a player without cards (C48).

    Raises:
        LastOneLeft: One player is left and wins at once (C38).
    """
    if not p.is_alive(seat):
        await eliminate(p, seat)
        if len(living(p)) == 1:
            raise LastOneLeft


async def eliminate(p: TurnPosition, seat: int) -> None:
    coins = p.coins[seat]
    pay_coins(p, seat, coins)
    p.fallen.append(seat)
    await Tell(ALL, f"out {seat_name(seat)} coins={coins}")


# The end of a game


async def eliminate_forfeits(p: P, variant: Variant[P], seats: Sequence[int]) -> None:
    """Eliminate players that have forfeited since the last turn (A4). If the actor is out, the next acts."""
    if seats:
        p.forfeits.append(seats)
    for seat in seats:
        await Tell(ALL, f"forfeit {seat_name(seat)}")
        if p.is_alive(seat):
            await variant.surrender(p, seat)
            await eliminate(p, seat)
    if not p.is_alive(p.actor) and living(p):
        await variant.end_turn(p)


def places(p: TurnPosition) -> tuple[int, ...]:
    """The places by seat: survivors share the win; then the eliminated, the last one first; then forfeits."""
    # Rulings C51, A4 and A5. With `scoring: winner` all the eliminated tie.
    by_order = p.options["scoring"] == "ranking"
    merit = {seat: (2, 0) for seat in range(p.seats)}
    merit |= {seat: (1, order if by_order else 0) for order, seat in enumerate(p.fallen)}
    merit |= {seat: (0, order) for order, seats in enumerate(p.forfeits) for seat in seats}
    if all(rank == 0 for rank, _ in merit.values()):
        return (1,) * p.seats
    return tuple(1 + sum(other > merit[seat] for other in merit.values()) for seat in range(p.seats))
