"""The Court of the classic game: cards that players draw from it and return to it."""

from itertools import combinations

from arena.games.complots.position import Position, add_cards, distinct
from arena.rules import ALL, Choice, Draw, Tell, ask, seat_name


async def draw_cards(p: Position, seat: int, number: int, purpose: str) -> list[str]:
    """Move random cards from the Court to a hand; only that seat sees them. Returns the cards."""
    cards: list[str] = []
    for _ in range(number):
        cards.append(await Draw(purpose, tuple(p.court), to=seat))
        p.court.remove(cards[-1])
        add_cards(p.hands[seat], cards[-1:])
    return cards


async def replace(p: Position, seat: int, card: str) -> None:
    """Return a card of a hand to the Court, and draw another one for it (C42)."""
    p.hands[seat].remove(card)
    add_cards(p.court, [card])
    await draw_cards(p, seat, 1, "court")
    await tell_hand(p, seat)


async def exchange(p: Position, actor: int, drawn: int) -> None:
    """Draw `drawn` cards from the Court, keep as many cards as before, and return the others (C25)."""
    hand, kept = p.hands[actor], len(p.hands[actor])
    cards = await draw_cards(p, actor, drawn, "court")
    await Tell(actor, f"drawn {' '.join(cards)}")
    offered = tuple(dict.fromkeys("+".join(some) for some in combinations(hand, kept)))
    keep = (await ask(actor, Choice.of_sets("keep", offered, drawn=",".join(cards)))).split("+")
    returned = hand.copy()
    for card in keep:
        returned.remove(card)
    hand[:] = keep
    add_cards(p.court, returned)
    await Tell(ALL, f"exchange {seat_name(actor)} {drawn}")
    await tell_hand(p, actor)


async def examine(p: Position, examiner: int, target: int) -> None:
    """Show a card of the target to the examiner, which returns it or has it replaced (C23)."""
    hand = p.hands[target]
    card = hand[0]
    if len(hand) > 1:
        card = await ask(target, Choice("show", distinct(hand), to=seat_name(examiner)))
    await Tell(examiner, f"shown {seat_name(target)} {card}")
    verdict = await ask(examiner, Choice("exam", ("return", "discard"), of=seat_name(target), card=card))
    await Tell(ALL, f"exam {seat_name(examiner)} {seat_name(target)} {verdict}")
    if verdict == "discard":
        await replace(p, target, card)


async def tell_hand(p: Position, seat: int) -> None:
    await Tell(seat, f"hand {' '.join(p.hands[seat])}")
