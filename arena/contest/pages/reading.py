"""The process that reads run files for entrants and the organiser: `python -m arena.contest.pages.reading`.

The web process starts it (`arena.web.reading`). The files are opened without the secrets of the runs.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arena.config.text import printable
from arena.contest import final
from arena.contest.contest import LADDER, open_contest
from arena.contest.scrimmages import is_of, seat_of
from arena.referee.record import Record, Summary
from arena.rules import seat_name
from arena.tournament.forecast import forecast
from arena.tournament.runs.asks import stderr
from arena.tournament.runs.game_list import shown_record
from arena.tournament.runs.open_games import open_games
from arena.tournament.runs.store import Store
from arena.tournament.runs.transcript import for_seat
from arena.web.reading import serve_answers
from arena.web.run_views import NO_ALIASES, Aliases, aliased, answer_by

MODULE = "arena.contest.pages.reading"
_CHUNK = 500  # games that are looked through at once
_CLOSED = "This game is shown when all games of its seed group are over: the others have the same cards."
_MISSING = "There is no such game of yours."


def games(
    path: str, name: str, count: int, before: int | None = None, aliases: Aliases = NO_ALIASES
) -> dict[str, Any]:
    """`games`: the last `count` games of the entrant `name`, the newest first; `more`: the next `before`.

    Their numbers in the run are less than `before`; None: any. None for `more`: there are no earlier games.
    """
    found: list[tuple[int, Summary]] = []
    with Store(Path(path), secret=False) as store:
        while len(found) < count and (chunk := store.latest(_CHUNK, before)):
            found += [each for each in chunk if _seats(each[1], name)]
            before = chunk[-1][0]
        found = found[:count]
        shown = open_games(store, (game for _, game in found))
        more = found[-1][0] if len(found) == count and found[-1][0] > 1 else None
        rows = [_row(number, game, name, game.id in shown) for number, game in found]
        return {"games": [row | {"bots": _shown(row["bots"], aliases)} for row in rows], "more": more}


def _row(number: int, game: Summary, name: str, is_shown: bool) -> dict[str, Any]:
    seats = _seats(game, name)
    return {
        "number": number,
        "id": game.id,
        "seats": [seat_name(seat) for seat in seats],
        "places": [game.places[seat] for seat in seats],
        "fault": ", ".join(game.forfeits[seat] for seat in seats if seat in game.forfeits),
        "bots": list(game.bots),
        "is_shown": is_shown,
    }


def _shown(bots: Sequence[str], aliases: Aliases) -> list[str]:
    """The names of bots as they are shown: `ada (2)` is the second seat of ada in a scrimmage."""
    seats = [seat_of(bot) for bot in bots]
    names = aliased((name for name, _ in seats), aliases)
    return [
        name if number == 1 else f"{name} ({number})" for name, (_, number) in zip(names, seats, strict=True)
    ]


def _seats(game: Summary, name: str) -> list[int]:
    return [seat for seat, bot in enumerate(game.bots) if is_of(bot, name)]


def own_text(path: str, name: str, id: str, what: str) -> dict[str, Any]:
    """The `id` of a game, and the `text` of the seats of the entrant `name`; or `refused`: why not.

    `what` is "lines", which the seats have read and written, or "stderr", what their bots wrote to it.
    """
    with Store(Path(path), secret=False) as store:
        found = store.find_numbered(id)
        if not found or not (seats := _seats(found[1], name)):
            return {"refused": _MISSING}
        game = found[1]
        if game.id not in open_games(store, [game]):
            return {"refused": _CLOSED}
        record = shown_record(store, game.id)
        with store.reading(game.id):
            return {"id": game.id, "text": "".join(_part(record, seat, what) for seat in seats)}


def _part(record: Record, seat: int, what: str) -> str:
    """The text of one seat: a heading, then its lines, or its stderr if `what` is "stderr"."""
    (name,) = _shown(record.fixture.bots[seat : seat + 1], NO_ALIASES)
    heading = f"# {seat_name(seat)} {name}\n"
    if what == "stderr":
        return f"{heading}{stderr(record).get(seat_name(seat), '')}\n"
    return heading + "".join(f"{printable(line)}\n" for line in for_seat(record, seat, trace=True))


def expect_final(folder: str, names: Sequence[str]) -> dict[str, Any]:
    """The `forecast` of the final of a contest between entries of these names, or None if it is unknown.

    Raises:
        ConfigError: the plan of the final is wrong, or the entries are too few for it.
    """
    contest = open_contest(Path(folder))
    ladder = contest.run(LADDER)
    found = forecast(final.check_plan(contest, names), ladder if ladder.is_file() else None)
    return {"forecast": found and {**found, "like": LADDER if found["like"] else None}}


FUNCTIONS = {each.__name__: each for each in (games, own_text, expect_final)}


if __name__ == "__main__":
    serve_answers(partial(answer_by, FUNCTIONS))
