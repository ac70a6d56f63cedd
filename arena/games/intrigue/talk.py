"""The talk of Intrigue: before a payment, before a decision, before advisors are sent (I28, I38)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from arena.games.intrigue.position import Position, clockwise
from arena.games.intrigue.promises import tell_both, write_down
from arena.games.intrigue.words import Floor, Term, message_problem, read_message, text_problem
from arena.rules import ALL, SEAT_NAMES, Ask, Choice, Tell, seat_name

Keys = Mapping[str, object]


class _Offer(NamedTuple):
    """An offer or a promise that waits for its answer; `text` is all of its terms."""

    number: int
    by: int
    to: int
    text: str
    terms: tuple[Term, ...]


_Forms = Mapping[str, Callable[[str], str]]
"""The checks of the open words of a seat, by the head of the word."""


@dataclass
class _Talk:
    """One talk: the seats in it (`floor`), the keys of its asks, and the offers that are `open`."""

    p: Position
    floor: Floor
    keys: Keys
    open: list[_Offer] = field(default_factory=list)
    # Most seats are silent most of the time. So what their asks have in common is made once: the checks by
    # seat, and the choice by the seat that is addressed if none is named.
    forms: dict[int, _Forms] = field(default_factory=dict)
    silent: dict[int | None, Choice] = field(default_factory=dict)  # of this round


async def negotiate(p: Position, payer: int, keys: Keys) -> None:
    """Talk before a payment: payer, then owner, then all others at once, `talk_rounds` times (I28)."""
    # Then open offers can be answered, so that those of the last round are not lost (I38).
    press, rounds = p.options["press"], p.options["talk_rounds"]
    if press == 0:
        return
    talk = _Talk(p, Floor(p.seats, p.owner, payer, alone=press == 1), keys)
    others = [seat for seat in clockwise(p, p.owner) if seat not in (payer, p.owner)]
    groups = ([payer], [p.owner]) if press == 1 else ([payer], [p.owner], others)
    for number in range(1, rounds + 1):
        talk.silent.clear()
        all_pass = True
        for seats in groups:
            if await _speak(talk, seats, {"round": f"{number}/{rounds}"}):
                all_pass = False
        if all_pass and not p.options["private"]:  # an early end would tell of hidden words
            break
    await _take_answers(talk, [payer, p.owner, *others])


async def talk_once(p: Position, keys: Keys, placing: bool = True) -> None:
    """Talk before the owner decides or sends: a message of each seat, all at once, then answers (I38)."""
    if p.options["press"] >= 2:
        talk = _Talk(p, Floor(p.seats, p.owner, None, placing), keys)
        seats = clockwise(p, p.owner + 1)
        await _speak(talk, seats, {})
        await _take_answers(talk, seats)


async def _speak(talk: _Talk, seats: Iterable[int], keys: Keys) -> bool:
    """Ask these seats at once for a message or an answer, and tell all in this order. False if all pass."""
    words = await Ask({seat: _choice_to_speak(talk, seat, keys) for seat in seats})
    spoken = False
    for seat, word in words.items():
        talk.p.offers += 1  # also for a pass, so that numbers do not tell how much was said in private
        if word != "pass":
            spoken = True
            await _hear(talk, seat, word)
    return spoken


async def _take_answers(talk: _Talk, seats: Iterable[int]) -> None:
    """Ask the seats with open offers for answers, one at a time, until they pass (I38)."""
    while asked := [seat for seat in seats if _offers_to(talk, seat)]:
        words = await Ask({seat: _choice(talk, seat, {}, {}) for seat in asked})
        for seat, word in words.items():
            if word != "pass":
                await _hear(talk, seat, word)
        seats = [seat for seat in asked if words[seat] != "pass"]


def _choice_to_speak(talk: _Talk, seat: int, keys: Keys) -> Choice:
    forms = talk.forms.get(seat)
    if forms is None:
        forms = talk.forms[seat] = _forms(talk, seat)
    if _offers_to(talk, seat):
        return _choice(talk, seat, forms, keys)
    partner = talk.floor.partner(seat)
    if partner in talk.silent:
        return talk.silent[partner].with_open(forms)
    choice = talk.silent[partner] = _choice(talk, seat, forms, keys)
    return choice


def _offers_to(talk: _Talk, seat: int) -> list[_Offer]:
    return [offer for offer in talk.open if offer.to == seat] if talk.open else []


def _forms(talk: _Talk, seat: int) -> _Forms:
    press, private = talk.p.options["press"], talk.p.options["private"]
    check = partial(message_problem, talk.floor, seat)
    if press == 1:
        return {"offer": check}
    found: dict[str, Callable[[str], str]]
    found = {"offer": check, "promise": check, "request": check, "threat": check}
    if press == 3:
        found["say"] = partial(text_problem, talk.floor, private, seat)
    return found


def _choice(talk: _Talk, seat: int, open: _Forms, keys: Keys) -> Choice:
    # If it can only answer, nothing is `open`. Then the ask names payer and owner to these two as well, so
    # that a bot that replies to `with=` by an offer of its own does not take it for such an ask.
    floor = talk.floor
    partner = floor.partner(seat) if open else None
    offers = _offers_to(talk, seat)
    options = ["pass", *(f"{verb}:{offer.number}" for offer in offers for verb in ("accept", "reject"))]
    seats = {"with": partner} if partner is not None else {"payer": floor.payer, "owner": floor.owner}
    own = [f"{each.number}:{each.text}" for each in offers if each.by == partner]
    others = [f"{each.number}:{seat_name(each.by)}:{each.text}" for each in offers if each.by != partner]
    context = {
        **{key: seat_name(each) for key, each in seats.items() if each is not None},
        **keys,
        **talk.keys,
        **{key: ",".join(some) for key, some in (("offers", own), ("others", others)) if some},
    }
    return Choice("talk", tuple(options), open, **context)


async def _hear(talk: _Talk, seat: int, word: str) -> None:
    p, (verb, _, rest) = talk.p, word.partition(":")
    if verb in ("accept", "reject"):
        offer = next(offer for offer in talk.open if offer.number == int(rest))
        talk.open.remove(offer)
        await tell_both(p, offer.by, seat, f"{verb} {offer.number} {seat_name(seat)}")
        for term in offer.terms if verb == "accept" else ():
            other = offer.by if term.by == seat else seat
            await write_down(p, offer.number, other, term, paying=talk.floor.payer is not None)
    elif verb == "say":
        to, _, text = rest.partition(":")
        news = f"say {seat_name(seat)} {to} {text}"
        await (Tell(ALL, news) if to == "all" else tell_both(p, seat, SEAT_NAMES.index(to), news))
    else:
        message = read_message(talk.floor, seat, word)
        if verb in ("offer", "promise"):
            talk.open.append(_Offer(p.offers, seat, *message))
            verb = f"offer {p.offers}"
        news = f"{verb} {seat_name(seat)} {seat_name(message.to)} {message.text}"
        await tell_both(p, seat, message.to, news)
