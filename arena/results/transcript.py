"""The transcript of a recorded game: for a spectator, for one seat, or as JSON."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.core.config import ConfigError
from arena.core.tracebacks import cause
from arena.games import find
from arena.records.record import Record
from arena.referee.protocol import option_word, quote
from arena.rules import ALL, Ask, Draw, Game, Tell, seat_name

SPECTATOR = ("event", "secret", "answer", "fault", "table", "end")
WITH_STDERR = ("crashed ", "unstarted ")
SEAT = ("event", "secret", "state", "ask", "answer", "fault", "end")


class Entry(NamedTuple):
    """One line of a game. `seat` is the seat that receives or sends it, None for all seats.

    Kinds: `event` and `secret` (news), `table` (the public position), `state` (the position as a seat sees
    it), `ask`, `answer`, `draw` (chance; `seat` learns the outcome, "nobody" if none does), `fault`, `end`.
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


def entries(record: Record) -> Iterator[Entry]:
    """Replay a record and yield everything that happened."""
    fixture, game = record.fixture, game_of(record)
    match = fixture.match(game)
    told = 0
    faults = list(record.faults)
    for count, reply in enumerate([*record.replies, None]):
        news = [step for step, _ in match.log[told:] if type(step) is Tell]
        told = len(match.log)
        for tell in news:
            yield Entry("event" if tell.to is ALL else "secret", tell.to, tell.text)
        if match.step is None or any(tell.text.startswith("turn ") for tell in news):
            yield from (Entry("table", None, line) for line in game.view(match.position, None))
        while faults and faults[0].reply <= count:
            fault = faults.pop(0)
            yield Entry("fault", fault.seat, f"{fault.kind} {fault.detail}")
        step = match.step
        if type(step) is Draw:
            yield Entry("draw", step.to, f"{step.purpose} {reply}")
        elif type(step) is Ask:
            for seat, choice in step.choices.items():
                yield from (Entry("state", seat, line) for line in game.view(match.position, seat))
                yield Entry("ask", seat, f"{choice.kind} {choice.tail}")
            assert isinstance(reply, dict)
            for seat, word in reply.items():
                yield Entry("answer", seat, f"{step.choices[seat].kind} {word}")
        if reply is not None:
            match.reply(reply)
    assert match.result is not None
    places, scores = match.result
    yield Entry("end", None, f"places={','.join(map(str, places))}" + score_suffix(scores))


def score_suffix(scores: tuple[int, ...] | None) -> str:
    return "" if scores is None else f" scores={','.join(map(str, scores))}"


def for_spectator(record: Record) -> Iterator[str]:
    """The lines of the whole game with open cards; `!` marks faults, `|` the position at each turn."""
    fixture = record.fixture
    defaults = game_of(record).defaults()
    options = [
        f"{key}={option_word(fixture.options[key])}"
        for key, default in defaults.items()
        if fixture.options[key] != default
    ]
    seats = "  ".join(f"{seat_name(seat)} {name}" for seat, name in enumerate(fixture.bots))
    yield f"{fixture.game}: {seats}"
    if deal := [f"seed {fixture.seed}"] * bool(fixture.seed) + options:
        yield " ".join(deal)
    for kind, seat, text in entries(record):
        if kind not in SPECTATOR:
            continue
        if text.startswith("turn "):
            yield ""
        if kind == "event" or kind == "end":
            yield f"{text}" if text.startswith(("turn ", "places=")) else f"  {text}"
        elif kind == "table":
            yield f"  | {text}"
        elif isinstance(seat, int):
            yield from seat_lines(record, kind, seat, text)
    for place, seat in sorted((place, seat) for seat, place in enumerate(record.result[0])):
        yield f"{place}. {seat_name(seat)} {fixture.bots[seat]}"


def seat_lines(record: Record, kind: str, seat: int, text: str) -> Iterator[str]:
    """The lines of an entry that concerns one seat: a fault, a secret or an answer."""
    name = seat_name(seat)
    if kind == "fault":
        yield f"  ! {name} {text}"
        if text.startswith(WITH_STDERR) and (error := stderr_error(record, seat)):
            yield f"    ({name} to stderr: {error})"
    elif kind == "secret":
        yield f"    ({name} alone: {text})"
    else:
        asked, _, word = text.partition(" ")
        yield f"    {name} {asked}: {word}"


def stderr_error(record: Record, seat: int) -> str:
    """The error that a bot wrote to stderr in this game, quoted. It is in the trace, as it may vary."""
    error = cause(stderr(record).get(seat_name(seat), ""))
    return quote(error, 200) if error else ""


def stderr(record: Record) -> dict[str, str]:
    """What each bot wrote to stderr in this game, by seat; untrusted text."""
    kept = record.trace.get("stderr", {})  # JSON has turned the seat numbers into strings
    return {seat_name(int(number) - 1): text for number, text in kept.items()}


def for_seat(record: Record, seat: int) -> Iterator[str]:
    """What one seat received (`<`) and sent (`>`), without ids and times, which differ between processes."""
    for kind, hearer, text in entries(record):
        if kind not in SEAT or hearer not in (None, seat):
            continue
        if kind == "answer":
            yield f"> {text.partition(' ')[2]}"
        elif kind == "fault":
            yield f"< error {text}"
        else:
            yield f"< {kind} {text}"


def to_json(record: Record) -> dict[str, Any]:
    """The game part and its id, and `entries` as objects with `kind`, `seat` and `text`.

    `seat` is the only seat that received or sent the line, or None if all did.
    """
    return {
        "id": record.fixture.id,
        **json.loads(record.game_part()),
        "entries": [
            {"kind": kind, "seat": seat_name(hearer) if type(hearer) is int else hearer, "text": text}
            for kind, hearer, text in entries(record)
        ],
    }
