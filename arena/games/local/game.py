"""Complots, local variant: 2 to 4 players with five known cards each, placed face down to claim.

The turn is the one of the classic game (`complots_turn`); here is what becomes of the cards. The rulings
(L1-L30) are in `local.md` beside this file, with the sections of the variant's rule.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

from arena.games.complots.position import in_order
from arena.games.complots.turn import Variant, choose_starter, living, play_turns, shared_options
from arena.games.local.figures import FIGURES, observe
from arena.games.local.position import Pile, Placed, Position, arrange, undealt, view
from arena.rules import ALL, Choice, Game, Option, Result, Tell, ask, seat_name


async def rules(p: Position, options: Mapping[str, Any]) -> Result:
    """One game: no cards are dealt, everybody has the same five (L1)."""
    if not p.begun:
        await choose_starter(p)
        p.marker = p.actor  # L3: the marker stays there
    for seat in living(p):
        await tell_hand(p, seat)
    return await play_turns(p, LOCAL)


# Claims: a card is placed face down, and may be any (§III.1, L6)


def claims(p: Position, actor: int, usual: list[str]) -> list[str]:
    """Each claim with each card of the hand; none with an empty hand (L7)."""
    can_take_back = ["ambassador"] if p.discards[actor] else []  # L22: k is at least 1
    return [f"{word}@{card}" for word in [*usual, *can_take_back] for card in p.hands[actor]]


def blocks(p: Position, seat: int, cards: Iterable[str]) -> tuple[str, ...]:
    """Whoever has a card in hand may block (L30)."""
    return tuple(f"block:{card}@{own}" for card in cards if card != "inquisitor" for own in p.hands[seat])


def claim(p: Position, seat: int, word: str) -> str:
    """Place the card behind the `@`; the rest of the word is for all to hear."""
    public, _, card = word.partition("@")
    p.hands[seat].remove(card)
    p.placed[seat] = Placed(card)
    return public


def proves(p: Position, claimant: int, card: str) -> bool:
    return p.placed[claimant].card == card  # L8: only the placed card counts


async def proven(p: Position, claimant: int, card: str) -> None:
    p.placed[claimant].proven = True  # L10: it stays on the table, and nothing replaces it


async def caught(p: Position, claimant: int) -> None:
    """The placed card goes to the cemetery, face up (L11, L17)."""
    await bury(p, claimant, p.placed[claimant].card, face_up=True)


# Losing a card (§III.4, L18, L19, L21)


async def lose(p: Position, seat: int, face_up: bool = False) -> None:
    """A card of the seat's choice goes to the cemetery: from the hand, else from the discard."""
    offered = losable(p, seat)
    card = offered[0] if len(offered) == 1 else await ask(seat, Choice("lose", offered))
    await bury(p, seat, card, face_up)


def losable(p: Position, seat: int) -> tuple[str, ...]:
    placed = p.placed[seat]
    if placed and not placed.proven:  # L21: it still belongs to the hand
        return tuple(in_order([*p.hands[seat], placed.card]))
    if p.hands[seat]:
        return tuple(p.hands[seat])
    if p.discards[seat]:
        return tuple(in_order([pile.card for pile in p.discards[seat]]))
    return (placed.card,)


async def bury(p: Position, seat: int, card: str, face_up: bool) -> None:
    if p.placed[seat] and p.placed[seat].card == card:
        p.placed[seat] = None
    elif card in p.hands[seat]:
        p.hands[seat].remove(card)
    else:
        p.discards[seat] = [pile for pile in p.discards[seat] if pile.card != card]
    p.cemeteries[seat].append(Pile(card, face_up))
    await Tell(ALL, f"lose {seat_name(seat)} {card if face_up else 'hidden'}")
    if not face_up:
        await Tell(seat, f"buried {card}")


async def surrender(p: Position, seat: int) -> None:
    """All that a forfeited seat has left is turned up (A4)."""
    placed = [p.placed[seat].card] if p.placed[seat] else []
    for card in in_order([*p.hands[seat], *placed, *(pile.card for pile in p.discards[seat])]):
        await bury(p, seat, card, face_up=True)


# The ambassador takes back from one's own discard (§III.4, L22)


async def take_back(p: Position, actor: int, card: str, target: int | None) -> None:
    """Take the newest cards of the discard, and return some of the hand instead, in a chosen order."""
    pile = p.discards[actor]
    taken = [pile.pop() for _ in range(min(2, len(pile)))]
    p.hands[actor] = in_order([*p.hands[actor], *(each.card for each in taken)])
    seen = ",".join(each.card for each in taken if each.shown)
    number = {"swap": len(taken), "literal_two": min(2, len(p.hands[actor])), "self_counts": 1}[
        p.options["local_ambassador"]
    ]
    await Tell(actor, f"taken {' '.join(each.card for each in taken)}")
    offered = tuple("+".join(some) for some in permutations(p.hands[actor], number))
    answer = offered[0]
    if len(offered) > 1:  # A7: everybody can count the cards
        keys = {"taken": ",".join(each.card for each in taken)}
        answer = await ask(actor, Choice("return", offered, **keys))
    for returned in answer.split("+"):  # the last one on top
        p.hands[actor].remove(returned)
        pile.append(Pile(returned, False))
    shown = f" shown={seen}" if seen else ""
    await Tell(ALL, f"exchange {seat_name(actor)} {len(taken)} returned={number}{shown}")
    await tell_hand(p, actor)


# The end of a turn, of a tour and of a manche (§III, L4, L21, L24)


async def end_turn(p: Position) -> None:
    """Placed cards go to their owners' discards, and the next living seat of the tour is to act."""
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
        await end_manche(p)
    p.actor = tour_order(p)[0]


def tour_order(p: Position) -> list[int]:
    """The living seats, clockwise from the marker (L4)."""
    return sorted(living(p), key=lambda seat: offset(p, seat))


def offset(p: Position, seat: int) -> int:
    return (seat - p.marker) % p.seats


async def end_manche(p: Position) -> None:
    """Everybody takes back the whole discard; cemeteries and coins stay (L24)."""
    p.tour, p.manche = 0, p.manche + 1
    await Tell(ALL, f"manche {p.manche}")
    for seat in living(p):
        p.hands[seat] = in_order([*p.hands[seat], *(pile.card for pile in p.discards[seat])])
        p.discards[seat] = []
        await tell_hand(p, seat)


async def tell_hand(p: Position, seat: int) -> None:
    await Tell(seat, " ".join(["hand", *p.hands[seat]]))


LOCAL = Variant(
    claims=claims,
    blocks=blocks,
    claim=claim,
    proves=proves,
    proven=proven,
    caught=caught,
    lose=lose,
    power=take_back,
    surrender=surrender,
    end_turn=end_turn,
)

SHARED = shared_options(4)

GAME = Game(
    name="local",
    version=1,
    summary="Complots with five known cards each, placed face down to claim.",
    seats=range(2, 5),
    options={
        **SHARED,
        "must_coup_at": replace(SHARED["must_coup_at"], values=("none",)),  # L5
        "tours_per_round": Option(4, "tours of a manche, after which the discards come back (L4)", minimum=1),
        "assassin_special": Option(
            True, "who challenges a true assassin takes the place of its target (L12)", (True, False)
        ),
        "local_ambassador": Option(
            "swap",
            "cards returned: as many as taken, two where there are, or one beside the ambassador (L22)",
            ("swap", "literal_two", "self_counts"),
        ),
    },
    deal=undealt,
    arrange=arrange,
    rules=rules,
    view=view,
    figures=FIGURES,
    observe=observe,
)
