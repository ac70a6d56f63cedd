"""The book of promises of Intrigue (I26): each is kept, broken or void, and all players hear which.

The arena only keeps the book: nothing here moves a coin or an advisor.
"""

from collections.abc import Mapping

from arena.games.intrigue.position import Advisor, Position, Promise
from arena.rules import ALL, SEAT_NAMES, Tell, seat_name


async def settle_amount(p: Position, paid: int) -> None:
    """The payment decides what was promised of its amount; to pay more keeps the promise too."""
    for promise in [each for each in p.book if each.word.isdigit()]:
        await settle(p, promise, "kept" if paid >= int(promise.word) else "broken")


async def settle_stage(p: Position, chances: Mapping[int, list[Advisor]]) -> None:
    """The owner's placements decide what the owner has promised in this stage.

    `chances` maps each zone to the advisors that could be placed there.
    """
    for promise in [each for each in p.book if "@" in each.word and not each.word.startswith("next=")]:
        kind, _, zone = promise.word.partition("@")
        advisor = Advisor(promise.to, kind)
        if advisor not in chances.get(int(zone), []):
            await settle(p, promise, "void")
        else:
            placed = p.castles[p.owner].get(int(zone)) == advisor
            await settle(p, promise, "kept" if placed else "broken")


def next_promises(p: Position) -> list[tuple[Promise, bool]]:
    """The `next=` promises due in this turn, and whether each can be kept; as the turn begins."""
    due = [promise for promise in p.book if promise.word.startswith("next=") and promise.due == p.turn]
    return [(promise, could_sit(p, *seat_and_zone(promise))) for promise in due]


async def settle_next(p: Position, due: list[tuple[Promise, bool]]) -> None:
    """At the end of the promiser's turn: kept if an advisor of that seat is there, void if none could be."""
    for promise, possible in due:
        seat, zone = seat_and_zone(promise)
        sitter = p.castles[p.owner].get(zone)
        if sitter and sitter.owner == seat:
            await settle(p, promise, "kept")
        else:
            await settle(p, promise, "broken" if possible else "void")


async def close_book(p: Position) -> None:
    """Promises for a turn that is not played any more are void."""
    for promise in list(p.book):
        await settle(p, promise, "void")


def could_sit(p: Position, seat: int, zone: int) -> bool:
    """Whether an advisor of this seat can be in that zone of the owner's castle after the turn."""
    castle, candidates = p.castles[p.owner], p.candidates[p.owner]
    sitter = castle.get(zone)
    if sitter:
        return any(each == Advisor(seat, sitter.type) for each in (sitter, *candidates))
    bound = [each.type for each in castle.values()]
    return any(each.owner == seat and each.type not in bound for each in candidates)


def seat_and_zone(promise: Promise) -> tuple[int, int]:
    seat, _, zone = promise.word.removeprefix("next=").partition("@")
    return SEAT_NAMES.index(seat), int(zone)


async def settle(p: Position, promise: Promise, verdict: str) -> None:
    p.book.remove(promise)
    text = f"promise {promise.offer} {seat_name(promise.by)} {verdict} {promise.word}"
    await tell_both(p, promise.by, promise.to, text)


async def tell_both(p: Position, one: int, other: int, text: str) -> None:
    """Public news, or with `private` news for these two seats alone."""
    if p.options["private"]:
        for seat in (one, other):
            await Tell(seat, text)
    else:
        await Tell(ALL, text)
