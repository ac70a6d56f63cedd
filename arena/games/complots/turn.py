"""What both games of Complots share: the turn with its challenges and blocks, coins, elimination, places.

What they do differently with their cards is a `Variant`. The rulings (C1-C54) are in `complots.md`.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from arena.rules import (
    ALL,
    SEAT_NAMES,
    Ask,
    Choice,
    Draw,
    Option,
    Result,
    RollCall,
    Tell,
    ask,
    seat_name,
    seat_number,
)

CARDS = ("duchess", "assassin", "contessa", "captain", "ambassador", "inquisitor")  # P6 order
COUP_COST, ASSASSIN_COST = 7, 3
PASS_OR_CHALLENGE = ("pass", "challenge")


class Position(Protocol):
    """What the shared turn needs to know of a game's position; seats are numbers, cards words.

    `fallen` lists eliminated seats in order, `forfeits` the seats found at each roll call that found any.
    """

    seats: int
    options: Mapping[str, Any]
    coins: list[int]
    treasury: int | None  # None: unlimited
    actor: int
    turn: int
    fallen: list[int]
    forfeits: list[Sequence[int]]

    def alive(self, seat: int) -> bool: ...
    def strength(self, seat: int) -> int: ...


@dataclass(frozen=True)
class Variant:
    """What a game of Complots does in its own way. `p` is its position.

    claims(p, actor, usual)     the claims that may be made as actions, as options
    blocks(p, seat, cards)      the words in which a seat may claim one of these characters to block
    claim(p, seat, word)        a claim is made: returns what of the word is public
    proves(p, seat, card)       whether the claimant can show the card
    proven(p, seat, card)       what becomes of the card shown
    caught(p, seat)             the claimant was caught and loses a card
    lose(p, seat, face_up)      a seat loses a card of its choice
    power(p, actor, card, target)  the effect of the fifth character
    surrender(p, seat)          a forfeited seat turns up all that it has
    end_turn(p)                 the table is cleared, and `p.actor` set to who is next
    """

    claims: Callable[[Any, int, list[str]], Iterable[str]]
    blocks: Callable[[Any, int, Iterable[str]], tuple[str, ...]]
    claim: Callable[[Any, int, str], str]
    proves: Callable[[Any, int, str], bool]
    proven: Callable[[Any, int, str], Awaitable[None]]
    caught: Callable[[Any, int], Awaitable[None]]
    lose: Callable[[Any, int, bool], Awaitable[None]]
    power: Callable[[Any, int, str, int | None], Awaitable[None]]
    surrender: Callable[[Any, int], Awaitable[None]]
    end_turn: Callable[[Any], Awaitable[None]]


class LastOneLeft(Exception):
    """One player is left: the game ends at once, even in mid-turn (C38)."""


async def play_turns(p: Position, variant: Variant) -> Result:
    """Turns until one player is left or `max_turns` were played (C50)."""
    while True:
        await bury_forfeits(p, variant, await RollCall())
        if len(living(p)) <= 1 or p.turn == p.options["max_turns"]:
            return places(p), None
        with suppress(LastOneLeft):
            await take_turn(p, variant)


# Seats and coins


def living(p: Position) -> list[int]:
    return [seat for seat in range(p.seats) if p.alive(seat)]


def rivals(p: Position, seat: int) -> list[int]:
    """The living others, clockwise from the seat's left."""
    others = [(seat + step) % p.seats for step in range(1, p.seats)]
    return [other for other in others if p.alive(other)]


async def choose_starter(p: Position) -> None:
    """Who begins: by chance, or as the schedule has it (C6, C7)."""
    starter = p.options["starter"]
    if starter in ("random", "winner"):  # without an earlier game there is no winner
        starter = await Draw("starter", SEAT_NAMES[: p.seats], to=ALL)
    p.actor = seat_number(starter)
    await Tell(ALL, f"starter {starter}")


def take_coins(p: Position, seat: int, amount: int) -> int:
    """Move coins from the treasury, as many as it has (C5); returns how many."""
    if p.treasury is not None:
        amount = min(amount, p.treasury)
        p.treasury -= amount
    p.coins[seat] += amount
    return amount


def pay_coins(p: Position, seat: int, amount: int) -> None:
    p.coins[seat] -= amount
    if p.treasury is not None:
        p.treasury += amount


