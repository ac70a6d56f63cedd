"""What the trace of a record has for each ask of a seat: the time of the answer, and stderr."""

from typing import NamedTuple

from arena.referee.record import Record
from arena.rules import seat_name


class TracedAsk(NamedTuple):
    """An ask with what was charged for its answer, None if there was none; `stderr` is untrusted text."""

    microseconds: int | None
    stderr: str


NO_TRACE = TracedAsk(None, "")


def stderr(record: Record) -> dict[str, str]:
    """What each bot wrote to stderr in this game, by seat; untrusted text."""
    kept = record.trace.get("stderr", {})  # JSON has turned the seat numbers into strings
    return {seat_name(int(number) - 1): text for number, text in kept.items()}


def traced_asks(record: Record, seat: int) -> list[TracedAsk]:
    """The asks of a seat in order; the first is `ready`. A game part alone has no trace, so none."""
    times: list[int | None] = []
    if "microseconds" in record.trace:
        times += record.trace["microseconds"][seat]
    if "sent" in record.trace:
        asks, _, last, _ = record.trace["sent"][seat]
        times += [None] * (last - asks - len(times))
    marks = {int(number): each for number, each in record.trace.get("stderr_asks", {}).items()}
    text, at = stderr(record).get(seat_name(seat), ""), 0
    parts = [""] * len(times)
    for ask, length in marks.get(seat + 1, []) if parts else []:
        parts[min(ask, len(parts) - 1)] += text[at : at + length]
        at += length
    rest = [TracedAsk(None, text[at:])] if text[at:] else []
    return [*map(TracedAsk, times, parts), *rest]


def time_usage(record: Record, seat: int, ask: int) -> tuple[float | None, ...]:
    """The wall time of an answer in milliseconds, the CPU time, and the time that the bot waited for a core.

    They are None where they were not measured.
    """
    measured = record.trace.get("figures", {}).get(str(seat + 1), {}).get(str(ask))
    return tuple(each / 1000 for each in measured) if measured else (None, None, None)
