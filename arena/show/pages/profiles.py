"""The figures of a bot with intervals: as numbers, as text, and as points of a chart."""

from collections.abc import Mapping
from typing import NamedTuple

from matplotlib.axes import Axes

from arena.rating.shares import Tallied
from arena.rules import Figure, Game
from arena.show.tables.render import csv_text
from arena.show.tables.table import Column, Table
from arena.tournament.runs.behaviour import Tallies

_CSV = (Column("", "bot figure value low high"),)


class Value(NamedTuple):
    """A figure of a bot with its 95 % confidence interval.

    `value` is None if the bot had no chance to do it, `interval` if it had chances in fewer than two groups.
    """

    value: float | None
    interval: tuple[float, float] | None

    def scaled(self, scale: float) -> "Value":
        """The value and its interval, divided by `scale`."""
        if self.value is None:
            return self
        ends = self.interval and (self.interval[0] / scale, self.interval[1] / scale)
        return Value(self.value / scale, ends)


Profile = Mapping[str, Value]
"""The figures of one bot, by name."""


def profile(game: Game, tallies: Tallies, bot: str) -> Profile:
    """The figures of a bot in the order of the game."""
    counts = tallies[bot].figures
    return {name: _value_of(figure, counts.get(name, Tallied())) for name, figure in game.figures.items()}


def _value_of(figure: Figure, counts: Tallied) -> Value:
    return Value(counts.value, counts.interval(figure.ratio))


def draw_value(axes: Axes, row: int, value: Value, colour: str, size: float = 4) -> None:
    """Draw a point with its interval; nothing if there is no value."""
    if value.value is None:
        return
    if value.interval:
        axes.plot(value.interval, [row, row], color=colour, linewidth=1.5, solid_capstyle="butt")
    axes.plot([value.value], [row], "o", color=colour, markersize=size)


def csv_of(known: Mapping[str, Profile]) -> str:
    """The figures of these bots as CSV."""
    rows = [
        {"bot": bot, "figure": name, "value": value, "low": interval[0], "high": interval[1]}
        for bot, figures in known.items()
        for name, (value, between) in figures.items()
        for interval in [between or (None, None)]
    ]
    return csv_text([Table("figures", _CSV, rows)])
