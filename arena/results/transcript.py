"""A recorded game as a person reads it, or as one seat heard it."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.games import find
from arena.records.record import Record
from arena.referee.protocol import last_line, option_word
from arena.rules import ALL, Ask, Draw, Tell, seat_name

SPECTATOR = ("event", "secret", "answer", "fault", "table", "end")
WITH_LAST_WORDS = ("crashed ", "unstarted ")
SEAT = ("event", "secret", "state", "ask", "answer", "fault", "end")


class Entry(NamedTuple):
    """One line of a game. `seat` is who hears or says it, None for everybody.

    Kinds: `event` and `secret` (news), `table` (the open table), `state` (what a seat sees of it),
    `ask`, `answer`, `draw` (chance; `seat` learns the outcome, which may be "nobody"), `fault`, `end`.
    """

    kind: str
    seat: int | str | None
    text: str


def entries(record: Record) -> Iterator[Entry]:
    """Play a record again, and tell everything that happened."""
    fixture, game = record.fixture, find(record.fixture.game)
    match = fixture.match(game)
    told = 0
    faults = list(record.faults)
    for count, reply in enumerate([*record.replies, None]):
        news = [step for step, _ in match.log[told:] if type(step) is Tell]
        told = len(match.log)
        for step in news:
            yield Entry("event" if step.to is ALL else "secret", step.to, step.text)
        if match.step is None or any(step.text.startswith("turn ") for step in news):
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
            for seat, word in reply.items():
                yield Entry("answer", seat, f"{step.choices[seat].kind} {word}")
        if reply is not None:
            match.reply(reply)
    places, scores = match.result
    yield Entry("end", None, f"places={','.join(map(str, places))}" + score_words(scores))


def score_words(scores: tuple[int, ...] | None) -> str:
    return "" if scores is None else f" scores={','.join(map(str, scores))}"


def for_spectator(record: Record) -> Iterator[str]:
    """The whole game with open cards, in lines; `!` marks faults, `|` the table of each turn."""
    fixture = record.fixture
    defaults = find(fixture.game).defaults()
    options = [
        f"{key}={option_word(fixture.options[key])}"
        for key, default in defaults.items()
        if fixture.options[key] != default
    ]
    seats = "  ".join(f"{seat_name(seat)} {name}" for seat, name in enumerate(fixture.bots))
    yield f"{fixture.game}: {seats}"
    if words := [f"seed {fixture.seed}"] * bool(fixture.seed) + options:
        yield " ".join(words)
    for kind, seat, text in entries(record):
        if kind not in SPECTATOR:
            continue
        if text.startswith("turn "):
            yield ""
        if kind == "event" or kind == "end":
            yield f"{text}" if text.startswith(("turn ", "places=")) else f"  {text}"
        elif kind == "table":
            yield f"  | {text}"
        elif kind == "fault":
            yield f"  ! {seat_name(seat)} {text}"
            if text.startswith(WITH_LAST_WORDS) and (words := last_words(record, seat)):
                yield f"    ({seat_name(seat)} to stderr, at the end: {words})"
        elif kind == "secret":
            yield f"    ({seat_name(seat)} alone: {text})"
        else:
            asked, _, word = text.partition(" ")
            yield f"    {seat_name(seat)} {asked}: {word}"
    for place, seat in sorted((place, seat) for seat, place in enumerate(record.result[0])):
        yield f"{place}. {seat_name(seat)} {fixture.bots[seat]}"


def last_words(record: Record, seat: int) -> str:
    """The last line that a bot wrote to stderr in this game, quoted; it is in the trace, as it may vary."""
    return last_line(stderr(record).get(seat_name(seat), ""))


def stderr(record: Record) -> dict[str, str]:
    """What each bot wrote to stderr in this game, by seats; as strangers wrote it."""
    kept = record.trace.get("stderr", {})  # by numbers, which JSON has made words of
    return {seat_name(int(number) - 1): text for number, text in kept.items()}


def for_seat(record: Record, seat: int) -> Iterator[str]:
    """What one seat heard (`<`) and said (`>`); ids and times belong to the process, and are left out."""
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

    `seat` is who alone heard or said it: what other seats must not know. None is everybody.
    """
    return {
        "id": record.fixture.id,
        **json.loads(record.game_part()),
        "entries": [
            {"kind": kind, "seat": seat_name(hearer) if type(hearer) is int else hearer, "text": text}
            for kind, hearer, text in entries(record)
        ],
    }
