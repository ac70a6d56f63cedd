"""Tables as text for a terminal, in 80 columns."""

from collections.abc import Iterable, Sequence
from textwrap import wrap

import tabulate

from arena.show.tables.grid import WIDTH, folded, width
from arena.show.tables.table import CellLink, Column, Table

tabulate.MIN_PADDING = 0  # This makes a column as wide as its widest cell.
_NARROWEST = 6  # the least characters for the name of a bot
_MAX_NAME_WIDTH = 40  # characters for the name of a bot beside blocks of columns


def text(tables: Sequence[Table]) -> str:
    parts = []
    for table in tables:
        lines = [f"{table.caption}:\n"] if table.part else []
        if table.above:
            lines += [*table.above, ""]
        lines.append(text_grid(table))
        lines += [line for note in table.notes for line in folded(note, margin=3)]
        if table.legend:
            lines += _legend([column for column, _ in _kept(table)])
        if table.picture:
            lines += ["", table.picture()]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def text_grid(table: Table) -> str:
    """The headings and rows of a table as text; its `empty` text if it has no rows."""
    if not table.cells and table.empty:
        return table.empty
    columns = _kept(table)
    if not table.fits:
        return _tabulated(columns, table)
    if not table.stub:
        return _tabulated(columns, table, _used(columns) - WIDTH)
    stub, others = columns[: table.stub], columns[table.stub :]
    name = min(_MAX_NAME_WIDTH, _widest(stub[-1][1]))
    room = WIDTH - name - _used(stub[:-1]) - 2 * (len(stub) > 1)
    span = max(1, room // (2 + max((_widest(cells) for _, cells in others), default=0)))
    blocks = [[*stub, *others[at : at + span]] for at in range(0, len(others) or 1, span)]
    return "\n\n".join(_tabulated(block, table, _widest(stub[-1][1]) - name) for block in blocks)


_Cells = tuple[Column, list[str]]
"""A column, and its heading and cells."""


def _kept(table: Table) -> list[_Cells]:
    """The columns to show. Columns in `drops` are left out, in this order, until the others fit the width."""
    rows = table.cells
    columns = [
        (column, [column.heading, *(plain_text(row[at]) for row in rows)])
        for at, column in enumerate(table.columns)
    ]
    for dropped in table.drops if table.fits else ():
        if _used(columns) > WIDTH:
            columns = [each for each in columns if each[0].names != dropped]
    return columns


def _used(columns: Sequence[_Cells]) -> int:
    return sum(_widest(cells) + 2 for _, cells in columns) - 2 * bool(columns)


def _widest(cells: Sequence[str]) -> int:
    return max(map(width, cells), default=0)


def _tabulated(columns: Sequence[_Cells], table: Table, over: int = 0) -> str:
    """These columns as text. If they are `over` characters too wide, the widest one of words is wrapped."""
    folds: list[int | None] = [None] * len(columns)
    if over > 0:
        sides = [_widest(cells) if _is_left(column) else 0 for column, cells in columns]
        longest = max(sides)
        folds[sides.index(longest)] = max(_NARROWEST, longest - over)
    heads, *rows = map(list, zip(*(cells for _, cells in columns), strict=True))
    spaced: list[list[str]] = []
    for number, row in enumerate(rows):
        spaced += [[""] * len(row)] * (number in table.gaps) + [row]
    return str(
        tabulate.tabulate(
            spaced,
            heads,
            "simple",
            disable_numparse=True,
            colalign=aligned(column for column, _ in columns) if spaced else None,
            maxcolwidths=folds if over > 0 else None,
        )
    )


def _is_left(column: Column) -> bool:
    return column.is_left or column.is_bot


def aligned(columns: Iterable[Column]) -> list[str]:
    return ["left" if _is_left(column) else "right" for column in columns]


def plain_text(cell: str | CellLink) -> str:
    return cell.title if isinstance(cell, CellLink) else cell


def _legend(columns: Sequence[Column]) -> list[str]:
    """The meaning of each column, in lines of at most 80 characters."""
    known = {column.heading: column.definition for column in columns if column.meaning}
    margin = max(map(len, known), default=0) + 2
    return [
        line
        for name, meaning in known.items()
        for line in wrap(meaning, WIDTH, initial_indent=name.ljust(margin), subsequent_indent=" " * margin)
    ]
