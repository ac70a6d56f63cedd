"""Games of people, played by real processes."""

import json
import os
import subprocess
import time
from contextlib import closing

import pytest
from seats import SmallGate, is_ask

from arena.tournament.runs.store import Store
from arena.web.address import address_of
from arena.web.database import Database
from arena.web.host import Host
from arena.web.seatings import Seating, add_seating, end_seating, find_seating
from arena.web.settings import ServerSettings, python
from arena.web.table_process import journal_path

HOUSE = ["person", "house:honest", "house:bluffer", "house:counting"]


class Room:
    """A server without a web process: its folder, a gate, and table processes."""

    def __init__(self, folder):
        self.gate = SmallGate()
        address = address_of("127.0.0.1", 8080, None)
        self.lock = os.open(folder, os.O_RDONLY)
        self.settings = ServerSettings(folder, self.gate.folder, folder, address, self.lock, self.lock, 4)
        self.database = Database(folder / "server.db")
        self.processes = []

    def add(self, seats, game="complots", **keys) -> str:
        table, names = f"t{len(self.processes)}", [f"n{seat}" for seat in range(len(seats))]
        values = {"is_guest": False, "options": {}, "move": None, "bank": None, **keys}
        add_seating(self.database, Seating(table, "new", game=game, seats=seats, names=names, **values))
        return table

    def start(self, table):
        process = subprocess.Popen(
            python("arena.web.table_process"), stdin=subprocess.PIPE, text=True, pass_fds=[self.lock]
        )
        process.stdin.write(f"{self.settings.to_line()}{table}\n")
        process.stdin.flush()
        self.processes.append(process)
        return process

    def state(self, table) -> Seating:
        return find_seating(self.database, table)

    def close(self):
        for process in self.processes:
            process.stdin.close()
            process.wait()
        self.gate.close()
        self.database.close()
        os.close(self.lock)


@pytest.fixture
def room(tmp_path):
    with closing(Room(tmp_path)) as room:
        yield room


def play_on(line, most=10_000):
    """Answer with the last option until the game is over, or so many times; all views."""
    views = []
    for _ in range(most):
        views += line.until(lambda view: is_ask(view) or view["over"])
        if views[-1]["over"]:
            break
        line.answer(views[-1]["ask"]["id"], views[-1]["ask"]["options"][-1][0])
    return views


@pytest.mark.slow
def test_a_person_plays_against_house_bots_to_the_end(room):
    table = room.add(HOUSE)
    process = room.start(table)
    views = play_on(room.gate.accept())
    assert [view["n"] for view in views] == list(range(len(views)))
    assert process.wait() == 0
    over = views[-1]["over"]
    assert room.state(table).state == "over" and json.loads(json.dumps(over)) == room.state(table).over
    with Store(room.settings.folder / "people.db") as store:
        record = store.record(over["record"])
    assert list(record.result[0]) == over["places"]
    assert record.fixture.fingerprints[0] == "untimed" and not record.faults
    assert not journal_path(room.settings.folder, table).exists()


@pytest.mark.slow
def test_a_killed_process_is_replaced_and_the_deal_stays_in_the_journal(room):
    table = room.add(HOUSE)
    process = room.start(table)
    line = room.gate.accept()
    views = play_on(line, 3)
    path = journal_path(room.settings.folder, table)
    assert path.stat().st_mode & 0o777 == 0o600
    seed = json.loads(path.read_text().splitlines()[0])["fixture"]["seed"]
    process.kill()
    process.wait()
    assert seed not in "".join(map(str, room.database.rows("SELECT * FROM seating")))
    assert seed not in str(views)
    process = room.start(table)
    again = play_on(room.gate.accept())
    assert [view["news"] for view in again[: len(views)]] == [view["news"] for view in views]
    assert process.wait() == 0 and room.state(table).state == "over"


@pytest.mark.slow
def test_the_game_of_an_idle_guest_is_closed_and_not_recorded(room):
    table = room.add(HOUSE, is_guest=True)
    with closing(Host(room.settings, idle_s=0.0)) as host:
        host.look()
        line = room.gate.accept()
        line.until(is_ask)
        while room.state(table).state == "playing":
            host.look()
            time.sleep(0.05)
        (last,) = line.until(lambda view: view["over"])[-1:]
    assert "nobody has played" in last["over"]["closed"]
    assert room.state(table).state == "closed"
    assert not list((room.settings.folder / "tables").iterdir())
    assert not (room.settings.folder / "people.db").exists()


@pytest.mark.slow
def test_a_jump_of_the_clock_closes_no_table(room):
    table = room.add(HOUSE, is_guest=True)
    with closing(Host(room.settings)) as host:
        host.look()
        line = room.gate.accept()
        ask = line.until(is_ask)[-1]["ask"]
        os.utime(journal_path(room.settings.folder, table), (0, 0))  # as if its last answer were years ago
        host.look()
        line.answer(ask["id"], ask["options"][0][0])
        play_on(line)
        while room.state(table).state == "playing":
            time.sleep(0.05)
    assert room.state(table).state == "over"


@pytest.mark.slow
def test_what_ran_out_of_time_before_a_kill_does_so_again(room):
    table = room.add(HOUSE, move=1.0, bank=0.5)
    process = room.start(table)
    line = room.gate.accept()
    views = line.until(is_ask)
    assert views[-1]["ask"]["bank"] == 0.5
    late = line.until(lambda view: any(kind == "error" for kind, _, _ in view["news"]))
    ask = late[-1]["ask"]
    assert ask["bank"] == 0.0
    line.answer(ask["id"], ask["options"][0][0])
    line.view()
    process.kill()
    process.wait()
    process = room.start(table)
    last = play_on(room.gate.accept())[-1]
    assert process.wait() == 0
    with Store(room.settings.folder / "people.db") as store:
        record = store.record(last["over"]["record"])
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(0, "late")]
    assert record.fixture.fingerprints[0] == "timed"


@pytest.mark.slow
def test_the_operator_may_close_a_table(room):
    table = room.add(HOUSE)
    room.database.write("UPDATE chair SET is_taken = 1")
    why = {"closed": "The operator has closed the table."}
    with closing(Host(room.settings)) as host:
        host.look()
        line = room.gate.accept()
        line.until(is_ask)
        end_seating(room.database, table, why, {})
        while journal_path(room.settings.folder, table).exists():
            host.look()
            time.sleep(0.05)
        assert line.until(lambda view: view["over"])[-1]["over"] == why
