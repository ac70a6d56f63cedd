"""The page of behaviour: the figures of each game, with intervals, for all bots."""

from collections.abc import Iterator, Mapping

from matplotlib.axes import Axes

from arena.games import find
from arena.rating.outcomes import Tallied
from arena.rules import Game
from arena.show.pages.chart import SERIES, Chart, figure, short, svg_of
from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables.behaviour import BOT, figure_columns
from arena.show.tables.render import csv_text
from arena.show.tables.table import Column, Table

_MAX_BOTS = 40  # bots in the chart
_CSV = (Column("", "bot figure value low high"),)

_Figures = Mapping[str, Tallied]
"""The figures of one bot, by name, in the order of the game."""


def pages(site: Site) -> Iterator[Page]:
    found = [
        (game, tallies)
        for name, tallies in sorted(site.records.collected.tallies.items() if site.records else ())
        if (game := find(name)) and game.figures
    ]
    if not found:
        return
    sections = []
    for game, tallies in found:
        order = site.in_order(tallies)
        known = {
            bot: {name: tallies[bot].figures.get(name, Tallied()) for name in game.figures} for bot in order
        }
        rows = [{"bot": bot} | {name: each.value for name, each in known[bot].items()} for bot in order]
        table = Table("behaviour", [BOT, *figure_columns(game)], rows, f"Figures of {game.name}")
        sections.append(
            {
                "game": game.name,
                "figures": game.figures,
                "chart": site.write_chart(
                    _behaviour_chart(game, {bot: known[bot] for bot in order[:_MAX_BOTS]})
                ),
                "table": site.linked(table),
                "left": max(0, len(order) - _MAX_BOTS),
            }
        )
    yield Page("behaviour.html", "Behaviour", "behaviour.html", {"sections": sections, "most": _MAX_BOTS})


def _behaviour_chart(game: Game, known: Mapping[str, _Figures]) -> Chart:
    """A panel for each figure; in each panel a point with its interval for each bot."""
    with figure(0.8 + 0.24 * len(known)) as (drawn, axes):
        axes.remove()
        columns = drawn.subplots(1, len(game.figures), sharey=True, squeeze=False)[0]
        for column, (name, each) in zip(columns, game.figures.items(), strict=True):
            for row, figures in enumerate(known.values()):
                _draw(column, row, figures[name], each.ratio)
            column.set_title(name, fontsize=10)
            column.grid(axis="x")
            column.tick_params(axis="x", labelsize=8)
            column.set_xlim(left=0)
            if not each.ratio:
                column.set_xlim(-0.06, 1.06)
                column.set_xticks([0, 0.5, 1], ["0", "50 %", ""])  # The next panel begins at 100 %.
        columns[0].set_yticks(range(len(known)), [short(bot) for bot in known])
        columns[0].set_ylim(len(known) - 0.5, -0.5)
        svg = svg_of(drawn)
    alt = f"{', '.join(game.figures)} of {len(known)} bots; the table below has the numbers"
    return Chart(f"behaviour-{game.name}", alt, svg, csv_text([Table("figures", _CSV, _rows(game, known))]))


def _draw(axes: Axes, row: int, figure: Tallied, ratio: bool) -> None:
    """Draw the value of a figure as a point, and its interval, if they are known."""
    if figure.value is not None:
        axes.plot([figure.value], [row], "o", color=SERIES[0], markersize=4)
    if ends := figure.interval(ratio):
        axes.plot(ends, [row, row], color=SERIES[0], linewidth=1.5, solid_capstyle="butt")


def _rows(game: Game, known: Mapping[str, _Figures]) -> Iterator[dict[str, object]]:
    for bot, figures in known.items():
        for name, each in figures.items():
            low, high = each.interval(game.figures[name].ratio) or (None, None)
            yield {"bot": bot, "figure": name, "value": each.value, "low": low, "high": high}
