"""The paths of pages, made from names with any characters."""

import re
from collections.abc import Iterable

_MAX_NAME = 40  # characters of a name in a path


def slugs(names: Iterable[str]) -> dict[str, str]:
    """A readable slug for each name, safe in paths, URLs and ids; a slug that is taken gets a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        base = re.sub(r"[^a-z0-9_]+", "-", name.lower())[:_MAX_NAME].strip("-") or "bot"
        slug, number = base, 1
        while slug in taken:
            number += 1
            slug = f"{base}-{number}"
        taken.add(slug)
        found[name] = slug
    return found


def bot_path(slug: str) -> str:
    return f"bots/{slug}.html"


def game_link(id: str, moment: int | None = None) -> str:
    """The link to a game in the viewer, or to its `moment`, from 0; the viewer counts moments from 1."""
    return f"game.html#{id}" if moment is None else f"game.html#{id}/{moment + 1}"
