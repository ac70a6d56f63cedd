"""The transcript of a recorded game: for a spectator, for one seat, or as JSON."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.core.config import ConfigError
from arena.core.text import printable, quote, yaml_word
from arena.core.tracebacks import cause
from arena.games import find
from arena.records.record import Record
from arena.referee.seat import Fault
from arena.results.asks import TracedAsk, stderr, traced_asks
from arena.rules import ALL, Ask, Draw, Game, Reply, Result, Tell, seat_name
from arena.rules.match import Match

SPECTATOR = ("event", "secret", "answer", "fault", "table", "end", "stderr")
WITH_STDERR = ("crashed ", "unstarted ")
SEAT = ("event", "secret", "state", "ask", "answer", "fault", "end", "time", "stderr")


class Entry(NamedTuple):
    """One line of a game. `seat` is the seat that receives or sends it, None for all seats.

    Kinds: `event` and `secret` (news), `table` (the public position), `state` (the position as a seat sees
    it), `ask`, `answer`, `draw` (chance; `seat` learns the outcome, "nobody" if none does), `fault`, `end`.
    Of the trace: `time` (of the answer that follows, in milliseconds) and `stderr` (untrusted text).
    """

    kind: str
    seat: int | str | None
    text: str


def game_of(record: Record) -> Game:
    """The game of a record. ConfigError: it is not installed, or in another version."""
    game = find(record.fixture.game)
    if game is None:
        raise ConfigError(f"the game {record.fixture.game} is not installed")
    if problem := record.fixture.version_problem(game):
        raise ConfigError(f"game {record.fixture.id}: {problem}, so it cannot be shown")
    return game


class Pause(NamedTuple):
    """A moment at which the rules wait for a reply, or at which the game is over (`reply` is None).

    `match` goes on to the next pause: read its position and its step now. `news` was told, and `faults`
    happened, since the pause before.
    """

    match: Match
    news: list[Tell]
    faults: list[Fault]
    reply: Reply | None


def pauses(record: Record, match: Match | None = None) -> Iterator[Pause]:
    """Replay a record from pause to pause. With a `match` of it at its start, that one is played."""
    match = match or record.fixture.match(game_of(record))
    told, faults = 0, list(record.faults)
    for count, reply in enumerate([*record.replies, None]):
        news = [step for step, _ in match.log[told:] if type(step) is Tell]
        told = len(match.log)
        happened = 0
        while happened < len(faults) and faults[happened].reply <= count:
            happened += 1
        yield Pause(match, news, faults[:happened], reply)
        del faults[:happened]
        if reply is not None:
            match.reply(reply)


def entries(record: Record) -> Iterator[Entry]:
    """Replay a record and yield everything that happened."""
    for match, news, faults, reply in pauses(record):
        view, step = match.game.view, match.step
        for tell in news:
            yield Entry("event" if tell.to is ALL else "secret", tell.to, tell.text)
        if step is None or any(tell.text.startswith("turn ") for tell in news):
            yield from (Entry("table", None, line) for line in view(match.position, None))
        for fault in faults:
            yield Entry("fault", fault.seat, f"{fault.kind} {fault.detail}")
        if type(step) is Draw:
            yield Entry("draw", step.to, f"{step.purpose} {reply}")
        elif type(step) is Ask:
            for seat, choice in step.choices.items():
                yield from (Entry("state", seat, line) for line in view(match.position, seat))
                yield Entry("ask", seat, f"{choice.kind} {choice.tail}")
            assert isinstance(reply, dict)
            for seat, word in reply.items():
                yield Entry("answer", seat, f"{step.choices[seat].kind} {word}")
    assert match.result is not None
    yield Entry("end", None, end_text(match.result))


def end_text(result: Result) -> str:
    """The result as in an `end` line."""
    places, scores = result
    suffix = "" if scores is None else f" scores={','.join(map(str, scores))}"
    return f"places={','.join(map(str, places))}{suffix}"


def traced(record: Record) -> Iterator[Entry]:
    """`entries`, each answer with its time and what the bot wrote to stderr since the ask before."""
    left = [iter(traced_asks(record, seat)) for seat in range(len(record.fixture.bots))]
    for seat, asks in enumerate(left):  # what comes with `ready`: a bot may write at its start
        yield from stderr_lines(seat, next(asks, None))
    for entry in entries(record):
        if entry.kind == "answer" and isinstance(entry.seat, int):
            ask = next(left[entry.seat], None)
            yield from stderr_lines(entry.seat, ask)
            if ask and ask.microseconds is not None:
                yield Entry("time", entry.seat, f"{ask.microseconds / 1000:.2f}")
        yield entry
    for seat, asks in enumerate(left):
        for ask in asks:
            yield from stderr_lines(seat, ask)


def stderr_lines(seat: int, ask: TracedAsk | None) -> Iterator[Entry]:
    for line in ask.stderr.split("\n") if ask else ():
        if line.strip():
            yield Entry("stderr", seat, line.rstrip())


def for_spectator(record: Record, trace: bool = False) -> Iterator[str]:
    """The lines of the whole game with open cards; `!` marks faults, `|` the position at each turn.

    With its `trace`, answers have their times, and what bots wrote to stderr stands above them.
    """
    fixture = record.fixture
    defaults = game_of(record).defaults()
    options = [
        f"{key}={yaml_word(fixture.options[key])}"
        for key, default in defaults.items()
        if fixture.options[key] != default
    ]
    seats = "  ".join(f"{seat_name(seat)} {name}" for seat, name in enumerate(fixture.bots))
    yield f"{fixture.game}: {seats}"
    if deal := [f"seed {fixture.seed}"] * bool(fixture.seed) + options:
        yield " ".join(deal)
    took = ""
    for kind, seat, text in traced(record) if trace else entries(record):
        if kind == "time":
            took = f"  ({text} ms)"
        if kind not in SPECTATOR:
            continue
        if text.startswith("turn ") and kind == "event":
            yield ""
        if kind == "event" or kind == "end":
            yield f"{text}" if text.startswith(("turn ", "places=")) else f"  {text}"
        elif kind == "table":
            yield f"  | {text}"
        elif kind == "answer" and isinstance(seat, int):
            asked, _, word = text.partition(" ")
            yield f"    {seat_name(seat)} {asked}: {word}{took}"
            took = ""
        elif isinstance(seat, int):
            yield seat_line(kind, seat_name(seat), text)
            if kind == "fault" and text.startswith(WITH_STDERR):
                yield from stderr_cause(record, seat_name(seat))
    for place, seat in sorted((place, seat) for seat, place in enumerate(record.result[0])):
        yield f"{place}. {seat_name(seat)} {fixture.bots[seat]}"


def seat_line(kind: str, seat: str, text: str) -> str:
    """The line of a fault, a secret, or of stderr."""
    if kind == "fault":
        return f"  ! {seat} {text}"
    if kind == "stderr":
        return f"      {seat} stderr: {printable(text)}"
    return f"    ({seat} alone: {text})"


def stderr_cause(record: Record, seat: str) -> Iterator[str]:
    """The error that a bot wrote to stderr in this game, quoted. It is in the trace, as it may vary."""
    if error := cause(stderr(record).get(seat, "")):
        yield f"    ({seat} to stderr: {quote(error, 200)})"


def for_seat(record: Record, seat: int, trace: bool = False) -> Iterator[str]:
    """What one seat received (`<`) and sent (`>`), without ids and times, which differ between processes.

    With its `trace`, `#` marks what its bot wrote to stderr, and the time of each answer.
    """
    for kind, hearer, text in traced(record) if trace else entries(record):
        if kind not in SEAT or hearer not in (None, seat):
            continue
        if kind == "answer":
            yield f"> {text.partition(' ')[2]}"
        elif kind == "time":
            yield f"# answered after {text} ms"
        elif kind == "stderr":
            yield f"# stderr: {printable(text)}"
        elif kind == "fault":
            yield f"< error {text}"
        else:
            yield f"< {kind} {text}"


def to_json(record: Record, trace: bool = False) -> dict[str, Any]:
    """The game part and its id, and `entries` as objects with `kind`, `seat` and `text`.

    `seat` is the only seat that received or sent the line, or None if all did.
    """
    return {
        "id": record.fixture.id,
        **json.loads(record.game_part()),
        "entries": [
            {"kind": kind, "seat": seat_name(hearer) if type(hearer) is int else hearer, "text": text}
            for kind, hearer, text in (traced(record) if trace else entries(record))
        ],
    }
