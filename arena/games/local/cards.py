"""The cards of the local variant: placed to claim, lost, and taken back (§III.1-4)."""

from itertools import permutations

from arena.games.complots.position import in_order
from arena.games.complots.variant import Cause
from arena.games.local.position import Pile, Placed, Position
from arena.games.local.tours import tell_hand
from arena.games.shared import choose
from arena.rules import ALL, Choice, Tell, seat_name

# Claims: a card is placed face down, and may be any (§III.1, L6)


def place(p: Position, seat: int, card: str) -> None:
    p.hands[seat].remove(card)
    p.placed[seat] = Placed(card)


# Losing a card (§III.4, L18, L19, L21)


async def lose(p: Position, seat: int, cause: Cause, face_up: bool) -> None:
    """Let a seat lose a card of its choice: it goes to the cemetery."""
    card = await choose(seat, Choice("lose", _losable(p, seat), cause=cause))
    await bury(p, seat, card, cause, face_up)


def _losable(p: Position, seat: int) -> tuple[str, ...]:
    """The cards that a seat may choose to lose: those of its hand, or with an empty hand the discard's."""
    placed = p.placed[seat]
    if placed and not placed.proven:  # L21: it still belongs to the hand
        return tuple(in_order([*p.hands[seat], placed.card]))
    if p.hands[seat]:
        return tuple(p.hands[seat])
    if p.discards[seat]:
        return tuple(in_order([pile.card for pile in p.discards[seat]]))
    return (p.placed_by(seat).card,)


async def bury(p: Position, seat: int, card: str, cause: Cause, face_up: bool) -> None:
    placed = p.placed[seat]
    if placed and placed.card == card:
        p.placed[seat] = None
    elif card in p.hands[seat]:
        p.hands[seat].remove(card)
    else:
        p.discards[seat] = [pile for pile in p.discards[seat] if pile.card != card]
    p.cemeteries[seat].append(Pile(card, face_up))
    await Tell(ALL, f"lose {seat_name(seat)} {card if face_up else 'hidden'} cause={cause}")
    if not face_up:
        await Tell(seat, f"buried {card}")


async def surrender(p: Position, seat: int) -> None:
    """Turn up all that a forfeited seat has left (A4)."""
    placed = p.placed[seat]
    cards = [*p.hands[seat], *(pile.card for pile in p.discards[seat])]
    for card in in_order([*cards, placed.card] if placed else cards):
        await bury(p, seat, card, "forfeit", face_up=True)


# The ambassador takes back from the player's own discard (§III.4, L22)


async def take_back(p: Position, actor: int) -> None:
    """Let a player take the newest cards of its discard, and return cards of its hand in any order."""
    pile = p.discards[actor]
    taken = [pile.pop() for _ in range(min(2, len(pile)))]
    p.hands[actor] = in_order([*p.hands[actor], *(each.card for each in taken)])
    await Tell(actor, f"taken {' '.join(each.card for each in taken)}")
    number = _cards_to_return(p, actor, len(taken))
    offered = tuple("+".join(some) for some in permutations(p.hands[actor], number))
    answer = await choose(actor, Choice("return", offered, taken=",".join(each.card for each in taken)))
    for returned in answer.split("+"):  # the last one on top
        p.hands[actor].remove(returned)
        pile.append(Pile(returned, False))
    seen = ",".join(each.card for each in taken if each.shown)
    shown = f" shown={seen}" if seen else ""
    await Tell(ALL, f"exchange {seat_name(actor)} {len(taken)} returned={number}{shown}")
    await tell_hand(p, actor)


def _cards_to_return(p: Position, actor: int, taken: int) -> int:
    """The number of cards to return, by the option `local_ambassador`; usually as many as taken (XL7)."""
    counts = {"swap": taken, "literal_two": min(2, len(p.hands[actor])), "self_counts": 1}
    return counts[p.options["local_ambassador"]]
