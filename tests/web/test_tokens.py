"""Tokens and where they are kept."""

import sqlite3

import pytest

from arena.config.document import ConfigError
from arena.web.database import Database
from arena.web.sessions import OPERATOR, seat
from arena.web.tokens import Holder, Tokens

DAY = 86400


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / "server.db")
    yield database
    database.close()


def test_only_the_hash_of_a_token_is_stored(database, tmp_path):
    token = Tokens(database).issue(OPERATOR, "link")
    assert len(token) == 22, "128 bits"
    database.close()
    assert token.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert (tmp_path / "server.db").stat().st_mode & 0o777 == 0o600


def test_a_token_is_for_one_holder_and_of_one_kind(database):
    tokens = Tokens(database)
    link = tokens.issue(seat("t1", 2), "link")
    assert tokens.holder(link, "link") == Holder("seat", "t1/2")
    assert tokens.holder(link, "cookie") is None
    assert (
        tokens.holder(link[:-1], "link")
        is tokens.holder("", "link")
        is tokens.holder("\ud800", "link")
        is None
    )


def test_the_link_of_a_seat_is_exchanged_once_and_that_of_the_operator_again(database):
    tokens = Tokens(database)
    link = tokens.issue(seat("t1", 0), "link")
    assert tokens.exchange(link, "operator") is None, "a seat does not become the operator"
    holder, cookie = tokens.exchange(link, "seat")
    assert tokens.holder(cookie, "cookie") == holder == seat("t1", 0)
    assert tokens.exchange(link, "seat") is None
    link = tokens.issue(OPERATOR, "link")
    assert tokens.exchange(link, "operator")[1] != tokens.exchange(link, "operator")[1]


def test_a_token_ends_when_it_is_revoked_or_old(database):
    now = 0.0
    tokens = Tokens(database, lambda: now)
    bearer, link = (
        tokens.issue(Holder("bot", "alice"), "bearer"),
        tokens.issue(Holder("bot", "bob"), "bearer"),
    )
    assert tokens.revoke(Holder("bot", "alice")) == 1
    assert tokens.holder(bearer, "bearer") is None and tokens.holder(link, "bearer")
    now = 367 * DAY
    assert tokens.holder(link, "bearer") is None and tokens.holders() == {}


def test_two_processes_share_the_database(database):
    link = Tokens(database).issue(seat("t1", 0), "link")
    other = Database(database.path)
    assert Tokens(other).exchange(link, "seat") and not Tokens(database).exchange(link, "seat")
    other.close()


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + bytes(200)])
def test_a_file_that_is_not_of_a_server_is_left_alone(tmp_path, content):
    path = tmp_path / "server.db"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"server.db: not the database of a server"):
        Database(path)
    assert path.read_bytes() == content


def test_the_database_of_a_newer_arena_is_left_alone(tmp_path):
    Database(tmp_path / "server.db").close()
    with sqlite3.connect(tmp_path / "server.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ConfigError, match="layout 99"):
        Database(tmp_path / "server.db")
