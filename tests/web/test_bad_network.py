"""Remote bots over a bad network: whatever breaks, they play as if they were here."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from bad_network import bad_network
from servers import served, wait_for

from arena.games import GAMES
from arena.programs.bot import bot_from_path, remote_bot
from arena.programs.play.remote import wait_for_bots
from arena.programs.play.table import Table
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.web.database import Database
from arena.web.tokens import Holder, Tokens

BOT = Path(__file__).parents[2] / "bots/python/random_bot.py"
CLOCK = TimeControl(move=1.0, bank=60.0)


class Playing:
    """A server with a token for the bot `ann`, and her client behind a bad network."""

    def __init__(self, folder: Path, server):
        self.folder, self.server = folder, server
        self.gate = wait_for(lambda: next(folder.glob("tmp/*/bots"), None), "no socket of bots")
        with closing(Database(folder / "server/server.db")) as database:
            (folder / "token").write_text(Tokens(database).issue(Holder("bot", "ann"), "bearer"))
        self.client = None

    def connect(self, port: int) -> None:
        words = ("connect", f"http://127.0.0.1:{port}", "--token-file", str(self.folder / "token"))
        with (self.folder / "client.txt").open("a") as said:
            self.client = subprocess.Popen(
                [sys.executable, "-m", "arena", *words, "--", sys.executable, str(BOT)], stderr=said
            )

    def said(self) -> str:
        return (self.folder / "client.txt").read_text()


@pytest.fixture
def playing(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with served(tmp_path, ".") as server:
        playing = Playing(tmp_path, server)
        try:
            yield playing
        finally:
            if playing.client:
                playing.client.terminate()
                playing.client.wait(30)


def game(number: int) -> Fixture:
    names = ("ann", "bob") if number % 2 else ("bob", "ann")
    rules = GAMES["complots"]
    conditions = Conditions(clock=CLOCK)
    fixture = Fixture(
        "complots", 1, rules.defaults(), names, ("", ""), rotation=number, conditions=conditions
    )
    return deal_alone(fixture, f"game {number}")


def play(bots, gate=None, until=lambda: False, most=40, least=3):
    """Some games, until `until` says so."""
    records = []
    with Table(bots, gate=gate) as table:
        while len(records) < most and (len(records) < least or not until()):
            records.append(table.play(game(len(records))))
    return records


@pytest.mark.slow
def test_a_bad_network_changes_nothing_but_the_time(playing):
    """100 ms of delay, lost and half-open connections, and kill -9 of the client and of the web process."""
    bob = bot_from_path("bob", BOT)
    with bad_network(playing.server.port) as network:

        def kill_client() -> None:
            playing.client.kill()
            playing.client.wait(30)
            playing.connect(network.port)

        troubles = [
            *(network.drop, network.drop, kill_client, network.freeze),
            *(lambda: playing.server.child("arena.web.process").kill(), network.drop, kill_client),
        ]

        def make_trouble() -> None:
            for trouble in troubles:
                passed = network.passed
                wait_for(lambda: network.passed > passed + 8, playing.said())  # noqa: B023
                trouble()

        playing.connect(network.port)
        wait_for(
            lambda: ": connected" in playing.said() or playing.client.poll(), "the client has not connected"
        )
        wait_for_bots(playing.gate, ["ann"], print)
        chaos = threading.Thread(target=make_trouble)
        chaos.start()
        remote = play({"ann": remote_bot("ann"), "bob": bob}, playing.gate, lambda: not chaos.is_alive())
        chaos.join(60)
    here = play({"ann": bot_from_path("ann", BOT), "bob": bob}, most=len(remote), least=len(remote))
    assert [record.faults for record in remote] == [()] * len(remote), playing.said()
    assert [record.replies for record in remote] == [record.replies for record in here]
    assert playing.said().count("connecting again") >= 4


@pytest.mark.slow
def test_the_record_has_what_was_charged_and_what_was_left_out_for_the_network(playing):
    with bad_network(playing.server.port) as network:
        playing.connect(network.port)
        wait_for(
            lambda: ": connected" in playing.said() or playing.client.poll(), "the client has not connected"
        )
        wait_for_bots(playing.gate, ["ann"], print)
        (record,) = play(
            {"ann": remote_bot("ann"), "bob": bot_from_path("bob", BOT)}, playing.gate, most=1, least=1
        )
    seat = record.fixture.bots.index("ann")
    charged, measured = record.trace["microseconds"][seat], record.trace["figures"][seat + 1]
    for ask, (wall, cpu, left_out) in measured.items():
        assert wall >= 100_000 and cpu == 0, "the delay of both directions"
        assert 90_000 < left_out <= 250_000
        assert charged[ask] == pytest.approx(wall - left_out, abs=2)


@pytest.mark.slow
def test_what_ends_a_client_with_one_line(playing):
    """A wrong token, a bot that does not start, a server that is none; and a second client is refused."""
    port, token = playing.server.port, playing.folder / "token"
    (playing.folder / "wrong").write_text("wrong\n")
    fails = [sys.executable, "-c", "raise SystemExit(3)"]

    def connect(url, token, *command):
        words = [sys.executable, "-m", "arena", "connect", url, "--token-file", str(token), "--", *command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        return done.stderr.splitlines()[-1]

    here = f"http://127.0.0.1:{port}"
    assert connect(here, playing.folder / "wrong", "sh").endswith(
        "the token is not valid there (or not any more)"
    )
    assert connect(f"{here}/elsewhere", token, "sh").endswith(": no arena server answers at this address")
    assert connect(f"https://127.0.0.1:{port}", token, "sh").startswith(f"arena: https://127.0.0.1:{port}: ")
    with Table({"ann": remote_bot("ann")}, gate=playing.gate) as table, ThreadPoolExecutor() as threads:
        ended = threads.submit(connect, here, token, *fails)
        assert table.greet(60.0) == {"ann": "exited with status 3 before it answered hello"}
        assert ended.result().endswith("exited with status 3 before it answered")
    playing.connect(port)
    wait_for(lambda: ": connected" in playing.said(), "the client has not connected")
    assert connect(here, token, "sh").endswith("another client plays as ann, and answers; stop it first")
