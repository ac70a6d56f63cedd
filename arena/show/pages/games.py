"""The list of games, which a script filters as the user types, and the viewer with drawings of tables."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from arena.config.text import printable
from arena.games import GAMES, find, folder_of
from arena.show.pages.page import Page
from arena.show.pages.records import Records
from arena.show.pages.site import Site

_DRAWINGS = "static/games"


def pages(site: Site) -> Iterator[Page]:
    records = site.records
    if not records or not records.with_pages:
        return
    found = _game_list(records)
    site.write("games/list.js", f"arena.list({json.dumps(found, separators=(',', ':'))});\n")
    unshown = records.collected.unshown
    yield Page(
        "games.html",
        "Games",
        "games.html",
        {
            "with_pages": len(records.with_pages),
            "total": len(records.games),
            "unshown": len(unshown),
            "why": next(iter(unshown.values()), ""),
            "chosen": len(records.with_pages) + len(unshown) < len(records.games),
            "several": len(found["runs"]) > 1,
        },
    )
    yield _viewer(site, records)


def _viewer(site: Site, records: Records) -> Page:
    """The page that shows any game: `game.html#ID/MOMENT/SEAT`."""
    drawn = _drawings(records.collected.tallies)
    for path in drawn:
        site.write(f"{_DRAWINGS}/{path.name}", path.read_text(encoding="utf-8"))
    names = [path.name for path in drawn]
    context = {
        "styles": [f"{_DRAWINGS}/{name}" for name in names if name.endswith(".css")],
        "scripts": [f"{_DRAWINGS}/{name}" for name in names if name.endswith(".js")],
    }
    return Page("game.html", "Game", "game.html", context, is_listed=False)


def _drawings(games: Iterable[str]) -> list[Path]:
    """The files `NAME.css` and `NAME.js` that draw tables, of all games of the arena and of `games`."""
    found = []  # The order of the arena's own games matters: the drawing of `local` needs that of Complots.
    for name in dict.fromkeys([*GAMES, *sorted(games)]):
        game = find(name)
        folder = folder_of(game) if game else None
        if folder:
            found += [path for suffix in (".css", ".js") if (path := folder / f"{name}{suffix}").is_file()]
    return found


def _game_list(records: Records) -> dict[str, Any]:
    """The games that have a page, in fixture order, for `static/games.js`.

    A game is `[run, number, id, bots, places, faults, answers, seconds]`: `bots` are numbers in the list of
    names, `faults` are counts by seat, or 0 if there were none.
    """
    names: dict[str, int] = {}
    runs: dict[Path, int] = {}
    rows = []
    for at in records.with_pages:
        played, measured = records.games[at], records.collected.measured[at]
        rows.append(
            [
                runs.setdefault(played.run, len(runs)),
                played.number,
                played.game.id,
                [names.setdefault(name, len(names)) for name in played.names],
                played.game.places,
                measured.faults if any(measured.faults) else 0,
                measured.answers,
                None if measured.seconds is None else round(measured.seconds, 3),
            ]
        )
    return {
        "runs": [printable(run.name) for run in runs],
        "bots": [printable(name) for name in names],
        "games": rows,
    }
