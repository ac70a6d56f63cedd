"""`arena backup`: a copy of databases in use, of journals and of all other files, and back."""

import shutil
import signal
import sqlite3
from contextlib import closing

import psutil
import pytest
from asgi import server_for
from browsers import Browser
from servers import has_ended, served, wait_for

from arena.web.database import Database
from arena.web.sessions import OPERATOR
from arena.web.tokens import Tokens


@pytest.fixture
def folder(tmp_path):
    """A folder with a run that is being written, the state of a server, and a table in progress."""
    folder = tmp_path / "runs"
    (folder / "server" / "tables").mkdir(parents=True, mode=0o700)
    (folder / "server" / "tables" / "a1.jsonl").write_text('{"seat": 0}\n')
    (folder / "latest.db").symlink_to("spring.db")
    with closing(sqlite3.connect(folder / "spring.db")) as run:
        run.executescript("PRAGMA journal_mode = WAL; PRAGMA user_version = 7; CREATE TABLE game (number)")
        run.execute("INSERT INTO game VALUES (1)")
        run.commit()
        run.execute("INSERT INTO game VALUES (2)")  # in a transaction that goes on
        yield folder


def test_what_is_copied_back_is_what_was_committed(folder, tmp_path, told):
    server = server_for(folder / "server")
    token = server.tokens.issue(OPERATOR, "cookie")
    assert told("backup", "runs", "copy") == "4 files of runs copied to copy\n"
    copies = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "copy").rglob("*.*")}
    assert copies.keys() == {"spring.db", "latest.db", "server.db", "a1.jsonl"}
    assert copies["server.db"] == 0o600
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "copy", folder, symlinks=True)
    with closing(sqlite3.connect(folder / "latest.db")) as run:
        assert run.execute("SELECT number FROM game").fetchall() == [(1,)]
        assert run.execute("PRAGMA user_version").fetchone() == (7,)
    assert Tokens(Database(folder / "server" / "server.db")).holder(token, "cookie") == OPERATOR
    assert (folder / "server" / "tables" / "a1.jsonl").read_text() == '{"seat": 0}\n'


def test_a_backup_is_complete_or_not_there(folder, tmp_path, refused):
    (folder / "damaged.db").write_bytes(b"SQLite format 3\0 and nothing more")
    assert refused("backup", "runs", "copy").startswith("arena: copy: not backed up: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs"]


MISTAKES = [
    ("missing", "copy", "missing: no such folder"),
    ("runs", "runs", "runs: exists already; a backup is a new folder"),
    ("runs", "runs/copy", "runs/copy: is inside runs; a backup should be elsewhere, best on another disk"),
]


@pytest.mark.parametrize("of, to, why", MISTAKES, ids=[row[2] for row in MISTAKES])
def test_mistakes_get_one_line(folder, refused, of, to, why):
    assert refused("backup", of, to) == f"arena: {why}\n"


@pytest.mark.slow
def test_a_game_of_people_goes_on_from_a_backup(tmp_path, told):
    """The server is lost after a backup; a copy of that, in another folder, has the table and its seat."""
    (tmp_path / "runs").mkdir()
    with served(tmp_path, "runs") as server:
        browser = Browser(server)
        status, guest = browser.call("POST", "/guest", {"game": "complots"})
        assert status == 200, guest
        browser.open(guest["seat"])
        ask = browser.next_ask()
        browser.answer(ask["id"], ask["options"][0][0])
        ask, views = browser.next_ask(ask["id"]), [*browser.views]
        assert " files of runs copied to copy" in told("backup", "runs", "copy")
        children = psutil.Process(server.process.pid).children()
        server.stop(signal.SIGKILL)
    wait_for(lambda: all(map(has_ended, children)), "they still listen")
    shutil.copytree(tmp_path / "copy", tmp_path / "restored")
    with served(tmp_path, "restored", "--port", str(server.port)) as server:  # cookies are named by the port
        browser.move_to(server)
        assert browser.next_ask(ask["id"] - 1)["options"] == ask["options"]
        told_before = [news for view in views for news in view["news"]]
        assert [news for view in browser.views for news in view["news"]][: len(told_before)] == told_before
