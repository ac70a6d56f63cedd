"""The games of a run as CSV, in the columns that `arena.results.csv` reads."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.rating.outcome import Outcome
from arena.records.record import Summary
from arena.report.grid import csv_text
from arena.results.csv import COLUMNS
from arena.results.sources import namer, to_outcome, versions


def csv_games(games: Iterable[Summary], plan: Mapping[str, Any]) -> str:
    """One line for each seat of each game; bots have the same names as in the standings."""
    games = list(games)
    name = namer(versions([(plan, games)]))
    lines = (line for game in games for line in csv_lines(game.id, to_outcome(game, name, plan)))
    return csv_text(lines, COLUMNS)


def csv_lines(id: str, outcome: Outcome) -> Iterator[tuple[Any, ...]]:
    for seat, (bot, place) in enumerate(zip(outcome.bots, outcome.places, strict=True)):
        status = "forfeit" if seat in outcome.forfeits else "ok"
        yield (id, outcome.group, seat + 1, bot, place, status)
