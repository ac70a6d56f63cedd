"""The tables that are only on the page of a bot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.rating.standings import Standing
from arena.rules import Game, seat_name
from arena.show.pages.notable import Notable
from arena.show.pages.profiles import Profile
from arena.show.pages.records import Records
from arena.show.tables.behaviour import figure_text
from arena.show.tables.standings import COLUMNS
from arena.show.tables.table import Column, Link, Table, share

_FACTS = (
    "rank", "range", "elo", "error", "games", "groups", "score", "first", "net", "mean_place", "opponents",
    "results", "forfeits", "without",
)  # fmt: skip


def standing_table(row: Standing) -> Table:
    """The row of the bot in the standings."""
    columns = [COLUMNS[name] for name in _FACTS if COLUMNS[name].cell(row.shown)]
    return Table("standing", columns, [row.shown], "In the standings")


class NotableRow(NamedTuple):
    """A game of a bot, with the bots of its table by place."""

    game: str | Link
    seat: str
    score: str
    expected: str
    finish: Sequence[tuple[int, str]]


def notable_row(records: Records, notable: Notable) -> NotableRow:
    played = records.games[notable.at]
    return NotableRow(
        records.cell(notable.at),
        seat_name(notable.seat),
        share(notable.score),
        share(notable.expected),
        sorted(zip(played.game.places, played.names, strict=True), key=lambda seat: seat[0]),
    )


_PROFILE = (
    Column("figure", "figure", is_left=True),
    Column("value", "value"),
    Column("95 % interval", "interval"),
    Column("other bots", "others"),
)


def profile_table(game: Game, own: Profile, others: Mapping[str, Sequence[float]]) -> Table:
    """The figures of the bot, and their range over all other bots."""
    rows = []
    for name, figure in game.figures.items():
        text, (value, interval), span = figure_text(figure), own[name], others[name]
        low_to_high = " to ".join(map(text, interval)) if interval else "-"
        spread = f"{text(min(span))} to {text(max(span))}" if span else "-"
        rows.append({"figure": name, "value": text(value), "interval": low_to_high, "others": spread})
    return Table("profile", _PROFILE, rows, f"Figures of {game.name}")


def place_table(counts: Mapping[int, Counter[int]]) -> Table:
    """A row for each number of seats: the share of games at each place."""
    places = range(1, max(counts) + 1)
    columns = [
        Column("table", "table", "{} seats".format, is_left=True),
        Column("games", "games", "{:,}".format),
    ]
    columns += [Column(f"place {place}", str(place), share) for place in places]
    rows = [
        {"table": size, "games": count.total()}
        | {str(place): count[place] / count.total() if place <= size else None for place in places}
        for size, count in sorted(counts.items())
    ]
    return Table("places", columns, rows, "Places")
