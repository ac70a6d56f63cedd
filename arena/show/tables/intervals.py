"""The intervals of the standings, drawn in a terminal: a bar for each bot, on one scale."""

from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.config.text import printable
from arena.rating.standings import Standing
from arena.show.tables.grid import WIDTH
from arena.show.tables.report import Report
from arena.show.tables.table import margin, whole

MAX_BOTS = 40
WIDEST = 120  # columns; on a wider line it is hard to find the name of a bot
_MAX_NAME_WIDTH = 24  # columns
_THINNEST = 0.01  # the bar of an Elo without an error, as a share of the scale


def terminal() -> Console:
    """A console for the standard output, at most `WIDEST` columns wide; 80 for a file or a pipe."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDEST) if console.is_terminal else WIDTH
    return console


def draw(report: Report, console: Console) -> str:
    """The intervals of the best `MAX_BOTS` bots as text for this console."""
    rows = report.rows[:MAX_BOTS]
    ends = [end for row in rows if not row.unrated for end in row.ends] or [0.0]
    low, scale = min(ends), max(1.0, max(ends) - min(ends))
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(no_wrap=True, max_width=min(_MAX_NAME_WIDTH, console.width // 3))
    grid.add_column(ratio=1)
    grid.add_column(no_wrap=True, justify="right")
    for row in rows:
        begin, end = ((each - low) / scale for each in row.ends)
        bar = "" if row.unrated else Bar(1 + _THINNEST, begin, max(end, begin + _THINNEST), color="cyan")
        grid.add_row(Text(printable(row.bot)), bar, _number(row))
    confidence = f"{100 * report.settings.confidence:g} % intervals"
    more = f"... and {len(report.rows) - MAX_BOTS} more; --bots NAME,... shows the bots that you name"
    with console.capture() as capture:
        console.print(f"Elo with {confidence}, from {low:.0f} to {max(ends):.0f}:", style="dim")
        console.print(grid)
        if len(report.rows) > MAX_BOTS:
            console.print(more, style="dim")
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _number(row: Standing) -> str:
    if row.unrated or row.bound is not None:
        return row.unrated or margin(row.error, row.bound, row.elo)
    return whole(row.elo) + (f"±{whole(row.error)}" if row.error else "")
