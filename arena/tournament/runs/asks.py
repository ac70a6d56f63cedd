"""Reads from the trace of a record, for each ask of a seat, the time of the answer and stderr."""

from typing import NamedTuple

from arena.referee.record import Record
from arena.rules import seat_name


class TracedAsk(NamedTuple):
    """One ask to a seat: the time charged for it, and the bot's stderr before the next ask.

    `microseconds` is None if nothing was charged because the seat forfeited here. `stderr` is untrusted text.
    """

    microseconds: int | None
    stderr: str


NO_TRACE = TracedAsk(None, "")


def stderr(record: Record) -> dict[str, str]:
    """Each bot's stderr in this game, by seat (`p1`); seats without any are left out.

    It is untrusted text.
    """
    kept = record.trace.get("stderr", {})  # JSON turned the seat numbers into strings.
    return {seat_name(int(number) - 1): text for number, text in kept.items()}


def traced_asks(record: Record, seat: int) -> list[TracedAsk]:
    """The asks of a seat in order; the first is `ready`. [] if the record has no trace.

    If the record does not say to which ask some stderr belongs, a last item has that text and no time.
    """
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
    """Wall time of an answer, CPU time, and the time that the bot waited for a core, in milliseconds.

    `ask` counts the asks of the seat in this game from 0, which is `ready`. All three are None if the answer
    was not measured.
    """
    measured = record.trace.get("figures", {}).get(str(seat + 1), {}).get(str(ask))
    return tuple(each / 1000 for each in measured) if measured else (None, None, None)
