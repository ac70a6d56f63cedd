"""Describes the events of a moment as lines of text."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from arena.config.text import one_line
from arena.referee.record import Record
from arena.rules import seat_name
from arena.tournament.runs.account import Answered, Ended, Faulted, Happening, Told, Wrote, game_of

MAX_STDERR_LINES = 5  # for one answer; `arena replay --format stderr` shows all


class MomentText:
    """Describes the moments of a game for a person.

    Text of bots is escaped to stay in one line, because no part of it may look like an event.
    """

    as_bots_read = False  # whether news and answers are lines of the protocol, without ids and times

    def __init__(self, record: Record):
        self._bots = record.fixture.bots
        self._places, self._scores = record.result
        self.prose = game_of(record).prose

    def lines(self, said: Sequence[Happening], asked: bool) -> Iterator[Text]:
        """The lines of one moment. With `asked` or `as_bots_read`, they include the ask of an answer."""
        for event in said:
            if self.as_bots_read and isinstance(event, Told | Answered):
                yield from _protocol_lines(event)
            else:
                yield from self._lines(event, asked)

    def _lines(self, event: Happening, asked: bool) -> Iterator[Text]:
        seat = "" if event.seat is None else seat_name(event.seat)
        match event:
            case Told(_, None, text):
                news, begins = one_line(self.prose.tell(text)), event.begins_turn
                yield from [Text(""), Text(news, "bold")] if begins else [Text(f"  {news}")]
            case Told(_, _, text):
                yield Text(f"  {seat} alone: {one_line(self.prose.tell(text))}", "italic")
            case Faulted(_, _, kind, detail):
                yield Text(f"  ! {seat} {one_line(f'{kind} {detail}')}", "bold red")
            case Answered(choice=choice, word=word):
                yield from _stderr_lines(seat, event.stderr)
                if asked:
                    yield Text(f"    {seat} is asked: {one_line(event.ask)}", "dim")
                yield Text(f"    {seat} {one_line(choice.kind)}: {one_line(word)}").append(
                    _took(event), "dim"
                )
            case Wrote(_, _, text):
                yield from _stderr_lines(seat, text)
            case Ended():
                yield from self._result()

    def _result(self) -> Iterator[Text]:
        yield Text("")
        yield Text("The game is over.", "bold")
        for place, seat in sorted((place, seat) for seat, place in enumerate(self._places)):
            score = "" if self._scores is None else f", {self._scores[seat]}"
            yield Text(f"{place}. {seat_name(seat)} {one_line(self._bots[seat])}{score}")


def _protocol_lines(event: Told | Answered) -> Iterator[Text]:
    """The input of bots (`<`), their stderr, and the answers that counted (`>`)."""
    seat = "all" if event.seat is None else seat_name(event.seat)
    if isinstance(event, Told):
        yield Text(f"  {seat} < {event.kind} {one_line(event.text)}")
        return
    yield from _stderr_lines(seat, event.stderr)
    yield Text(f"  {seat} < ask {one_line(event.ask)}")
    yield Text(f"  {seat} > {one_line(event.word)}").append(_took(event), "dim")


def _took(answer: Answered) -> str:
    return "" if answer.milliseconds is None else f"  ({answer.milliseconds:.2f} ms)"


def _stderr_lines(seat: str, text: str) -> Iterator[Text]:
    found = [line.rstrip() for line in text.split("\n") if line.strip()]
    for line in found[:MAX_STDERR_LINES]:
        yield Text(f"      {seat} stderr: {one_line(line)}", "yellow")
    if len(found) > MAX_STDERR_LINES:
        yield Text(f"      {seat} stderr: ... and {len(found) - MAX_STDERR_LINES} more lines", "dim yellow")
