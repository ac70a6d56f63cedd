"""Questions of entrants, and the answers of the organiser."""

from dataclasses import dataclass
from datetime import datetime
from time import time

from arena.contest.database import read_rows
from arena.web.database import Database

_LATEST = 100  # questions on a page


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A row of the table `question`, without its entrant; `answered` is None before there is an answer."""

    id: int
    at: datetime
    text: str
    answer: str
    answered: datetime | None
    is_public: bool


@dataclass(frozen=True, kw_only=True)
class Question(Answer):
    """A row of the table `question`, for the organiser."""

    entrant: str


def ask(database: Database, entrant: str, text: str) -> None:
    database.write("INSERT INTO question (entrant, at, text) VALUES (?, ?, ?)", entrant, time(), text)


def answer(database: Database, question: int, text: str, is_public: bool) -> bool:
    """Answer the question with this id, for its entrant or for all; returns whether there is such a question.

    A second answer replaces the first.
    """
    sql = "UPDATE question SET answer = ?, answered = ?, is_public = ? WHERE id = ?"
    return bool(database.write(sql, text, time(), is_public, question))


def unanswered(database: Database, entrant: str) -> int:
    """The number of questions of an entrant without an answer."""
    sql = "SELECT count(*) AS count FROM question WHERE entrant = ? AND answered IS NULL"
    return int(database.rows(sql, entrant)[0]["count"])


def of(database: Database, entrant: str) -> list[Answer]:
    """At most `_LATEST` questions of an entrant, the newest first."""
    sql = "SELECT * FROM question WHERE entrant = ? ORDER BY id DESC LIMIT ?"
    return read_rows(database, Answer, sql, entrant, _LATEST)


def public(database: Database) -> list[Answer]:
    """At most `_LATEST` questions whose answers are for all, the newest first."""
    sql = "SELECT * FROM question WHERE is_public AND answered IS NOT NULL ORDER BY id DESC LIMIT ?"
    return read_rows(database, Answer, sql, _LATEST)


def for_organiser(database: Database) -> list[Question]:
    """At most `_LATEST` questions: first the unanswered ones; the oldest first in each part."""
    sql = "SELECT * FROM question ORDER BY answered IS NOT NULL, id LIMIT ?"
    return read_rows(database, Question, sql, _LATEST)
