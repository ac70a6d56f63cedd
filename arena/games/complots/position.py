"""The position of a game of Complots: cards, coins and the turn; and each seat's view of it."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.rules import SEAT_NAMES, Options

COSTS = {"coup": 7, "assassin": 3}
CARDS = ("duchess", "assassin", "contessa", "captain", "ambassador", "inquisitor")  # P6 order

_SPECTATOR = -1  # a seat without cards of its own


@dataclass(kw_only=True)
class TurnPosition:
    """The part of a position that the turn needs, in both variants."""

    # It is abstract, but no `ABC`: mypyc cannot compile a dataclass that is an `ABC`.

    seats: int
    options: Options
    coins: list[int]
    treasury: int | None  # None: unlimited
    actor: int = 0
    turn: int = 0
    begun: bool = False  # the deal is over, and the first turn follows or is past
    fallen: list[int] = field(default_factory=list)  # eliminated seats in order
    forfeits: list[Sequence[int]] = field(default_factory=list)  # the seats missing at each roll call

    @abstractmethod
    def is_alive(self, seat: int) -> bool:
        """Whether a player still has a card to lose."""

    @abstractmethod
    def strength(self, seat: int) -> int:
        """The number of cards that a player can still lose."""


@dataclass(kw_only=True)
class Position(TurnPosition):
    """The whole state of a classic game."""

    hands: list[list[str]]  # in P6 order
    lost: list[list[str]]  # the face-up cards before each player
    court: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)  # cards out of the game of two players (C10)

    def is_alive(self, seat: int) -> bool:
        return bool(self.hands[seat])

    def strength(self, seat: int) -> int:
        return len(self.hands[seat])


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
        lost=[cards.copy() for cards in p.lost],
        court=p.court.copy(),
        aside=p.aside.copy(),
    )


# Seats


def living(p: TurnPosition) -> list[int]:
    return [seat for seat in range(p.seats) if p.is_alive(seat)]


def rivals(p: TurnPosition, seat: int) -> list[int]:
    """The seats of living opponents, clockwise from the left of a seat."""
    left = [other for other in range(seat + 1, p.seats) if p.is_alive(other)]
    return left + [other for other in range(seat) if p.is_alive(other)]


# Cards


def deck(seats: int, cast: str) -> list[str]:
    """The cards of a game in P6 order: three of each character, four with seven and eight players (C1)."""
    return [card for card in characters(cast) for _ in range(4 if seats > 6 else 3)]


def characters(cast: str) -> tuple[str, ...]:
    return (*CARDS[:4], cast)


def add_cards(pile: list[str], cards: Iterable[str]) -> None:
    pile[:] = in_order([*pile, *cards])


def in_order(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=CARDS.index)


def distinct(hand: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hand))  # A10


# The views of seats


def acting(p: TurnPosition) -> str:
    """The word ` actor=p2` of the table line; "" before the first turn."""
    return f" actor={SEAT_NAMES[p.actor]}" if p.turn else ""


def view(p: Position, seat: int | None) -> list[str]:
    """The `state` lines for a seat, or for None those of the open table: the table, then each seat (C53)."""
    # A seat sees its own hidden cards. On the open table all cards are seen.
    treasury = "unlimited" if p.treasury is None else p.treasury
    lines = [f"table treasury={treasury} court={len(p.court)} turn={p.turn}{acting(p)}"]
    for other in range(p.seats):
        hand = p.hands[other]
        line = f"{SEAT_NAMES[other]} coins={p.coins[other]} cards={len(hand)}"
        if p.lost[other]:
            line += f" lost={','.join(p.lost[other])}"
        if hand and (other == seat or seat is None):
            line += f" hand={','.join(hand)}"
        lines.append(line)
    return lines


def public_view(p: Position) -> list[str]:
    """The `state` lines for a spectator: only facts that every seat may see."""
    return view(p, _SPECTATOR)
