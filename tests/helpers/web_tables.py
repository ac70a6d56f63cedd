"""Tables of people and random bots in this process, in place of the gate: real rules, real views."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from arena.games import GAMES
from arena.programs.play.dialogue import Dialogue
from arena.referee.conditions import TimeControl
from arena.referee.referee import Referee
from arena.referee.seat import Message, Send
from arena.rules.chance import Chance
from arena.rules.match import Match
from arena.web.events import Channel
from arena.web.gate import encode_view
from arena.web.server import Server

CONTROL = TimeControl(move=3600, bank=0, start=3600)


class FakeSeat:
    """The seat of a person: its views, as its process would send them."""

    def __init__(self, table: "FakeTable", number: int):
        self.table, self.number = table, number
        self.first = {
            "kind": "person",
            "table": table.id,
            "seat": number,
            "name": table.names[number],
            "game": table.referee.match.game.name,
            "names": table.names,
            "options": dict(table.referee.match.options),
        }
        self.views: list[dict[str, Any]] = []
        self.is_linked = True
        self.channel = Channel(table.server.streams)
        self._dialogue = Dialogue(table.referee, number)
        self._lines: list[str] = []

    def hear(self, text: str) -> None:
        self._lines += text.splitlines()

    def show(self, refused: Mapping[str, str] | None = None) -> None:
        """Send a view, if there is anything new to show."""
        tell = self._dialogue.prose.tell
        news, states, asked, over = [], [], None, None
        for line in self._lines:
            verb, _, rest = line.partition(" ")
            if verb in ("event", "secret"):
                news.append([verb, rest, tell(rest)])
            elif verb == "state":
                states.append(rest)
            elif verb == "ask" and " ready" not in rest:
                asked = int(rest.split(" ")[0])
        if refused:
            asked = self.views[-1]["ask"]["id"]
        if result := self.table.referee.match.result:
            places, scores = result
            over = {"places": list(places), "scores": scores and list(scores), "record": None}
        self._lines = []
        if not (news or states or asked or over):
            return
        view = {
            "n": len(self.views),
            "news": news,
            "state": states or (self.table.states(self.number) if asked or over else None),
            "ask": asked and self._ask(asked),
            "turn": self.table.asked,
            "refused": refused,
            "over": over,
        }
        self.views.append(view)
        self.channel.publish(encode_view(view))

    def _ask(self, number: int) -> dict[str, Any]:
        own = self._dialogue
        return {
            "id": number,
            "kind": own.choice.kind,
            "text": own.question,
            "options": own.options,
            "amounts": own.has_amounts,
            "open": own.open,
            "absent": own.absent,
            "rules": list(own.headings),
            "move": None,
            "bank": None,
            "context": own.context,
        }

    def answer(self, ask: int, word: str) -> None:
        if not self._dialogue.is_asked or ask != self.views[-1]["ask"]["id"]:
            return  # answered already
        if legal := self._dialogue.word(word):
            self.table.hear(self.number, f"{ask} {legal}")
        else:
            reason = self._dialogue.slip(word, "choose one of them")
            self.show({"word": word, "reason": reason})

    def leave(self) -> None:
        self.table.deliver(self.table.referee.lose(self.number, "left", "left", 0))


class FakeTable:
    """A game; bots, the seats that are no `people`, answer at random."""

    def __init__(self, server: Server, id: str, game: str, seats: int, people: Sequence[int], **options: Any):
        self.server, self.id = server, id
        self.names = [f"Ann{seat}" if seat in people else f"house-{seat}" for seat in range(seats)]
        match = Match(GAMES[game], GAMES[game].defaults() | options, seats)
        processes = [(0, 1)] * seats
        self.referee = Referee(match, Chance(id), CONTROL, 5, processes, [7] * seats)
        self._random = random.Random(id)
        self.seats = {seat: FakeSeat(self, seat) for seat in people}
        self.deliver(self.referee.begin(0))

    @property
    def asked(self) -> list[int]:
        return [seat for seat in range(len(self.names)) if self.referee.waits_for(seat)]

    def states(self, seat: int) -> list[str]:
        match = self.referee.match
        return match.game.view(match.position, None if match.result else seat)

    def hear(self, seat: int, line: str) -> None:
        self.deliver(self.referee.hear(seat, line, 0))

    def deliver(self, messages: list[Message]) -> None:
        while messages:
            answers = [self._send(each.seat, each.text) for each in messages if isinstance(each, Send)]
            messages = []
            for seat, line in filter(None, answers):
                messages += self.referee.hear(seat, line, 0)
        for seat in self.seats.values():
            seat.show()

    def _send(self, seat: int, text: str) -> tuple[int, str] | None:
        last = text.splitlines()[-1]
        if " ready" in last and last.startswith("ask"):
            return seat, f"{last.split(' ')[1]} ok"
        if seat in self.seats:
            self.seats[seat].hear(text)
            return None
        if not last.startswith("ask"):
            return None
        words = last.rpartition(" : ")[2].split(" ")
        return seat, f"{last.split(' ')[1]} {self._random.choice(words)}"
