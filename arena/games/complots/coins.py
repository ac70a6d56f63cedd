"""Coins in both variants of Complots: players take them from the treasury and pay them to it."""

from collections.abc import Mapping
from typing import Any

from arena.games.complots.position import TurnPosition
from arena.games.shared import seat_of
from arena.rules import ALL, SEAT_NAMES, Options, PositionError, Tell, seat_name


def initial_treasury(options: Options, dealt: int) -> int | None:
    """The coins left in the treasury when the players have `dealt` coins (C4); None if it is unlimited."""
    total: int | str = options["treasury"]
    return total - dealt if isinstance(total, int) else None


def set_coins_and_actor(p: TurnPosition, given: Mapping[str, Any], each: int, first: int) -> None:
    """Set coins, treasury, actor and `fallen` of a given position.

    A seat that is not named has `each` coins, or none if it is out. The treasury has the rest. If no `turn`
    is given, the seat `first` acts.

    Raises:
        PositionError: These values are impossible.
    """
    for seat in range(p.seats):
        name, alive = SEAT_NAMES[seat], p.is_alive(seat)
        amount = given.get("coins", {}).get(name, each if alive else 0)
        if type(amount) is not int or amount < 0 or (amount and not alive):
            raise PositionError(
                ("coins", name), "should be a whole number from 0, and 0 if the player is out"
            )
        p.coins[seat] = amount
    p.treasury = initial_treasury(p.options, sum(p.coins))
    if p.treasury is not None and p.treasury < 0:
        raise PositionError(("coins",), f"there are only {p.options['treasury']} coins in all")
    p.actor = seat_of(given.get("turn", SEAT_NAMES[first]), ("turn",), p.seats)
    if not p.is_alive(p.actor):
        raise PositionError(("turn",), f"{SEAT_NAMES[p.actor]} is out")
    p.fallen = [seat for seat in range(p.seats) if not p.is_alive(seat)]


def take_coins(p: TurnPosition, seat: int, amount: int) -> int:
    """Move `amount` coins from the treasury to a player, or the rest of it (C5). Returns the number."""
    if p.treasury is not None:
        amount = min(amount, p.treasury)
        p.treasury -= amount
    p.coins[seat] += amount
    return amount


def pay_coins(p: TurnPosition, seat: int, amount: int) -> None:
    p.coins[seat] -= amount
    if p.treasury is not None:
        p.treasury += amount


async def take(p: TurnPosition, seat: int, amount: int) -> None:
    await Tell(ALL, f"take {seat_name(seat)} {take_coins(p, seat, amount)}")


async def pay(p: TurnPosition, seat: int, amount: int) -> None:
    pay_coins(p, seat, amount)
    await Tell(ALL, f"pay {seat_name(seat)} {amount}")
