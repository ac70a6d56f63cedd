"""The book of promises of Intrigue (I26): each is kept, broken or void, and its two seats or all hear it."""

from collections.abc import Mapping, Sequence

from arena.games.intrigue.position import Advisor, Position, Promise
from arena.games.intrigue.words import Deed, Term, read_deed
from arena.rules import ALL, Tell, seat_name


async def write_down(p: Position, offer: int, to: int, term: Term, paying: bool) -> None:
    """Write a term of an accepted offer, promised to the seat `to`, into the book.

    `paying`: the talk is about a payment, so a promise to pay is about one after that. An impossible `turn`
    term is void at once.
    """
    due = _due_turn(p, term.by, term.deed.kind)
    if term.deed.kind == "pay":  # a later payment, not the present one (`paying`)
        due = p.payments + 1 + paying
    promise = Promise(offer, term.by, to, term.word, due)
    p.book.append(promise)
    if term.deed.kind == "turn" and not _could_come_true(p, term.deed):
        await _settle(p, promise, "void")


def _due_turn(p: Position, by: int, kind: str) -> int:
    """The number of the turn that decides a promise: this one, or the next in which the promiser can act."""
    wait = (by - p.owner) % p.seats
    if kind == "next":
        return p.turn + (wait or p.seats)
    return p.turn + wait if kind in ("send", "spare") else p.turn


def _due(p: Position, *kinds: str) -> list[tuple[Promise, Deed]]:
    """The promises of these kinds that are decided in this turn, each with its deed."""
    return [(promise, deed) for promise, deed in _read(p, *kinds) if promise.due == p.turn]


def _read(p: Position, *kinds: str) -> list[tuple[Promise, Deed]]:
    """The promises of these kinds, each with the deed of its word."""
    if not p.book:  # the usual case among bots
        return []
    found = [(each, read_deed(each.word, p.seats, each.to)) for each in p.book]
    return [(promise, deed) for promise, deed in found if deed.kind in kinds]


async def settle_payment(p: Position, payer: int, paid: int) -> None:
    """Count a payment to the owner, and settle the payer's promises about it: kept if `paid` is enough."""
    p.payments += 1
    for promise, deed in _read(p, "amount", "pay"):
        later = deed.kind == "pay" and (promise.due > p.payments or deed.seat != p.owner)
        if promise.by == payer and not later:
            await _settle(p, promise, "kept" if paid >= deed.number else "broken")


async def settle_stage(p: Position, chances: Mapping[int, Sequence[Advisor]]) -> None:
    """Settle the promises on this stage; `chances` has by zone the advisors that could be placed there."""
    for promise, deed in _due(p, "stage"):
        zones = [zone for zone in deed.zones if any(map(deed.names, chances.get(zone, [])))]
        placed = any(deed.names(p.castles[p.owner].get(zone)) for zone in zones)
        await _settle(p, promise, "void" if not zones else "broken" if placed == deed.denied else "kept")


async def settle_sending(p: Position, reserve: Sequence[str], sent: Sequence[str]) -> None:
    """Settle the promises to send or to spare.

    `reserve` has the types that the owner could send, `sent` the words of the advisors sent, such as
    `writer@p1`.
    """
    for promise, deed in _due(p, "send", "spare"):
        words = [f"{kind}@{seat_name(deed.seat)}" for kind in reserve if deed.type in ("", kind)]
        if not words:
            await _settle(p, promise, "void")
        else:
            done = any(word in sent for word in words)
            await _settle(p, promise, "kept" if done == (deed.kind == "send") else "broken")


def hopeless(p: Position) -> list[Promise]:
    """The `next` promises on this turn, which begins now, that cannot come true any more at its end."""
    return [promise for promise, deed in _due(p, "next") if not _could_come_true(p, deed)]


async def settle_turn(p: Position, void: Sequence[Promise]) -> None:
    """Settle the promises on the owner's castle at the end of a turn.

    A promise in `void` is void, unless one of its advisors has got there after all.
    """
    for promise, deed in _due(p, "turn", "next"):
        placed = any(deed.names(p.castles[p.owner].get(zone)) for zone in deed.zones)
        hopeless = promise in void and not placed
        await _settle(p, promise, "void" if hopeless else "broken" if placed == deed.denied else "kept")


async def close_book(p: Position) -> None:
    """Settle the remaining promises as void: their turns will not be played."""
    for promise in list(p.book):
        await _settle(p, promise, "void")


def _could_come_true(p: Position, deed: Deed) -> bool:
    """Whether an advisor of a deed is in one of its zones, or can still get there."""
    castle, candidates = p.castles[p.owner], p.candidates[p.owner]
    bound = [each.type for each in castle.values()]
    for zone in deed.zones:
        if sitter := castle.get(zone):
            found = [each for each in (sitter, *candidates) if each.type == sitter.type]
        else:
            found = [each for each in candidates if each.type not in bound]
        if any(map(deed.names, found)):
            return True
    return False


async def _settle(p: Position, promise: Promise, verdict: str) -> None:
    """Take a promise out of the book, and announce its verdict: `kept`, `broken` or `void`."""
    p.book.remove(promise)
    text = f"promise {promise.offer} {seat_name(promise.by)} {verdict} {promise.word}"
    await tell_both(p, promise.by, promise.to, text)


async def tell_both(p: Position, one: int, other: int, text: str) -> None:
    """Tell news of a talk to all, or with the option `private` only to these two seats."""
    if p.options["private"]:
        for seat in (one, other):
            await Tell(seat, text)
    else:
        await Tell(ALL, text)
