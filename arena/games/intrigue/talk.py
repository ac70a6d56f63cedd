"""How the payer and the owner talk before a payment (I28).

Nothing here moves a coin or an advisor. A bot that always passes plays on without the talk.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from unicodedata import category
from urllib.parse import unquote_to_bytes

from arena.games.intrigue.position import TYPES, ZONES, Position, Promise, clockwise
from arena.games.intrigue.promises import tell_both
from arena.rules import ALL, SEAT_NAMES, Ask, Choice, Tell, ask, seat_name

MAX_PROMISES = 4  # of an offer, beside the amount
MAX_TEXT = 280  # characters of free text, however many bytes each takes

AMOUNT = re.compile("[1-9][0-9]{0,2}000")  # 1000 to 999000 (I16)
TEXT = re.compile("(?:[!-$&-~]|%[0-9A-Fa-f]{2})+")  # printable ASCII, and bytes as %XX
ZONE = "|".join(map(str, ZONES))
OWNERS_PROMISE = re.compile(f"(?:{'|'.join(TYPES)})@(?:{ZONE})")
NEXT_PROMISE = re.compile(f"next=(p[0-9]+)@(?:{ZONE})")


@dataclass(frozen=True)
class Offer:
    """An offer of one party of a payment to the other; its `terms` are an amount and promises."""

    number: int
    by: int
    to: int
    terms: str

    def __str__(self) -> str:
        return f"{self.number}:{self.terms}"


@dataclass
class Talk:
    """The talk before one payment: the keys of every ask (`context`), and the unanswered offers (`open`)."""

    p: Position
    payer: int
    owner: int
    context: Mapping[str, str]
    open: list[Offer]

    def other(self, seat: int) -> int:
        return self.owner if seat == self.payer else self.payer

    async def tell(self, text: str) -> None:
        await tell_both(self.p, self.payer, self.owner, text)


async def negotiate(p: Position, payer: int, owner: int, context: Mapping[str, str]) -> None:
    """The payer, then the owner, `talk_rounds` times; then with free text all others at once (I28)."""
    press, rounds = p.options["press"], p.options["talk_rounds"]
    if press == 0:
        return
    talk, first = Talk(p, payer, owner, context, []), p.offers
    for number in range(1, rounds + 1):
        words = [await speak(talk, seat, f"{number}/{rounds}") for seat in (payer, owner)]
        if words == ["pass", "pass"]:
            break
    if p.options["private"]:
        p.offers = first + 2 * rounds  # later numbers must not tell how much was said
    if press == 2:
        await comment(talk)


async def speak(talk: Talk, seat: int, number: str) -> str:
    """One answer of the payer or the owner."""
    p, other = talk.p, talk.other(seat)
    offers = [offer for offer in talk.open if offer.to == seat]
    options = ("pass", *(f"{verb}:{offer.number}" for offer in offers for verb in ("accept", "reject")))
    forms: dict[str, Callable[[str], str]] = {"offer": refused_unless(partial(is_offer, p.seats, seat))}
    if p.options["press"] == 2:
        forms["say"] = refused_unless(partial(is_text, p, seat))
    keys = {"with": seat_name(other), "round": number, **talk.context}
    if offers:
        keys["offers"] = ",".join(map(str, offers))
    word = await ask(seat, Choice("talk", options, forms, **keys))
    verb, _, rest = word.partition(":")
    if verb == "say":
        await say(talk, seat, rest)
    elif verb == "offer":
        await make_offer(talk, seat, rest)
    elif verb != "pass":
        await answer(talk, seat, verb, next(offer for offer in offers if str(offer.number) == rest))
    return verb


async def make_offer(talk: Talk, seat: int, terms: str) -> None:
    talk.p.offers += 1
    offer = Offer(talk.p.offers, seat, talk.other(seat), terms)
    talk.open.append(offer)
    await talk.tell(f"offer {offer.number} {seat_name(seat)} {seat_name(offer.to)} {terms}")


async def answer(talk: Talk, seat: int, verb: str, offer: Offer) -> None:
    """An acceptance, and nothing else, makes promises."""
    talk.open.remove(offer)
    await talk.tell(f"{verb} {offer.number} {seat_name(seat)}")
    if verb == "accept":
        amount, *promises = offer.terms.split(":")
        write_down(talk, offer, talk.payer, amount)
        for promise in promises:
            write_down(talk, offer, offer.by if promise.startswith("next=") else talk.owner, promise)


def write_down(talk: Talk, offer: Offer, by: int, word: str) -> None:
    """A promise made at this turn, and due in it unless it is about the promiser's next one."""
    p, due = talk.p, talk.p.turn
    if word.startswith("next="):
        due += (by - talk.owner) % p.seats or p.seats
    p.book.append(Promise(offer.number, by, talk.other(by), word, due))


async def say(talk: Talk, seat: int, word: str) -> None:
    to, _, text = word.partition(":")
    news = f"say {seat_name(seat)} {to} {text}"
    if talk.p.options["private"]:
        await tell_both(talk.p, seat, SEAT_NAMES.index(to), news)
    else:
        await Tell(ALL, news)


async def comment(talk: Talk) -> None:
    """All other players may say one thing, sealed; they cannot make offers."""
    keys = {"payer": seat_name(talk.payer), "owner": seat_name(talk.owner), **talk.context}
    others = [seat for seat in clockwise(talk.p, talk.owner) if seat not in (talk.owner, talk.payer)]
    words = await Ask(
        {
            seat: Choice("talk", ("pass",), {"say": refused_unless(partial(is_text, talk.p, seat))}, **keys)
            for seat in others
        }
    )
    for seat, word in words.items():
        if word != "pass":
            await say(talk, seat, word.partition(":")[2])


# What may be said


def refused_unless(well_formed: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda word: "" if well_formed(word) else "it does not have this form"


def is_offer(seats: int, seat: int, word: str) -> bool:
    """Whether a word is an offer that this seat may make: `offer:8000:writer@10000:next=p4@6000`."""
    amount, *promises = word.split(":")[1:] or [""]
    if not AMOUNT.fullmatch(amount):
        return False
    return (
        len(promises) <= MAX_PROMISES
        and len(set(promises)) == len(promises)
        and all(is_promise(seats, seat, promise) for promise in promises)
    )


def is_promise(seats: int, seat: int, word: str) -> bool:
    """`<type>@<zone>` by the owner, in this stage; `next=<pK>@<zone>` by the proposer, in its own castle."""
    if ahead := NEXT_PROMISE.fullmatch(word):
        return ahead[1] in SEAT_NAMES[:seats] and ahead[1] != seat_name(seat)
    return OWNERS_PROMISE.fullmatch(word) is not None


def is_text(p: Position, seat: int, word: str) -> bool:
    """Whether a word is `say:<to>:<text>`, percent-encoded, to another seat, or to `all` in public."""
    _, _, rest = word.partition(":")
    to, _, text = rest.partition(":")
    others = [name for name in SEAT_NAMES[: p.seats] if name != seat_name(seat)]
    if to not in others and (to != "all" or p.options["private"]):
        return False
    if len(text) > 12 * MAX_TEXT or not TEXT.fullmatch(text):
        return False
    try:
        plain = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return False
    return len(plain) <= MAX_TEXT and all(category(letter) != "Cc" for letter in plain)
