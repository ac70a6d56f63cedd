"""The table of a game drawn from `state` lines, for a person who plays or watches it in a terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from arena.config.text import printable
from arena.rules import Prose, seat_name

_NAME_WIDTH = 14  # of a seat in the table


def draw_table(
    states: Sequence[str], titles: Sequence[str], prose: Prose, marked: int | None = None
) -> Iterator[Text | Table]:
    """The `states` (texts of `state` lines) about no seat, then a table of the seats.

    `titles` are the titles of the seats in order. The seat `marked` is coloured, or none if it is None.
    """
    rows = [(words[0], _pairs(words[1:])) for words in (state.split(" ") for state in states)]
    names = [seat_name(seat) for seat in range(len(titles))]
    seats = [(name, cells) for name, cells in rows if name in names]
    for _, cells in filter(lambda row: row not in seats, rows):
        yield Text(printable("  ".join(f"{key} {value}".strip() for key, value in cells.items())), "dim")
    found = dict.fromkeys(key for _, cells in seats for key in cells)
    keys = [*filter(found.__contains__, prose.columns)]
    keys += [key for key in found if key not in keys]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0, collapse_padding=True)
    table.add_column("", no_wrap=True, max_width=_NAME_WIDTH)
    for key in keys:
        table.add_column(Text(printable(key)))
    for name, cells in seats:
        seat = names.index(name)
        values = [prose.cell(key, cells[key]) if key in cells else "" for key in keys]
        row = [Text(printable(value)) for value in (f"{name} {titles[seat]}", *values)]
        table.add_row(*row, style="cyan" if seat == marked else "")
    yield table


def _pairs(words: Sequence[str]) -> dict[str, str]:
    return {key: value for key, _, value in (word.partition("=") for word in words)}
