"""The grammar of the talk of Intrigue: reads words, and explains their errors (I28)."""

import re
from typing import NamedTuple
from unicodedata import category
from urllib.parse import unquote_to_bytes

from arena.config.text import list_words, quote
from arena.games.intrigue.position import TYPES, ZONES, Advisor
from arena.rules import SEAT_NAMES, seat_name, seat_number

_MAX_PROMISES = 4  # promises of a message, besides the amount
_MAX_SHOWN = 20  # characters of a word in a message
_MAX_TEXT = 280  # characters of free text, however many bytes each takes

_FORMS = "8000, writer@6000, !p1.writer, turn=p1@6000, next=p1@6000, send=p1, spare=p1, pay=8000@p1"
_AMOUNT = re.compile("[1-9][0-9]{0,2}000")  # 1000 to 999000 (I16)
_TEXT = re.compile("(?:[!-$&-~]|%[0-9A-Fa-f]{2})+")  # printable ASCII, and bytes as %XX


class _WordError(ValueError):
    """Raised for a word that breaks the grammar; the message explains it."""


class Deed(NamedTuple):
    """The deed that a term promises."""

    kind: str  # `amount`, `pay`, `stage`, `turn`, `next`, `send` or `spare`
    seat: int  # of the advisor; the castle of `send`, `spare` and `pay`; the receiver of an amount
    type: str  # empty: any
    number: int  # the amount, or the zone; 0: any zone
    denied: bool = False  # no such advisor will be there

    def names(self, advisor: Advisor | None) -> bool:
        """Whether this is one of the advisors of the term."""
        return advisor is not None and advisor.owner == self.seat and self.type in ("", advisor.type)

    @property
    def zones(self) -> tuple[int, ...]:
        return (self.number,) if self.number else ZONES


class Term(NamedTuple):
    """One term of a message: the seat that promises it, its word without that seat, and its meaning."""

    by: int
    word: str
    deed: Deed


class Message(NamedTuple):
    """A message to a seat; `text` has its terms in the speaker's words."""

    to: int
    text: str
    terms: tuple[Term, ...]


class Floor(NamedTuple):
    """The seats of a talk: the owner of the castle, and the payer; None if it is not before a payment."""

    seats: int
    owner: int
    payer: int | None
    placing: bool = True  # advisors may still be placed in this turn
    alone: bool = False  # payer and owner address only each other

    def partner(self, seat: int) -> int | None:
        """The seat that a seat addresses if it names none: payer and owner each other, other seats None."""
        return self.owner if seat == self.payer else self.payer if seat == self.owner else None

    def hearers(self, seat: int) -> list[int]:
        """The seats that a seat may address."""
        if self.alone:
            return [other for other in (self.payer, self.owner) if other not in (None, seat)]
        return [other for other in range(self.seats) if other != seat]


# Messages


def message_problem(floor: Floor, seat: int, word: str) -> str:
    """The reason why a seat may not say a message; "" if it may."""
    try:
        read_message(floor, seat, word)
    except _WordError as error:
        return str(error)
    return ""


def read_message(floor: Floor, seat: int, word: str) -> Message:
    """The message that a word of a seat encodes.

    Raises:
        _WordError: The word breaks a rule of the grammar.
    """
    verb, *parts = word.split(":")
    to = floor.partner(seat)
    if parts and re.fullmatch("p[0-9]+", parts[0]):
        to = _read_seat(parts.pop(0), floor.seats)
        if to not in floor.hearers(seat):
            raise _WordError(f"it cannot be said to {seat_name(to)} now, only to {_hearers(floor, seat)}")
    elif to is None:
        raise _WordError(f"behind {verb}: it should name the seat addressed, {_hearers(floor, seat)}")
    if not parts or parts == [""]:
        raise _WordError("it has no term")
    terms = tuple([_read_term(floor, verb, seat, to, part) for part in parts])
    if any(term.deed.kind == "amount" for term in terms[1:]):
        raise _WordError("an amount should be the first term, and the only amount")
    promises = sum(term.deed.kind != "amount" for term in terms)
    if promises > _MAX_PROMISES:
        raise _WordError(f"it has {promises} promises, and {_MAX_PROMISES} is the most")
    for number, term in enumerate(terms):
        if (term.by, term.deed) in [(other.by, other.deed) for other in terms[:number]]:
            raise _WordError(f"it says {term.word!r} twice")
    return Message(to, ":".join(parts), terms)


def _hearers(floor: Floor, seat: int) -> str:
    return " or ".join(map(seat_name, floor.hearers(seat)))


