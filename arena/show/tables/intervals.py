"""The intervals of the standings, drawn in a terminal: a line for each bot below a common axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from rich.console import Console
from rich.text import Text

from arena.config.text import cut, printable
from arena.rating.standings import Standing
from arena.show.tables.grid import WIDTH, width
from arena.show.tables.report import Report
from arena.show.tables.table import margin, whole

MOST = 40  # bots: the best ones
WIDEST = 120  # columns: on a wider line it is hard to find the name of a bot
_LONGEST = 24  # columns of a name
_BETWEEN_TICKS = 10  # columns, at least


@dataclass(frozen=True)
class Signs:
    """The characters of a drawing."""

    ends: tuple[str, str]
    line: str
    point: str
    fixed: str
    arrows: str
    tick: str
    more: str
    error: str


UNICODE = Signs(("├", "┤"), "─", "●", "◆", "◀▶", "┊", "…", "±")
_ASCII = Signs(("[", "]"), "-", "o", "#", "<>", ":", "...", "+-")


def terminal() -> Console:
    """The standard output; 80 columns if it is a file or a pipe."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDEST) if console.is_terminal else WIDTH
    return console


def draw(report: Report, console: Console) -> str:
    """The intervals as text, in ASCII if the console is no terminal."""
    signs = UNICODE if console.is_terminal and not console.options.ascii_only else _ASCII
    with console.capture() as capture:
        for line in _lines(report, console.width, signs):
            console.print(line, no_wrap=True, crop=False)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _lines(report: Report, columns: int, signs: Signs) -> Iterator[Text]:
    rows = report.rows[:MOST]
    names = [cut(printable(row.bot), min(_LONGEST, columns // 3), signs.more) for row in rows]
    numbers = [_number(row, signs) for row in rows]
    left, right = max(map(width, names)), max(map(width, numbers))
    axis = _Axis.over(rows, max(_BETWEEN_TICKS, columns - left - right - 4))
    fixed = f"; {signs.fixed} is fixed" if any(row.error == 0 for row in rows) else ""
    yield Text(f"Elo with {100 * report.settings.confidence:g} % intervals{fixed}", "dim")
    yield Text(" " * (left + 2)).append(axis.labels(), "dim")
    for row, name, cell in zip(rows, names, numbers, strict=True):
        line = Text(name + " " * (left - width(name) + 2))
        yield line.append_text(axis.interval(row, signs)).append(f"  {cell:>{right}}")
    if rest := len(report.rows) - len(rows):
        yield Text(f"{signs.more} and {rest} more; --bots shows those that it names", "dim")


def _number(row: Standing, signs: Signs) -> str:
    if row.unrated:
        return row.unrated
    if row.bound is not None:
        return margin(row.error, row.bound, row.elo)
    return whole(row.elo) + (f"{signs.error}{whole(row.error)}" if row.error else "")


def _ends(row: Standing) -> tuple[float, float]:
    """Where the interval of a bot begins and ends; that of a perfect score reaches at least to its Elo."""
    if row.bound is not None:
        return min(row.bound, row.elo), max(row.bound, row.elo)
    return row.elo - (row.error or 0), row.elo + (row.error or 0)


@dataclass(frozen=True)
class _Axis:
    """A scale of so many columns from `low` to `high`, with a tick at every multiple of `step`."""

    low: float
    high: float
    step: float
    columns: int

    @classmethod
    def over(cls, rows: Sequence[Standing], columns: int) -> "_Axis":
        known = [end for row in rows if not row.unrated for end in _ends(row)] or [0.0]
        low, high = min(known), max(known)
        if high - low < 1:  # one bot, or all alike
            low, high = low - 50, high + 50
        rough = (high - low) * _BETWEEN_TICKS / columns
        power = 10.0 ** floor(log10(rough))
        step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
        return cls(low, high, max(step, 1), columns)

    def column(self, elo: float) -> int:
        return round((elo - self.low) / (self.high - self.low) * (self.columns - 1))

    @property
    def ticks(self) -> list[int]:
        first, last = ceil(self.low / self.step), floor(self.high / self.step)
        return [round(count * self.step) for count in range(first, last + 1)]

    def labels(self) -> str:
        line = ""
        for tick in self.ticks:
            start = max(0, self.column(tick) - len(str(tick)) // 2)
            if start + len(str(tick)) <= self.columns and (not line or start > len(line)):
                line = line.ljust(start) + str(tick)
        return line

    def interval(self, row: Standing, signs: Signs) -> Text:
        """The line of one bot, on dotted lines below the ticks."""
        cells = [" "] * self.columns
        for tick in self.ticks:
            cells[self.column(tick)] = signs.tick
        if row.unrated:
            return Text("".join(cells), "dim")
        first, last = map(self.column, _ends(row))
        if row.bound is not None:  # the interval of a perfect score has no other end
            won = row.bound <= row.elo
            first, last = (first, self.columns - 1) if won else (0, last)
        if row.error or row.bound is not None:
            cells[first : last + 1] = signs.line * (last + 1 - first)
            cells[first], cells[last] = signs.ends
        if row.bound is None:
            cells[self.column(row.elo)] = signs.fixed if row.error == 0 else signs.point
        else:
            cells[last if won else first] = signs.arrows[won]
        text = Text("".join(cells), "dim")
        text.stylize("not dim cyan", first, last + 1)
        return text
