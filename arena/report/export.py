"""The games of a run for other programs: the columns of `arena.results`, which reads them again."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.rating.outcome import Outcome
from arena.records.record import Summary
from arena.report.grid import csv_text
from arena.results.csv import COLUMNS
from arena.results.sources import namer, to_outcome, versions


def csv_games(games: Iterable[Summary], plan: Mapping[str, Any]) -> str:
    """A row for each seat of each game; bots are called what the table calls them."""
    games = list(games)
    name = namer(versions([(plan, games)]))
    rows = (row for game in games for row in csv_rows(game.id, to_outcome(game, name, plan)))
    return csv_text(rows, COLUMNS)


def csv_rows(id: str, outcome: Outcome) -> Iterator[tuple[Any, ...]]:
    for seat, (bot, place) in enumerate(zip(outcome.bots, outcome.places, strict=True)):
        status = "forfeit" if seat in outcome.forfeits else "ok"
        yield (id, outcome.group, seat + 1, bot, place, status)
