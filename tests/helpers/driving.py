"""A referee driven by hand: little games, and transcripts with time in them that a person can follow.

    p1 < ask 3 move 1000 : stay go      p1 reads this line, and nothing that is not written here
    p1 > 3 go                           p1 writes this line; \\x00, \\r, \\xff stand for single bytes
    0.4 s later                         time passes, and what runs out in between has run out
    p1 dies: exited with status 1       p1 writes nothing more
    p1 ! late                           the referee notes this fault now, with these words if any follow
    p1 is stopped                       the process of p1 is to be killed
    p1 is restarted                     a process of earlier games has left, and another has taken its seat

`...` in a line that is read stands for any text. Lines that begin with `#` are for the reader. Before
a bot writes and before time passes, all that was sent must have been read in the transcript.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.referee.conditions import TimeControl
from arena.referee.protocol import Lines
from arena.referee.referee import Referee
from arena.referee.seat import Message, Restart, Send
from arena.rules import ALL, Ask, Choice, Game, Option, Result, RollCall, Tell, seat_name, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

CONTROL = TimeControl(move=1, bank=0, start=10)

MOVE = Choice("move", ("stay", "go", "gone"))


@dataclass
class Ring:
    """The position of the little games: the seats that still play, and the number of the round."""

    seats: int
    round: int = 0
    here: list[int] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    def result(self) -> Result:
        """The seats that are still here have won; the others tie behind them."""
        worst = 1 + len(self.here) if self.here else 1
        return tuple(1 if seat in self.here else worst for seat in range(self.seats)), None


async def call_the_roll(ring: Ring) -> None:
    for seat in await RollCall():
        ring.here.remove(seat)
        await Tell(ALL, f"forfeit {seat_name(seat)}")


async def duel(ring: Ring, options: Mapping[str, Any]) -> Result:
    """Each round all seats that are here answer at once, sealed; then all hear the answers."""
    for ring.round in range(1, options["rounds"] + 1):
        answers = await Ask({seat: MOVE for seat in ring.here}, race=options["race"])
        for seat, answer in answers.items():
            await Tell(ALL, f"{seat_name(seat)} {answer}")
        await call_the_roll(ring)
    return ring.result()


async def relay(ring: Ring, options: Mapping[str, Any]) -> Result:
    """Each round the seats answer one after another; all hear each answer at once."""
    for ring.round in range(1, options["rounds"] + 1):
        for seat in tuple(ring.here):
            answer = (await Ask({seat: MOVE}))[seat]
            await Tell(ALL, f"{seat_name(seat)} {answer}")
        await call_the_roll(ring)
    return ring.result()


async def solo(ring: Ring, options: Mapping[str, Any]) -> Result:
    """p1 alone is asked, round after round; the others only hear of it, and are in no roll call."""
    for ring.round in range(1, options["rounds"] + 1):
        await Tell(ALL, f"p1 {(await Ask({0: MOVE}))[0]}")
    return ring.result()


def game_of(rules: Callable[..., Any], **options: object) -> Game:
    """A game with these rules; its options are those with which its rules read `options`."""
    given = {"rounds": 1, "race": False} | options
    return Game(
        name=rules.__name__,
        version=1,
        seats=range(1, 9),
        options={
            name: Option(value, "for a test", (value,), minimum=0 if type(value) is int else None)
            for name, value in given.items()
        },
        initial_position=lambda seats, options: Ring(seats, here=list(range(seats))),
        position_from_setup=lambda seats, options, given: Ring(seats, here=list(range(seats))),
        rules=rules,
        view=lambda ring, seat: [f"round {ring.round}"],
    )


class Scene:
    """A referee, the lines that each seat has not read yet, and a clock that is moved by hand.

    `processes` says how many asks and games each process has had; by default it has been greeted.
    A scene opens with all seats ready, unless `ready=False`.
    """

    def __init__(
        self,
        game: Game,
        seats: int = 2,
        control: TimeControl = CONTROL,
        strikes: int = 3,
        processes: Sequence[tuple[int, int]] | None = None,
        words: Mapping[str, str] | None = None,
        draws: Mapping[str, Sequence[str]] | None = None,
        position: Any = None,
        ready: bool = True,
        **options: object,
    ):
        self.now = 1000.0  # any steady time will do
        options = game.defaults() | options
        self.match = Match(game, options, seats, given=position)
        processes = processes or [(1, 0)] * seats
        self.referee = Referee(
            self.match, Chance("seed", draws), control, strikes, processes, range(1, seats + 1), words
        )
        self.unread: list[deque[str]] = [deque() for _ in range(seats)]
        self.stopped: list[int] = []  # stopped, and not yet so in the transcript
        self.leavers: list[int] = []  # likewise, to be restarted
        self._noted = 0  # faults that were in the transcript
        self._lines = [Lines() for _ in range(seats)]
        if ready:
            self.begin()
            for seat in range(seats):
                self.unread[seat].clear()
                self.say(seat, "ok")

    @property
    def faults(self) -> list[tuple[str, str]]:
        """All faults so far, as seat and kind."""
        return [(seat_name(fault.seat), fault.kind) for fault in self.referee.faults]

    @property
    def deadline(self) -> float:
        """Seconds from now until the time of a seat runs out."""
        return self.referee.deadline - self.now

    # What happens

    def begin(self) -> None:
        self._deliver(self.referee.begin(self.now))

    def say(self, seat: int, *lines: str | bytes) -> None:
        """A bot writes whole lines."""
        for line in lines:
            data = line if isinstance(line, bytes) else line.encode()
            self.write(seat, data + b"\n")

    def write(self, seat: int, data: bytes) -> None:
        """A bot writes some bytes."""
        for line in self._lines[seat].feed(data):
            self._deliver(self.referee.hear(seat, line, self.now))

    def die(self, seat: int, words: str = "exited with status 1") -> None:
        self._deliver(self.referee.lose(seat, "crashed", words, self.now))

    def restart(self, seat: int, fault: str = "") -> None:
        """Another process has said hello, or could not be started."""
        self.leavers.remove(seat)
        self._lines[seat] = Lines()
        self._deliver(self.referee.rejoin(seat, 1, fault, self.now))

    def wait(self, seconds: float) -> None:
        """Time passes; the referee is told of each deadline when it comes, as the table does it."""
        end = self.now + seconds
        while not self.referee.is_over and self.referee.deadline <= end:
            self.now = self.referee.deadline
            self._deliver(self.referee.expire(self.now))
        self.now = end

    def _deliver(self, messages: list[Message]) -> None:
        """Note what is sent, and check the shape of it: one piece for a seat, up to its next ask."""
        texts: dict[int, str] = {}
        for message in messages:
            if isinstance(message, Send):
                assert message.seat not in texts, "one write for a seat, not several"
                texts[message.seat] = message.text
            elif isinstance(message, Restart):
                self.leavers.append(message.seat)
            else:
                self.stopped.append(message.seat)
        for seat, text in texts.items():
            assert text.endswith("\n")
            lines = text[:-1].split("\n")
            verb = lines[-1].split()[0]
            assert verb in ("ask", "end") or (verb == "error" and seat in self.stopped), lines
            assert all(not line.startswith(("ask", "end")) for line in lines[:-1]), lines
            self.unread[seat] += lines

    # Transcripts

    def follow(self, transcript: str) -> "Scene":
        """Play a transcript, and fail at its first line that is not so."""
        if self.referee.deadline > 1e300 and not self.referee.is_over:
            self.begin()
        for line in transcript.split("\n"):
            line = line.strip(" ")
            if line and not line.startswith("#"):
                self._follow_line(line)
        self._nothing_left("the transcript ends")
        return self

    def _follow_line(self, line: str) -> None:
        if found := re.fullmatch(r"(p\d) < (.*)", line):
            self._read(seat_number(found[1]), found[2], line)
        elif found := re.fullmatch(r"(p\d) ! (\w+) ?(.*)", line):
            self._note(seat_number(found[1]), found[2], found[3], line)
        elif found := re.fullmatch(r"(p\d) is stopped", line):
            assert seat_number(found[1]) in self.stopped, f"{line!r}: but it is not"
            self.stopped = [seat for seat in self.stopped if seat != seat_number(found[1])]
        else:
            self._nothing_left(line)
            self._act(line)

    def _act(self, line: str) -> None:
        if found := re.fullmatch(r"(p\d) >(?: (.*))?", line):
            self.say(seat_number(found[1]), unescape(found[2] or ""))
        elif found := re.fullmatch(r"(p\d) is restarted", line):
            self.restart(seat_number(found[1]))
        elif found := re.fullmatch(r"(p\d) dies: (.*)", line):
            self.die(seat_number(found[1]), found[2])
        elif found := re.fullmatch(r"(\d+(?:\.\d+)?) s later", line):
            self.wait(float(found[1]))
        else:
            raise ValueError(f"cannot read {line!r}")

    def _read(self, seat: int, wanted: str, line: str) -> None:
        assert self.unread[seat], f"{line!r}: but there is nothing to read"
        heard = self.unread[seat].popleft()
        if "..." in wanted:
            pattern = ".*".join(map(re.escape, wanted.split("...")))
            assert re.fullmatch(pattern, heard), f"{seat_name(seat)} read {heard!r}, not {wanted!r}"
        else:
            assert heard == wanted

    def _note(self, seat: int, kind: str, words: str, line: str) -> None:
        assert self._noted < len(self.referee.faults), f"{line!r}: but there is no such fault"
        fault = self.referee.faults[self._noted]
        self._noted += 1
        assert (fault.seat, fault.kind) == (seat, kind)
        if words:
            assert fault.detail == words

    def _nothing_left(self, before: str) -> None:
        for seat, lines in enumerate(self.unread):
            assert not lines, f"before {before!r}, {seat_name(seat)} also read {list(lines)}"
        assert not self.stopped, f"before {before!r}, stopped: {[seat_name(seat) for seat in self.stopped]}"
        unseen = self.referee.faults[self._noted :]
        assert not unseen, f"before {before!r}: {unseen}"


def unescape(text: str) -> bytes:
    r"""The bytes that a transcript writes as text, with `\x00` and the like for single bytes."""
    if "\\" not in text:
        return text.encode()
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1")
