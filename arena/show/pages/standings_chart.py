"""The chart of the standings: the Elo of each bot with its interval."""

from arena.show.pages.chart import SERIES, Chart, draw_intervals, figure, short, svg_of
from arena.show.tables.render import csv_text
from arena.show.tables.report import Report
from arena.show.tables.standings import standings

MOST = 40  # bots in the chart
_ARROW = {"arrowstyle": "->", "color": SERIES[0], "lw": 1.5, "shrinkA": 0, "shrinkB": 0}


def standings_chart(report: Report) -> Chart:
    """The first bots of the standings. The CSV has all bots, with all columns."""
    top = [row for row in report.rows if not row.unrated][:MOST]
    with figure(0.7 + 0.27 * len(top)) as (drawn, axes):
        errors = [0 if row.bound is not None else row.error or 0 for row in top]
        draw_intervals(axes, [short(row.bot) for row in top], [row.elo for row in top], errors)
        for height, row in enumerate(top):
            if row.bound is not None:  # the interval of a perfect score has one end
                beyond = row.elo + (row.elo - row.bound)
                axes.annotate("", (beyond, height), (row.bound, height), arrowprops=_ARROW)
                axes.plot([row.bound, beyond], [height, height], "none")  # room for the arrow
                axes.plot(row.bound, height, "|", markersize=7, color=SERIES[0])
        axes.set_xlabel(f"Elo, with {100 * report.settings.confidence:g} % confidence interval")
        svg = svg_of(drawn)
    alt = f"Elo of {len(top)} bots with intervals, the best at the top; the table below has the numbers"
    return Chart("standings", alt, svg, csv_text([standings(report)]))
