"""The rules of a game for a language model: the aim, and the page without the parts for other readers."""

import re

from arena import games
from arena.rules import Game

_OTHER_READERS = re.compile(
    r"Figures|Decisions|Given positions|Rulings|News|Setup files and chance|Transcripts?\b.*"
)
"""Headings of sections for people who count, set up or decide, and for bots, which read lines."""

_HEADING = re.compile(r"^(#+) +(.+)\n", re.M)
_NUMBERS = re.compile(r"\s*\((?:[A-Z]{1,2}\d+(?:, )?)+\)")  # of rulings, such as ` (C4, C5)`
_MARK = "**Aim.** "  # begins the paragraph on the card of a game


def whole_rules(game: Game) -> str:
    """The rules on the page of a game, from its first section on; "" if it has no page.

    The aim of the game replaces the text before the first section.
    """
    page = games.page(game) if games.has_page(game) else ""
    headings = [*_HEADING.finditer(page)]
    if len(headings) < 2:
        return compact(page)
    kept, skipped = [], 0
    for heading, following in zip(headings[1:], [*headings[2:], None], strict=True):
        level = len(heading[1])
        if skipped and level > skipped:
            continue
        skipped = level if _OTHER_READERS.fullmatch(heading[2]) else 0
        if not skipped:
            kept.append(page[heading.start() : following.start() if following else None])
    text = compact("".join(kept))
    # On other pages they may have another meaning: squares of a board, for example.
    has_rulings = any(heading[2] == "Rulings" for heading in headings)
    return _NUMBERS.sub("", text) if has_rulings else text


def compact(text: str) -> str:
    """A part of a page without the padding of tables, with each paragraph in one line."""
    parts = text.strip().split("```")  # every second part is a block of code, which keeps its lines
    return "```".join(part if number % 2 else _compact_prose(part) for number, part in enumerate(parts))


def _compact_prose(text: str) -> str:
    joined = re.sub(r"(?<=[^\n|])\n {0,3}(?=[^\s|#*\-\d])", " ", text)
    return re.sub(r" {2,}(?=\S)", " ", re.sub(r"-{4,}", "---", joined))


def aim(game: Game) -> str:
    """The paragraph on the aim of a game from its card, or else its summary."""
    folder = games.folder_of(game)
    card = folder / "card.md" if folder else None
    if card and card.is_file():
        for paragraph in card.read_text(encoding="utf-8").split("\n\n"):
            if paragraph.startswith(_MARK):
                return compact(paragraph.removeprefix(_MARK))
    return game.summary