async def take(p: Position, seat: int, amount: int) -> None:
    await Tell(ALL, f"take {seat_name(seat)} {take_coins(p, seat, amount)}")


async def pay(p: Position, seat: int, amount: int) -> None:
    pay_coins(p, seat, amount)
    await Tell(ALL, f"pay {seat_name(seat)} {amount}")


# The turn (Déroulement du jeu)


async def take_turn(p: Position, variant: Variant) -> None:
    actor = p.actor
    p.turn += 1
    await Tell(ALL, f"turn {p.turn} {seat_name(actor)}")
    offered = actions(p, variant, actor)
    word = offered[0] if len(offered) == 1 else await ask(actor, Choice("action", offered))  # A7
    verb, target = verb_and_target(word)
    if verb in CARDS:
        action = variant.claim(p, actor, word)
        await Tell(ALL, f"claim {seat_name(actor)} {action}")
        await use_character(p, variant, actor, verb, target, action)
    else:
        await Tell(ALL, f"action {seat_name(actor)} {word}")
        if verb == "income":
            await take(p, actor, 1)
        elif verb == "aid":
            if not await blocked(p, variant, actor, word, rivals(p, actor), ("duchess",)):
                await take(p, actor, 2)
        else:
            await pay(p, actor, COUP_COST)
            await lose_card(p, variant, target)
    await variant.end_turn(p)


def verb_and_target(word: str) -> tuple[str, int | None]:
    """What an action does, and to whom: `captain:p2@duchess` is the captain on seat 1."""
    verb, _, of = word.partition("@")[0].partition(":")
    return verb, seat_number(of) if of in SEAT_NAMES else None


def actions(p: Position, variant: Variant, actor: int) -> tuple[str, ...]:
    """The legal actions (C13), in the order of A10."""
    coins, others = p.coins[actor], rivals(p, actor)
    strongest_first = sorted(others, key=lambda seat: (-p.strength(seat), -p.coins[seat]))
    coups = [f"coup:{SEAT_NAMES[seat]}" for seat in strongest_first] if coins >= COUP_COST else []
    must = p.options["must_coup_at"]
    if must != "none" and coins >= must:
        return tuple(coups)  # C15
    claims = ["duchess"]
    if coins >= ASSASSIN_COST:  # C16
        claims += [f"assassin:{SEAT_NAMES[seat]}" for seat in others]
    least = p.options["captain_min_target"]  # C20
    claims += [f"captain:{SEAT_NAMES[seat]}" for seat in others if p.coins[seat] >= least]
    return ("income", "aid", *coups, *variant.claims(p, actor, claims))


async def use_character(
    p: Position, variant: Variant, actor: int, card: str, target: int | None, action: str
) -> None:
    """Challenge, cost, block, effect, in this order (C27)."""
    purse = 0 if target is None else p.coins[target]
    instead = card == "assassin" and p.options.get("assassin_special", False)  # L12
    stands, challenger = await challenged(p, variant, actor, card, action, instead)
    if not stands or (instead and challenger is not None):
        return  # C43: a refuted claim costs nothing
    if card == "assassin":
        await pay(p, actor, ASSASSIN_COST)
    if card in ("assassin", "captain") and p.alive(target):
        blockers = ("contessa",) if card == "assassin" else ("captain", *CARDS[4:])
        may_block = challenger != target or p.options["block_after_own_failed_challenge"]  # C36
        if may_block and await blocked(p, variant, actor, action, [target], blockers):
            return
    if target is not None and not p.alive(target) and card != "captain":
        await Tell(ALL, f"fizzle {seat_name(actor)} {action}")  # C44, C46
    elif card == "duchess":
        await take(p, actor, 3)
    elif card == "assassin":
        await lose_card(p, variant, target)
    elif card == "captain":
        await steal(p, actor, target, purse)
    else:
        await variant.power(p, actor, card, target)


async def steal(p: Position, thief: int, target: int, purse: int) -> None:
    """Two coins, or what there is (C19); `purse` is what the target had when he was named."""
    if p.alive(target):
        amount = min(2, p.coins[target])
        p.coins[target] -= amount
        p.coins[thief] += amount
    else:  # C45: his coins have gone to the treasury already
        amount = take_coins(p, thief, min(2, purse)) if p.options["steal_from_dead"] else 0
    await Tell(ALL, f"steal {seat_name(thief)} {seat_name(target)} {amount}")


