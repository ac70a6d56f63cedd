"""The games of a run as CSV, in the columns that `arena.results.csv` reads, and more about each game."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.rating.outcome import Outcome
from arena.records.record import Record, Summary
from arena.referee.protocol import option_words
from arena.report.grid import csv_text
from arena.results.csv import COLUMNS, MORE_COLUMNS
from arena.results.sources import namer, to_outcome, versions


def csv_games(games: Iterable[Summary], records: Iterable[Record], plan: Mapping[str, Any]) -> str:
    """One line for each seat of each game; bots have the same names as in the standings.

    `records` are those of the games, without seeds while these are secret.
    """
    games = list(games)
    name = namer(versions([(plan, games)]))
    pairs = zip(games, records, strict=True)
    lines = (line for game, record in pairs for line in csv_lines(to_outcome(game, name, plan), record))
    return csv_text(lines, (*COLUMNS, *MORE_COLUMNS))


def csv_lines(outcome: Outcome, record: Record) -> Iterator[tuple[Any, ...]]:
    fixture, trace, (_, scores) = record.fixture, record.trace, record.result
    options = option_words(fixture.options.items())
    about_game = (len(record.replies), trace.get("seconds"), fixture.seed, options)
    for seat, (bot, place) in enumerate(zip(outcome.bots, outcome.places, strict=True)):
        status = "forfeit" if seat in outcome.forfeits else "ok"
        yield (
            *(fixture.id, outcome.group, seat + 1, bot, place, status),
            *(scores and scores[seat], sum(fault.seat == seat for fault in record.faults)),
            sum(isinstance(reply, dict) and seat in reply for reply in record.replies),
            sum(trace["microseconds"][seat][1:]) / 1000 if "microseconds" in trace else None,
            *about_game,
        )
