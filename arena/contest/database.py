"""The database of a contest, `contest.db`: entrants, their entries, and the organiser's choices.

The web process, the intake and the players of a contest open it. It is the truth about every entry: the
folders follow from it (`arena/contest/intake.py`). Each table has a module with its SQL, which reads rows as
values of a dataclass. The table `setting` is in `settings`, and the table `deleted` in `entrants`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from arena.config.sqlite import FileLayout
from arena.web.database import DamagedDatabase, Database

_Row = TypeVar("_Row")
_ADAPTERS: dict[object, TypeAdapter[object]] = {}  # by the dataclass: to make one is expensive

_SCHEMA = Path(__file__).with_name("files") / "schema.sql"
_LAYOUT = FileLayout(  # "ARCO"
    0x4152434F, 2, _SCHEMA.read_text(encoding="utf-8"), "the database of a contest", is_waited_for=False
)


def open_database(path: Path) -> Database:
    """One connection to `contest.db`, for one thread."""
    return Database(path, _LAYOUT)


def read_rows(database: Database, kind: type[_Row], sql: str, *values: object) -> list[_Row]:
    """The rows of a query, each as a value of the dataclass `kind`, whose fields have the names of columns.

    Raises:
        DamagedDatabase: A value of a row is not of the type of its field.
    """
    return [read_value(database, kind, row) for row in database.rows(sql, *values)]


def read_value(database: Database, kind: type[_Row], values: Mapping[str, object] | str) -> _Row:
    """A value of the dataclass `kind` with the fields `values`, by name, or as JSON.

    Raises:
        DamagedDatabase: A value is missing, or is not of the type of its field.
    """
    try:
        adapter = _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
        if isinstance(values, str):
            return cast(_Row, adapter.validate_json(values))
        return cast(_Row, adapter.validate_python(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, (kind.__name__, *first["loc"])))
        raise DamagedDatabase(f"{database.path}: is damaged: {place}: {first['msg']}") from None
