"""The talk of Intrigue: before a payment, before a decision, before advisors are sent (I28, I38)."""

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import NamedTuple

from arena.games.intrigue.position import Position, clockwise
from arena.games.intrigue.promises import tell_both, write_down
from arena.games.intrigue.words import Floor, Term, message_problem, read_message, text_problem
from arena.rules import ALL, SEAT_NAMES, Ask, Choice, Tell, seat_name

Keys = dict[str, object]

_PASS: tuple[str, ...] = ("pass",)


class _Offer(NamedTuple):
    """An offer or a promise that waits for its answer; `text` has its terms."""

    number: int
    by: int
    to: int
    text: str
    terms: tuple[Term, ...]


_Forms = dict[str, Callable[[str], str]]
"""The checks of the open words of a seat, by the head of the word."""


class _Talk:
    """One talk: the seats in it (`floor`), the keys of its asks, and the offers that are `open`."""

    # A game has 150 talks, and mypyc does not compile the constructor of a dataclass. So this is none.

    def __init__(self, p: Position, keys: Keys, payer: int | None, placing: bool = True):
        self.p, self.keys = p, keys
        press, private = p.options["press"], p.options["private"]
        self.floor, self.forms = _floor_of(p.seats, p.owner, payer, placing, press, private)
        self.open: list[_Offer] = []


async def negotiate(p: Position, payer: int, keys: Keys) -> None:
    """Talk before a payment, in up to `talk_rounds` rounds: payer, owner, then the others at once (I28).

    With `press` 1 the others do not speak, and with 0 no seat does.
    """
    # At the end open offers can be answered: offers of the last round are not lost (I38).
    press, rounds, owner = p.options["press"], p.options["talk_rounds"], p.owner
    if press == 0:
        return
    talk = _Talk(p, keys, payer)
    others = [seat for seat in clockwise(p, owner) if seat not in (payer, owner)]
    groups = [[payer], [owner]] if press == 1 else [[payer], [owner], others]
    for number in range(1, rounds + 1):
        first: Keys = {"round": f"{number}/{rounds}"}
        spoken = [await _speak(talk, seats, first) for seats in groups]
        if not any(spoken) and not p.options["private"]:  # an early end would reveal hidden words
            break
    await _take_answers(talk, [payer, owner, *others])


async def talk_once(p: Position, keys: Keys, placing: bool = True) -> None:
    """Talk before the owner decides or sends, with `press` 2 or 3: all speak at once, then answer (I38)."""
    if p.options["press"] >= 2:
        talk = _Talk(p, keys, None, placing)
        seats = clockwise(p, talk.floor.owner + 1)
        await _speak(talk, seats, {})
        await _take_answers(talk, seats)


async def _speak(talk: _Talk, seats: Iterable[int], keys: Keys) -> bool:
    """Ask these seats at once for a message or an answer, and announce it. Returns whether any spoke."""
    words = await Ask(_choices_to_speak(talk, seats, keys))
    spoken = False
    for seat, word in words.items():
        talk.p.offers += 1  # a pass counts as well: else numbers would reveal the amount of private talk
        if word != "pass":
            spoken = True
            await _hear(talk, seat, word)
    return spoken


async def _take_answers(talk: _Talk, seats: Iterable[int]) -> None:
    """Ask all seats with open offers at once, again and again, until each passes or has none left (I38).

    With `private`, the answers are announced when all are in, by the number of the offer. Otherwise the
    answer of a seat with other offers would be late, and only two seats may know of these offers.
    """
    answers: list[tuple[_Offer, str]] = []
    while talk.open and (asked := [seat for seat in seats if _offers_to(talk, seat)]):
        words = await Ask({seat: _choice(talk, seat, {}, {}) for seat in asked})
        for word in words.values():
            if word != "pass":
                answers.append(_take_answer(talk, word))
        if not talk.p.options["private"]:
            await _tell_answers(talk, answers)
            answers.clear()
        seats = [seat for seat in asked if words[seat] != "pass"]
    await _tell_answers(talk, sorted(answers))


