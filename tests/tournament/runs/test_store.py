"""The run file: written by one, read by many, never overwritten, never half written."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from dataclasses import replace

import pytest
from stored_games import fixture, record

from arena.config import sqlite
from arena.config.document import ConfigError
from arena.referee.record import record_from_json
from arena.tournament.runs.sources import load
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import deflate, pack


def test_a_record_comes_back_as_it_went(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append([pack(record())])
        assert store.record(fixture().id) == record()
    assert record_from_json(record().game_part()).game_part() == record().game_part()
    scored = record(result=((2, 1), (32000, 41000)))
    assert record_from_json(scored.game_part()).result == ((2, 1), (32000, 41000))
    raced = record(replies=("p1", {1: "challenge", 0: "pass"}))  # in order of arrival, as it must replay
    assert list(record_from_json(raced.game_part()).replies[1]) == [1, 0]
    started = record(fixture=fixture(position={"turn": "p1"}, draws={"court": ["duchess"]}))
    assert record_from_json(started.game_part()).fixture == started.fixture


def test_what_was_recorded_first_stays(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append([pack(record())])
        store.append([pack(record(digest="other")), pack(record(1))])
        assert store.record(fixture().id).digest == "digest"
        assert {id: game.places for id, game in store.played().items()} == dict.fromkeys(
            [fixture(0).id, fixture(1).id], (1, 2)
        )


def test_games_come_in_fixture_order_however_they_were_played(tmp_path):
    records = [record(fixture=replace(fixture(n), rotation=r)) for n in (10, 2, 0) for r in (1, 0)]
    with Store(tmp_path / "run.db", writer=True) as store:
        for each in records:
            store.append([pack(each)])
        order = [(game.seed_group, game.rotation) for game in store.summaries()]
    assert order == [("a b 0", 0), ("a b 0", 1), ("a b 2", 0), ("a b 2", 1), ("a b 10", 0), ("a b 10", 1)]


def test_a_summary_has_the_forfeits(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append([pack(record())])
        (game,) = store.summaries()
    assert game.forfeits == {1: "illegal"} and game.faults == 1 and game.bots == ("a", "b")


def test_a_run_is_read_while_it_is_written(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as writer:
        writer.append([pack(record())])
        with Store(tmp_path / "run.db") as reader:
            assert len(reader.played()) == 1
            writer.append([pack(record(1))])
            assert len(reader.played()) == 2
            with pytest.raises(ConfigError, match="cannot be written"):
                reader.append([pack(record(2))])


def test_a_finished_run_is_one_file(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append([pack(record())])
    with Store(tmp_path / "run.db") as store:
        assert len(store.summaries()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_only_one_writes(tmp_path):
    store = Store(tmp_path / "run.db", writer=True)
    with pytest.raises(ConfigError, match="another process is writing this run"):
        Store(tmp_path / "run.db", writer=True)
    store.close()
    Store(tmp_path / "run.db", writer=True).close()


@pytest.mark.parametrize("writer", [True, False])
@pytest.mark.parametrize("content", ["foreign text", "other database", "torn"])
def test_what_is_no_run_is_left_as_it_is(tmp_path, content, writer):
    path = tmp_path / "run.db"
    if content == "foreign text":
        path.write_text("my results\n" * 1000)
    elif content == "other database":
        with sqlite3.connect(path) as base:
            base.execute("CREATE TABLE mine (x)")
        base.close()
    else:
        with Store(path, writer=True) as store:
            store.append([pack(record(number)) for number in range(200)])
        path.write_bytes(path.read_bytes()[:-30000] + b"\0" * 4096)
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught, Store(path, writer) as store:
        for game in store.summaries():
            store.record(game.id)
        assert content != "torn", "a torn file was read to its end"
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_a_broken_record_is_named(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append([pack(record())._replace(packed=b"nonsense")])
        with pytest.raises(ConfigError, match=f"game {fixture().id}: damaged record"):
            store.record(fixture().id)


def test_no_such_run_and_no_such_place(tmp_path):
    with pytest.raises(ConfigError, match="no such run"):
        Store(tmp_path / "none.db")
    with pytest.raises(ConfigError, match="cannot be written"):
        Store(tmp_path, writer=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        Store(tmp_path / "file" / "run.db", writer=True)


def test_a_log_that_a_power_cut_has_torn_is_good_up_to_the_tear(tmp_path):
    """Whatever of its end is missing, or is not what was written: no half game, and none before it lost."""
    with Store(tmp_path / "run.db", writer=True) as store:
        for number in range(20):
            store.append([pack(record(number))])
        base, log = [(tmp_path / name).read_bytes() for name in ("run.db", "run.db-wal")]
    counts = []
    for cut in [len(log) * part // 25 for part in range(26)]:
        (tmp_path / "torn.db").write_bytes(base)
        (tmp_path / "torn.db-wal").write_bytes(log[:cut] + bytes(5000))
        with Store(tmp_path / "torn.db", writer=True) as store:
            counts.append(store.count())
            assert store.played().keys() == {fixture(number).id for number in range(counts[-1])}
            assert [store.record(id).digest for id in store.played()] == ["digest"] * counts[-1]
            store.append([pack(record(number)) for number in range(20)])
            assert store.count() == 20
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 20


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from stored_games import record
from arena.tournament.runs.stored_game import pack
from arena.tournament.runs.store import Store
store = Store(Path(sys.argv[1]), writer=True)
for number in range(100000):
    store.append([pack(record(number))])
    print(number, flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.1])
def test_kill_9_loses_nothing_that_was_committed(tmp_path, checkout, delay):
    path = tmp_path / "run.db"
    command = [sys.executable, "-c", WRITER, path, checkout / "tests" / "helpers"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        committed = 1 + sum(1 for _ in process.stdout)
    with Store(path, writer=True) as store:  # the lock went with the process
        played = store.played()
        assert {fixture(number).id for number in range(committed)} <= played.keys()
        assert len(played) <= committed + 1
        for id in played:
            assert store.record(id).digest == "digest"


# --- Layouts


@pytest.mark.parametrize("writer", [True, False])
@pytest.mark.parametrize(("number", "words"), [(3, "older arena, before 0.3"), (5, "newer arena")])
def test_a_run_of_another_layout_is_refused_in_one_line(tmp_path, number, words, writer):
    Store(tmp_path / "run.db", writer=True).close()
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute(f"PRAGMA user_version = {number}")
    base.close()
    before = (tmp_path / "run.db").read_bytes()
    with pytest.raises(ConfigError, match=re.escape(f"run.db: written by a{'n' * (number < 4)} {words}")):
        Store(tmp_path / "run.db", writer)
    assert (tmp_path / "run.db").read_bytes() == before


@pytest.mark.parametrize("group", ["", "b a 1", "x", "  two spaces", "a b 7", "a b 7/0f"])
def test_every_name_of_a_seed_group_comes_back(tmp_path, group):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append([pack(record(fixture=replace(fixture(), group=group)))])
        (game,) = store.summaries()
    assert game.seed_group == group
    assert [outcome.group for outcome in load([tmp_path / "run.db"]).outcomes] == [f"  {group}"]


def test_two_dictionaries_with_one_checksum_are_told_apart(tmp_path):
    """Adler-32 is weak: these two texts have the same, and only the first is stored."""
    one, two = b"\x01\x00\x00\x01" * 9, b"\x00\x01\x01\x00" * 9
    assert zlib.adler32(one) == zlib.adler32(two)
    games = [pack(record(number)) for number in range(2)]
    text = f"{json.dumps({'seconds': 0.5})}\n"
    with Store(tmp_path / "run.db", writer=True) as store:
        for number, dictionary in enumerate((one, two)):
            packed = deflate(text + record(number).game_part(), dictionary)
            store.append([games[number]._replace(packed=packed, dictionary=dictionary)])
            assert store.record(fixture(number).id) == record(number)


def test_a_record_whose_end_or_dictionary_is_missing_is_damaged(tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        game = pack(record())
        store.append([game._replace(packed=game.packed[:-6])])
        with pytest.raises(ConfigError, match="damaged record"):
            store.record(fixture().id)
        store.append([pack(record(1))])
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("DELETE FROM dictionary")
    base.close()
    with Store(tmp_path / "run.db") as store, pytest.raises(ConfigError, match="damaged record"):
        store.record(fixture(1).id)


# --- Locks of other programs


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A run that another program has locked, and a list of what the user is told; that ends the lock."""
    Store(tmp_path / "run.db", writer=True).close()
    other = sqlite3.connect(tmp_path / "run.db", isolation_level=None)
    told = []

    def tell(line, file):
        told.append(line)
        other.close()

    monkeypatch.setattr(sqlite, "ATTEMPT_S", 0.01)
    monkeypatch.setattr(sqlite, "TELL_AFTER_S", 0)
    monkeypatch.setattr(sqlite, "print", tell, raising=False)
    yield other, told
    other.close()


