"""The model of a table: columns and rows. Views make tables; `render` writes them in each format."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32


class CellLink(NamedTuple):
    """A cell with a link: `path` is a page of the site, or a place on a page, `title` is the text."""

    path: str
    title: str


def words(value: object) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """A column: its heading and the text of its cells for people, the names of its values for programs.

    Attributes:
        heading: The heading.
        names: Keys or attributes of a row, separated by spaces; also the keys in CSV and JSON.
        text: Makes a cell of the values of `names` and `uses`.
        meaning: The definition in the first sentence; the others are only for `arena explain`.
        uses: Names of further values, which belong to other columns.
        is_left: Whether the cells are aligned left.
        is_bot: Whether the cells are names of bots.
        digits: The most digits after the point in CSV and JSON.
    """

    heading: str
    names: str = ""
    text: Callable[..., str | CellLink] = words
    meaning: str = ""
    uses: str = ""
    is_left: bool = False
    is_bot: bool = False
    digits: int = 6

    def cell(self, row: Any) -> str | CellLink:
        return self.text(*(value(row, name) for name in f"{self.names} {self.uses}".split()))

    def data(self, row: Any) -> Iterator[tuple[str, Any]]:
        for name in self.names.split():
            yield name, for_programs(value(row, name), self.digits)

    @property
    def definition(self) -> str:
        return self.meaning.partition(". ")[0]

    @property
    def anchor(self) -> str:
        # Several columns may have one name, so the meaning is part of the id of the definition.
        return f"is-{crc32(f'{self.names}: {self.meaning}'.encode()):08x}"


def value(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def for_programs(value: Any, digits: int) -> Any:
    """A value for JSON or CSV: a float is rounded to `digits` after the point, NaN becomes None."""
    if isinstance(value, float):
        return None if value != value else round(value, digits) + 0.0  # Adding 0.0 turns -0.0 into 0.0.
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Table:
    """Columns and rows, with a caption and notes.

    Attributes:
        name: The key of the rows in JSON.
        columns: The columns.
        rows: The rows: mappings, or objects with attributes.
        caption: The subject of the table. It is shown above the table if that has a `part`.
        part: If there may be several tables, keys and values that identify this one in CSV and JSON.
        above: Lines of text above the table.
        notes: Sentences below the table.
        about: More keys for JSON.
        exact: The table for CSV and JSON; None for this one.
        empty: The text in place of a table without rows.
        drops: The names of columns that are left out of text, in this order, until the table fits 80
            characters.
        stub: The number of first columns that are repeated if a table is too wide and its other columns are
            printed in blocks. If it is 0, names are wrapped instead.
        fits: Whether text is made to fit 80 characters.
        gaps: The numbers of rows, from 0, with an empty line before them.
        legend: Whether the meanings of the columns are below the table.
        picture: Makes text for the end.
    """

    name: str
    columns: Sequence[Column]
    rows: Iterable[Any]
    caption: str = ""
    part: Mapping[str, Any] = field(default_factory=dict)
    above: Sequence[str] = ()
    notes: Sequence[str] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    exact: "Table | None" = None
    empty: str = ""
    drops: Sequence[str] = ()
    stub: int = 0
    fits: bool = True
    gaps: Collection[int] = ()
    legend: bool = False
    picture: Callable[[], str] | None = None

    @property
    def cells(self) -> list[list[str | CellLink]]:
        return [[column.cell(row) for column in self.columns] for row in self.rows]

    @property
    def for_programs(self) -> "Table":
        return self.exact or self

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for column in self.columns for name in column.names.split()))

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows for programs, one at a time, because there may be millions."""
        for row in self.rows:
            yield {name: value for column in self.columns for name, value in column.data(row)}


def plain(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}".rstrip("0").rstrip(".")


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def whole(number: float | None) -> str:
    return "" if number is None else str(round(number))  # An int is never -0.


def share(number: float | None) -> str:
    return "" if number is None or number != number else f"{number:.1%}"


def likelihood(number: float | None) -> str:
    return "" if number is None or number != number else f"{max(number, 0.0):.0%}"  # `max` avoids -0%.


def with_error(difference: float | None, error: float | None = None) -> str:
    """A difference of Elo: +35±20, or +35 if its error is unknown; "" if the difference is unknown."""
    if difference is None or difference != difference:
        return ""
    return f"{round(difference):+}" + ("" if error is None or error != error else f"±{whole(error)}")


def margin(error: float | None, bound: float | None, elo: float) -> str:
    """Half an interval, `-` if it is unknown; for a perfect score its one end (`bound`): >1800 or <900."""
    if bound is not None:
        return f"{'>' if bound <= elo else '<'}{whole(bound)}"
    return "-" if error is None else whole(error)
