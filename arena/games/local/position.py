"""The table of the local variant: hands, placed cards, discards, cemeteries; views and given positions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arena.games.complots.position import place_coins
from arena.games.complots.turn import CARDS, living
from arena.rules import SEAT_NAMES, PositionError

OWN = CARDS[:5]  # everybody has one of each (L1)


class Pile(NamedTuple):
    """A card in a discard or a cemetery, and whether everybody has seen it."""

    card: str
    shown: bool


@dataclass
class Placed:
    """The card that a claimant has laid before him, for as long as the action lasts (L6, L21)."""

    card: str
    proven: bool = False


@dataclass
class Position:
    """The whole state of a game.

    `hands` are without the placed card and in P6 order; discards and cemeteries have their newest
    card last. `marker` is the seat that opens each tour, `tour` counts from 0 within `manche`.
    """

    seats: int
    options: Mapping[str, Any]
    hands: list[list[str]]
    placed: list[Placed | None]
    discards: list[list[Pile]]
    cemeteries: list[list[Pile]]
    coins: list[int]
    treasury: int | None = None  # None: unlimited
    marker: int = 0
    actor: int = 0
    turn: int = 0
    tour: int = 0
    manche: int = 1
    begun: bool = False
    fallen: list[int] = field(default_factory=list)
    forfeits: list[Sequence[int]] = field(default_factory=list)

    def alive(self, seat: int) -> bool:
        """A card in the hand, on the table or in the discard (L20)."""
        return self.strength(seat) > 0

    def strength(self, seat: int) -> int:
        placed = self.placed[seat] is not None
        return len(self.hands[seat]) + placed + len(self.discards[seat])


def undealt(seats: int, options: Mapping[str, Any]) -> Position:
    """Five cards each; one coin each with two players, else two (L1, L2)."""
    each = 1 if seats == 2 else 2
    return Position(
        seats,
        options,
        hands=[list(OWN) for _ in range(seats)],
        placed=[None] * seats,
        discards=[[] for _ in range(seats)],
        cemeteries=[[] for _ in range(seats)],
        coins=[each] * seats,
        treasury=None if options["treasury"] == "unlimited" else options["treasury"] - each * seats,
    )


def view(p: Position, seat: int | None) -> list[str]:
    """The table, then a line per seat: what is public, and all of one's own (L18, L23).

    `cards=` is the hand, with the placed card until it is proven (L21). Piles are told newest last; a card
    that only its owner knows is `hidden` to the others.
    """
    treasury = "unlimited" if p.treasury is None else p.treasury
    lines = [f"table treasury={treasury} turn={p.turn} manche={p.manche} tour={p.tour + 1}"]
    lines[0] += f" marker={SEAT_NAMES[p.marker]}"
    for other, name in enumerate(SEAT_NAMES[: p.seats]):
        own = seat is None or seat == other
        placed = p.placed[other]
        cards = len(p.hands[other]) + (placed is not None and not placed.proven)
        line = f"{name} coins={p.coins[other]} cards={cards}"
        for key, pile in (("discard", p.discards[other]), ("cemetery", p.cemeteries[other])):
            if pile:
                line += f" {key}={','.join(card if shown or own else 'hidden' for card, shown in pile)}"
        if placed:
            line += f" placed={placed.card if own or placed.proven else 'hidden'}"
        if own and p.hands[other]:
            line += f" hand={','.join(p.hands[other])}"
        lines.append(line)
    return lines


KEYS = ("hands", "discards", "shown", "lost", "buried", "coins", "turn", "marker", "tour")


def arrange(seats: int, options: Mapping[str, Any], given: Mapping[str, Any]) -> Position:
    """A position at the beginning of a turn.

    By seat: `hands`, `discards` (newest last), of these `shown`, `lost` (in the cemetery, seen by
    all), `buried` (there, known to the owner alone) and `coins`; then `turn`, `marker`, and `tour`
    from 1. What is named nowhere of a seat's five cards is in its hand. PositionError: an impossible
    position.
    """
    p = undealt(seats, options)
    p.begun = True
    names = SEAT_NAMES[:seats]
    check_keys(given, names)
    for seat, name in enumerate(names):
        arrange_seat(p, seat, name, {key: given.get(key, {}).get(name, []) for key in KEYS[:5]})
        if "hands" in given and name in given["hands"]:
            wanted, left = given["hands"][name], p.hands[seat]
            same = isinstance(wanted, list) and len(wanted) == len(left)
            if not same or any(card not in wanted for card in left):
                missing = ", ".join(left)
                raise PositionError(("hands", name), f"what is nowhere else is in the hand: {missing}")
    if len(living(p)) < 2:
        raise PositionError(("lost",), "at least two players need a card")
    place_coins(p, given.get("coins", {}), each=1 if seats == 2 else 2)
    p.marker = seat_of(given, "marker", names, names[living(p)[0]])
    first = min(living(p), key=lambda seat: (seat - p.marker) % seats)  # L4
    p.actor = seat_of(given, "turn", names, names[first])
    if not p.alive(p.actor):
        raise PositionError(("turn",), f"{names[p.actor]} is out")
    tours = options["tours_per_round"]
    tour = given.get("tour", 1)
    if type(tour) is not int or not 1 <= tour <= tours:
        raise PositionError(("tour",), f"a whole number from 1 to {tours}")
    p.tour = tour - 1
    p.fallen = [seat for seat in range(seats) if not p.alive(seat)]
    return p


def check_keys(given: Mapping[str, Any], names: Sequence[str]) -> None:
    for key, value in given.items():
        if key not in KEYS:
            raise PositionError((key,), f"no such key; known are {', '.join(KEYS)}")
        if key in KEYS[:6]:
            if not isinstance(value, dict):
                raise PositionError((key,), f"should have a key for each of {', '.join(names)}")
            for name in value:
                if name not in names:
                    raise PositionError((key, name), f"no such seat; seats are {', '.join(names)}")


def arrange_seat(p: Position, seat: int, name: str, piles: Mapping[str, Any]) -> None:
    """Take a seat's five cards out of its hand and into its piles."""
    hand = p.hands[seat]
    for key in ("discards", "shown", "lost", "buried"):
        if not isinstance(piles[key], list):
            raise PositionError((key, name), "should be a list of cards")
    for key in ("discards", "lost", "buried"):
        for card in piles[key]:
            if card not in hand:
                raise PositionError((key, name), f"{card!r} is no card of {name}, or stands twice")
            hand.remove(card)
    for card in piles["shown"]:
        if card not in piles["discards"]:
            raise PositionError(("shown", name), f"{card!r} is not in the discard of {name}")
    p.discards[seat] = [Pile(card, card in piles["shown"]) for card in piles["discards"]]
    p.cemeteries[seat] = [Pile(card, True) for card in piles["lost"]]
    p.cemeteries[seat] += [Pile(card, False) for card in piles["buried"]]


def seat_of(given: Mapping[str, Any], key: str, names: Sequence[str], default: str) -> int:
    name = given.get(key, default)
    if name not in names:
        raise PositionError((key,), f"no such seat {name!r}; seats are {', '.join(names)}")
    return names.index(name)
