"""Run files from strangers: no command that reads one hangs, runs its SQL or shows its control characters."""

import json
import os
import sqlite3
import struct
import zlib
from dataclasses import replace

import pytest
from click.testing import CliRunner
from stored_games import fixture, record
from stored_runs import stored_run

from arena.cli import main
from arena.config import sqlite
from arena.config.document import ConfigError
from arena.referee.deals import commitment_text
from arena.tournament.runs import stored_game
from arena.tournament.runs.sources import load
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import deflate, pack

COMMANDS = (
    *("table run.db", "table run.db --format csv", "table behaviour run.db", "export run.db"),
    *("export run.db --format csv", "export run.db --entries", "list run.db", "replay run.db 1"),
    *("list run.db ann", "verify run.db", "reveal run.db --yes"),
    "exclude run.db ann --why because",
)
ESCAPE = "\x1b[31mred"


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return stored_run(tmp_path / "run.db", games=3)


def change(path, *statements: str) -> None:
    base = sqlite3.connect(path)
    for statement in statements:
        base.executescript(statement)
    base.close()


def refusals(commands=COMMANDS) -> list[str]:
    """The one line of each of these commands, each of which must refuse the file."""
    lines = []
    for command in commands:
        done = CliRunner().invoke(main, command.split())
        assert done.exit_code == 2, (command, done.output, done.exception)
        (line,) = done.stderr.splitlines()
        assert line.startswith("arena: ") and line.isprintable()
        lines.append(line)
    return lines


# --- The schema


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "DROP TABLE game; "
            "CREATE VIEW game AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
            "SELECT i AS number, hex(i) AS id, '0 1' AS bots, '1 2' AS places, '' AS forfeits, 0 AS faults, "
            "'1' AS seed_group, 0 AS rotation FROM n",
            "it has the view 'game'",
        ),
        ("CREATE TRIGGER t AFTER INSERT ON about BEGIN DELETE FROM game; END", "it has the trigger 't'"),
        ("CREATE INDEX i ON game (hex(zeroblob(faults)))", "it has the index 'i'"),
        ("CREATE VIRTUAL TABLE v USING fts5(x)", "it has the table 'v'"),
        ("ALTER TABLE game ADD COLUMN more AS (hex(zeroblob(1000000)))", "it has the table 'game'"),
        ("DROP TABLE bot; CREATE TABLE bot (number, name CHECK (1), fingerprint)", "it has the table 'bot'"),
        ("DROP TABLE dictionary", "it lacks a table of layout 4: CREATE TABLE dictionary"),
    ],
    ids=["view", "trigger", "index", "virtual", "generated", "check", "missing"],
)
def test_a_run_has_the_tables_of_its_layout_and_nothing_else(path, sql, words):
    change(path, sql)
    before = path.read_bytes()
    assert all(f"run.db: not a run file: {words}" in line for line in refusals())
    assert path.read_bytes() == before


def test_comments_and_spaces_of_the_schema_may_differ(path):
    change(path, "DROP TABLE void; CREATE TABLE void(game TEXT NOT NULL)")
    assert refusals(["table run.db"])
    change(
        path,
        "DROP TABLE void; CREATE TABLE void ( game TEXT NOT NULL, seed_group TEXT NOT NULL, -- a comment\n"
        "lineup TEXT NOT NULL, attempt INTEGER NOT NULL, words NOT NULL )",
    )
    assert CliRunner().invoke(main, ["table", "run.db"]).exit_code == 0


# --- Sizes without bounds


def test_a_small_record_that_grows_to_a_gigabyte_is_damaged(path, monkeypatch):
    monkeypatch.setattr(stored_game, "MAX_RECORD_BYTES", 2**20)
    packed = zlib.compress(bytes(2**21))
    with sqlite3.connect(path) as base:
        base.execute("UPDATE record SET packed = ?", (packed,))
    base.close()
    for line in refusals(("export run.db", "replay run.db 1", "table behaviour run.db")):
        assert "longer than 1048576 bytes" in line
    done = CliRunner().invoke(main, ["verify", "run.db"])
    assert done.exit_code == 1 and done.stdout.count("longer than 1048576 bytes") == 3


def interior(child: int, size: int, cells: int = 500) -> bytes:
    """A page of a table that points to one page `cells` times (https://sqlite.org/fileformat2.html)."""
    start = size - 5 * cells
    places = b"".join(struct.pack(">H", start + 5 * cell) for cell in range(cells))
    page = struct.pack(">BHHHBI", 5, 0, cells, start, 0, child) + places
    return page.ljust(start, b"\0") + cells * struct.pack(">IB", child, 127)


