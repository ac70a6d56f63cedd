"""Losing cards, and elimination (Perdre une vie)."""

from arena.games.complots.coins import pay_coins
from arena.games.complots.position import TurnPosition, living
from arena.games.complots.variant import Cause, P, Variant
from arena.rules import ALL, Tell, seat_name


class LastOneLeft(Exception):
    """Raised when one player is left: the game ends at once, even in mid-turn (C38)."""


async def lose_card(p: P, variant: Variant[P], seat: int, cause: Cause) -> None:
    """Let a seat lose a card, and eliminate it if that was its last one. LastOneLeft: the game is over."""
    await variant.lose(p, seat, cause)
    await eliminate_if_out(p, seat)


async def eliminate_if_out(p: TurnPosition, seat: int) -> None:
    """Eliminate a player without cards (C48). LastOneLeft: one player is left, which wins at once (C38)."""
    if not p.is_alive(seat):
        await eliminate(p, seat)
        if len(living(p)) == 1:
            raise LastOneLeft


async def eliminate(p: TurnPosition, seat: int) -> None:
    coins = p.coins[seat]
    pay_coins(p, seat, coins)
    p.fallen.append(seat)
    await Tell(ALL, f"out {seat_name(seat)} coins={coins}")
