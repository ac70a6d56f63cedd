"""Every SQLite file of the arena is opened in one way: run files, ledgers, the databases of servers."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

import arena
from arena.config.document import ConfigError
from arena.config.sqlite import copy_file, open_existing
from arena.contest.database import open_database
from arena.tournament.runs.ledger import CallStore
from arena.tournament.runs.store import Store
from arena.web.database import Database

OPENERS = {
    "run": lambda path: Store(path, writer=True),
    "ledger": CallStore,
    "server": Database,
    "contest": open_database,
}
every_opener = pytest.mark.parametrize("opener", OPENERS.values(), ids=OPENERS)


def change(path, sql):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)


def pragma(path, name):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_no_other_module_opens_a_file():
    root = Path(arena.__file__).parent
    opening = [path for path in root.rglob("*.py") if "sqlite3.connect(" in path.read_text(encoding="utf-8")]
    assert opening == [root / "config/sqlite.py"]


@every_opener
def test_a_new_file_is_private_and_survives_a_power_cut(tmp_path, opener):
    path = tmp_path / "new.db"
    opener(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert pragma(path, "journal_mode") == "wal" and pragma(path, "user_version") > 0
    with closing(opener(path)) as opened:
        assert [*opened._file.run("PRAGMA synchronous").fetchone()] == [2]


@every_opener
def test_a_file_of_another_program_gets_no_tables(tmp_path, opener):
    path = tmp_path / "recipes.db"
    change(path, "CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')")
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"recipes.db: not .*; the file was not changed"):
        opener(path)
    assert path.read_bytes() == before


@every_opener
@pytest.mark.parametrize("sql", ["CREATE VIEW v AS SELECT 1", "CREATE TABLE more (x)"])
def test_a_file_has_the_tables_of_its_layout_and_nothing_else(tmp_path, opener, sql):
    path = tmp_path / "own.db"
    opener(path).close()
    change(path, sql)
    with pytest.raises(ConfigError, match=rf"own.db: not .*: it has the {sql.split()[1].lower()} "):
        opener(path)


@every_opener
def test_a_file_of_one_kind_is_none_of_another(tmp_path, opener):
    for name, other in OPENERS.items():
        if other is not opener:
            other(tmp_path / name).close()
            with pytest.raises(ConfigError, match="not "):
                opener(tmp_path / name)


@pytest.mark.parametrize("opener", [CallStore, Database, open_database])
def test_writers_that_create_a_file_at_once_share_it(tmp_path, opener):
    start, problems = threading.Barrier(6), []

    def create():
        start.wait()
        try:
            opener(tmp_path / "new.db").close()
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=create) for _ in range(start.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_ledger_is_distrusted_like_its_run(tmp_path, suffix):
    """It travels with the run file."""
    path = tmp_path / "run.db.calls"
    CallStore(path).close()
    (tmp_path / f"{path.name}{suffix}").symlink_to("victim")
    for writer in (True, False):
        with pytest.raises(ConfigError, match="not a link"):
            CallStore(path, writer=writer)


def test_a_reader_does_not_write(tmp_path):
    path = tmp_path / "run.db.calls"
    CallStore(path).close()
    with CallStore(path, writer=False) as calls, pytest.raises(ConfigError, match="readonly"):
        calls.begin_run()


def test_a_copy_of_a_file_in_use_is_whole_and_private(tmp_path):
    path = tmp_path / "server.db"
    with closing(Database(path)) as database:
        database.write("INSERT INTO token VALUES (x'00', 'link', 'bot', 'ann', 0)")
        with database.transaction():
            database.write("INSERT INTO token VALUES (x'01', 'link', 'bot', 'bob', 0)")
            copy_file(path, tmp_path / "copy.db")
    with closing(Database(tmp_path / "copy.db")) as copied:
        assert [row["subject"] for row in copied.rows("SELECT * FROM token")] == ["ann"]
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


def test_what_is_to_exist_is_not_created(tmp_path):
    for act in (open_existing, lambda path: copy_file(path, tmp_path / "copy.db")):
        with pytest.raises(sqlite3.OperationalError):
            act(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
