"""The lines to and from a bot around a fault, with the wrong ones marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.config.text import cut, error_index
from arena.programs.play.recorder import LoggedLine
from arena.referee.protocol import read_answer
from arena.referee.seat import Fault

_NEWS = 4  # lines of news shown before an ask
_ANSWERS = 6  # lines of the bot shown after the ask
_MAX_SHOWN = 300  # characters of a shown line


@dataclass(frozen=True)
class Excerpt:
    """The ask of a fault (None if none was sent), the news before it, and the bot's lines after it.

    `earlier` are the ids at the beginning of the bot's lines before the ask.
    """

    news: Sequence[LoggedLine]
    ask: LoggedLine | None
    answers: Sequence[LoggedLine]
    earlier: frozenset[int | None] = frozenset()

    @property
    def id(self) -> int:
        return int(self.ask.text.split(" ")[1]) if self.ask else 0

    @property
    def kind(self) -> str:
        return self.ask.text.split(" ")[2] if self.ask else ""

    @property
    def limit(self) -> str:
        """The milliseconds for the answer, as in the ask; "" without an ask."""
        return self.ask.text.split(" ")[3] if self.ask else ""

    def is_answer(self, line: LoggedLine) -> bool:
        """Whether a line of the bot answers the ask with one of its options."""
        number, word = read_answer(line.text)
        options = self.ask.text.partition(" : ")[2].split(" ") if self.ask else []
        return not line.bad and number in (None, self.id) and word in options

    @property
    def wrong(self) -> list[LoggedLine]:
        """The lines of the bot other than its first answer to the ask."""
        first = next(filter(self.is_answer, self.answers), None)
        return [line for line in self.answers if line is not first]

    @property
    def is_answered(self) -> bool:
        return any(map(self.is_answer, self.answers))

    def lines(self, nothing: str) -> Iterator[str]:
        """The lines for people: `<` to the bot, `>` from it, `! >` if wrong.

        `nothing` is a text to show if the bot wrote nothing, or "".
        """
        for line in [*self.news, *([self.ask] if self.ask else [])]:
            yield f"  < {line.text}"
        wrong = {id(line) for line in self.wrong}
        for line in self.answers[:_ANSWERS]:
            after = f"  ({1000 * (line.at - self.ask.at):.0f} ms)" if self.ask else ""
            said = cut(line.text, _MAX_SHOWN)
            yield f"{'!' if id(line) in wrong else ' '} > {said}{after}"
        if len(self.answers) > _ANSWERS:
            yield f"! > ... and {len(self.answers) - _ANSWERS} more lines"
        if not self.answers and nothing:
            yield f"! > ({nothing})"


def excerpt_of(log: Sequence[LoggedLine], fault: Fault, number: int = 0) -> Excerpt:
    """The lines around `fault`, which is number `number` (from 0) of the seat's faults of its kind.

    If no `error` line told the bot of the fault, these are the last lines of the log.
    """
    end, wanted = len(log), ""
    errors = [(index, line.text.split(" ", 3)) for index, line in enumerate(log) if line.sent]
    told = [(index, words[1]) for index, words in errors if words[0] == "error" and words[2] == fault.kind]
    if number < len(told):
        end, wanted = told[number]
    asks = [index for index in range(end) if log[index].sent and log[index].text.startswith("ask ")]
    if not asks:
        return Excerpt([], None, [line for line in log[:end] if not line.sent])
    start = next((index for index in asks if log[index].text.split(" ")[1] == wanted), asks[-1])
    here = _excerpt_between(log, asks, start, end)
    if fault.kind == "early" and not here.wrong and start > asks[0]:
        # The `error` line came with the next ask, or was read together with the line before it.
        end, start = start, asks[asks.index(start) - 1]
        return _excerpt_between(log, asks, start, end)
    return here


def _excerpt_between(log: Sequence[LoggedLine], asks: Sequence[int], start: int, end: int) -> Excerpt:
    """The ask at index `start` of the log, the news before it, and the bot's lines after it, up to `end`."""
    first = max([index + 1 for index in range(start) if not log[index].sent or index in asks], default=0)
    states = [line for line in log[first:start] if line.text.startswith("state ")]
    news = [line for line in log[first:start] if line not in states][-_NEWS:]
    earlier = frozenset(read_answer(line.text)[0] for line in log[:start] if not line.sent)
    return Excerpt([*news, *states], log[start], [line for line in log[start:end] if not line.sent], earlier)


def stderr_lines(stderr: str) -> Iterator[str]:
    """The first and last lines of a bot's stderr, and an error between them, if there is one."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    if lines:
        yield "  stderr:"
    if len(lines) > 8:
        error = [lines[at], "..."] if 2 <= (at := error_index(lines)) < len(lines) - 4 else []
        lines = [*lines[:2], "...", *error, *lines[-4:]]
    yield from (f"    {line}" for line in lines)
