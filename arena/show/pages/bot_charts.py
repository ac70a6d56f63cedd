"""The charts on the page of a bot, drawn in several processes because there may be hundreds of bots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.rating.opponents import Opponent
from arena.show.pages.chart import INK, MUTED, RULE, SERIES, Chart, figure, short, svg_of
from arena.show.pages.profiles import Profile, csv_of, draw_value
from arena.show.tables.render import csv_text
from arena.show.tables.table import Table
from arena.show.tables.views import OPPONENTS

MOST = 25  # opponents in the chart, those met most often
_TICK = 0.25  # half the length of a tick, as a share of the height of a row
_RIGHT = 0.3  # inches right of the axes
_LETTER = 0.085  # inches: the width of a character of a label, at most


@dataclass(frozen=True)
class BotDrawing:
    """What is drawn for one bot: its opponents and, by game, its figures and those of the other bots."""

    bot: str
    slug: str
    opponents: Sequence[Opponent]
    significant: frozenset[str]  # opponents against whom the score is not what the Elo expects
    profiles: Mapping[str, tuple[Profile, Mapping[str, Sequence[float]]]]
    ratios: frozenset[str]  # figures that may be above 1; all others are shares


def draw(drawing: BotDrawing) -> tuple[Chart | None, dict[str, Chart]]:
    """The chart of the opponents, if there are any, and those of the figures by game."""
    profiles = {game: _profile_chart(drawing, game, *each) for game, each in drawing.profiles.items()}
    return _opponents_chart(drawing) if drawing.opponents else None, profiles


def _opponents_chart(drawing: BotDrawing) -> Chart:
    """The score against each opponent, with a line to it from the score that the Elo expects."""
    most = sorted(drawing.opponents, key=lambda row: -row.meetings)[:MOST]
    rows = [row for row in drawing.opponents if row in most]
    height = 0.8 + 0.23 * len(rows)
    with figure(height) as (drawn, axes):
        _place_axes(drawn, axes, height, [short(row.bot) for row in rows])
        for number, row in enumerate(rows):
            colour = SERIES[0] if row.score >= row.expected else SERIES[1]
            ends = [row.expected, row.score]
            is_sure = row.bot in drawing.significant
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
        f"bot-{drawing.slug}-opponents",
        f"Score against {len(rows)} opponents and the expected score; the table below has the numbers",
        svg,
        csv_text([Table("opponents", OPPONENTS, drawing.opponents)]),
    )


def _profile_chart(
    drawing: BotDrawing, game: str, own: Profile, others: Mapping[str, Sequence[float]]
) -> Chart:
    """A row for each figure: a band over all other bots, a tick for each of them, and this bot."""
    height = 0.7 + 0.34 * len(own)
    scales = dict.fromkeys(own, 1.0)
    for name in drawing.ratios & own.keys():  # as shares of the highest value of any bot
        value, interval = own[name]
        scales[name] = max([*others[name], value or 0, *(interval or ())]) or 1.0
    names = [f"{name} (to {scales[name]:.2g})" if name in drawing.ratios else name for name in own]
    with figure(height) as (drawn, axes):
        _place_axes(drawn, axes, height, names)
        for row, (name, scale) in enumerate(scales.items()):
            if field := [each / scale for each in others[name]]:
                axes.barh([row], [max(field) - min(field)], 0.5, min(field), color=RULE)
                _draw_ticks(axes, [(each, row) for each in field], MUTED)
            draw_value(axes, row, own[name], SERIES[1], 6, scale)
        _in_percent(axes, len(own), names)
        svg = svg_of(drawn)
    return Chart(
        f"bot-{drawing.slug}-{game}",
        f"{', '.join(own)}: this bot among the others; the table below has the numbers",
        svg,
        csv_of({drawing.bot: own}),
    )


def _draw_ticks(axes: Axes, points: Sequence[tuple[float, int]], colour: str) -> None:
    """A short vertical line at each point, all in one path: a marker for each takes ten times the space."""
    x = [place for at, _ in points for place in (at, at, nan)]
    y = [place for _, row in points for place in (row - _TICK, row + _TICK, nan)]
    axes.plot(x, y, color=colour, linewidth=1, solid_capstyle="butt")


def _place_axes(drawn: Figure, axes: Axes, height: float, labels: Sequence[str]) -> None:
    """Leave room for the labels. An adaptive layout measures all texts, which takes most of the time."""
    drawn.set_layout_engine("none")
    width, left = drawn.get_figwidth(), 0.2 + _LETTER * max(map(len, labels))
    axes.set_position((left / width, 0.5 / height, (width - left - _RIGHT) / width, 1 - 0.6 / height))


def _in_percent(axes: Axes, rows: int, names: Sequence[str]) -> None:
    """A scale from 0 to 100 %, and a row for each name."""
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_yticks(range(rows), names)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(axis="x")
