"""The cards of the local variant: lost, and taken back by the ambassador or after a manche (§III)."""

from itertools import permutations

from arena.games.complots.position import in_order, living
from arena.games.complots.variant import Cause
from arena.games.local.position import Pile, Position, offset, tour_order
from arena.games.shared import choose
from arena.rules import ALL, Choice, Tell, seat_name

# Losing a card (§III.4, L18, L19, L21)


async def lose(p: Position, seat: int, cause: Cause, face_up: bool) -> None:
    """Let a seat lose a card of its choice: it goes to the cemetery."""
    card = await choose(seat, Choice("lose", _losable(p, seat), cause=cause))
    await bury(p, seat, card, cause, face_up)


def _losable(p: Position, seat: int) -> tuple[str, ...]:
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
    # XL7: the rule does not say how many go back when the ambassador finds but one.
    counts = {"swap": len(taken), "literal_two": min(2, len(p.hands[actor])), "self_counts": 1}
    number = counts[p.options["local_ambassador"]]
    offered = tuple("+".join(some) for some in permutations(p.hands[actor], number))
    answer = await choose(actor, Choice("return", offered, taken=",".join(each.card for each in taken)))
    for returned in answer.split("+"):  # the last one on top
        p.hands[actor].remove(returned)
        pile.append(Pile(returned, False))
    seen = ",".join(each.card for each in taken if each.shown)
    shown = f" shown={seen}" if seen else ""
    await Tell(ALL, f"exchange {seat_name(actor)} {len(taken)} returned={number}{shown}")
    await tell_hand(p, actor)


# The end of a turn, of a tour and of a manche


async def end_turn(p: Position) -> None:
    """Move placed cards to their owners' discards (L21), and pass the turn to the next seat of the tour."""
    if len(living(p)) == 1:
        return  # C38, L25: nothing follows the end of the game
    for seat, placed in enumerate(p.placed):
        if placed:
            p.discards[seat].append(Pile(placed.card, placed.proven))
            p.placed[seat] = None
    later = [seat for seat in tour_order(p) if offset(p, seat) > offset(p, p.actor)]
    if later:
        p.actor = later[0]
        return
    p.tour += 1
    if p.tour == p.options["tours_per_round"]:
        await _end_manche(p)
    p.actor = tour_order(p)[0]


async def _end_manche(p: Position) -> None:
    p.tour, p.manche = 0, p.manche + 1  # L24: cemeteries and coins stay
    await Tell(ALL, f"manche {p.manche}")
    for seat in living(p):
        p.hands[seat] = in_order([*p.hands[seat], *(pile.card for pile in p.discards[seat])])
        p.discards[seat] = []
        await tell_hand(p, seat)


async def tell_hand(p: Position, seat: int) -> None:
    await Tell(seat, " ".join(["hand", *p.hands[seat]]))
