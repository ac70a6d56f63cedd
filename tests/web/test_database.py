"""The database of the server says when it has another layout."""

import re
import sqlite3
from contextlib import closing
from hashlib import sha256

import pytest
from asgi import get, server_for

from arena.config.document import ConfigError
from arena.web import database
from arena.web.app import create_app
from arena.web.database import DamagedDatabase, Database
from arena.web.sessions import OPERATOR
from arena.web.tokens import Holder, Tokens

LAYOUTS = {1: "1baaa40c849615ee"}  # none was released yet, so this one may still change


def test_another_schema_has_another_number():
    text = " ".join(re.sub("--.*", "", database._SCHEMA).split())
    digest = sha256(text.encode()).hexdigest()[:16]
    assert LAYOUTS[database._NUMBER] == digest, "a released layout never changes: give the new one a number"


def test_a_file_of_another_layout_is_not_opened(tmp_path):
    path = tmp_path / "server.db"
    Database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(ConfigError, match=r"written by a newer arena \(layout 9, not 1\): update this one"):
        Database(path)


def test_a_damaged_file_is_named_in_one_line_whatever_is_done_with_it(tmp_path):
    path = tmp_path / "server.db"
    tokens = Tokens(found := Database(path))
    for number in range(200):
        tokens.issue(Holder("bot", str(number)), "bearer")
    found.check()
    found.close()
    with path.open("r+b") as file:
        file.seek(4096)  # the first page has the schema
        file.write(b"\xff" * (path.stat().st_size - 4096))
    tokens = Tokens(found := Database(path))
    for act in (found.check, tokens.holders, lambda: tokens.issue(Holder("bot"), "bearer")):
        with pytest.raises(DamagedDatabase) as caught:
            act()
        assert str(caught.value).startswith(f"{path}: is damaged: ") and "\n" not in str(caught.value)


def test_a_page_says_that_the_database_is_damaged(tmp_path, capsys):
    server = server_for(tmp_path)
    app = create_app(server)
    cookie = f"operator-8080={server.tokens.issue(OPERATOR, 'cookie')}"
    path = tmp_path / "server.db"
    server.database._file.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    server.__dict__.pop("tokens"), server.__dict__.pop("database").close()
    answer = get(app, "/operator", cookie=cookie)
    assert answer.status == 503 and answer.json()["error"].endswith("its database is damaged.")
    assert "is damaged" in capsys.readouterr().err
