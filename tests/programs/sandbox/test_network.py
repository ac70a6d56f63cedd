"""Bots have no network, and reach no service of the machine."""

import os
import socket
from contextlib import closing
from dataclasses import replace

import pytest
from programs import fixture, heard, misbehaving_bot, table_with, tried, trying
from seats import SmallGate

from arena.programs.play.journal import Journal
from arena.programs.play.table import ProgramTable
from arena.programs.sandbox import client

pytestmark = pytest.mark.slow


@pytest.mark.attack("use the network")
def test_there_is_no_network(closed):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert "Error" in tried(closed, f"socket.create_connection(('127.0.0.1', {port}), 1)")
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "Error" in tried(closed, "socket.create_connection(('192.0.2.1', 80), 1)")
    assert "Error" in tried(
        closed, "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
    )


def test_a_bot_cannot_listen_for_connections(closed):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    listen = f"import socket\ntry: s = socket.create_server(('127.0.0.1', {port}))\nexcept OSError: pass"
    with table_with(misbehaving_bot(start=listen, move="time.sleep(0.1)"), sandbox=closed) as table:
        assert table.play(fixture("one", "misbehaving")).faults == ()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 1)


@pytest.mark.attack("use the network")
def test_no_service_is_reached_by_its_socket(closed, tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/service")
        server.listen()
        assert "Error" in tried(closed, f"socket.socket(socket.AF_UNIX).connect('{tmp_path}/service')")


@pytest.mark.attack("use the network")
def test_no_seat_of_a_server_is_reached_by_its_gate(closed):
    """House bots sit at a table with people, whose process is connected to the gate of the server."""
    with closing(SmallGate()) as gate:
        journal = gate.folder / "t1.jsonl"
        Journal(journal).close()
        assert "Error" in tried(closed, f"socket.socket(socket.AF_UNIX).connect('{gate.path}')")
        assert "Error" in tried(closed, f"open('{journal}').read()")
        assert "Error" in tried(closed, f"os.listdir('{gate.folder}')")
        gate.listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            gate.listening.accept()


@pytest.mark.attack("use the network")
@pytest.mark.parametrize(
    "act",
    [
        "socket.socketpair(type=socket.SOCK_DGRAM)",
        "socket.socketpair(type=socket.SOCK_RAW)",
        "socket.socketpair(socket.AF_INET6)",
        "socket.socketpair()[0].bind('\\0name')",
        "socket.socketpair()[0].bind(os.environ['TMPDIR'] + '/name')",
        "socket.socketpair()[0].listen()",
        "socket.socketpair()[0].connect('\\0name')",
        "ctypes.CDLL(None).connect(socket.socketpair()[0].fileno(), bytes(16), 16) and 1 / 0",  # AF_UNSPEC
        "socket.socketpair()[0].sendto(b'x', '\\0name')",
        "socket.socketpair()[0].sendmsg([b'x'], [], 0, '\\0name')",
        "socket.socketpair(type=socket.SOCK_SEQPACKET)[0].sendmsg([b'x'], [], 0, '\\0name')",
        "socket.socketpair(type=socket.SOCK_SEQPACKET)[0].sendto(b'x', '\\0name')",
        "socket.socketpair(type=socket.SOCK_SEQPACKET)[0].bind('\\0name')",
        "socket.socketpair()[0].accept()",
    ],
)
def test_no_socket_gets_or_sends_to_an_address(closed, act):
    """Abstract names are those of the network namespace, which bots in limits share with all programs."""
    assert "Error" in tried(closed, act)


def test_joined_pairs_remain_for_language_runtimes(closed):
    """Node starts its children with a pair of streams, Rust with one of packets."""
    for kind in ("SOCK_STREAM", "SOCK_SEQPACKET"):
        pair = f"socket.socketpair(type=socket.{kind})"
        assert tried(closed, f"[one.send(b'x') and two.recv(9) for one, two in [{pair}]]") == "[b'x']"


@pytest.mark.attack("use the network")
@pytest.mark.parametrize("lacking", ["", "seccomp.load = lambda: None"])
def test_each_box_has_a_network_of_nothing(box, lacking, monkeypatch):
    """Also without a filter: in a shared one, bots of two boxes could speak to each other."""
    without = f"from arena.programs.sandbox.linux import seccomp; {lacking}; from arena"
    monkeypatch.setattr(
        client, "PROGRAM", client.PROGRAM.replace("from arena", without) if lacking else client.PROGRAM
    )
    assert tried(box, "[line.split()[0] for line in open('/proc/net/dev')][2:]") == "['lo:']"
    network = "os.readlink('/proc/self/ns/net')"
    bots = {name: replace(trying(network), name=name) for name in ("one", "two")}
    with ProgramTable(bots, sandbox=box) as table:
        record = table.play(fixture("one", "two"))
    networks = {heard(record, seat).strip() for seat in (0, 1)}
    assert len(networks) == 2
    assert repr(os.readlink("/proc/self/ns/net")) not in networks
