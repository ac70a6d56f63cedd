"""Games of a remote bot: a server, the client of the bot `ann`, and what plays against her."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from servers import Served, served, wait_for

from arena.games import GAMES
from arena.programs.bot import Bot, remote_bot
from arena.programs.play.remote import wait_for_bots
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.web.database import Database
from arena.web.tokens import Holder, Tokens

BOT = Path(__file__).parents[2] / "bots/python/random_bot.py"
# Troubles last up to ten seconds, and may come before a ready, too: no bot is to blame for them.
_CLOCK = TimeControl(move=1.0, bank=60.0, start=60.0)


class Playing:
    """A server with a token for the bot `ann`, and her client, which connects to it by some network."""

    def __init__(self, folder: Path, server: Served):
        self.server, self.token = server, folder / "token"
        self._said = folder / "client.txt"
        self._gate = wait_for(lambda: next(folder.glob("tmp/*/bots"), None), "no socket of bots")
        with closing(Database(folder / "server/server.db")) as database:
            self.token.write_text(Tokens(database).issue(Holder("bot", "ann"), "bearer"))
        self.client: subprocess.Popen[bytes] | None = None

    @property
    def gate(self) -> Path:
        return self._gate

    def connect(
        self,
        url: str,
        bot: Sequence[object] = (sys.executable, BOT),
        program: Sequence[str] = ("-m", "arena"),
        within: Sequence[str] = (),
    ) -> None:
        """Start the client: `program` is what runs it, `within` what stands before the command."""
        words = [*within, sys.executable, *program, "connect", url, "--token-file", self.token, "--", *bot]
        with self._said.open("a") as said:
            self.client = subprocess.Popen([str(word) for word in words], stderr=said)

    def wait(self) -> None:
        """Wait until the client is connected."""
        assert self.client
        client = self.client
        wait_for(lambda: ": connected" in self.said() or client.poll() is not None, "the client hangs")
        assert client.poll() is None, self.said()
        wait_for_bots(self.gate, ["ann"], print)

    def said(self) -> str:
        return self._said.read_text()

    def kill(self) -> None:
        assert self.client
        self.client.kill()
        self.client.wait(30)

    def play(self, most: int, until: Callable[[], bool] = lambda: False, least: int = 3) -> list[Record]:
        """Some games against `bob`, until `until` says so."""
        return _play({"ann": remote_bot("ann")}, most, self.gate, until, least)


@contextmanager
def playing(folder: Path, *options: str, within: Sequence[str] = ()) -> Iterator[Playing]:
    """A server as long as the context lasts. Its TMPDIR should be `tmp` in the folder."""
    with served(folder, ".", *options, within=within) as server:
        playing = Playing(folder, server)
        try:
            yield playing
        finally:
            if playing.client:
                playing.client.terminate()
                playing.client.wait(30)


def play_here(games: int) -> list[Record]:
    """The same games, with the bot on this machine."""
    return _play({"ann": read_bot(BOT, name="ann")}, games, None, lambda: False, games)


def _play(
    ann: Mapping[str, Bot], most: int, gate: Path | None, until: Callable[[], bool], least: int
) -> list[Record]:
    records: list[Record] = []
    with ProgramTable({**ann, "bob": read_bot(BOT, name="bob")}, gate=gate) as table:
        while len(records) < most and (len(records) < least or not until()):
            records.append(table.play(_game(len(records))))
    return records


def _game(number: int) -> Fixture:
    names = ("ann", "bob") if number % 2 else ("bob", "ann")
    rules = GAMES["complots"]
    conditions = Conditions(clock=_CLOCK)
    fixture = Fixture(
        "complots", 1, rules.defaults(), names, ("", ""), rotation=number, conditions=conditions
    )
    return deal_alone(fixture, f"game {number}")