def test_pages_that_are_linked_in_circles_end(path, monkeypatch):
    """Six levels of 500 links to the same page: the three games of the file would come 10^16 times."""
    monkeypatch.setattr(sqlite, "BLOCK", 1000)
    base = sqlite3.connect(path)
    ((root,),) = base.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'game'")
    ((size,),) = base.execute("PRAGMA page_size")
    ((count,),) = base.execute("PRAGMA page_count")
    base.close()
    data = bytearray(path.read_bytes())
    leaf = data[(root - 1) * size : root * size]
    data += leaf + b"".join(interior(count + level, size) for level in range(1, 7))
    data[(root - 1) * size : root * size] = interior(count + 7, size)
    data[28:32] = struct.pack(">I", count + 7)
    path.write_bytes(data)
    assert all(
        "damaged" in line for line in refusals(each for each in COMMANDS[:-2] if each != "replay run.db 1")
    )


def test_a_column_is_shorter_than_64_kilobytes(path):
    change(path, "UPDATE game SET seed_group = hex(zeroblob(40000)) WHERE number = 2")
    assert all("damaged" in line for line in refusals(COMMANDS[:4]))


# --- Texts


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE bot SET name = ? WHERE number = 1",
        "UPDATE bot SET fingerprint = ? WHERE number = 1",
        "UPDATE game SET id = ? WHERE number = 2",
        "UPDATE game SET seed_group = ? WHERE number = 2",
        "UPDATE game SET forfeits = '0:' || ? WHERE number = 2",
        "UPDATE game SET faults = ? WHERE number = 2",
        "UPDATE game SET rotation = ? WHERE number = 2",
        "UPDATE game SET places = ? WHERE number = 2",
    ],
)
def test_no_text_of_a_table_reaches_the_terminal_unchecked(path, sql):
    with sqlite3.connect(path) as base:
        base.execute(sql, (ESCAPE,))
    base.close()
    refusals(("list run.db", "list run.db --only faults", "export run.db --format csv"))
    for command in COMMANDS:
        assert "\x1b" not in CliRunner().invoke(main, command.split()).output


@pytest.mark.parametrize("text", [ESCAPE, "\u202eevil", "\ud800"])
def test_a_record_has_no_control_characters(path, text):
    with Store(path, writer=True) as store:
        game = next(store.games())
        data = json.loads(store.record(game.id).game_part())
        data["fixture"]["bots"][0] = text
        with store._transaction() as connection:
            packed = deflate(f"{{}}\n{json.dumps(data)}")
            connection.execute("UPDATE record SET packed = ? WHERE number = 1", (packed,))
    for form in ("text", "json"):
        (line,) = refusals([f"replay run.db 1 --format {form}"])
        assert "damaged record" in line


def test_a_control_character_of_a_record_does_not_come_out_of_an_export(path):
    with sqlite3.connect(path) as base:
        base.execute("UPDATE record SET packed = ?", (deflate('{}\n{"x":"\x1b[31m"}'),))
    base.close()
    assert "not a line of ASCII" in refusals(["export run.db"])[0]


def test_free_texts_of_a_run_are_escaped(path):
    with Store(path, writer=True) as store:
        store.write_facts(replace(store.facts, excluded={"ann": ESCAPE}, skipped={"dan": ESCAPE}))
    for command in COMMANDS:
        assert "\x1b" not in CliRunner().invoke(main, command.split()).output


PLAN = {
    **{"game": "complots", "version": 1, "options": {"x": 1.5}, "seats": [3], "format": "round-robin"},
    **{"clock": {"move": 1}, "bots": {"ann": "f"}, "groups": 1, "run": "run"},
}


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"plan": 7}, "plan: should be keys and values, not 7"),
        ({"plan": {}}, "plan: game: is missing"),
        ({"plan": PLAN | {"seats": ["x"]}}, "plan: seats: 0: should be a whole number, not 'x'"),
        ({"committed": PLAN | {"bots": {ESCAPE: "f"}}}, "bots: \\x1b[31mred: [key]: should have only"),
        ({"committed": PLAN | {"clock": {"move": "1"}}}, "clock: move"),
        ({"rating": {"prior": -1}}, "rating: prior: should be at least 0, not -1"),
        ({"rating": {"anchor": 7}}, "rating: anchor: one: should be keys and values, not 7"),
        ({"rating": {"anchor": ["a"]}}, "rating: anchor: several: 0: should be keys and values, not 'a'"),
        ({"excluded": []}, "excluded: should be keys and values, not a list"),
        ({"skipped": {"ann": 7}}, "skipped: ann: should be text, not 7"),
        ({"authors": {"ann": {"author": "x"}}}, "authors: ann: version: is missing"),
        ({"sessions": [[[]]]}, "sessions: 0: should be keys and values, not a list"),
        ({"closed": {"games": "x", "missing": None}}, "closed: games: should be a whole number, not 'x'"),
        ({"secret": 7}, "secret: should be text, not 7"),
        ({"revealed": "yes"}, "revealed: should be true or false, not 'yes'"),
        ({ESCAPE: 1}, "\\x1b[31mred: unknown key"),
        ({"plan": "[" * 60_000}, "recursion"),
    ],
)  # fmt: skip
def test_facts_of_another_shape_get_one_line(path, facts, words):
    with sqlite3.connect(path) as base:
        for key, value in facts.items():
            text = value if isinstance(value, str) and value.startswith("[") else json.dumps(value)
            base.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, text))
    base.close()
    for line in refusals(("table run.db", "verify run.db")):
        assert line.startswith("arena: run.db: the facts about the run are damaged: ") and words in line


