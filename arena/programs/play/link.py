"""People in browsers at a table of the server.

Theory of operation
-------------------
A person has no process here. As for a person at the terminal (`arena/programs/play/person.py`), the loop
polls a pipe of our own. An answer is written there only if the rules accept it, so a slip is not a fault
(A3). The link sends *views* to the gate of the web process, and gets answers from there. The loop polls the
bell of this connection as the stderr of the player.

A view contains the changes since the previous view: news, the state, the ask, a slip. It shows the news of
the rules for all or for this seat at once: otherwise a waiting person would see nothing until the next ask.
If the gate reconnects, it gets all views again. Only the latest has an ask: the others are over.

After a kill, a table process replays its game (`arena/programs/play/journal.py`). It makes the same views
with the same numbers, even for slips. So a page that has seen some continues with the next.
"""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from arena.config.text import UNSAFE
from arena.programs.bot import Bot
from arena.programs.play.dialogue import Dialogue
from arena.programs.play.gate import GateConnection
from arena.programs.play.journalled import JournalledPlayer, let_expire
from arena.programs.play.player import GRACE, Player
from arena.programs.play.processless import ProcesslessPlayer
from arena.programs.play.room import Room, TableClosed
from arena.programs.play.views import Views
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.clock import Clock
from arena.referee.conditions import TIMED, UNTIMED
from arena.referee.fixture import Fixture
from arena.referee.protocol import MAX_LINE, FaultKind
from arena.referee.referee import Referee

_LEFT = "left the game"
_TOO_LATE = "Too late: the time for this answer is over."
_MAX_WATCHED = 40  # views between two asks; the next one waits until a person is asked
_MARGIN_S = 0.05  # before a deadline: the referee may get an answer too late


def start_player(room: Room, bot: Bot, supervisor: SupervisorClient) -> Player:
    """Start the process of a bot at a table of the server, or the link to a person."""
    return (PersonLink if bot.is_person else JournalledPlayer)(bot, supervisor, room)


