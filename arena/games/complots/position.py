"""The table of Complots: who holds which cards and coins, what a seat may see of it, and given positions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.games.complots.turn import CARDS, living
from arena.games.complots.turn import Position as AnyPosition
from arena.rules import SEAT_NAMES, PositionError


@dataclass
class Position:
    """The whole state of a game. Seats are numbers, cards words, hands kept in P6 order.

    `aside` are the cards out of the game with two players (C10). `fallen` lists eliminated seats in
    order, `forfeits` the seats found at each roll call that found any.
    """

    seats: int
    options: Mapping[str, Any]
    hands: list[list[str]]
    lost: list[list[str]]
    coins: list[int]
    court: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    treasury: int | None = None  # None: unlimited
    actor: int = 0
    turn: int = 0
    fallen: list[int] = field(default_factory=list)
    forfeits: list[Sequence[int]] = field(default_factory=list)

    def alive(self, seat: int) -> bool:
        return bool(self.hands[seat])

    def strength(self, seat: int) -> int:
        return len(self.hands[seat])


def deck(seats: int, cast: str) -> list[str]:
    """Three copies of five characters, four at seven and eight players (C1), in P6 order."""
    return [card for card in characters(cast) for _ in range(4 if seats > 6 else 3)]


def characters(cast: str) -> tuple[str, ...]:
    return (*CARDS[:4], cast)


def undealt(seats: int, options: Mapping[str, Any]) -> Position:
    """The table before the first card; two coins each (C3), the rest is the treasury (C4)."""
    return Position(
        seats,
        options,
        hands=[[] for _ in range(seats)],
        lost=[[] for _ in range(seats)],
        coins=[2] * seats,
        treasury=None if options["treasury"] == "unlimited" else options["treasury"] - 2 * seats,
    )


def add_cards(pile: list[str], cards: Iterable[str]) -> None:
    pile[:] = in_order([*pile, *cards])


def in_order(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=CARDS.index)


def view(p: Position, seat: int | None) -> list[str]:
    """The table, then a line per seat; hidden cards only for their owner (C53), or on the open table."""
    treasury = "unlimited" if p.treasury is None else p.treasury
    lines = [f"table treasury={treasury} court={len(p.court)} turn={p.turn}"]
    for other in range(p.seats):
        hand = p.hands[other]
        line = f"{SEAT_NAMES[other]} coins={p.coins[other]} cards={len(hand)}"
        if p.lost[other]:
            line += f" lost={','.join(p.lost[other])}"
        if hand and (other == seat or seat is None):
            line += f" hand={','.join(hand)}"
        lines.append(line)
    return lines


def arrange(seats: int, options: Mapping[str, Any], given: Mapping[str, Any]) -> Position:
    """A position at the beginning of a turn, from `hands`, `lost`, `coins`, `court` and `turn`.

    With three players and more the Court is what the hands leave. With two it is the three cards of
    `court`, or drawn from the rest when the game begins. PositionError: an impossible position.
    """
    p = undealt(seats, options)
    names, rest = SEAT_NAMES[:seats], deck(seats, options["cast"])
    keys = ("hands", "lost", "coins", "turn", "court")[: 5 if seats == 2 else 4]
    for key, value in given.items():
        if key not in keys:
            raise PositionError((key,), f"no such key; {seats} players have {', '.join(keys)}")
        if key in keys[:3] and not isinstance(value, dict):
            raise PositionError((key,), f"should have a key for each of {', '.join(names)}")
        for name in value if key in keys[:3] else ():
            if name not in names:
                raise PositionError((key, name), f"no such seat; seats are {', '.join(names)}")
    for seat, name in enumerate(names):
        for key, piles in (("hands", p.hands), ("lost", p.lost)):
            add_cards(piles[seat], pick_cards(rest, given.get(key, {}).get(name, []), (key, name)))
        if len(p.hands[seat]) + len(p.lost[seat]) != 2:
            raise PositionError(("hands", name), f"{name} needs two cards in all, hidden or lost")
    if len(living(p)) < 2:
        raise PositionError(("hands",), "at least two players need a hidden card")
    if seats > 2:
        p.court = rest
    else:
        add_cards(p.court, pick_cards(rest, given.get("court", []), ("court",)))
        p.aside = rest
        if len(p.court) not in (0, 3):
            raise PositionError(("court",), "three cards with two players")
    place_coins(p, given.get("coins", {}))
    turn = given.get("turn", names[living(p)[0]])
    if turn not in names or not p.hands[names.index(turn)]:
        raise PositionError(("turn",), f"{turn!r} is no living player")
    p.actor = names.index(turn)
    p.fallen = [seat for seat in range(seats) if not p.hands[seat]]
    return p


def pick_cards(rest: list[str], cards: object, path: tuple[str, ...]) -> list[str]:
    """Take these cards out of the rest of the deck."""
    if not isinstance(cards, list):
        raise PositionError(path, "should be a list of cards")
    for card in cards:
        if card not in rest:
            kinds = ", ".join(dict.fromkeys(rest))
            raise PositionError(path, f"no {card!r} is left in the deck; left are {kinds}")
        rest.remove(card)
    return cards


def place_coins(p: AnyPosition, coins: Mapping[str, object], each: int = 2) -> None:
    """So many coins each where nothing is given, none for who is out; the rest is the treasury."""
    for seat in range(p.seats):
        name, alive = SEAT_NAMES[seat], p.alive(seat)
        amount = coins.get(name, each if alive else 0)
        if type(amount) is not int or amount < 0 or (amount and not alive):
            raise PositionError(("coins", name), "a whole number from 0, and 0 for who is out")
        p.coins[seat] = amount
    if p.treasury is not None:
        p.treasury = p.options["treasury"] - sum(p.coins)
        if p.treasury < 0:
            raise PositionError(("coins",), f"at most {p.options['treasury']} coins in all")
