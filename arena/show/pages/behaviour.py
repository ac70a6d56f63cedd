"""The page of behaviour: the figures of each game, with intervals, for all bots."""

from collections.abc import Iterator, Mapping

from arena.games import find
from arena.rules import Game
from arena.show.pages.chart import SERIES, Chart, figure, short, svg_of
from arena.show.pages.page import Page
from arena.show.pages.profiles import Profile, csv_of, draw_value, profile
from arena.show.pages.site import Site
from arena.show.tables.behaviour import BOT, figure_columns
from arena.show.tables.table import Table

_MOST = 40  # bots in the chart


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
        known = {bot: profile(game, tallies, bot) for bot in order}
        rows = [{"bot": bot} | {name: each.value for name, each in known[bot].items()} for bot in order]
        table = Table("behaviour", [BOT, *figure_columns(game)], rows, f"Figures of {game.name}")
        sections.append(
            {
                "game": game.name,
                "figures": game.figures,
                "chart": site.write_chart(_behaviour_chart(game, {bot: known[bot] for bot in order[:_MOST]})),
                "table": site.linked(table),
                "left": max(0, len(order) - _MOST),
            }
        )
    yield Page("behaviour.html", "Behaviour", "behaviour.html", {"sections": sections, "most": _MOST})


def _behaviour_chart(game: Game, known: Mapping[str, Profile]) -> Chart:
    """A panel for each figure; in each panel a point with its interval for each bot."""
    with figure(0.8 + 0.24 * len(known)) as (drawn, axes):
        axes.remove()
        columns = drawn.subplots(1, len(game.figures), sharey=True, squeeze=False)[0]
        for column, (name, each) in zip(columns, game.figures.items(), strict=True):
            for row, figures in enumerate(known.values()):
                draw_value(column, row, figures[name], SERIES[0])
            column.set_title(name, fontsize=10)
            column.grid(axis="x")
            column.tick_params(axis="x", labelsize=8)
            column.set_xlim(left=0)
            if not each.ratio:
                column.set_xlim(-0.06, 1.06)
                column.set_xticks([0, 0.5, 1], ["0", "50 %", ""])  # the next panel begins at 100 %
        columns[0].set_yticks(range(len(known)), [short(bot) for bot in known])
        columns[0].set_ylim(len(known) - 0.5, -0.5)
        svg = svg_of(drawn)
    alt = f"{', '.join(game.figures)} of {len(known)} bots; the table below has the numbers"
    return Chart(f"behaviour-{game.name}", alt, svg, csv_of(known))