def _read_term(floor: Floor, verb: str, seat: int, to: int, part: str) -> Term:
    """The term that a part of a message encodes, such as `8000`, `writer@10000`, `p2/send=writer@p1`.

    `verb` is the verb of the message from `seat` to `to`.

    Raises:
        _WordError: The part breaks a rule of the grammar.
    """
    name, slash, word = part.rpartition("/")
    deed = read_deed(word, floor.seats, to)
    if deed.kind == "amount":
        if {seat, to} != {floor.owner, floor.payer}:
            raise _WordError(f"{word} is an amount, which only payer and owner can promise each other")
        able = floor.payer
    elif deed.kind in ("stage", "turn"):
        if not floor.placing:
            raise _WordError(f"{word!r} cannot be promised: nothing more is placed in this turn")
        able = floor.owner
    else:
        able = None
    if slash:
        by = _read_seat(name, floor.seats)
    else:
        by = able if able is not None else to if verb == "request" else seat
    if able not in (None, by):
        raise _WordError(f"{word!r} is for {seat_name(able)} to do, not for {seat_name(by)}")
    makers = {"offer": (seat, to), "request": (to,)}.get(verb, (seat,))
    if by not in makers:
        names = " and ".join(map(seat_name, makers))
        raise _WordError(f"{word!r} is for {seat_name(by)} to do; this {verb} has terms of {names}")
    deed = read_deed(word, floor.seats, to if by == seat else seat)
    if deed.seat == by and deed.kind == "pay":
        raise _WordError(f"{word!r} is about a bribe of {seat_name(by)} to itself")
    if deed.seat == by:
        raise _WordError(f"{word!r} is about an advisor of {seat_name(by)} in its own castle (I34)")
    return Term(by, word, deed)


def read_deed(word: str, seats: int, to: int) -> Deed:
    """The deed of a term without the seat before its `/`, promised `to` a seat.

    Raises:
        _WordError: The word is not a deed.
    """
    if word.isdecimal():
        return Deed("amount", to, "", _read_amount(word))
    kind, equals, rest = word.partition("=") if "=" in word else ("stage", "", word)
    if kind in ("send", "spare"):
        some, at, castle = rest.rpartition("@")
        if at and some not in TYPES:
            raise _WordError(f"there is no type {quote(some, _MAX_SHOWN)}, only {list_words(TYPES)}")
        return Deed(kind, _read_seat(castle, seats), some, 0)
    denied = rest.startswith("!")
    advisor, at, zone = rest.removeprefix("!").partition("@")
    if kind == "pay" and at:
        return Deed(kind, _read_seat(zone, seats), "", _read_amount(rest.removesuffix(f"@{zone}")))
    if not (at or denied) or (equals and kind not in ("turn", "next")):
        raise _WordError(f"{quote(word, _MAX_SHOWN)} is no term; terms are like {_FORMS}")
    if at and zone not in map(str, ZONES):
        raise _WordError(f"there is no zone {quote(zone, _MAX_SHOWN)}, only {list_words(ZONES)}")
    number = int(zone) if at else 0
    if advisor in TYPES:
        return Deed(kind, to, advisor, number, denied)
    name, dot, some = advisor.partition(".")
    if dot and some not in TYPES:
        raise _WordError(f"there is no type {quote(some, _MAX_SHOWN)}, only {list_words(TYPES)}")
    if not dot and name not in SEAT_NAMES:
        message = f"{quote(advisor, _MAX_SHOWN)} is no advisor; write it like writer, p1 or p1.writer"
        raise _WordError(message)
    return Deed(kind, _read_seat(name, seats), some, number, denied)


def _read_amount(word: str) -> int:
    if not _AMOUNT.fullmatch(word):
        raise _WordError(f"{quote(word, _MAX_SHOWN)} is no amount: a multiple of 1000 from 1000 to 999000")
    return int(word)


def _read_seat(name: str, seats: int) -> int:
    if name not in SEAT_NAMES[:seats]:
        raise _WordError(f"there is no seat {quote(name, _MAX_SHOWN)}, only p1 to p{seats}")
    return seat_number(name)


# Free text


def text_problem(floor: Floor, private: bool, seat: int, word: str) -> str:
    """The reason why a seat may not say `say:<to>:<text>`, to another seat or to `all`; "" if it may."""
    _, _, rest = word.partition(":")
    to, _, text = rest.partition(":")
    names = [name for name in SEAT_NAMES[: floor.seats] if name != seat_name(seat)]
    if not private:
        names.append("all")
    if to not in names:
        return f"{quote(to, _MAX_SHOWN)} cannot be told anything, only {list_words(names)}"
    if not text:
        return "the text is empty"
    if not _TEXT.fullmatch(text):
        return "the text should be ASCII, and everything else percent-encoded, such as %20 for a space"
    try:
        decoded = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return "the text is not UTF-8"
    if any(category(letter) == "Cc" for letter in decoded):
        return "the text has a control character"
    if len(decoded) > _MAX_TEXT:
        return f"the text has {len(decoded)} characters, and {_MAX_TEXT} is the most"
    return ""
