"""Remote bots over a bad network: whatever breaks, they play as if they were here."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import remote_games
from bad_network import bad_network
from remote_games import play_here
from servers import wait_for

from arena.programs.bot import remote_bot
from arena.programs.play.table import ProgramTable

pytestmark = pytest.mark.slow


@pytest.fixture
def playing(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with remote_games.playing(tmp_path) as playing:
        yield playing


def test_a_bad_network_changes_nothing_but_the_time(playing):
    """100 ms of delay, lost and half-open connections, and kill -9 of the client and of the web process."""
    with bad_network(playing.server.port) as network:

        def connect() -> None:
            playing.connect(f"http://127.0.0.1:{network.port}")

        def kill_client() -> None:
            playing.kill()
            connect()

        troubles = [
            *(network.drop, network.drop, kill_client, network.freeze),
            *(lambda: playing.server.child("arena.web.process").kill(), network.drop, kill_client),
        ]

        def make_trouble() -> None:
            for trouble in troubles:
                passed = network.passed
                wait_for(lambda: network.passed > passed + 8, playing.said())  # noqa: B023
                trouble()

        connect()
        playing.wait()
        chaos = threading.Thread(target=make_trouble)
        chaos.start()
        remote = playing.play(40, lambda: not chaos.is_alive())
        chaos.join(60)
    here = play_here(len(remote))
    assert [record.faults for record in remote] == [()] * len(remote), playing.said()
    assert [record.replies for record in remote] == [record.replies for record in here]
    assert playing.said().count("connecting again") >= 4


def test_the_record_has_what_was_charged_and_what_was_left_out_for_the_network(playing):
    with bad_network(playing.server.port) as network:
        playing.connect(f"http://127.0.0.1:{network.port}")
        playing.wait()
        (record,) = playing.play(1)
    seat = record.fixture.bots.index("ann")
    charged, measured = record.trace["microseconds"][seat], record.trace["figures"][seat + 1]
    for ask, (wall, cpu, left_out) in measured.items():
        assert wall >= 100_000 and cpu == 0, "the delay of both directions"
        assert 90_000 < left_out <= 250_000
        assert charged[ask] == pytest.approx(wall - left_out, abs=2)


def test_what_ends_a_client_with_one_line(playing):
    """A wrong token, a bot that does not start, a server that is none; and a second client is refused."""
    port, token = playing.server.port, playing.token
    (wrong := token.with_name("wrong")).write_text("wrong\n")
    fails = [sys.executable, "-c", "raise SystemExit(3)"]

    def connect(url, token, *command):
        words = [sys.executable, "-m", "arena", "connect", url, "--token-file", str(token), "--", *command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        return done.stderr.splitlines()[-1]

    here = f"http://127.0.0.1:{port}"
    assert connect(here, wrong, "sh").endswith("the token is not valid there (or not any more)")
    assert connect(f"{here}/elsewhere", token, "sh").endswith(": no arena server answers at this address")
    assert connect(f"https://127.0.0.1:{port}", token, "sh").startswith(f"arena: https://127.0.0.1:{port}: ")
    with (
        ProgramTable({"ann": remote_bot("ann")}, gate=playing.gate) as table,
        ThreadPoolExecutor() as threads,
    ):
        ended = threads.submit(connect, here, token, *fails)
        assert table.greet(60.0) == {"ann": "exited with status 3 before it answered hello"}
        assert ended.result().endswith("exited with status 3 before it answered")
    playing.connect(here)
    wait_for(lambda: ": connected" in playing.said(), "the client has not connected")
    assert connect(here, token, "sh").endswith("another client plays as ann, and answers; stop it first")