def test_a_transaction_of_another_program_is_waited_for(tmp_path, locked):
    other, told = locked
    with Store(tmp_path / "run.db", writer=True) as store:
        other.execute("BEGIN IMMEDIATE")
        store.append([pack(record())])
        assert store.count() == 1
    assert told == [
        f"{tmp_path}/run.db: locked by another program, such as a backup; waiting up to 10 minutes"
    ]


@pytest.mark.parametrize("writer", [True, False])
def test_a_file_that_another_program_has_for_itself_is_waited_for(tmp_path, locked, writer):
    other, told = locked
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    with Store(tmp_path / "run.db", writer) as store:
        assert store.count() == 0
    assert len(told) == 1


def test_a_lock_that_stays_ends_in_one_line(tmp_path, locked, monkeypatch):
    other, told = locked
    monkeypatch.setattr(sqlite, "TELL_AFTER_S", 1)
    monkeypatch.setattr(sqlite, "GIVE_UP_S", 0)
    with Store(tmp_path / "run.db", writer=True) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ConfigError, match="database is locked; what was recorded is safe"):
            store.append([pack(record())])
        other.execute("ROLLBACK")
        store.append([pack(record())])
    assert told == []


@pytest.mark.parametrize("revealed", [False, True])
def test_a_secret_is_read_only_if_it_is_revealed_or_asked_for(tmp_path, revealed):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.write_facts(replace(store.facts, secret="canary", revealed=revealed))
        store.append([pack(record(fixture=fixture(seed="dealt")))])
    with Store(tmp_path / "run.db") as store:
        assert (store.facts.secret, store.hides_seeds) == ("canary", not revealed)
    with Store(tmp_path / "run.db", secret=False) as store:
        assert (store.facts.secret, store.hides_seeds) == ("canary" if revealed else None, not revealed)
        assert ("dealt" in next(store.parts([fixture().id]))) is revealed


def test_the_games_of_a_seed_group_and_the_latest(tmp_path):
    groups = ["a b 1", "a b 1", "a b 2", "c a b 1", "1", ""]
    records = [record(fixture=replace(fixture(), group=name, rotation=n)) for n, name in enumerate(groups)]
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append(map(pack, records))
        for name in {*groups}:
            assert [game.seed_group for game in store.of_groups([name])] == [name] * groups.count(name)
        assert len(list(store.of_groups(["a b 2", "1", "none 3"]))) == 2
        assert [number for number, _ in store.latest(2)] == [6, 5]
        assert [(number, game.rotation) for number, game in store.latest(9, before=3)] == [(2, 1), (1, 0)]
