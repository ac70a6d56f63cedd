"""The model of a table: columns and rows. Views make tables; `render` writes them in each format."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32


class CellLink(NamedTuple):
    """A cell that is a link: `path` is a page of the site, or a place on a page, `title` the text."""

    path: str
    title: str


def words(value: object) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """A column: its heading and the text of its cells for people, the names of its values for programs.

    `names` are keys or attributes of a row, separated by spaces, and the keys in CSV and JSON. `text` makes a
    cell of their values and of those in `uses`, which are not this column's own. Numbers have at most so many
    `digits` after the point in CSV and JSON. The first sentence of `meaning` is the definition; the others
    are only for `arena explain`. `is_bot`: the cells are names of bots.
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
    """A value for JSON or CSV: a float is rounded to so many digits after the point, NaN becomes None."""
    if isinstance(value, float):
        return None if value != value else round(value, digits) + 0.0  # never -0.0
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Table:
    """Columns and rows, and what stands around them. `name` is the key of the rows in JSON.

    `caption` says what the table shows. If there may be several tables, each has a `part`: keys and values
    that tell it apart in CSV and JSON; the caption then stands above. `above` are lines of text as they are,
    `notes` stand below, `empty` in place of no rows; `about` is more for JSON. CSV and JSON have the table
    `exact` instead, if there is one.

    In text, unless `fits` is false, the table is made to fit 80 characters: `drops` (names of columns) are
    left out in this order; after that names are wrapped, or, if the first `stub` columns are names, the
    others come in blocks. An empty line stands before the rows numbered in `gaps`, from 0. `legend`: the
    meanings of the columns stand below. `picture` makes text that stands last.
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
        """The rows for programs, one at a time, as there may be millions."""
        for row in self.rows:
            yield {name: value for column in self.columns for name, value in column.data(row)}


def plain(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}".rstrip("0").rstrip(".")


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def whole(number: float | None) -> str:
    return "" if number is None else str(round(number))  # never -0


def share(number: float | None) -> str:
    return "" if number is None or number != number else f"{number:.1%}"


def likelihood(number: float | None) -> str:
    return "" if number is None or number != number else f"{max(number, 0.0):.0%}"  # never -0%


def with_error(difference: float | None, error: float | None = None) -> str:
    """A difference of Elo: +35±20, or +35 if its error is unknown; "" if it is unknown itself."""
    if difference is None or difference != difference:
        return ""
    return f"{round(difference):+}" + ("" if error is None or error != error else f"±{whole(error)}")


def margin(error: float | None, bound: float | None, elo: float) -> str:
    """Half an interval, `-` if it is unknown; for a perfect score its one end (`bound`), as >1800 or <900."""
    if bound is not None:
        return f"{'>' if bound <= elo else '<'}{whole(bound)}"
    return "-" if error is None else whole(error)
