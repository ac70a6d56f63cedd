"""Set-up of the local variant (§II), and given positions."""

from collections.abc import Mapping
from typing import Any

from arena.games.complots.coins import initial_treasury, set_coins_and_actor
from arena.games.complots.position import living
from arena.games.local.position import OWN, PiledCard, Position, tour_order
from arena.games.shared import check_keys, list_of, seat_of
from arena.rules import SEAT_NAMES, Options, PositionError


def initial_position(seats: int, options: Options) -> Position:
    """The position before the first turn: five cards each (L1)."""
    each = _coins_each(seats)
    return Position(
        seats=seats,
        options=options,
        hands=[list(OWN) for _ in range(seats)],
        placed=[None] * seats,
        discards=[[] for _ in range(seats)],
        cemeteries=[[] for _ in range(seats)],
        coins=[each] * seats,
        treasury=initial_treasury(options, each * seats),
    )


def _coins_each(seats: int) -> int:
    return 1 if seats == 2 else 2  # L2


# `shown` are the discards that all have seen. In the cemetery, `lost` cards are face up, `buried` ones face
# down.
_PILES = ("discards", "shown", "lost", "buried")
_BY_SEAT = ("hands", *_PILES, "coins")
_KEYS = (*_BY_SEAT, "turn", "marker", "tour")


def position_from_setup(seats: int, options: Options, given: Mapping[str, Any]) -> Position:
    """The position of a setup file, at the beginning of a turn.

    Raises:
        PositionError: The position is impossible.
    """
    # Cards of a seat that are named nowhere are in its hand.
    check_keys(given, _KEYS, _BY_SEAT, seats)
    p = initial_position(seats, options)
    p.given = True
    for seat in range(seats):
        _place_cards(p, seat, given)
    if len(living(p)) < 2:
        raise PositionError(("lost",), "at least two players need a card")
    p.marker = seat_of(given.get("marker", SEAT_NAMES[living(p)[0]]), ("marker",), seats)
    set_coins_and_actor(p, given, _coins_each(seats), tour_order(p)[0])
    tour, tours = given.get("tour", 1), options["tours_per_round"]
    if type(tour) is not int or not 1 <= tour <= tours:
        raise PositionError(("tour",), f"should be a whole number from 1 to {tours}")
    p.tour = tour - 1
    return p


def _place_cards(p: Position, seat: int, given: Mapping[str, Any]) -> None:
    name = SEAT_NAMES[seat]
    piles = {key: list_of(given.get(key, {}).get(name, []), (key, name)) for key in _PILES}
    for key in ("discards", "lost", "buried"):
        for card in piles[key]:
            if card not in p.hands[seat]:
                raise PositionError((key, name), f"{card!r} is not a card of {name}, or is named twice")
            p.hands[seat].remove(card)
    for card in piles["shown"]:
        if card not in piles["discards"]:
            raise PositionError(("shown", name), f"{card!r} is not in the discard of {name}")
    p.discards[seat] = [PiledCard(card, card in piles["shown"]) for card in piles["discards"]]
    p.cemeteries[seat] = [PiledCard(card, True) for card in piles["lost"]]
    p.cemeteries[seat] += [PiledCard(card, False) for card in piles["buried"]]
    left = p.hands[seat]
    wanted = given.get("hands", {}).get(name, left)
    if not (isinstance(wanted, list) and len(wanted) == len(left) and all(card in wanted for card in left)):
        raise PositionError(
            ("hands", name), f"cards that are nowhere else are in the hand: {', '.join(left)}"
        )
