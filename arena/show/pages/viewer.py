"""The page of the viewer of games, with the drawings of their tables."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.games import GAMES, find, folder_of
from arena.show.pages.page import Page
from arena.show.pages.site import Site

_FOLDER = "static/games"


def pages(site: Site) -> Iterator[Page]:
    """The page that shows any game: `game.html#ID/MOMENT/SEAT`."""
    if not site.records or not site.records.with_pages:
        return
    drawn = _drawings(site.records.collected.tallies)
    for path in drawn:
        site.write(f"{_FOLDER}/{path.name}", path.read_text(encoding="utf-8"))
    names = [path.name for path in drawn]
    context = {
        "styles": [f"{_FOLDER}/{name}" for name in names if name.endswith(".css")],
        "scripts": [f"{_FOLDER}/{name}" for name in names if name.endswith(".js")],
    }
    yield Page("game.html", "Game", "game.html", context, is_listed=False)


def _drawings(games: Iterable[str]) -> list[Path]:
    """The drawings of the tables of these games: `NAME.js` beside the rules, and `NAME.css`, if any."""
    found = []  # those of the arena's own games first, in order: that of `local` needs that of Complots
    for name in dict.fromkeys([*GAMES, *sorted(games)]):
        game = find(name)
        folder = folder_of(game) if game else None
        if folder:
            found += [path for suffix in (".css", ".js") if (path := folder / f"{name}{suffix}").is_file()]
    return found
