"""The life of a server as processes: killed, restarted, stopped, attacked byte by byte."""

import http.client
import json
import os
import signal
import socket
from contextlib import closing, suppress

import psutil
import pytest
from servers import has_ended, served, wait_for

from arena.tournament.runs.store import Store

WEB = "arena.web.process"
pytestmark = pytest.mark.slow


def test_a_plan_is_played_while_every_process_is_killed_in_turn(plan_file, tmp_path):
    """Each process is replaced, no connection is refused; a killed parent takes all others with it."""
    plan = plan_file("seed: 1\ngroups: 20\nseats: 2\n")
    run = tmp_path / "runs" / f"{plan.stem}.db"
    with served(tmp_path, plan.name) as server:
        for module in (WEB, "arena.web.host"):
            killed = server.child(module)
            killed.kill()
            assert server.get("/healthz")[0] == 200, "connections wait for the new process"
            assert server.child(module).pid != killed.pid
        below = psutil.Process(server.process.pid).children(recursive=True)
        server.process.kill()
        server.process.wait()
        wait_for(lambda: all(map(has_ended, below)), f"{below} still run")
    with served(tmp_path, plan.name) as server:
        wait_for(lambda: "nothing is left to play" in server.said(), server.said())
        assert f"/runs/{plan.stem}" in server.get("/")[1].decode()
        assert server.stop() == 128 + signal.SIGTERM
    with Store(run) as store:
        assert store.count() == 3 * 20 * 2
    events = [json.loads(line)["event"] for line in server.said().splitlines() if line.startswith("{")]
    assert events.count("restart") == 2


def has_begun(host: psutil.Process) -> bool:
    """Whether the host has looked into its database again and again: only then it beats."""
    if not any(each.path.endswith("server.db") for each in host.open_files()):
        return False
    before = host.num_ctx_switches().voluntary
    wait_for(lambda: host.num_ctx_switches().voluntary > before + 5, "the host does not look")
    return True


def test_processes_that_hang_are_replaced(tmp_path):
    with served(tmp_path, ".") as server:
        assert server.get("/healthz")[0] == 200
        hanging = [server.child(module) for module in (WEB, "arena.web.host")]
        wait_for(lambda: has_begun(hanging[1]), "the host does not begin")
        for process in hanging:
            process.suspend()
        wait_for(lambda: all(map(has_ended, hanging)), "they still hang")
        assert server.get("/healthz")[0] == 200
        wait_for(lambda: server.said().count('"restart"') == 2, server.said())


def test_an_operator_stays_signed_in_when_the_web_process_is_killed(tmp_path):
    with served(tmp_path, ".") as server:
        token = server.operator.partition("#")[2]
        body = json.dumps({"token": token})
        sent = f"{POST}Origin: http://HOST\r\nContent-Type: application/json\r\n"
        sent = f"{sent}Content-Length: {len(body)}\r\n\r\n{body}".replace("HOST", f"127.0.0.1:{server.port}")
        answer, _ = exchange(server.port, sent.replace("/ ", "/operator/open ", 1).encode())
        cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        server.child(WEB).kill()
        assert b"data-role" in server.get("/operator", cookie=cookie)[1]
        assert token not in server.said() and cookie.partition("=")[2] not in server.said()


def test_a_folder_has_one_server(tmp_path, refused):
    with served(tmp_path, "."):
        assert refused("serve", ".", "--port", 0) == "arena: server: another `arena serve` uses it\n"


def test_after_a_kill_the_server_starts_at_the_same_port_at_the_first_try(tmp_path, monkeypatch):
    """Its children still listen there for a while. Its temporary folder goes with the next start."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with served(tmp_path, ".") as server:
        assert server.get("/healthz")[0] == 200
        os.kill(server.process.pid, signal.SIGKILL)  # nobody reaps it meanwhile
        with served(tmp_path, ".", "--port", str(server.port)) as again:
            assert again.port == server.port and again.get("/healthz")[0] == 200
            assert len([*(tmp_path / "tmp").glob("serving-arena-*")]) == 1
    assert not [*(tmp_path / "tmp").iterdir()]


GET = "GET / HTTP/1.1\r\nHost: HOST\r\n"
POST = "POST / HTTP/1.1\r\nHost: HOST\r\n"
OURS = f"{POST}Origin: http://HOST\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n\r\n"
SOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
SOCKET += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

RAW = [
    ("GET / HTTP/1.1\r\n\r\n", 400, "no Host"),
    (f"{GET}Host: evil.example\r\n\r\n", 400, "two Hosts"),
    ("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "a proxy's request"),
    ("GET / HTTP/1.0\r\n\r\n", 421, "HTTP/1.0"),
    ("GET /../../etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, "a path upwards"),
    ("GET /static/..%2f..%2fapp.py HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, "a path upwards, encoded"),
    ("GET /static/%00 HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, "a zero byte"),
    (f"{GET}Transfer-Encoding : chunked\r\n\r\n", 400, "a space before the colon"),
    (f"{POST}Content-Length: 4\r\nContent-Length: 5\r\n\r\n", 400, "two lengths"),
    (f"{POST}Transfer-Encoding: gzip\r\n\r\n", 400, "an unknown coding"),
    (f"{OURS}Content-Length: 6\r\n{CHUNKED}0\r\n\r\n{GET}\r\n", 400, "a smuggled request"),
    (f"{OURS}{CHUNKED}-1\r\n", 400, "a chunk of -1 bytes"),
    (f"{GET}Origin: http://evil.example\r\n{SOCKET}", 403, "a WebSocket of another site"),
    (f"{GET}{SOCKET}", 403, "a WebSocket without an origin"),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 405, "HTTP/2"),
    ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "TLS"),
]
TOO_LONG = [f"{GET}X: {'x' * 500_000}\r\n\r\n", OURS + CHUNKED + "1\r\nx\r\n" * 90_000]


def test_what_a_hostile_client_sends_gets_one_refusal_and_the_server_goes_on(tmp_path):
    with served(tmp_path, ".") as server:
        name = f"127.0.0.1:{server.port}"
        for request, status, what in RAW:
            answer, more = exchange(server.port, request.replace("HOST", name).encode("latin-1"))
            assert (answer.status, more) == (status, b""), what
        for request in TOO_LONG:  # the kernel may drop the answer with what was not read
            with suppress(ConnectionError):
                assert exchange(server.port, request.replace("HOST", name).encode())[0].status in (400, 413)
        assert server.get("/healthz")[0] == 200
        assert "Traceback" not in server.said() and "restart" not in server.said()


def exchange(port: int, sent: bytes) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer to these bytes, and what comes after it until a connection is closed that will be closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(sent)
        with closing(http.client.HTTPResponse(connection)) as answer:
            answer.begin()
            answer.read()
            return answer, connection.recv(100) if answer.will_close else b""
