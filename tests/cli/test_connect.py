"""`arena connect` as it is typed: a mistake ends it with one line."""

import subprocess
import sys
from itertools import count

import pytest
from click.testing import CliRunner
from hostile_server import BINARY, CLOSE, frame, hostile_server, text

from arena.cli import main

URL = "http://127.0.0.1:1"  # where no server can be


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nonsense",), "nonsense: should be the address of a server, such as https://arena.example.org"),
        (("ftp://arena.example.org",), "ftp://arena.example.org: should be the address of a server"),
        (("http://[x",), "http://[x: should be the address of a server"),
        (("http://x:99999",), "http://x:99999: should be the address of a server"),
        ((URL, "--token-file", "none"), "none: cannot be read: No such file or directory"),
        ((URL, "--token-file", "empty"), "empty: should have the token of the bot, alone in a line"),
        ((URL, "--token-file", "prose"), "prose: should have the token of the bot, alone in a line"),
        ((URL, "--", "no-such-program"), "no-such-program: no such program"),
        ((URL,), f"{URL}: cannot connect: Connection refused"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, words, problem):
    monkeypatch.chdir(tmp_path)
    for name, said in {"token": "t0ken\n", "empty": "\n", "prose": "not a token\n"}.items():
        (tmp_path / name).write_text(said)
    words = (*words, *(() if "--token-file" in words else ("--token-file", "token")))
    url, *rest = (each for each in words if each != "no-such-program")
    program = "no-such-program" if "no-such-program" in words else "sh"
    options = [each for each in rest if each != "--"]
    done = CliRunner().invoke(main, ["connect", url, *options, "--", program, "--option"])
    assert done.exit_code == 2
    assert done.stderr.strip().startswith(f"arena: {problem}") and done.stderr.count("\n") == 1


PING = text({"ping": 1})
OPEN = PING + text({"link": "a", "open": 1}) + text({"link": "a", "heard": 0})
BROKEN = {
    "no JSON": (PING + frame(b"hello"), "sent 'hello', which no arena server sends"),
    "JSON of another kind": (PING + text([1]), "sent '[1]', which no arena server sends"),
    "no kind of message": (PING + text({"open": 1}), "which no arena server sends"),
    "a list as a name": (PING + text({"link": [], "open": 1}), "which no arena server sends"),
    "a text as a number": (OPEN + text({"link": "a", "heard": "x"}), "which no arena server sends"),
    "a number as lines": (
        OPEN + text({"link": "a", "heard": 0, "n": 1, "lines": 5}),
        "which no arena server",
    ),
    "half a character": (frame(rb'{"link": "a", "heard": 0, "n": 1, "lines": "\ud800"}'), "which no arena"),
    "a number that is none": (frame(b'{"ping": 1e999}'), "which no arena server sends"),
    "very deep": (frame(b"[" * 100_000), "which no arena server sends"),
    "bytes": (frame(b"\xff", BINARY), "which no arena server sends"),
    "no UTF-8": (frame(b"\xff"), "breaks the protocol: invalid start byte at position 0"),
    "a frame of another kind": (frame(b"", 3), "breaks the protocol: invalid opcode"),
    "a frame that is too long": (frame(bytes(2**20 + 1)), "breaks the protocol: frame with 1048577 bytes"),
    "a reason in colour": (frame(b"\x0f\xa1\x1b[31m\n", CLOSE), r"\x1b[31m\n"),
    "a redirect": (b"HTTP/1.1 302 .\r\nLocation: http://[x\r\nContent-Length: 0\r\n\r\n", "no arena server"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_server_ends_it_with_one_line(tmp_path, name):
    data, problem = BROKEN[name]
    with hostile_server(lambda connection: connection.sendall(data), not data.startswith(b"HTTP")) as url:
        status, said = connect_to(url, tmp_path, "cat")
    lines = [line for line in said.splitlines() if not line.endswith(": connected")]
    assert status == 2 and len(lines) == 1
    assert lines[0].startswith(f"arena: {url}: ") and problem in lines[0]


def never_read_by_the_bot(number):
    return text({"link": "a", "heard": 0, "n": number, "lines": "x" * 8000 + "\n"}) + PING


def sent_again_and_again(number):
    return text({"link": "a", "heard": 0, "n": 1, "lines": "x\n"}) + text({"link": "a", "heard": 0}) + PING


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flood", "bot", "problem"),
    [
        (never_read_by_the_bot, "exec sleep 600", "has sent 8 MB that the bot has not read"),
        (sent_again_and_again, "yes", "has not read 8 MB of our messages"),
    ],
)
def test_a_server_that_floods_makes_no_client_grow(tmp_path, flood, bot, problem):
    """The limit of its memory is not reached: the client ends before."""

    def send(connection):
        connection.sendall(OPEN)
        for number in count(1):
            connection.sendall(flood(number))

    with hostile_server(send) as url:
        status, said = connect_to(url, tmp_path, "sh", "-c", bot, within=("prlimit", f"--data={2**28}"))
    assert status == 2 and said.splitlines()[-1] == f"arena: {url}: {problem}"


def connect_to(url, folder, *bot, within=()):
    """The exit status of `arena connect`, and what it has said."""
    (folder / "token").write_text("t0ken\n")
    words = [
        *within,
        sys.executable,
        "-m",
        "arena",
        "connect",
        url,
        "--token-file",
        folder / "token",
        "--",
        *bot,
    ]
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, timeout=120)
    return done.returncode, done.stderr
