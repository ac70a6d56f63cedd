"""A recorded game as a sequence of moments, to be watched step by step."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.records.record import Record
from arena.results.asks import TracedAsk, traced_asks
from arena.results.transcript import Pause, end_text, pauses
from arena.rules import ALL, Ask
from arena.rules.match import Match


class Said(NamedTuple):
    """One thing that happened: an `event`, a `secret`, a `fault`, an `answer`, the `end`, or `stderr`.

    `seat` is the seat that was told a secret, made the fault, answered, or wrote to stderr; None if it
    concerns all. The text of an answer is the word. Of answers alone: `ask` has the kind and tail of the ask
    line, `milliseconds` the time that was charged, and `stderr` what the bot wrote since its answer before.
    What it wrote after its last answer is said at the end. All of it is untrusted text.
    """

    kind: str
    seat: int | None
    text: str
    ask: str = ""
    milliseconds: float | None = None
    stderr: str = ""


class Moment(NamedTuple):
    """What happens at once: an event, the secrets told together, the answers to an ask, a fault, or the end.

    `table` has the `state` lines of the open table at this moment, and `views` those that each seat may see.
    """

    said: tuple[Said, ...]
    table: tuple[str, ...]
    views: tuple[tuple[str, ...], ...]


def moments_of(record: Record, match: Match | None = None) -> Iterator[Moment]:
    """All moments of a game in order. ConfigError: its game is not installed, or in another version.

    With a `match` of the record at its start, that one is played: its log is then complete.

    The table is that at which the rules next wait for answers: the rules may tell news before, between and
    after the changes that it is about, and a position must have a view only when they wait.
    """
    seats = range(len(record.fixture.bots))
    waiting: list[tuple[Said, ...]] = []
    for pause, groups in told(record, match):
        waiting += groups
        if pause.match.step is None or type(pause.match.step) is Ask:
            view, position = pause.match.game.view, pause.match.position
            table = tuple(view(position, None))
            views = tuple(tuple(view(position, seat)) for seat in seats)
            for said in waiting:
                yield Moment(said, table, views)
            waiting = []


def told(record: Record, match: Match | None = None) -> Iterator[tuple[Pause, list[tuple[Said, ...]]]]:
    """Each pause of the rules, and what is said at its moments, without the tables, which take time."""
    traces = [answer_traces(record, seat) for seat in range(len(record.fixture.bots))]
    for pause in pauses(record, match):
        yield pause, [*happened(pause), *answered(pause, traces)]


def answer_traces(record: Record, seat: int) -> Iterator[TracedAsk]:
    """The traces of the answers of a seat in order; what it wrote before `ready` is with the first."""
    asks = traced_asks(record, seat)
    before = asks[0].stderr if asks else ""
    for ask in asks[1:] or [TracedAsk(None, "")]:
        yield ask._replace(stderr=before + ask.stderr) if before else ask
        before = ""


def happened(pause: Pause) -> Iterator[tuple[Said, ...]]:
    """The news before a pause, and the faults; secrets that follow each other are told together."""
    secrets: list[Said] = []
    for tell in pause.news:
        if tell.to is not ALL:
            secrets.append(Said("secret", tell.to, tell.text))
            continue
        if secrets:
            yield tuple(secrets)
            secrets = []
        yield (Said("event", None, tell.text),)
    if secrets:
        yield tuple(secrets)
    for fault in pause.faults:
        yield (Said("fault", fault.seat, f"{fault.kind} {fault.detail}"),)


def answered(pause: Pause, traces: list[Iterator[TracedAsk]]) -> Iterator[tuple[Said, ...]]:
    """The answers at a pause, or the end."""
    step, reply = pause.match.step, pause.reply
    if type(step) is Ask and isinstance(reply, dict):
        answers = []
        for seat, word in reply.items():
            choice, trace = step.choices[seat], next(traces[seat], TracedAsk(None, ""))
            took = None if trace.microseconds is None else trace.microseconds / 1000
            answers.append(
                Said("answer", seat, word, f"{choice.kind} {choice.tail}", took, trace.stderr.rstrip())
            )
        yield tuple(answers)
    if step is None and pause.match.result:
        rest = ["".join(trace.stderr for trace in left).rstrip() for left in traces]
        wrote = [Said("stderr", seat, text) for seat, text in enumerate(rest) if text]
        yield (Said("end", None, end_text(pause.match.result)), *wrote)
