"""What happened at a moment, as lines of text."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from arena.core.text import printable
from arena.records.record import Record
from arena.results.moments import Said
from arena.results.transcript import game_of
from arena.rules import seat_name

MOST_STDERR = 5  # lines of one answer; `arena replay --format stderr` shows all


class MomentText:
    """Describes the moments of a game for a person, with the control characters of bots' texts escaped.

    All lines but those of turns and of the result are indented, and long lines continue further to the right,
    so that no text of a bot looks like an event. With `as_bots_read`, news and answers are lines of the
    protocol instead, without ids and times.
    """

    as_bots_read = False

    def __init__(self, record: Record):
        self._bots, self._scores = record.fixture.bots, record.result[1]
        self._places = record.result[0]
        self.prose = game_of(record).prose

    def lines(self, said: Sequence[Said], asked: bool) -> Iterator[Text]:
        """The lines of one moment; with `asked` an answer has its ask, too."""
        for each in said:
            if self.as_bots_read and each.kind in ("event", "secret", "answer"):
                yield from protocol_lines(each)
            else:
                yield from self._lines(each, asked)

    def _lines(self, said: Said, asked: bool) -> Iterator[Text]:
        seat = "" if said.seat is None else seat_name(said.seat)
        match said.kind:
            case "event" if said.text.startswith("turn "):
                yield Text("")
                yield Text(one_line(self.prose.tell(said.text)), "bold")
            case "event":
                yield Text(f"  {one_line(self.prose.tell(said.text))}")
            case "secret":
                yield Text(f"  {seat} alone: {one_line(self.prose.tell(said.text))}", "italic")
            case "fault":
                yield Text(f"  ! {seat} {one_line(said.text)}", "bold red")
            case "answer":
                yield from stderr_lines(seat, said.stderr)
                if asked:
                    yield Text(f"    {seat} is asked: {one_line(said.ask)}", "dim")
                kind = said.ask.partition(" ")[0]
                yield Text(f"    {seat} {one_line(kind)}: {one_line(said.text)}").append(took(said), "dim")
            case "stderr":
                yield from stderr_lines(seat, said.text)
            case "end":
                yield from self._result()

    def _result(self) -> Iterator[Text]:
        yield Text("")
        yield Text("The game is over.", "bold")
        for place, seat in sorted((place, seat) for seat, place in enumerate(self._places)):
            score = "" if self._scores is None else f", {self._scores[seat]}"
            yield Text(f"{place}. {seat_name(seat)} {one_line(self._bots[seat])}{score}")


def protocol_lines(said: Said) -> Iterator[Text]:
    """What the bots read (`<`) and wrote (`>`)."""
    seat = "all" if said.seat is None else seat_name(said.seat)
    if said.kind != "answer":
        yield Text(f"  {seat} < {said.kind} {one_line(said.text)}")
        return
    yield from stderr_lines(seat, said.stderr)
    yield Text(f"  {seat} < ask {one_line(said.ask)}")
    yield Text(f"  {seat} > {one_line(said.text)}").append(took(said), "dim")


def took(said: Said) -> str:
    return "" if said.milliseconds is None else f"  ({said.milliseconds:.2f} ms)"


def stderr_lines(seat: str, text: str) -> Iterator[Text]:
    found = [line.rstrip() for line in text.split("\n") if line.strip()]
    for line in found[:MOST_STDERR]:
        yield Text(f"      {seat} stderr: {one_line(line)}", "yellow")
    if len(found) > MOST_STDERR:
        yield Text(f"      {seat} stderr: ... and {len(found) - MOST_STDERR} more lines", "dim yellow")


def one_line(text: str) -> str:
    return printable(text.replace("\n", " "))
