"""The local variant in words, for a person who plays it. The other words are those of Complots."""

from collections.abc import Callable, Mapping

from arena.games.complots import prose as complots
from arena.rules import Prose

_NEWS: dict[str, Callable[..., str]] = {
    "starter": lambda seat: f"{seat} has the first turn, and the marker.",
    "manche": lambda number: f"Manche {number} begins: all take their discards back into the hand.",
    "proven": lambda seat, card: (
        f"{seat} turns the placed card up, and it is the {card}: the claim was true."
    ),
    "refuted": lambda seat, card: (
        f"{seat} turns the placed card up, and it is no {card}: the claim was a bluff."
    ),
    "exchange": lambda seat, number, returned, *shown: (
        f"{seat} takes {number} back from the discard and returns {returned.removeprefix('returned=')}"
        + "".join(f"; face up lay {each.removeprefix('shown=').replace(',', ', ')}" for each in shown)
        + "."
    ),
    "buried": lambda card: f"The card that you lost: {card}.",
    "taken": lambda *cards: f"You take back: {', '.join(cards)}.",
}


def _tell(news: str) -> str:
    head, *words = news.split(" ")
    if head == "lose" and words[1] == "hidden":
        return f"{words[0]} loses a card, face down ({complots.cause_words(words[2])})."
    return _NEWS[head](*words) if head in _NEWS else complots.tell(news)


def _ask(kind: str, context: Mapping[str, str]) -> str:
    if kind == "return":
        return "Which cards do you return to the discard? The last one lies on top."
    return complots.ask(kind, context)


def _option(kind: str, word: str) -> str:
    claim, _, placed = word.partition("@")
    if kind == "return":
        return word.replace("+", ", then ") if "+" in word else ""
    take_back = kind == "action" and claim == "ambassador"
    said = "claim the ambassador: take back cards" if take_back else complots.option(kind, claim)
    return f"{said}; place the {placed}" if placed else said


_SECTIONS = {
    "action": ("A turn",),
    "challenge": ("Challenges", "A turn"),
    "block": ("A turn", "Challenges"),
    "lose": ("Losing a card",),
    "return": ("The ambassador",),
}
_COLUMNS = ("coins", "cards", "placed", "discard", "cemetery", "hand")
PROSE = Prose(tell=_tell, ask=_ask, option=_option, cell=complots.cell, columns=_COLUMNS, sections=_SECTIONS)
