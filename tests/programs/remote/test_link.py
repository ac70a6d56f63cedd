"""A remote bot at a table: a worker with a gate of a test, at which lines and messages are seen."""

import json
import select
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from arena.programs.bot import remote_bot
from arena.programs.play.gate import GateConnection
from arena.programs.play.remote import RemoteLink
from arena.programs.play.table import ProgramTable
from arena.referee.protocol import BadLine


@dataclass
class Gate:
    """The other end of a link."""

    path: Path
    listening: socket.socket = field(default_factory=lambda: socket.socket(socket.AF_UNIX))

    def __post_init__(self):
        self.listening.bind(str(self.path))
        self.listening.listen()
        self.listening.settimeout(30)

    def accept(self):
        """The next connection; returns the first message of the link."""
        self.connection, _ = self.listening.accept()
        self.connection.settimeout(30)
        self.file = self.connection.makefile("r")
        return self.read()

    def read(self):
        return json.loads(self.file.readline())

    def send(self, **message):
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def break_off(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection()

    def close_connection(self):
        self.file.close()
        self.connection.close()


@pytest.fixture
def gate(tmp_path):
    gate = Gate(tmp_path / "gate")
    yield gate
    gate.close_connection()
    gate.listening.close()


@pytest.fixture
def link(gate):
    link = RemoteLink(remote_bot("ann"), None, gate.path)
    first = gate.accept()
    assert (first["kind"], first["name"], first["link"]) == ("remote", "ann", 1)
    yield link
    link.end()


def lines_of(link, count):
    """What the loop reads, until there are so many lines."""
    found = []
    while len(found) < count:
        assert select.select([link.out], [], [], 30)[0]
        found += link.read()
    return found


def open_path(gate, link, path, got, heard):
    gate.send(here=path, got=got, rtt=0.01)
    while link._path != path:
        assert select.select([link.out], [], [], 30)[0]
        link.read()
    assert gate.read() == {"path": path, "heard": heard}


def test_lines_wait_for_the_client_and_each_answer_counts_once(gate, link):
    link.write(b"ask 1 hello 10000 ok\n")
    open_path(gate, link, 1, got=0, heard=0)
    assert gate.read() == {"path": 1, "n": 1, "lines": "ask 1 hello 10000 ok\n", "heard": 0}
    gate.send(m=1, line="1 ok", rtt=0.01)
    gate.send(m=1, line="1 ok", rtt=0.01)
    gate.send(m=2, line="2 ok", rtt=0.02)
    assert lines_of(link, 2) == ["1 ok", "2 ok"]
    assert link.meter.allowance == 0.02


def test_a_bot_that_is_not_connected_has_a_fault_that_says_so(tmp_path):
    with socket.socket(socket.AF_UNIX) as gate:
        gate.bind(str(tmp_path / "gate"))
        gate.listen()
        with ProgramTable({"ann": remote_bot("ann")}, gate=tmp_path / "gate") as table:
            assert table.greet(0.05) == {"ann": "its client was not connected within 0.05 s"}


def test_a_new_web_process_gets_what_the_client_has_not_got(gate, link):
    link.write(b"ask 1 hello 10000 ok\n")
    open_path(gate, link, 1, got=0, heard=0)
    gate.send(m=1, line="1 ok", rtt=0.0)
    assert lines_of(link, 1) == ["1 ok"]
    link.start_metering()
    gate.break_off()
    assert gate.accept()["name"] == "ann"
    while link._path:
        link.read()
    link.write(b"game 1 complots\nask 2 ready 1000 ok\n")
    open_path(gate, link, 7, got=1, heard=1)
    assert gate.read()["n"] == 2


def test_a_new_process_hears_this_game_alone_and_its_old_answers_do_not_count(gate, link):
    link.write(b"ask 1 hello 10000 ok\n")
    open_path(gate, link, 1, got=0, heard=0)
    gate.send(m=1, line="1 ok", rtt=0.0)
    assert lines_of(link, 1) == ["1 ok"]
    link.start_metering()
    for game, asks in ((1, (2, 3)), (2, (4, 5))):
        link.begin_game()
        for ask in asks:
            link.write(b"ask %d action 1000 income\n" % ask)
            if ask < 5:
                gate.send(m=ask, line=f"{ask} income", rtt=0.0)
                assert lines_of(link, 1) == [f"{ask} income"]
        if game == 1:
            link.write(b"end 1 place=1\n")
    gate.send(here=2, got=0, rtt=0.0)
    for number, ask in enumerate((1, 4, 5), 1):
        gate.send(m=number, line=f"{ask} coup:p2", rtt=0.0)
    assert lines_of(link, 1) == ["5 coup:p2"], "what was played stands"
    sent = [gate.read() for _ in range(10)]
    assert [each["lines"] for each in sent[7:]] == [
        "ask 1 hello 10000 ok\n",
        "ask 4 action 1000 income\n",
        "ask 5 action 1000 income\n",
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [("1 ok\n2 ok", "garbled"), ("\x1b[31m", "garbled"), ("\udc80", "garbled"), ("x" * 9000, "long")],
)
def test_hostile_lines_are_faults_as_those_of_other_bots(gate, link, line, kind):
    open_path(gate, link, 1, got=0, heard=0)
    gate.send(m=1, line=line, rtt=0.0)
    (found,) = lines_of(link, 1)
    assert isinstance(found, BadLine) and found.kind == kind


def test_the_end_of_the_bot_comes_after_its_last_lines(gate, link):
    open_path(gate, link, 1, got=0, heard=0)
    gate.send(m=1, line="1 ok", rtt=0.0)
    gate.send(m=2, exit="exited with \x1b status 1", rtt=0.0)
    assert lines_of(link, 1) == ["1 ok"]
    while not link.has_closed_stdout:
        link.read()
    assert link.read() is None
    assert link.reap() == "exited with \\x1b status 1"


def test_a_web_process_that_reads_nothing_stops_nobody(gate, tmp_path):
    connection = GateConnection(gate.path, {"name": "ann"})
    gate.accept()
    for _ in range(100):
        connection.send({"lines": "x" * 2**16})
    gate.close_connection()
    assert gate.accept() == {"name": "ann"}, "it has connected anew"
    connection.close()


def test_a_bot_that_writes_between_its_games_fills_no_memory(gate, tmp_path):
    connection = GateConnection(gate.path, {"name": "ann"})
    gate.accept()
    gate.connection.settimeout(0.5)
    with pytest.raises(TimeoutError):
        for _ in range(2000):
            gate.send(m=1, line="x" * 2**14, rtt=0.0)
    assert sum("line" in message for message in connection.take()) < 1100
    connection.close()


def test_only_the_time_without_a_web_process_is_not_charged(gate, link):
    link.meter.start()
    link.meter.started = time.monotonic()
    open_path(gate, link, 1, got=0, heard=0)
    assert link.meter.read(link.meter.started + 3).charged == pytest.approx(2.99)
    gate.send(here=0, got=0, rtt=0.01)  # the connection of the client is lost, and the clock goes on
    while link._path:
        link.read()
    assert link.meter.read(link.meter.started + 3).charged == pytest.approx(2.99)
    gate.break_off()
    gate.accept()
    while not 0 < link.meter.outages.within(0, 1e12) < 60:
        assert select.select([link.out], [], [], 30)[0]
        link.read()
    assert link.meter.read(link.meter.started + 100).charged > 30
    assert link.meter.read(link.meter.started + 100).outage >= 5
