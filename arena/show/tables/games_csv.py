"""The games of a run as CSV, with more columns than `arena.tournament.runs.csv` reads."""

from collections.abc import Iterator
from typing import Any

from arena.rating.outcomes import Outcome
from arena.referee.protocol import option_words
from arena.referee.record import Record
from arena.show.tables.render import csv_text
from arena.show.tables.table import Column, Table
from arena.tournament.runs.csv import COLUMNS, MORE_COLUMNS
from arena.tournament.runs.game_list import shown_record
from arena.tournament.runs.sources import namer, to_outcome, versions
from arena.tournament.runs.store import Store


def csv_games(store: Store) -> str:
    """One line for each seat of each game of a run; bots have the same names as in the standings.

    Seeds are included once they are not secret.

    Raises:
        ConfigError: A record is damaged.
    """
    games, plan = store.summaries(), store.facts.plan or {}
    name = namer(versions([(plan, games)]))
    lines: list[dict[str, Any]] = []
    for game in games:
        with store.reading(game.id):
            lines += _csv_lines(to_outcome(game, name, plan), shown_record(store, game.id))
    columns = [Column("", name) for name in (*COLUMNS, *MORE_COLUMNS)]
    return csv_text([Table("games", columns, lines)])


def _csv_lines(outcome: Outcome, record: Record) -> Iterator[dict[str, Any]]:
    fixture, trace, (_, scores) = record.fixture, record.trace, record.result
    options = option_words(fixture.options.items())
    for seat, (bot, place) in enumerate(zip(outcome.bots, outcome.places, strict=True)):
        yield {
            "game": fixture.id,
            "group": outcome.group,
            "seat": seat + 1,
            "bot": bot,
            "place": place,
            "status": "forfeit" if seat in outcome.forfeits else "ok",
            "score": scores and scores[seat],
            "faults": sum(fault.seat == seat for fault in record.faults),
            "asks": sum(isinstance(reply, dict) and seat in reply for reply in record.replies),
            "thought_ms": sum(trace["microseconds"][seat][1:]) / 1000 if "microseconds" in trace else None,
            "replies": len(record.replies),
            "seconds": trace.get("seconds"),
            "seed": fixture.seed,
            "options": options,
        }
