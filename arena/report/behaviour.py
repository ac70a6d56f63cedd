"""Behaviour of bots as a table for people and as JSON for programs."""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

import tabulate

from arena.report import page
from arena.report.grid import WIDTH, csv_text, grid
from arena.results.behaviour import Behaviour
from arena.rules import Figure, Game

NARROWEST = 6  # characters for the name of a bot, at least
TIMES = {
    "p50": "half of the answers took at most this many milliseconds",
    "p99": "99 % of the answers took at most this many milliseconds; both within 1 %",
    "limit": "p99 as a share of the time per answer",
}


def columns(game: Game) -> tuple[str, ...]:
    return ("bot", "games", *game.figures, *TIMES)


def meanings(game: Game) -> dict[str, str]:
    """The meaning of each column of figures or times."""
    return {name: figure.meaning for name, figure in game.figures.items()} | TIMES


def cells(game: Game, row: Behaviour) -> tuple[str, ...]:
    """One row, in the order of `columns`; `-` if there was no chance to do it."""
    figures = [figure_text(figure, *row.figures[name]) for name, figure in game.figures.items()]
    times = [time_text(row.p50), time_text(row.p99), "-" if row.limit is None else f"{row.limit:.1%}"]
    return (row.bot, str(row.games), *figures, *times)


def plain_cells(game: Game, row: Behaviour) -> tuple[object, ...]:
    """The same for CSV: shares and times in full digits, None if there was no chance to do it."""
    figures = [count / of if of else None for count, of in map(row.figures.__getitem__, game.figures)]
    return (row.bot, row.games, *figures, row.p50, row.p99, row.limit)


def figure_text(figure: Figure, count: int, of: int) -> str:
    if not of:
        return "-"
    return f"{count / of:.2f}" if figure.ratio else f"{count / of:.1%}"


def time_text(milliseconds: float | None) -> str:
    """A time with about two significant digits: 0.07, 1.3, 24, 1812."""
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.{2 if milliseconds < 1 else 1 if milliseconds < 10 else 0}f}"


def text_table(game: Game, rows: Sequence[Behaviour]) -> str:
    """The table in 80 columns, with long names wrapped, and below it the meaning of each column."""
    head, body = columns(game), [cells(game, row) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    room = max(NARROWEST, WIDTH - sum(widths[1:]) - 2 * len(widths[1:]))
    dashes = ["-" * min(widths[0], room), *("-" * width for width in widths[1:])]
    lines = [head, dashes, *(("\n".join(wrap(name, room)), *others) for name, *others in body)]
    align = ("left", *["right"] * (len(head) - 1))
    table = tabulate.tabulate(lines, tablefmt="plain", disable_numparse=True, colalign=align)
    return "\n".join([table, *notes(game)])


def table(game: Game, rows: Sequence[Behaviour], form: str) -> str:
    """The table in any format except JSON, with the meaning of the columns if the format has room."""
    if form == "text":
        return text_table(game, rows)
    if form == "csv":
        return csv_text([plain_cells(game, row) for row in rows], columns(game))
    left = [name == "bot" for name in columns(game)]
    shown = grid([cells(game, row) for row in rows], columns(game), left, form, meanings(game))
    return "\n".join([shown, page.definitions(meanings(game))]) if form == "html" else shown


def notes(game: Game) -> list[str]:
    """The meaning of each column, in lines of at most 80 characters."""
    known = meanings(game)
    margin = max(map(len, known)) + 2
    return [
        line
        for name, meaning in known.items()
        for line in wrap(meaning, WIDTH, initial_indent=name.ljust(margin), subsequent_indent=" " * margin)
    ]


def json_table(game: Game, rows: Iterable[Behaviour]) -> list[dict[str, Any]]:
    """For each bot its games, its times, and for each figure `count`, `of` and their quotient."""
    return [
        {
            "bot": row.bot,
            "games": row.games,
            "figures": {
                name: {"count": count, "of": of, "value": count / of if of else None}
                for name, (count, of) in row.figures.items()
            },
            "p50": row.p50,
            "p99": row.p99,
            "limit": row.limit,
        }
        for row in rows
    ]