def test_a_plan_is_read_back_as_it_was_because_its_hash_is_published(path):
    with Store(path, writer=True) as store:
        store.write_facts(replace(store.facts, plan=PLAN, committed=PLAN))
    with Store(path) as store:
        assert commitment_text(store.facts.plan, "s") == commitment_text(PLAN, "s")


# --- What is not a file, and what stands beside it


def test_a_pipe_or_a_device_is_not_a_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("run.db")
    assert all("run.db: should be a file, not a device or a pipe" in line for line in refusals())
    os.unlink("run.db")
    os.symlink("/dev/zero", "run.db")
    assert all("run.db: should be a file, not a device or a pipe" in line for line in refusals())
    with pytest.raises(ConfigError, match="should be a file"):
        Store(tmp_path / "run.db", writer=True)


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_the_files_of_sqlite_beside_a_run_are_no_links_or_pipes(path, tmp_path, suffix):
    (tmp_path / "victim").write_text("mine")
    (tmp_path / f"run.db{suffix}").symlink_to("victim")
    assert all("not a link" in line for line in refusals())
    (tmp_path / f"run.db{suffix}").unlink()
    os.mkfifo(f"run.db{suffix}")
    assert all("not a link" in line for line in refusals())
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_journal_does_not_have_another_file_deleted(path, tmp_path):
    """SQLite would delete the super-journal that a journal names, once it has rolled the journal back."""
    name = str(tmp_path / "victim").encode()
    (tmp_path / "victim").write_bytes(b"mine")
    header = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 0, 0, 9, 512, 8192)
    end = struct.pack(">I", 262145) + name + struct.pack(">II", len(name), sum(name))
    (tmp_path / "run.db-journal").write_bytes(header.ljust(512, b"\0") + end + header[:8])
    data = bytearray(path.read_bytes())
    data[18:20] = b"\1\1"  # as if it had no write-ahead log
    path.write_bytes(data)
    assert all("names another file" in line for line in refusals())
    assert (tmp_path / "victim").exists()


def test_a_write_ahead_log_of_a_stranger_is_a_part_of_the_file(path, tmp_path):
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE VIEW v AS SELECT 1")
    base.commit()
    data, log = path.read_bytes(), (tmp_path / "run.db-wal").read_bytes()
    base.close()
    path.write_bytes(data)
    (tmp_path / "run.db-wal").write_bytes(log)
    assert "it has the view 'v'" in refusals(["table run.db"])[0]


def test_a_run_with_hostile_bots_takes_no_more_games(path):
    with sqlite3.connect(path) as base:
        base.execute("UPDATE bot SET name = ?", (ESCAPE,))
    base.close()
    with Store(path, writer=True) as store, pytest.raises(ConfigError, match="should have only letters"):
        store.append([pack(record(fixture=fixture()))])
    with pytest.raises(ConfigError, match="damaged"):
        load([path])


def test_an_export_has_no_formulas_and_is_read_back_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = stored_run(tmp_path / "run.db", ("+a", "-1", "-b.c", "dan"))
    exported = CliRunner().invoke(main, ["export", "run.db", "--format", "csv"]).stdout
    (tmp_path / "run.csv").write_text(exported)
    assert ",'+a," in exported and ",'-1," in exported and ",'-b.c," in exported
    read = {outcome.group: outcome for outcome in load([tmp_path / "run.csv"]).outcomes}
    assert {group.strip() for group in read} == {each.group.strip() for each in load([path]).outcomes}
    assert sorted(each.bots for each in read.values()) == sorted(each.bots for each in load([path]).outcomes)
