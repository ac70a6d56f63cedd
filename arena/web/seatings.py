"""The tables of people in the database of the server: their games, players and ends."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.programs.bot import HOUSE
from arena.web.database import Database

State = Literal["new", "playing", "over", "closed"]
PERSON = "person"


@dataclass(frozen=True)
class Seating:
    """One table. If its state is `over`, its game is in people.db; `closed`: it was not played to its end."""

    id: str
    state: State
    is_guest: bool
    game: str
    options: dict[str, Any]
    seats: Sequence[str]  # `person`, or a house bot
    names: Sequence[str]
    move: float | None  # seconds for an answer; None: people have no clock
    bank: float | None
    over: dict[str, Any] | None = None
    successor: str | None = None

    @property
    def shown_names(self) -> list[str]:
        """The names by seat on pages: `house:NAME` is NAME, even if two seats have the same."""
        pairs = zip(self.seats, self.names, strict=True)
        return [name if seat == PERSON else seat.removeprefix(HOUSE) for seat, name in pairs]

    @property
    def people(self) -> list[int]:
        """The numbers of the seats of people."""
        return [number for number, seat in enumerate(self.seats) if seat == PERSON]


@dataclass(frozen=True)
class SeatView:
    """One view on the page of a seat; the link of the seat makes it (`Views.add`)."""

    n: int  # its number, from 0
    news: Sequence[Sequence[str]] = ()  # kind, text and sentence of each
    state: Sequence[str] | None = None
    ask: Mapping[str, Any] | None = None  # only in the latest view: earlier asks are over
    refused: Mapping[str, str] | None = None
    over: Mapping[str, Any] | None = None
    turn: Sequence[int] = ()

    @property
    def ask_id(self) -> int:
        """The id of its ask; 0 if it has none."""
        return int(self.ask["id"]) if self.ask else 0


def _from_row(row: Mapping[str, Any]) -> Seating:
    return Seating(
        id=row["id"],
        state=row["state"],
        is_guest=bool(row["is_guest"]),
        game=row["game"],
        options=json.loads(row["options"]),
        seats=json.loads(row["seats"]),
        names=json.loads(row["names"]),
        move=row["move"],
        bank=row["bank"],
        over=json.loads(row["over"]) if row["over"] else None,
        successor=row["successor"],
    )


def find_seating(database: Database, table: str) -> Seating | None:
    rows = database.rows("SELECT * FROM seating WHERE id = ?", table)
    return _from_row(rows[0]) if rows else None


def add_seating(database: Database, seating: Seating) -> None:
    """Add a new table. Its game begins when all its people have opened their seats; for a guest, at once."""
    texts = [json.dumps(each) for each in (seating.options, seating.seats, seating.names)]
    first = (seating.id, seating.state, seating.is_guest, seating.game)
    with database.transaction():
        database.write(
            "INSERT INTO seating VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            *(*first, *texts, seating.move, seating.bank),
        )
        for number in seating.people:
            # A guest has just asked for the table.
            values = (seating.id, number, seating.is_guest)
            database.write("INSERT INTO chair (seating, seat, is_taken) VALUES (?, ?, ?)", *values)


def take_chair(database: Database, table: str, number: int) -> bool:
    """Note that the person of a seat is there; returns False if it is not the seat of a person."""
    return database.write("UPDATE chair SET is_taken = 1 WHERE seating = ? AND seat = ?", table, number) > 0


def due_seatings(database: Database) -> list[Seating]:
    """The tables whose games are not over and whose people are all there: their games are due."""
    rows = database.rows(
        "SELECT * FROM seating WHERE state IN ('new', 'playing')"
        " AND NOT EXISTS (SELECT 1 FROM chair WHERE seating = seating.id AND NOT is_taken)"
    )
    return [*map(_from_row, rows)]


def open_seatings(database: Database) -> list[Seating]:
    """The tables of the operator whose games are not over."""
    sql = "SELECT * FROM seating WHERE state IN ('new', 'playing') AND NOT is_guest ORDER BY game, id"
    return [*map(_from_row, database.rows(sql))]


def is_closed(database: Database, table: str) -> bool:
    return bool(database.rows("SELECT 1 FROM seating WHERE id = ? AND state = 'closed'", table))


def guests_now(database: Database) -> list[str]:
    """The ids of the tables of guests whose games are not over."""
    rows = database.rows("SELECT id FROM seating WHERE is_guest AND state IN ('new', 'playing')")
    return [row["id"] for row in rows]


def begin_seating(database: Database, table: str) -> None:
    database.write("UPDATE seating SET state = 'playing' WHERE id = ? AND state = 'new'", table)


def end_seating(
    database: Database, table: str, over: Mapping[str, Any], last: Mapping[int, Mapping[str, Any]]
) -> None:
    """Note the end of a table's game, and the last view of each person, by seat.

    If `over` has the key `closed`, which says why, the table is `closed`; if not, its game is `over`.
    """
    state = "closed" if "closed" in over else "over"
    with database.transaction():
        database.write("UPDATE seating SET state = ?, over = ? WHERE id = ?", state, json.dumps(over), table)
        for number, view in last.items():
            values = (json.dumps(view), table, number)
            database.write("UPDATE chair SET last = ? WHERE seating = ? AND seat = ?", *values)


def last_view(database: Database, table: str, number: int) -> SeatView | None:
    """The view that the person of a seat gets at the end; None: the game is not over, or no such seat."""
    sql = "SELECT over, last FROM chair JOIN seating ON id = seating WHERE id = ? AND seat = ?"
    for row in database.rows(sql, table, number):
        if row["last"]:
            return SeatView(**json.loads(row["last"]))
        if row["over"]:  # it was closed by another process
            return SeatView(0, over=json.loads(row["over"]))
    return None


def note_rematch(database: Database, table: str, number: int) -> bool:
    """Note that the person of a seat wants a rematch; returns whether all people of the table do."""
    database.write("UPDATE chair SET again = 1 WHERE seating = ? AND seat = ?", table, number)
    return not database.rows("SELECT 1 FROM chair WHERE seating = ? AND NOT again", table)


def follow_seating(database: Database, table: str, successor: Seating) -> None:
    """Add the table of a rematch. It is closed at once if the old table has another successor already."""
    # Several people of a table may ask at once, each in a request of its own. Only one of them can do the
    # update. A reference needs its table, so the table is added first.
    add_seating(database, successor)
    if not database.write(
        "UPDATE seating SET successor = ? WHERE id = ? AND successor IS NULL", successor.id, table
    ):
        end_seating(database, successor.id, {"closed": "There is another rematch."}, {})
