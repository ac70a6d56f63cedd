"""The rules that answers of Intrigue break, outside the talk."""

import re

from arena.games.intrigue.position import NOTE, TYPES, Position
from arena.rules import SEAT_NAMES, Choice

_AMOUNT = re.compile("-?[0-9]{1,9}")


def why_not(p: Position, seat: int, choice: Choice, word: str) -> str:
    """The rule that a refused word breaks, in words for the seat; "" if the word has no meaning here."""
    if choice.kind == "bribe":
        return _why_no_bribe(p.money[seat], word)  # I16
    if choice.kind == "send":
        return _why_not_sent(p, seat, word)  # I29, I34
    advisor, _, zone = word.rpartition("@")
    if choice.kind == "place":
        known = {option.rpartition("@")[0] for option in choice.options}
        return _why_no_advisor(p, advisor, known) or _why_no_zone(p, seat, zone)  # I13
    if choice.kind == "decide":
        return _why_no_advisor(p, word, set(choice.options))  # I22
    return ""


def _why_no_bribe(money: int, word: str) -> str:
    if not _AMOUNT.fullmatch(word):
        return ""
    if int(word) < NOTE:
        return f"a bribe is at least {NOTE}"
    if int(word) % NOTE:
        return f"a bribe is a multiple of {NOTE}"
    return f"you have {money}" if int(word) > money else ""


def _why_not_sent(p: Position, seat: int, word: str) -> str:
    kind, _, castle = word.partition("@")
    if kind not in TYPES or castle not in SEAT_NAMES:
        return ""
    if castle not in SEAT_NAMES[: p.seats]:
        return f"there is no {castle} in this game"
    if castle == SEAT_NAMES[seat]:
        return "advisors go to the castles of others"
    return f"no {kind} is left in your reserve"


def _why_no_zone(p: Position, seat: int, zone: str) -> str:
    return f"zone {zone} is taken" if zone in map(str, p.castles[seat]) else ""


def _why_no_advisor(p: Position, advisor: str, known: set[str]) -> str:
    owner, _, kind = advisor.partition(".")
    if advisor in known or owner not in SEAT_NAMES[: p.seats] or kind not in TYPES:
        return ""
    return f"{advisor} does not compete here"
