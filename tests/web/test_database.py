"""The database of the server says when it has another layout."""

import re
import sqlite3
from contextlib import closing
from hashlib import sha256

import pytest

from arena.config.document import ConfigError
from arena.web import database
from arena.web.database import Database

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
    with pytest.raises(ConfigError, match="is layout 9; should be layout 1"):
        Database(path)
