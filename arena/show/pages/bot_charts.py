"""The chart on the page of a bot, drawn in several processes because there may be hundreds of bots."""

from collections.abc import Collection, Sequence
from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.rating.standings import Opponent
from arena.show.pages.chart import INK, SERIES, Chart, figure, short, svg_of
from arena.show.tables.render import csv_text
from arena.show.tables.table import Table
from arena.show.tables.views import OPPONENTS

MAX_OPPONENTS = 25
_TICK = 0.25  # half the length of a tick; the height of a row is 1
_RIGHT = 0.3  # inches right of the axes
_LETTER = 0.085  # inches: the most width of a character of a label


def opponents_chart(slug: str, opponents: Sequence[Opponent], significant: Collection[str]) -> Chart:
    """The score against each opponent, with a line to it from the score that the Elo expects.

    It shows the `MAX_OPPONENTS` opponents that the bot met most often. Against opponents in `significant` the
    two scores surely differ.
    """
    most = sorted(opponents, key=lambda row: -row.meetings)[:MAX_OPPONENTS]
    rows = [row for row in opponents if row in most]
    height = 0.8 + 0.23 * len(rows)
    with figure(height) as (drawn, axes):
        _place_axes(drawn, axes, height, [short(row.bot) for row in rows])
        for number, row in enumerate(rows):
            colour = SERIES[0] if row.score >= row.expected else SERIES[1]
            ends = [row.expected, row.score]
            is_sure = row.bot in significant
            fill = colour if is_sure else "none"
            axes.plot(
                ends,
                [number] * 2,
                "-o",
                color=colour,
                markevery=[1],
                markersize=5,
                markerfacecolor=fill,
                lw=2 if is_sure else 0.8,
            )
        _draw_ticks(axes, [(row.expected, number) for number, row in enumerate(rows)], INK)
        _in_percent(axes, len(rows), [short(row.bot) for row in rows])
        axes.set_xlabel("score", fontsize=9)
        svg = svg_of(drawn)
    return Chart(
        f"bot-{slug}-opponents",
        f"Score against {len(rows)} opponents and the expected score; the table below has the numbers",
        svg,
        csv_text([Table("opponents", OPPONENTS, opponents)]),
    )


def _draw_ticks(axes: Axes, points: Sequence[tuple[float, int]], colour: str) -> None:
    """Draw a short vertical line at each point, all in one path: markers take ten times the space."""
    x = [place for at, _ in points for place in (at, at, nan)]
    y = [place for _, row in points for place in (row - _TICK, row + _TICK, nan)]
    axes.plot(x, y, color=colour, linewidth=1, solid_capstyle="butt")


def _place_axes(drawn: Figure, axes: Axes, height: float, labels: Sequence[str]) -> None:
    """Leave room for the labels. An adaptive layout measures all texts, which takes most of the time."""
    drawn.set_layout_engine("none")
    width, left = drawn.get_figwidth(), 0.2 + _LETTER * max(map(len, labels))
    axes.set_position((left / width, 0.5 / height, (width - left - _RIGHT) / width, 1 - 0.6 / height))


def _in_percent(axes: Axes, rows: int, names: Sequence[str]) -> None:
    """Give the axes a scale from 0 to 100 %, and a row for each name, from the top."""
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_yticks(range(rows), names)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(axis="x")
