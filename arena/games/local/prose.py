"""The local variant in words, for a person who plays it. What is not here is as in Complots."""

from collections.abc import Mapping

from arena.games.complots import prose as complots
from arena.rules import Prose


def _tell(news: str) -> str:
    """The news of an `event` or `secret` line as a sentence."""
    match news.split(" "):
        case ["starter", seat]:
            return f"{seat} has the first turn, and the marker."
        case ["manche", number]:
            return f"Manche {number} begins: all take their discards back into the hand."
        case ["proven", seat, card]:
            return f"{seat} turns the placed card up, and it is the {card}: the claim was true."
        case ["refuted", seat, card]:
            return f"{seat} turns the placed card up, and it is no {card}: the claim was a bluff."
        case ["lose", seat, "hidden", cause]:
            return f"{seat} loses a card, face down ({complots.CAUSES[cause.removeprefix('cause=')]})."
        case ["exchange", seat, number, returned, *shown]:
            known = f"; face up lay {shown[0].removeprefix('shown=').replace(',', ', ')}" if shown else ""
            back = returned.removeprefix("returned=")
            return f"{seat} takes {number} back from the discard and returns {back}{known}."
        case ["buried", card]:
            return f"The card that you lost: {card}."
        case ["taken", *cards]:
            return f"You take back: {', '.join(cards)}."
    return complots.tell(news)


def _ask(kind: str, context: Mapping[str, str]) -> str:
    """The question of an ask."""
    if kind == "return":
        return "Which cards do you return to the discard? The last one lies on top."
    return complots.ask(kind, context)


def _option(kind: str, word: str) -> str:
    """The meaning of an option; the card behind the `@` is placed."""
    claim, _, placed = word.partition("@")
    if kind == "return":
        return word.replace("+", ", then ") if "+" in word else ""
    said = "claim the ambassador: take back cards" if claim == "ambassador" else complots.option(kind, claim)
    return f"{said}; place the {placed}" if placed else said


_SECTIONS = {
    "action": ("A turn",),
    "challenge": ("Challenges",),
    "block": ("A turn", "Challenges"),
    "lose": ("Losing a card",),
    "return": ("The ambassador",),
}
_COLUMNS = ("coins", "cards", "placed", "discard", "cemetery", "hand")
PROSE = Prose(tell=_tell, ask=_ask, option=_option, cell=complots.cell, columns=_COLUMNS, sections=_SECTIONS)