class PersonLink(ProcesslessPlayer):
    """The player of a person in a browser, connected through the gate of the web process."""

    def __init__(self, bot: Bot, supervisor: SupervisorClient, room: Room):
        super().__init__(bot, supervisor)
        self._room = room
        self.seat = 0
        self._has_left = False
        self._views: Views | None = None  # set once it has a seat
        self._gate: GateConnection | None = None
        self._is_linked = False
        self._asked = self._ask = 0  # the id of the newest ask, and of the pending one
        self._asked_at = 0.0  # seconds since 1970
        self._watched = 0  # views since the newest ask
        self._is_over = False

    def sit(self, referee: Referee, fixture: Fixture, seat: int) -> None:
        self.seat = seat
        self._views = Views(Dialogue(referee, seat))
        if self.bot.fingerprint == UNTIMED:
            referee.seats[seat].clock = Clock(fixture.control(seat))
        first = {
            "link": 1,
            "kind": "person",
            "table": self._room.table,
            "seat": seat,
            "name": self.bot.name,
            "game": fixture.game,
            "names": list(fixture.bots),
            "options": dict(fixture.options),
        }
        self._gate = GateConnection(self._room.gate, first)
        self.err = self._gate.descriptor  # its bell
        self._room.links.append(self)
        if self._room.is_closing:
            self.wake()

    # What the seat hears

    def write(self, data: bytes = b"") -> None:
        """Show the lines to the seat, and ask for an answer."""
        for line in data.decode().split("\n"):
            verb, _, rest = line.partition(" ")
            if verb == "error":
                self._seated.add_news("error", rest, rest.split(" ", 3)[3])
            elif verb == "end":
                self._is_over = True
            elif verb == "ask":
                self._hear_ask(rest)
        if self._views and data and not self._has_left:
            self._show()
            self._room.stir()
            self._repeat()

    def _hear_ask(self, rest: str) -> None:
        number, kind, _ = rest.split(" ", 2)
        self._asked, self._watched = int(number), 0
        if kind in ("hello", "ready"):
            self._say("ok")
        else:
            self._ask, self._asked_at = self._asked, time.time()

    def _repeat(self) -> None:
        """Repeat the journal's answer to the newest ask, if this game was played up to there before."""
        journal, referee = self._room.journal, self._dialogue.referee
        entry = journal.answer(self.seat, self._asked)
        for slip in entry.slips:
            self._refuse(slip, self._understand(slip)[1])
        if entry.is_over:
            referee.seats[self.seat].clock.bank = entry.bank
        if entry.is_late:
            let_expire(referee, self.seat)
        else:
            for line in entry.lines:
                self._answer(str(line))
        if journal.has_left(self.seat, self._asked):
            self._stand_up()

    @property
    def _seated(self) -> Views:
        assert self._views, "it has a seat"
        return self._views

    @property
    def _dialogue(self) -> Dialogue:
        return self._seated.dialogue

    def stir(self) -> None:
        """Show the news, unless the next ask is about to show it.

        While no person is asked, no more than `_MAX_WATCHED` views follow the newest ask of the seat.
        """
        dialogue = self._dialogue
        if self._has_left or self._is_over or dialogue.referee.seats[self.seat].last_ask != self._asked:
            return
        if self._ask and not dialogue.is_asked:
            self._ask = 0
            self._seated.add_news("late", "", _TOO_LATE)
        # An eliminated person may watch bots for hundreds of instant turns: no page shows each step.
        if self._watched >= _MAX_WATCHED and not self._room.is_person_asked(dialogue.referee.match):
            return
        if news := self._seated.take_news():
            self._watched += 1
            self._show(news)

    def _show(
        self,
        news: list[Sequence[str]] | None = None,
        refused: Mapping[str, str] | None = None,
        over: Mapping[str, Any] | None = None,
    ) -> None:
        """Send a view with `news`, or with all new entries if that is None, and with the pending ask.

        `refused` is the word of a slip, and the reason. `over` says how the game ended for this seat.
        """
        views = self._seated
        if not views.dialogue.is_asked:
            self._ask = 0
        ask = views.ask(self._ask, self._asked_at, self.bot.fingerprint == TIMED) if self._ask else None
        self._send({"view": views.add(views.take_news() if news is None else news, ask, refused, over)})

    def finish(self, over: Mapping[str, Any]) -> dict[str, Any]:
        """Show how the game ended; returns the view."""
        self._is_over = True
        self.read_stderr()  # the gate may have connected since
        self._ask = 0
        self._show(over=over)
        return self._seated.all[-1]

    def close(self) -> None:
        """Close the connection to the gate."""
        if self._gate:
            self._gate.close()
            self._gate = None

    def _send(self, message: Mapping[str, Any]) -> None:
        if self._gate and self._is_linked:
            self._gate.send(message)

    # What the seat says

    def wake(self) -> None:
        """Make the loop call `read_stderr`."""
        if self._gate:
            self._gate.put({})

    def read_stderr(self) -> bool:
        """Read the messages from the gate; always True.

        Raises:
            TableClosed: The table is to be closed.
        """
        if self._room.is_closing and not self._is_over:
            raise TableClosed
        for message in self._gate.take() if self._gate else ():
            if "gate" in message:
                self._is_linked = message["gate"]
                for view in self._seated.all:
                    self._send({"view": view})
            elif "answer" in message:
                self._hear_answer(message["answer"], str(message["word"]))
            elif "leave" in message and not self._has_left:
                self._room.journal.add_leave(self._dialogue.referee, self.seat)
                self._room.journal.sync()
                self._stand_up()
        return True

    def _hear_answer(self, ask: int, said: str) -> None:
        """Give a legal answer to the referee; after a slip the person is asked again."""
        text = UNSAFE.sub(" ", said[:MAX_LINE]).strip()
        dialogue = self._dialogue
        if ask != self._ask or not dialogue.is_asked or self._has_left:
            return  # it was answered already: the same answer may arrive twice
        clock = dialogue.referee.seats[self.seat].clock
        if time.monotonic() > clock.deadline - _MARGIN_S:
            return  # the next view will say that it is too late
        word, reason = self._understand(text)
        if not word:
            self._room.journal.add_slip(self.seat, ask, text)
            return self._refuse(text, reason)
        beyond = max(0.0, time.monotonic() - self.meter.started - clock.move)
        line = f"{ask} {word}"
        self._room.journal.add_line(dialogue.referee, self.seat, line, max(0.0, clock.bank - beyond))
        self._room.journal.sync()
        self._answer(line)

    def _understand(self, text: str) -> tuple[str, str]:
        """The legal word for a text and "", or "" and the reason why the text is not an answer."""
        try:
            word = self._dialogue.word(text)
            return word, "" if word else self._dialogue.slip(text, "choose one of them")
        except Exception as error:  # an error in a game's prose must not end the game
            return "", f"the rules cannot read this ({type(error).__name__})"

    def _refuse(self, text: str, reason: str) -> None:
        self._show(refused={"word": text, "reason": reason})

    def _answer(self, line: str) -> None:
        self._ask = 0
        self._show()
        os.write(self._mouth, f"{line}\n".encode())

    def _say(self, word: str) -> None:
        os.write(self._mouth, f"{self._asked} {word}\n".encode())

    def _stand_up(self) -> None:
        """Leave the game, which is a forfeit; the end of the player's stdout tells the loop."""
        self._has_left, self._ask = True, 0
        self._close_mouth()
        self._show(over={"left": True})

    def violation(self) -> tuple[FaultKind, str] | None:
        return ("crashed", _LEFT) if self._has_left else None

    def reap(self, grace: float = GRACE) -> str:
        self.end()
        return _LEFT
