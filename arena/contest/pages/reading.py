"""The process that reads an entrant's own games from run files: `python -m arena.contest.pages.reading`.

The web process starts it (`arena.web.reading`). The files are opened without the secrets of the runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.config.text import printable
from arena.contest import final
from arena.contest.contest import LADDER, open_contest
from arena.contest.scrimmage_games import is_of, seat_of
from arena.referee.record import Record, Summary
from arena.rules import seat_name
from arena.tournament.forecast import forecast
from arena.tournament.runs.asks import stderr
from arena.tournament.runs.game_list import shown_record
from arena.tournament.runs.open_games import open_games
from arena.tournament.runs.store import Store
from arena.tournament.runs.transcript import for_seat
from arena.web.reading import serve_answers
from arena.web.run_views import NO_ALIASES, Aliases, aliased

MODULE = "arena.contest.pages.reading"
_CHUNK = 500  # games read at once
_CLOSED = "This game is shown when all games of its seed group are over: the others have the same cards."
_MISSING = "There is no such game of yours."


@dataclass(frozen=True)
class OwnGames:
    """Games of an entrant, the newest first. `more` is the `before` of the next list; None: no more."""

    games: Sequence[Mapping[str, Any]]
    more: int | None


@dataclass(frozen=True)
class OwnText:
    """The text of an entrant's seats in the game `id`, or the reason why it is `refused`."""

    id: str = ""
    text: str = ""
    refused: str = ""


def games(
    path: str, name: str, count: int, before: int | None = None, aliases: Aliases = NO_ALIASES
) -> OwnGames:
    """The last `count` games of the entrant `name` whose numbers are less than `before`; None: any."""
    found: list[tuple[int, Summary]] = []
    with Store(Path(path), secret=False) as store:
        while len(found) < count and (chunk := store.latest(_CHUNK, before)):
            found += [each for each in chunk if _seats(each[1], name)]
            before = chunk[-1][0]
        found = found[:count]
        shown = open_games(store, (game for _, game in found))
        more = found[-1][0] if len(found) == count and found[-1][0] > 1 else None
        rows = [_row(number, game, name, game.id in shown) for number, game in found]
        return OwnGames([row | {"bots": _shown(row["bots"], aliases)} for row in rows], more)


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
    """The shown names of bots: `ada (2)` is the second seat of ada in a scrimmage."""
    seats = [seat_of(bot) for bot in bots]
    names = aliased((name for name, _ in seats), aliases)
    return [
        name if number == 1 else f"{name} ({number})" for name, (_, number) in zip(names, seats, strict=True)
    ]


def _seats(game: Summary, name: str) -> list[int]:
    return [seat for seat, bot in enumerate(game.bots) if is_of(bot, name)]


def own_text(path: str, name: str, id: str, what: str) -> OwnText:
    """The text of the seats of the entrant `name` in a game.

    `what` is "lines", which the seats have read and written, or "stderr", the stderr of their bots.
    """
    with Store(Path(path), secret=False) as store:
        found = store.find_numbered(id)
        if not found or not (seats := _seats(found[1], name)):
            return OwnText(refused=_MISSING)
        game = found[1]
        if game.id not in open_games(store, [game]):
            return OwnText(refused=_CLOSED)
        record = shown_record(store, game.id)
        with store.reading(game.id):
            return OwnText(game.id, "".join(_part(record, seat, what) for seat in seats))


def _part(record: Record, seat: int, what: str) -> str:
    """The text of one seat: a heading, then its lines, or its stderr if `what` is "stderr"."""
    (name,) = _shown(record.fixture.bots[seat : seat + 1], NO_ALIASES)
    heading = f"# {seat_name(seat)} {name}\n"
    if what == "stderr":
        return f"{heading}{stderr(record).get(seat_name(seat), '')}\n"
    return heading + "".join(f"{printable(line)}\n" for line in for_seat(record, seat, trace=True))


@dataclass(frozen=True)
class Expected:
    """The forecast of a final, or None if it is unknown."""

    forecast: dict[str, Any] | None


def expect_final(folder: str, names: Sequence[str]) -> Expected:
    """What to expect of the final of a contest between entries of these names.

    Raises:
        ConfigError: The plan of the final is wrong, or the entries are too few for it.
    """
    contest = open_contest(Path(folder))
    ladder = contest.run(LADDER)
    found = forecast(final.plan_between(contest, names), ladder if ladder.is_file() else None)
    return Expected(found and {**found, "like": LADDER if found["like"] else None})


FUNCTIONS = {each.__name__: each for each in (games, own_text, expect_final)}


if __name__ == "__main__":
    serve_answers(FUNCTIONS)