def _choices_to_speak(talk: _Talk, seats: Iterable[int], keys: Keys) -> dict[int, Choice]:
    # Most seats have no offer to answer. These are asked the same, so most of their asks is made only once.
    choices: dict[int, Choice] = {}
    alike: Choice | None = None
    for seat in seats:
        forms = talk.forms[seat]
        if talk.open and _offers_to(talk, seat):
            choices[seat] = _choice(talk, seat, forms, keys)
        elif alike is not None:
            choices[seat] = alike.with_open(forms)
        else:
            choices[seat] = alike = _choice(talk, seat, forms, keys)
    return choices


def _offers_to(talk: _Talk, seat: int) -> list[_Offer]:
    return [offer for offer in talk.open if offer.to == seat]


@cache
def _floor_of(
    seats: int, owner: int, payer: int | None, placing: bool, press: int, private: bool
) -> tuple[Floor, list[_Forms]]:
    """The floor of a talk, and by seat the checks of its open words."""
    floor = Floor(seats, owner, payer, placing, alone=press == 1)
    verbs = ("offer", "promise", "request", "threat")[: 1 if press == 1 else 4]
    forms = []
    for seat in range(seats):
        found: dict[str, Callable[[str], str]] = dict.fromkeys(verbs, partial(message_problem, floor, seat))
        if press == 3:
            found["say"] = partial(text_problem, floor, private, seat)
        forms.append(found)
    return floor, forms


def _choice(talk: _Talk, seat: int, open: _Forms, keys: Keys) -> Choice:
    # If it can only answer, nothing is `open`. Then the ask names payer and owner to these two as well. A bot
    # that replies to `with=` by an offer would otherwise mistake it for such an ask.
    floor = talk.floor
    partner = floor.partner(seat) if open else None
    context: dict[str, object] = {}
    if partner is not None:
        context["with"] = SEAT_NAMES[partner]
    else:
        if floor.payer is not None:
            context["payer"] = SEAT_NAMES[floor.payer]
        context["owner"] = SEAT_NAMES[floor.owner]
    context.update(keys)
    context.update(talk.keys)
    options = _PASS
    if talk.open and (offers := _offers_to(talk, seat)):
        options += tuple([f"{verb}:{offer.number}" for offer in offers for verb in ("accept", "reject")])
        own = [f"{each.number}:{each.text}" for each in offers if each.by == partner]
        others = [f"{each.number}:{seat_name(each.by)}:{each.text}" for each in offers if each.by != partner]
        context.update({key: ",".join(some) for key, some in (("offers", own), ("others", others)) if some})
    return Choice.in_context("talk", options, open, context)


async def _hear(talk: _Talk, seat: int, word: str) -> None:
    p, (verb, _, rest) = talk.p, word.partition(":")
    if verb in ("accept", "reject"):
        await _tell_answers(talk, [_take_answer(talk, word)])
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


def _take_answer(talk: _Talk, word: str) -> tuple[_Offer, str]:
    """Close the offer of an answer; returns it, and `accept` or `reject`."""
    verb, _, number = word.partition(":")
    offer = next(offer for offer in talk.open if offer.number == int(number))
    talk.open.remove(offer)
    return offer, verb


async def _tell_answers(talk: _Talk, answers: Iterable[tuple[_Offer, str]]) -> None:
    """Announce these answers, and write accepted offers into the book of promises."""
    for offer, verb in answers:
        await tell_both(talk.p, offer.by, offer.to, f"{verb} {offer.number} {seat_name(offer.to)}")
        for term in offer.terms if verb == "accept" else ():
            other = offer.by if term.by == offer.to else offer.to
            await write_down(talk.p, offer.number, other, term, paying=talk.floor.payer is not None)
