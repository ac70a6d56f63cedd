"""Complots, classic: 2 to 8 players bluff about two hidden characters each.

The rulings (C1-C54, A1-A10) are in `complots.md` beside this file, with the rule book's sections.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from arena.games.complots_position import CARDS, Position, add_cards, arrange, characters, deck, undealt, view
from arena.rules import (
    ALL,
    SEAT_NAMES,
    Ask,
    Choice,
    Draw,
    Game,
    Option,
    Result,
    RollCall,
    Tell,
    ask,
    seat_name,
    seat_number,
)

COUP_COST, ASSASSIN_COST = 7, 3

PASS_OR_CHALLENGE = ("pass", "challenge")


class LastOneLeft(Exception):
    """One player is left: the game ends at once, even in mid-turn (C38)."""


async def rules(p: Position, options: Mapping[str, Any]) -> Result:
    """One game: the deal, then turns until one player is left or `max_turns` were played (C50)."""
    if any(p.hands):
        await resume(p)
    else:
        await deal(p)
    while True:
        await bury_forfeits(p, await RollCall())
        if len(p.alive()) <= 1 or p.turn == options["max_turns"]:
            return places(p), None
        with suppress(LastOneLeft):
            await take_turn(p)


# Set-up (Préparation)


async def deal(p: Position) -> None:
    """Two cards each and the rest to the Court (C2); two players draft one of theirs (C8)."""
    starter = p.options["starter"]
    if starter in ("random", "winner"):  # without an earlier game there is no winner (C6, C7)
        starter = await Draw("starter", SEAT_NAMES[: p.seats], to=ALL)
    p.actor = seat_number(starter)
    await Tell(ALL, f"starter {starter}")
    if p.seats == 2:
        p.pay(p.actor, 1)  # C3
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
    for seat in p.alive():
        await tell_hand(p, seat)


# Turns (Déroulement du jeu)


async def take_turn(p: Position) -> None:
    actor = p.actor
    p.turn += 1
    await Tell(ALL, f"turn {p.turn} {seat_name(actor)}")
    offered = actions(p, actor)
    action = offered[0] if len(offered) == 1 else await ask(actor, Choice("action", offered))  # A7
    verb, _, of = action.partition(":")
    target = seat_number(of) if of in SEAT_NAMES else None
    if verb in CARDS:
        await use_character(p, actor, verb, target, action)
    else:
        await Tell(ALL, f"action {seat_name(actor)} {action}")
        if verb == "income":
            await take(p, actor, 1)
        elif verb == "aid":
            if not await blocked(p, actor, action, p.rivals(actor), ("duchess",)):
                await take(p, actor, 2)
        else:
            await pay(p, actor, COUP_COST)
            await lose_card(p, target)
    p.actor = p.rivals(actor)[0]  # C49: clockwise from the actor's seat, even if he just died


def actions(p: Position, actor: int) -> tuple[str, ...]:
    """The legal actions (C13), in the order of A10."""
    coins, rivals = p.coins[actor], p.rivals(actor)
    strongest_first = sorted(rivals, key=lambda seat: (-len(p.hands[seat]), -p.coins[seat]))
    coups = [f"coup:{seat_name(seat)}" for seat in strongest_first] if coins >= COUP_COST else []
    if coins >= p.options["must_coup_at"]:
        return tuple(coups)  # C15
    offered = ["income", "aid", *coups, "duchess"]
    if coins >= ASSASSIN_COST:  # C16
        offered += [f"assassin:{seat_name(seat)}" for seat in rivals]
    least = p.options["captain_min_target"]  # C20
    offered += [f"captain:{seat_name(seat)}" for seat in rivals if p.coins[seat] >= least]
    if p.options["cast"] == "ambassador":
        offered.append("ambassador")
    else:
        offered += ["inquisitor:draw", *(f"inquisitor:{seat_name(seat)}" for seat in rivals)]
    return tuple(offered)


async def use_character(p: Position, actor: int, card: str, target: int | None, action: str) -> None:
    """Claim, challenge, cost, block, effect, in this order (C27)."""
    await Tell(ALL, f"claim {seat_name(actor)} {action}")
    purse = 0 if target is None else p.coins[target]
    stands, challenger = await challenged(p, actor, card, action)
    if not stands:
        return  # C43: a refuted claim costs nothing
    if card == "assassin":
        await pay(p, actor, ASSASSIN_COST)
    if card in ("assassin", "captain") and p.hands[target]:
        blockers = ("contessa",) if card == "assassin" else ("captain", p.options["cast"])
        if challenger == target and not p.options["block_after_own_failed_challenge"]:
            blockers = ()  # C36
        if blockers and await blocked(p, actor, action, [target], blockers):
            return
    if target is not None and not p.hands[target] and card != "captain":
        await Tell(ALL, f"fizzle {seat_name(actor)} {action}")  # C44, C46
    elif card == "duchess":
        await take(p, actor, 3)
    elif card == "assassin":
        await lose_card(p, target)
    elif card == "captain":
        await steal(p, actor, target, purse)
    elif target is not None:
        await examine(p, actor, target)
    else:
        await exchange(p, actor, 2 if card == "ambassador" else 1)


# Challenges (B. Mettre en doute) and blocks (C. Contrer)


async def challenged(p: Position, claimant: int, card: str, action: str) -> tuple[bool, int | None]:
    """The challenge window on one claim: whether the claim stands, and who challenged it."""
    window = Choice("challenge", PASS_OR_CHALLENGE, on=seat_name(claimant), claim=card, action=action)
    challenger, _ = await first_to_speak(p, window, p.rivals(claimant))
    if challenger is None:
        return True, None
    await Tell(ALL, f"challenge {seat_name(challenger)} {seat_name(claimant)} {card}")
    if card not in p.hands[claimant]:
        await Tell(ALL, f"refuted {seat_name(claimant)} {card}")
        await lose_card(p, claimant)
        return False, challenger
    await Tell(ALL, f"proven {seat_name(claimant)} {card}")  # C39: who can prove it must
    p.hands[claimant].remove(card)
    add_cards(p.court, [card])
    await draw_cards(p, claimant, 1, "court")  # C42
    await tell_hand(p, claimant)
    await lose_card(p, challenger)
    return True, challenger


async def blocked(p: Position, actor: int, action: str, seats: list[int], cards: Iterable[str]) -> bool:
    """The block window on an action, and the challenge of the block; True if the action fails."""
    window = Choice(
        "block", ("pass", *(f"block:{card}" for card in cards)), on=seat_name(actor), action=action
    )
    while seats:
        blocker, block = await first_to_speak(p, window, seats)
        if blocker is None:
            return False
        await Tell(ALL, f"block {seat_name(blocker)} {block}")
        stands, _ = await challenged(p, blocker, block.removeprefix("block:"), action)
        if stands:
            await Tell(ALL, f"blocked {seat_name(actor)} {action} by={seat_name(blocker)}")
            return True
        if p.options["block_attempts"] == "one":  # C33
            return False
        seats = [seat for seat in seats if seat != blocker and p.hands[seat]]
    return False


async def first_to_speak(p: Position, window: Choice, seats: list[int]) -> tuple[int | None, str]:
    """Poll these seats at once, sealed; who speaks first by `priority` (C30), and what he says."""
    priority = p.options["priority"]
    answers = await Ask({seat: window for seat in seats}, race=priority == "fastest")
    willing = [seat for seat, answer in answers.items() if answer != "pass"]
    if not willing:
        return None, "pass"
    first = willing[0]
    if priority == "random" and len(willing) > 1:
        first = seat_number(await Draw("priority", tuple(map(seat_name, willing)), to=ALL))
    return first, answers[first]


# Effects


async def take(p: Position, seat: int, amount: int) -> None:
    await Tell(ALL, f"take {seat_name(seat)} {p.take(seat, amount)}")


async def pay(p: Position, seat: int, amount: int) -> None:
    p.pay(seat, amount)
    await Tell(ALL, f"pay {seat_name(seat)} {amount}")


async def steal(p: Position, thief: int, target: int, purse: int) -> None:
    """Two coins, or what there is (C19); `purse` is what the target had when he was named."""
    if p.hands[target]:
        amount = min(2, p.coins[target])
        p.coins[target] -= amount
        p.coins[thief] += amount
    else:  # C45: his coins have gone to the treasury already
        amount = p.take(thief, min(2, purse)) if p.options["steal_from_dead"] else 0
    await Tell(ALL, f"steal {seat_name(thief)} {seat_name(target)} {amount}")


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


# Losing cards, elimination and the end


async def lose_card(p: Position, seat: int) -> None:
    """The seat turns up a card of its choice (C40); without hidden cards it is out (C48)."""
    hand = p.hands[seat]
    card = hand[0] if len(hand) == 1 else await ask(seat, Choice("lose", distinct(hand)))
    await turn_up(p, seat, card)
    if not hand:
        await eliminate(p, seat)
        if len(p.alive()) == 1:
            raise LastOneLeft


async def turn_up(p: Position, seat: int, card: str) -> None:
    p.hands[seat].remove(card)
    p.lost[seat].append(card)
    await Tell(ALL, f"lose {seat_name(seat)} {card}")


async def eliminate(p: Position, seat: int) -> None:
    coins = p.coins[seat]
    p.pay(seat, coins)
    p.fallen.append(seat)
    await Tell(ALL, f"out {seat_name(seat)} coins={coins}")


async def bury_forfeits(p: Position, seats: Sequence[int]) -> None:
    """Eliminate whoever has forfeited since the last turn (A4)."""
    if seats:
        p.forfeits.append(seats)
    for seat in seats:
        await Tell(ALL, f"forfeit {seat_name(seat)}")
        if p.hands[seat]:
            for card in tuple(p.hands[seat]):
                await turn_up(p, seat, card)
            await eliminate(p, seat)
    if not p.hands[p.actor] and p.alive():
        p.actor = p.rivals(p.actor)[0]


def places(p: Position) -> tuple[int, ...]:
    """Survivors share the win, then the eliminated from last to first (C51), then forfeits (A4, A5)."""
    by_order = p.options["scoring"] == "ranking"
    merit = {seat: (2, 0) for seat in range(p.seats)}
    merit |= {seat: (1, order if by_order else 0) for order, seat in enumerate(p.fallen)}
    merit |= {seat: (0, order) for order, seats in enumerate(p.forfeits) for seat in seats}
    if all(rank == 0 for rank, _ in merit.values()):
        return (1,) * p.seats
    return tuple(1 + sum(other > merit[seat] for other in merit.values()) for seat in range(p.seats))


def seat_exists(value: object, seats: int) -> bool:
    return value not in SEAT_NAMES[seats:]


GAME = Game(
    name="complots",
    version=1,
    summary="Bluff with two hidden characters; the last one left wins.",
    seats=range(2, 9),
    options={
        "cast": Option("ambassador", "the fifth character (C1)", ("ambassador", "inquisitor")),
        "starter": Option(
            "random",
            "who begins; winner: of the game before, in a series (C6, C7)",
            ("random", "winner", *SEAT_NAMES[:8]),
            applies=seat_exists,
        ),
        "priority": Option(
            "clockwise",
            "whose challenge or block counts of several (C30)",
            ("clockwise", "random", "fastest"),
        ),
        "block_after_own_failed_challenge": Option(
            True, "the target may block after challenging in vain (C36)", (True, False)
        ),
        "block_attempts": Option(
            "one", "blocks tried against one aid: one, or each opponent once (C33)", ("one", "each")
        ),
        "captain_min_target": Option(1, "coins a captain's target must have (C20)", (0, 1)),
        "steal_from_dead": Option(
            False, "a captain still robs a target that died meanwhile (C45)", (True, False)
        ),
        "must_coup_at": Option(10, "coins that force the Assassinat (C15)", minimum=COUP_COST),
        "treasury": Option(54, "coins in the game (C4, C5)", ("unlimited",), minimum=16),
        "max_turns": Option(300, "turns after which the survivors share the win (C50)", minimum=1),
        "scoring": Option(
            "ranking",
            "places by order of elimination, or winner: all losers tie (C51)",
            ("ranking", "winner"),
        ),
    },
    deal=undealt,
    arrange=arrange,
    rules=rules,
    view=view,
)