# Challenges (B. Mettre en doute) and blocks (C. Contrer)


async def challenged(
    p: Position, variant: Variant, claimant: int, card: str, action: str, instead: bool = False
) -> tuple[bool, int | None]:
    """The challenge window on one claim: whether the claim stands, and who challenged it.

    With `instead`, who challenges in vain takes the place of the assassin's target (L12).
    """
    window = Choice("challenge", PASS_OR_CHALLENGE, on=SEAT_NAMES[claimant], claim=card, action=action)
    challenger, _ = await first_to_speak(p, {seat: window for seat in rivals(p, claimant)})
    if challenger is None:
        return True, None
    await Tell(ALL, f"challenge {seat_name(challenger)} {seat_name(claimant)} {card}")
    if not variant.proves(p, claimant, card):
        await Tell(ALL, f"refuted {seat_name(claimant)} {card}")
        await variant.caught(p, claimant)
        await eliminate_if_out(p, claimant)
        return False, challenger
    await Tell(ALL, f"proven {seat_name(claimant)} {card}")  # C39: who can prove it must
    await variant.proven(p, claimant, card)
    if instead:
        await pay(p, claimant, ASSASSIN_COST)
    await lose_card(p, variant, challenger, face_up=instead)
    return True, challenger


async def blocked(
    p: Position, variant: Variant, actor: int, action: str, seats: list[int], cards: Iterable[str]
) -> bool:
    """The block window on an action, and the challenge of the block; True if the action fails."""
    while True:
        windows = {
            seat: Choice("block", ("pass", *words), on=SEAT_NAMES[actor], action=action)
            for seat in seats
            if (words := variant.blocks(p, seat, cards))
        }
        if not windows:
            return False
        blocker, word = await first_to_speak(p, windows)
        if blocker is None:
            return False
        block = variant.claim(p, blocker, word.removeprefix("block:"))
        await Tell(ALL, f"block {seat_name(blocker)} block:{block}")
        stands, _ = await challenged(p, variant, blocker, block, action)
        if stands:
            await Tell(ALL, f"blocked {seat_name(actor)} {action} by={seat_name(blocker)}")
            return True
        if p.options["block_attempts"] == "one":  # C33
            return False
        seats = [seat for seat in seats if seat != blocker]


async def first_to_speak(p: Position, windows: dict[int, Choice]) -> tuple[int | None, str]:
    """Poll these seats at once, sealed; who speaks first by `priority` (C30), and what he says."""
    priority = p.options["priority"]
    answers = await Ask(windows, race=priority == "fastest")
    willing = [seat for seat, answer in answers.items() if answer != "pass"]
    if not willing:
        return None, "pass"
    first = willing[0]
    if priority == "random" and len(willing) > 1:
        first = seat_number(await Draw("priority", tuple(map(seat_name, willing)), to=ALL))
    return first, answers[first]


# Losing cards, elimination and the end


async def lose_card(p: Position, variant: Variant, seat: int, face_up: bool = False) -> None:
    await variant.lose(p, seat, face_up)
    await eliminate_if_out(p, seat)


async def eliminate_if_out(p: Position, seat: int) -> None:
    """Without cards a seat is out (C48), and the last one left wins at once (C38)."""
    if not p.alive(seat):
        await eliminate(p, seat)
        if len(living(p)) == 1:
            raise LastOneLeft


async def eliminate(p: Position, seat: int) -> None:
    coins = p.coins[seat]
    pay_coins(p, seat, coins)
    p.fallen.append(seat)
    await Tell(ALL, f"out {seat_name(seat)} coins={coins}")


async def bury_forfeits(p: Position, variant: Variant, seats: Sequence[int]) -> None:
    """Eliminate whoever has forfeited since the last turn (A4)."""
    if seats:
        p.forfeits.append(seats)
    for seat in seats:
        await Tell(ALL, f"forfeit {seat_name(seat)}")
        if p.alive(seat):
            await variant.surrender(p, seat)
            await eliminate(p, seat)
    if not p.alive(p.actor) and living(p):
        await variant.end_turn(p)


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


def shared_options(seats: int) -> dict[str, Option]:
    """The options that both games have, for as many seats as there may be."""
    return {
        "starter": Option(
            "random",
            "who begins; winner: of the game before, in a series (C6, C7)",
            ("random", "winner", *SEAT_NAMES[:seats]),
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
    }
