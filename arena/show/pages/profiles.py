"""The figures of a bot with intervals: as numbers, as text, and as points of a chart."""

from collections.abc import Mapping
from typing import NamedTuple

from matplotlib.axes import Axes

from arena.rating.shares import Tallied
from arena.rules import Game
from arena.show.tables.render import csv_text
from arena.show.tables.table import Column, Table
from arena.tournament.runs.behaviour import Tallies

_CSV = (Column("", "bot figure value low high"),)


class Value(NamedTuple):
    """A figure with its 95 % confidence interval; None: no chance to do it, or in fewer than two groups."""

    value: float | None
    interval: tuple[float, float] | None


Profile = Mapping[str, Value]
"""The figures of one bot, by name."""


def profile(game: Game, tallies: Tallies, bot: str) -> Profile:
    """The figures of a bot in the order of the game."""
    counts = {name: tallies[bot].figures.get(name, Tallied()) for name in game.figures}
    return {name: Value(each.value, each.interval(game.figures[name].ratio)) for name, each in counts.items()}


def draw_value(axes: Axes, row: int, value: Value, colour: str, size: float = 4, scale: float = 1) -> None:
    """Draw a point with its interval, divided by `scale`; nothing if there is no value."""
    if value.value is None:
        return
    if value.interval:
        ends = [end / scale for end in value.interval]
        axes.plot(ends, [row, row], color=colour, linewidth=1.5, solid_capstyle="butt")
    axes.plot([value.value / scale], [row], "o", color=colour, markersize=size)


def csv_of(known: Mapping[str, Profile]) -> str:
    """The figures of these bots as CSV."""
    rows = [
        {"bot": bot, "figure": name, "value": value, "low": interval[0], "high": interval[1]}
        for bot, figures in known.items()
        for name, (value, between) in figures.items()
        for interval in [between or (None, None)]
    ]
    return csv_text([Table("figures", _CSV, rows)])
