"""Complots, classic: 2 to 8 players bluff about two hidden characters each.

The turn is in `complots_turn`; here is the set-up, and what becomes of the cards. The rulings (C1-C54)
are in `complots.md` beside this file, with the rule book's sections.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from arena.games.complots.figures import FIGURES, observe
from arena.games.complots.position import Position, add_cards, arrange, characters, deck, undealt, view
from arena.games.complots.turn import (
    Variant,
    choose_starter,
    living,
    pay_coins,
    play_turns,
    rivals,
    shared_options,
)
from arena.rules import ALL, Ask, Choice, Draw, Game, Option, Result, Tell, ask, seat_name


async def rules(p: Position, options: Mapping[str, Any]) -> Result:
    """One game: the deal, or a given position, and the turns."""
    if any(p.hands):
        await resume(p)
    else:
        await deal(p)
    return await play_turns(p, CLASSIC)


# Set-up (Préparation)


async def deal(p: Position) -> None:
    """Two cards each and the rest to the Court (C2); two players draft one of theirs (C8)."""
    await choose_starter(p)
    if p.seats == 2:
        pay_coins(p, p.actor, 1)  # C3
        await draft(p)
        return
    p.court = deck(p.seats, p.options["cast"])
    for seat in range(p.seats):
        await draw_cards(p, seat, 2, "deal")
        await tell_hand(p, seat)


async def draft(p: Position) -> None:
    """One card from the third pack, one picked from a pack of one's own, secretly and at once."""
    pack = characters(p.options["cast"])
    p.court = list(pack)
    p.aside = [card for card in pack for _ in range(2)]
    for seat in range(2):
        await draw_cards(p, seat, 1, "deal")
        await tell_hand(p, seat)
    picks = await Ask({seat: Choice("draft", pack) for seat in range(2)})
    for seat, card in picks.items():
        p.aside.remove(card)
        add_cards(p.hands[seat], [card])
        await tell_hand(p, seat)


async def resume(p: Position) -> None:
    """Begin from a given position: each seat is told what it holds."""
    while p.seats == 2 and len(p.court) < 3:  # the position left the Court open
        card = await Draw("deal", tuple(p.aside), to="nobody")
        p.aside.remove(card)
        add_cards(p.court, [card])
    for seat in living(p):
        await tell_hand(p, seat)


# Claims, and what becomes of the cards


def claims(p: Position, actor: int, usual: list[str]) -> list[str]:
    """Any character of the cast, whatever the hand (C14); the inquisitor in two ways (C21)."""
    if p.options["cast"] == "ambassador":
        return [*usual, "ambassador"]
    return [*usual, "inquisitor:draw", *(f"inquisitor:{seat_name(seat)}" for seat in rivals(p, actor))]


def blocks(p: Position, seat: int, cards: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"block:{card}" for card in cards if card in characters(p.options["cast"]))


def claim(p: Position, seat: int, word: str) -> str:
    return word


def proves(p: Position, claimant: int, card: str) -> bool:
    return card in p.hands[claimant]


async def proven(p: Position, claimant: int, card: str) -> None:
    """The card shown goes to the Court, and another comes for it (C42)."""
    p.hands[claimant].remove(card)
    add_cards(p.court, [card])
    await draw_cards(p, claimant, 1, "court")
    await tell_hand(p, claimant)


async def lose(p: Position, seat: int, face_up: bool = True) -> None:
    """The seat turns up a card of its choice (C40)."""
    hand = p.hands[seat]
    card = hand[0] if len(hand) == 1 else await ask(seat, Choice("lose", distinct(hand)))
    await turn_up(p, seat, card)


async def turn_up(p: Position, seat: int, card: str) -> None:
    p.hands[seat].remove(card)
    p.lost[seat].append(card)
    await Tell(ALL, f"lose {seat_name(seat)} {card}")


async def surrender(p: Position, seat: int) -> None:
    for card in tuple(p.hands[seat]):
        await turn_up(p, seat, card)


async def end_turn(p: Position) -> None:
    """Clockwise from the actor's seat, even if he just died (C49)."""
    p.actor = rivals(p, p.actor)[0]


# The fifth character


async def power(p: Position, actor: int, card: str, target: int | None) -> None:
    if target is not None:
        await examine(p, actor, target)
    else:
        await exchange(p, actor, 2 if card == "ambassador" else 1)


async def exchange(p: Position, actor: int, drawn: int) -> None:
    """Draw from the Court, keep as many cards as before, return the others (C25)."""
    hand, kept = p.hands[actor], len(p.hands[actor])
    cards = await draw_cards(p, actor, drawn, "court")
    await Tell(actor, f"drawn {' '.join(cards)}")
    offered = tuple(dict.fromkeys("+".join(some) for some in combinations(hand, kept)))
    keep = (await ask(actor, Choice("keep", offered, drawn=",".join(cards)))).split("+")
    returned = hand.copy()
    for card in keep:
        returned.remove(card)
    hand[:] = keep
    add_cards(p.court, returned)
    await Tell(ALL, f"exchange {seat_name(actor)} {drawn}")
    await tell_hand(p, actor)


async def examine(p: Position, examiner: int, target: int) -> None:
    """The target shows one card; the examiner returns it or has it exchanged (C23)."""
    hand = p.hands[target]
    card = hand[0]
    if len(hand) > 1:
        card = await ask(target, Choice("show", distinct(hand), to=seat_name(examiner)))
    await Tell(examiner, f"shown {seat_name(target)} {card}")
    verdict = await ask(examiner, Choice("exam", ("return", "discard"), of=seat_name(target), card=card))
    await Tell(ALL, f"exam {seat_name(examiner)} {seat_name(target)} {verdict}")
    if verdict == "discard":
        hand.remove(card)
        add_cards(p.court, [card])
        await draw_cards(p, target, 1, "court")
        await tell_hand(p, target)


async def draw_cards(p: Position, seat: int, number: int, purpose: str) -> list[str]:
    """Move cards from the Court to a hand, each drawn at random, seen by that seat alone."""
    cards: list[str] = []
    for _ in range(number):
        cards.append(await Draw(purpose, tuple(p.court), to=seat))
        p.court.remove(cards[-1])
        add_cards(p.hands[seat], cards[-1:])
    return cards


async def tell_hand(p: Position, seat: int) -> None:
    await Tell(seat, f"hand {' '.join(p.hands[seat])}")


def distinct(hand: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hand))  # A10


CLASSIC = Variant(
    claims=claims,
    blocks=blocks,
    claim=claim,
    proves=proves,
    proven=proven,
    caught=lose,
    lose=lose,
    power=power,
    surrender=surrender,
    end_turn=end_turn,
)

GAME = Game(
    name="complots",
    version=1,
    summary="Bluff with two hidden characters; the last one left wins.",
    seats=range(2, 9),
    options={
        "cast": Option("ambassador", "the fifth character (C1)", ("ambassador", "inquisitor")),
        **shared_options(8),
    },
    deal=undealt,
    arrange=arrange,
    rules=rules,
    view=view,
    figures=FIGURES,
    observe=observe,
)
