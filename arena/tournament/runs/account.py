"""What happened in a recorded game: the one replay that all readers of records share.

A record has the replies that the rules got; the news to the seats follow from these. `replay` gives the rules
their replies again, one at a time. It stops before each, and a reader can look at the position. `account`
turns this into events, in the order of the game (`...` means any number of them):

    Wrote ...
    Told ... Waiting  Faulted ...  Drawn                       if the rules wait for chance
    Told ... Waiting  Faulted ...  Asked ... Answered ...      if they wait for seats
    Told ... Waiting  Faulted ...                              if they call the roll
    Told ... Waiting  Faulted ...  Ended  Wrote ...

A *moment* is everything a spectator sees at once: a public event, secrets told together, one fault, all
answers to an ask, or the end. Its events have the same number in `moment`, counted from 1.
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.games import find
from arena.referee.fixture import version_problem
from arena.referee.record import DAMAGE, Record
from arena.rules import Ask, Choice, Draw, Game, Reply, Result, Tell
from arena.rules.match import Match
from arena.tournament.runs.asks import NO_TRACE, traced_asks


class Told(NamedTuple):
    """News for one seat, or for all seats if `seat` is None."""

    moment: int
    seat: int | None
    text: str

    @property
    def kind(self) -> str:
        """`event` for public news, `secret` for news of one seat: the first word of its line."""
        return Tell(self.seat, self.text).kind

    @property
    def begins_turn(self) -> bool:
        return Tell(self.seat, self.text).begins_turn


class Waiting(NamedTuple):
    """The rules wait for a reply, or the game is over: then `match.step` is None.

    `match` is the replayed match, not a copy: its position stays until the reader goes on after the `Drawn`
    or the last `Answered` that follows. `turn` says whether a turn has begun since the previous `Waiting`.
    """

    match: Match
    turn: bool


class Faulted(NamedTuple):
    moment: int
    seat: int
    kind: str
    detail: str


class Drawn(NamedTuple):
    """Chance has picked. `seat` learns the outcome; None if all do, "nobody" if no seat does."""

    seat: int | str | None
    purpose: str
    outcome: str


class Asked(NamedTuple):
    """A seat is asked. The rules may ask even a seat that has forfeited, but its bot is sent nothing."""

    seat: int
    choice: Choice


class Answered(NamedTuple):
    """The rules got the answer `word` of a seat; `number` counts the answers of this seat in the game from 1.

    If the first option was taken because of a fault, `fault` is the kind of the fault; it is None for other
    answers, and for a seat that had forfeited before. `microseconds` were charged for the answer; None if the
    seat forfeited at this ask or before, or the record has no times. `stderr` is the bot's stderr after this
    ask and before the next: untrusted text.
    """

    moment: int
    seat: int
    choice: Choice
    word: str
    number: int
    fault: str | None
    microseconds: int | None
    stderr: str

    @property
    def ask(self) -> str:
        """The ask as in its line to the bot, without id and times."""
        return f"{self.choice.kind} {self.choice.tail}"

    @property
    def milliseconds(self) -> float | None:
        return None if self.microseconds is None else self.microseconds / 1000


class Ended(NamedTuple):
    moment: int
    result: Result

    @property
    def seat(self) -> None:
        return None

    @property
    def text(self) -> str:
        """The result as in an `end` line."""
        places, scores = self.result
        suffix = "" if scores is None else f" scores={','.join(map(str, scores))}"
        return f"places={','.join(map(str, places))}{suffix}"


class Wrote(NamedTuple):
    """A bot's stderr before its first ask (moment 0), or the part that belongs to no answer (at the end).

    There are two for each seat, with an empty text if it wrote nothing. The text is untrusted.
    """

    moment: int
    seat: int
    text: str


Happening = Told | Faulted | Answered | Ended | Wrote
"""The events that belong to moments."""

Event = Waiting | Drawn | Asked | Happening


class DoesNotReplay(ConfigError):
    """Raised if the rules do not accept the replies of a record, or the game is not over after them.

    `problem` says why, without the id of the game.
    """

    def __init__(self, record: Record, problem: str):
        self.problem = f"does not replay: {problem}"
        super().__init__(f"game {record.fixture.id}: {self.problem}")


def game_of(record: Record) -> Game:
    """The rules of a recorded game.

    Raises:
        ConfigError: The rules are not installed, or in another version.
    """
    game = find(record.fixture.game)
    if game is None:
        raise ConfigError(f"the game {record.fixture.game} is not installed")
    if problem := version_problem(game, record.fixture.version):
        raise ConfigError(f"game {record.fixture.id}: {problem}, so it cannot be shown")
    return game


def replay(record: Record, match: Match | None = None) -> Iterator[tuple[Match, Reply | None]]:
    """Yield the match before each reply of a record, with that reply; at the end of the game, with None.

    All pairs share one match object, which goes on when the next pair is taken. It is a new one, or `match`,
    which must be at its start.

    Raises:
        ConfigError: The rules are not installed, or in another version.
        DoesNotReplay: The rules do not accept the replies.
    """
    try:
        match = match or record.fixture.match(game_of(record))
        for reply in record.replies:
            yield match, reply
            match.reply(reply)
    except DAMAGE as error:  # The rules raised it: a reader's exceptions do not reach a generator.
        raise DoesNotReplay(record, str(error)) from None
    if match.result is None:
        raise DoesNotReplay(record, "the record ends before the game is over")
    yield match, None


def account(record: Record, match: Match | None = None) -> Iterator[Event]:
    """Yield the events of a recorded game in the order that the module describes.

    `match` and the errors are those of `replay`.
    """
    seats = range(len(record.fixture.bots))
    traces = [iter(traced_asks(record, seat)) for seat in seats]
    yield from (Wrote(0, seat, next(asks, NO_TRACE).stderr) for seat, asks in enumerate(traces))
    faults = deque(record.faults)
    played_instead = {(each.reply, each.seat): each.kind for each in faults if each.kind != "early"}
    answers = [0 for _ in seats]
    moment = told = 0
    try:
        for number, (at, reply) in enumerate(replay(record, match)):
            turn = after_secret = False
            for step, _ in at.log[told:]:
                if type(step) is Tell:
                    moment += step.is_public or not after_secret
                    after_secret = not step.is_public
                    turn = turn or step.begins_turn
                    yield Told(moment, step.to, step.text)
            told = len(at.log)
            yield Waiting(at, turn)
            while faults and faults[0].reply <= number:
                seat, kind, _, detail = faults.popleft()
                moment += 1
                yield Faulted(moment, seat, kind, detail)
            waits_for = at.step
            if type(waits_for) is Draw and isinstance(reply, str):
                yield Drawn(waits_for.to, waits_for.purpose, reply)
            elif type(waits_for) is Ask and isinstance(reply, dict):
                for seat, choice in waits_for.choices.items():
                    yield Asked(seat, choice)
                moment += 1
                for seat, word in reply.items():
                    answers[seat] += 1
                    fault = played_instead.get((number, seat))
                    trace = next(traces[seat], NO_TRACE)
                    yield Answered(moment, seat, waits_for.choices[seat], word, answers[seat], fault, *trace)
        assert at.result, "replay sees to it"
        yield Ended(moment + 1, at.result)
        for seat, asks in enumerate(traces):
            yield Wrote(moment + 1, seat, "".join(ask.stderr for ask in asks))
    except DAMAGE as error:
        raise DoesNotReplay(record, str(error)) from None
