"""Writes the transcript of a recorded game: for a spectator, for one seat, or as JSON."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.config.text import cause, printable, quote, yaml_word
from arena.referee.record import Record
from arena.rules import seat_name
from arena.tournament.runs import account as events
from arena.tournament.runs.account import Answered, Asked, Drawn, Ended, Faulted, Told, Waiting, Wrote
from arena.tournament.runs.asks import stderr

_WITH_STDERR = ("crashed", "unstarted")


def for_spectator(record: Record, trace: bool = False) -> Iterator[str]:
    """The lines of the whole game with open cards; `!` marks faults, `|` the position at turns and the end.

    With `trace`, answers have their times, and the bots' stderr is above them. Otherwise stderr is shown only
    if it names the cause of a crash or a failed start.
    """
    fixture = record.fixture
    yield from _heading(record)
    for event in events.account(record if trace else record.without_stderr()):
        match event:
            case Told(_, None, text):
                yield from ["", text] if event.begins_turn else [f"  {text}"]
            case Told(_, int(seat), text):
                yield f"    ({seat_name(seat)} alone: {text})"
            case Waiting(match, turn) if turn or match.result:
                yield from (f"  | {line}" for line in match.game.view(match.position, None))
            case Faulted(_, seat, kind, detail):
                yield f"  ! {seat_name(seat)} {kind} {detail}"
                if kind in _WITH_STDERR:
                    yield from _stderr_cause(record, seat_name(seat))
            case Answered(seat=seat):
                yield from _spectator_stderr(seat, event.stderr)
                took = f"  ({event.milliseconds:.2f} ms)" if trace and event.milliseconds is not None else ""
                yield f"    {seat_name(seat)} {event.choice.kind}: {event.word}{took}"
            case Ended():
                yield event.text
            case Wrote(_, seat, text):
                yield from _spectator_stderr(seat, text)
    for place, seat in sorted((place, seat) for seat, place in enumerate(record.result[0])):
        yield f"{place}. {seat_name(seat)} {fixture.bots[seat]}"


def _heading(record: Record) -> Iterator[str]:
    """The game and its seats, then its seed, unless that is secret, and the options that are not defaults."""
    fixture, defaults = record.fixture, events.game_of(record).defaults()
    options = [
        f"{key}={yaml_word(fixture.options[key])}"
        for key, default in defaults.items()
        if fixture.options[key] != default
    ]
    seats = "  ".join(f"{seat_name(seat)} {name}" for seat, name in enumerate(fixture.bots))
    yield f"{fixture.game}: {seats}"
    if deal := [f"seed {fixture.seed}"] * bool(fixture.seed) + options:
        yield " ".join(deal)


def _spectator_stderr(seat: int, text: str) -> Iterator[str]:
    return (f"      {seat_name(seat)} stderr: {printable(line)}" for line in _lines_of(text))


def _lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def _stderr_cause(record: Record, seat: str) -> Iterator[str]:
    if error := cause(stderr(record).get(seat, "")):
        yield f"    ({seat} to stderr: {quote(error, 200)})"


def for_seat(record: Record, seat: int, trace: bool = False) -> Iterator[str]:
    """The news for one seat (`<`), and the answers that the rules got for it (`>`), without ids and times.

    If the seat forfeits, the lines go on to the end of the game, though its bot was sent nothing more. With
    `trace`, `#` marks its bot's stderr and the time of each answer.
    """
    for kind, hearer, text in entries(record, trace):
        if kind in ("table", "draw") or hearer not in (None, seat):
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


class TranscriptLine(NamedTuple):
    """One line of a game, as in JSON. `seat` is the seat that receives or sends it, None for all seats.

    Kinds: `event` and `secret` (news), `table` (the public position), `state` (the position as a seat sees
    it), `ask`, `answer`, `draw` (chance; `seat` learns the outcome, "nobody" if none does), `fault`, `end`.
    From the trace: `time` (of the answer that follows, in milliseconds) and `stderr` (untrusted text).
    """

    kind: str
    seat: int | str | None
    text: str


def entries(record: Record, trace: bool = False) -> Iterator[TranscriptLine]:
    """The lines of a game in order; with `trace`, they include times and stderr."""
    waiting: Waiting
    for event in events.account(record if trace else record.without_stderr()):
        match event:
            case Told(_, hearer, text):
                yield TranscriptLine(event.kind, hearer, text)
            case Waiting(match, turn):
                waiting = event
                if turn or match.result:
                    yield from (
                        TranscriptLine("table", None, line) for line in match.game.view(match.position, None)
                    )
            case Faulted(_, seat, kind, detail):
                yield TranscriptLine("fault", seat, f"{kind} {detail}")
            case Drawn(hearer, purpose, outcome):
                yield TranscriptLine("draw", hearer, f"{purpose} {outcome}")
            case Asked(seat, choice):
                at = waiting.match
                yield from (TranscriptLine("state", seat, line) for line in at.game.view(at.position, seat))
                yield TranscriptLine("ask", seat, f"{choice.kind} {choice.tail}")
            case Answered(seat=seat):
                yield from (TranscriptLine("stderr", seat, line) for line in _lines_of(event.stderr))
                if trace and event.milliseconds is not None:
                    yield TranscriptLine("time", seat, f"{event.milliseconds:.2f}")
                yield TranscriptLine("answer", seat, f"{event.choice.kind} {event.word}")
            case Ended():
                yield TranscriptLine("end", None, event.text)
            case Wrote(_, seat, text):
                yield from (TranscriptLine("stderr", seat, line) for line in _lines_of(text))


def to_json(record: Record, trace: bool = False) -> dict[str, Any]:
    """The game as a JSON object: its `id`, the keys of its game part, and `entries`.

    An entry has `kind`, `seat` (`p1`) and `text`, as a `TranscriptLine`.
    """
    lines = [
        {"kind": kind, "seat": seat_name(hearer) if type(hearer) is int else hearer, "text": text}
        for kind, hearer, text in entries(record, trace)
    ]
    return {"id": record.fixture.id, **json.loads(record.game_part()), "entries": lines}
