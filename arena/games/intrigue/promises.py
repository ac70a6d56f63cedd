"""The book of promises of Intrigue (I26): each is kept, broken or void, and all players hear which."""

from collections.abc import Mapping, Sequence

from arena.games.intrigue.position import Advisor, Position, Promise
from arena.games.intrigue.words import Deed, Term, read_deed
from arena.rules import ALL, Tell, seat_name


async def write_down(p: Position, offer: int, to: int, term: Term) -> None:
    """Write a term of an accepted offer down as a promise to a seat; void at once if it cannot come true."""
    promise = Promise(offer, term.by, to, term.word, _due_turn(p, term.by, term.deed.kind))
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
    """The promises of these kinds that are decided in this turn, each with its meaning."""
    found = [(each, read_deed(each.word, p.seats, each.to)) for each in p.book if each.due == p.turn]
    return [(promise, deed) for promise, deed in found if deed.kind in kinds]


async def settle_amount(p: Position, paid: int) -> None:
    """Settle the promises of an amount, when `paid` was paid; to pay more keeps them, too."""
    for promise, deed in _due(p, "amount"):
        await _settle(p, promise, "kept" if paid >= deed.number else "broken")


async def settle_stage(p: Position, chances: Mapping[int, list[Advisor]]) -> None:
    """Settle the promises on this stage; `chances` has for each zone the advisors that it could get."""
    for promise, deed in _due(p, "stage"):
        if not any(deed.names(advisor) for advisor in chances.get(deed.number, [])):
            await _settle(p, promise, "void")
        else:
            placed = deed.names(p.castles[p.owner].get(deed.number))
            await _settle(p, promise, "kept" if placed else "broken")


async def settle_sending(p: Position, reserve: Sequence[str], sent: Sequence[str]) -> None:
    """Settle the promises to send or not: `reserve` could be sent, `sent` was, in words like `writer@p1`."""
    for promise, deed in _due(p, "send", "spare"):
        words = [f"{kind}@{seat_name(deed.seat)}" for kind in reserve if deed.type in ("", kind)]
        if not words:
            await _settle(p, promise, "void")
        else:
            done = any(word in sent for word in words)
            await _settle(p, promise, "kept" if done == (deed.kind == "send") else "broken")


def hopeless(p: Position) -> list[Promise]:
    """The promises for the end of this turn that cannot come true any more when it begins."""
    return [promise for promise, deed in _due(p, "next") if not _could_come_true(p, deed)]


async def settle_turn(p: Position, void: Sequence[Promise]) -> None:
    """Settle the promises on the owner's castle at the end of a turn; those in `void` are not broken."""
    for promise, deed in _due(p, "turn", "next"):
        if deed.names(p.castles[p.owner].get(deed.number)):
            await _settle(p, promise, "kept")
        else:
            await _settle(p, promise, "void" if promise in void else "broken")


async def close_book(p: Position) -> None:
    """Settle all promises that are left as void: their turns are not played any more."""
    for promise in list(p.book):
        await _settle(p, promise, "void")


def _could_come_true(p: Position, deed: Deed) -> bool:
    """Whether a deed about the owner's castle is true now or can become so in this turn."""
    castle, candidates = p.castles[p.owner], p.candidates[p.owner]
    sitter = castle.get(deed.number)
    if sitter:
        return any(deed.names(each) and each.type == sitter.type for each in (sitter, *candidates))
    bound = [each.type for each in castle.values()]
    return any(deed.names(each) and each.type not in bound for each in candidates)


async def _settle(p: Position, promise: Promise, verdict: str) -> None:
    """Take a promise out of the book, and tell the verdict: `kept`, `broken` or `void`."""
    p.book.remove(promise)
    text = f"promise {promise.offer} {seat_name(promise.by)} {verdict} {promise.word}"
    await tell_both(p, promise.by, promise.to, text)


async def tell_both(p: Position, one: int, other: int, text: str) -> None:
    """Tell news of a talk: to all, or with the option `private` to these two seats alone."""
    if p.options["private"]:
        for seat in (one, other):
            await Tell(seat, text)
    else:
        await Tell(ALL, text)
