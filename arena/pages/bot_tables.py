"""The tables on the page of a bot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.pages.notable import Notable
from arena.pages.page import Link
from arena.pages.profiles import Profile, interval_text, text
from arena.pages.records import Records
from arena.pages.site import Site
from arena.pages.tables import defined, plain_headings
from arena.pages.times import MEANINGS, time_cells
from arena.rating.course import Change
from arena.rating.opponents import Opponent
from arena.rating.standings import Standing
from arena.report.columns import COLUMNS, likelihood, share, whole
from arena.report.page import Heading, Table
from arena.results.behaviour import AnswerTimes
from arena.rules import Game, seat_name

FACTS = (
    "rank", "range", "elo", "error", "games", "groups", "score", "first", "net", "mean_place", "opponents",
    "results", "forfeits", "without",
)  # fmt: skip


def standing_table(row: Standing) -> Table:
    """The row of the bot in the standings."""
    names = [name for name in FACTS if COLUMNS[name].cell(row)]
    return Table("In the standings", [*map(defined, names)], [[COLUMNS[name].cell(row) for name in names]])


def opponent_table(site: Site, rows: Sequence[Opponent]) -> Table:
    """The record against each opponent. Wins, draws and losses have a column if there are games of two."""
    duels = any(row.wins + row.draws + row.losses for row in rows)
    headings = [
        *plain_headings("opponent", "Elo", "meetings", *["W-D-L"] * duels, "score"),
        Heading("expected", meaning="the score that the Elo of the two bots expects"),
        *plain_headings("", "difference")[1:],
        Heading("LOS", meaning="likelihood that the bot is better than this opponent"),
    ]
    return Table(
        "Record against each opponent",
        headings,
        [
            [
                site.bot(row.bot) if row.bot else "all",
                whole(row.elo),
                f"{row.meetings:,}",
                *[f"{row.wins}-{row.draws}-{row.losses}"] * duels,
                share(row.score),
                share(row.expected),
                f"{100 * (row.score - row.expected):+.1f}",
                likelihood(row.los),
            ]
            for row in rows
        ],
    )


def change_table(site: Site, changes: Sequence[Change]) -> Table:
    """The versions of the bot, and what each gained over the one before."""
    return Table(
        "Versions of this bot",
        plain_headings("version", "Elo", "gain", "±95", "LOS"),
        [
            [
                site.bot(each.bot),
                whole(each.elo),
                "" if each.gain is None else f"{each.gain:+.0f}",
                whole(each.error),
                likelihood(each.los),
            ]
            for each in changes
        ],
    )


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


def profile_table(game: Game, own: Profile, others: Mapping[str, Sequence[float]]) -> Table:
    """The figures of the bot, and their range over all other bots."""
    rows = []
    for name, figure in game.figures.items():
        span = others[name]
        spread = f"{text(figure, min(span))} to {text(figure, max(span))}" if span else "-"
        rows.append([name, text(figure, own[name].value), interval_text(figure, own[name]) or "-", spread])
    return Table(
        f"Figures of {game.name}", plain_headings("figure", "value", "95 % interval", "other bots"), rows
    )


def place_table(counts: Mapping[int, Counter[int]]) -> Table:
    """A row for each number of seats: the share of games at each place."""
    places = range(1, max(counts) + 1)
    rows = []
    for size, count in sorted(counts.items()):
        shares = [share(count[place] / count.total()) if place <= size else "" for place in places]
        rows.append([f"{size} seats", f"{count.total():,}", *shares])
    return Table("Places", plain_headings("table", "games", *(f"place {place}" for place in places)), rows)


def time_table(records: Records, bot: str, times: AnswerTimes) -> Table:
    headings = [Heading(word, meaning=meaning) for word, meaning in MEANINGS.items()]
    cells: list[Any] = time_cells(records, bot, times)
    return Table("Times of answers in milliseconds", headings, [cells])
