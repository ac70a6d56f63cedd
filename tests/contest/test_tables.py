"""Each table of contest.db has one module with its SQL, which reads rows as values of the right types."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest
from contest_folders import contest_with, put_settings

import arena.contest
from arena.config.document import ConfigError
from arena.contest import entries
from arena.contest.settings import change_settings, settings_of

FOLDER = Path(arena.contest.__file__).parent
SQL = re.compile(r"\b(FROM|JOIN|INTO|UPDATE|TABLE)\s+(\w+)")
OWNERS = {"entrant": "entrants", "deleted": "entrants", "entry": "entries"} | {
    name: f"{name}s" for name in ("scrimmage", "notice", "question", "alarm", "setting")
}


@pytest.fixture
def database(tmp_path):
    return contest_with(tmp_path / "spring", ["ada"]).database()


def test_the_sql_of_a_table_is_in_its_module(database):
    """Only `entries` reads another table: that of its entrants."""
    found = defaultdict(set)
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for word, table in SQL.findall(node.value):
                    found[table].add((path.stem, word))
    rows = database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    assert {row["name"] for row in rows} == OWNERS.keys()
    assert "token" not in found, "a table of server.db"
    allowed = {("entrant", ("entries", "JOIN"))}
    for table, owner in OWNERS.items():
        others = {(table, place) for place in found[table] if place[0] != owner}
        assert others <= allowed and (owner, "FROM") in found[table], table


@pytest.mark.parametrize(
    "sql, words",
    [
        ("UPDATE entry SET state = 'lost'", "Entry.state: Input should be 'received', "),
        ("UPDATE entry SET findings = '[{}]'", "Entry.findings.0.check: "),
        ("UPDATE entry SET since = 'noon'", "Entry.since: "),
    ],
)
def test_a_row_with_a_wrong_value_is_named_in_one_line(database, sql, words):
    database.write(sql)
    with pytest.raises(ConfigError) as raised:
        entries.of(database, "ada")
    assert f"contest.db: is damaged: {words}" in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("value, words", [("7", "Settings.paused: "), ("{", "Settings: ")])
def test_a_setting_with_a_wrong_value_is_named_in_one_line(database, value, words):
    database.write("INSERT INTO setting VALUES ('paused', ?)", value)
    with pytest.raises(ConfigError) as raised:
        settings_of(database)
    assert f"contest.db: is damaged: {words}" in str(raised.value) and "\n" not in str(raised.value)


def test_settings_are_changed_together_or_not_at_all(database):
    with pytest.raises(ZeroDivisionError), change_settings(database) as settings:
        settings.paused = True
        put = settings.podium = 1
        assert put / 0
    assert not settings_of(database).paused and not settings_of(database).podium


def test_a_process_changes_only_the_settings_that_it_names(database):
    """The organiser pauses the games while the player reports them."""
    put_settings(database, podium=3)
    with change_settings(database) as settings:
        settings.paused = True
    assert [row["name"] for row in database.rows("SELECT name FROM setting ORDER BY name")] == [
        "paused",
        "podium",
    ]
    assert settings_of(database).podium == 3
