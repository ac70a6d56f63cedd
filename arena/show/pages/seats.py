"""The page of seats: the places by seat, and the value of each seat."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arena.rating.standings import SeatEffect
from arena.rules import seat_name
from arena.show.pages.chart import MUTED, SERIES, Chart, draw_intervals, figure, svg_of
from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables import render
from arena.show.tables.report import Report
from arena.show.tables.table import Column, Table
from arena.show.tables.views import seats_table

_NARROWEST = 0.06  # the least share that is written into its part of a bar
_LIGHTEST, _DARKEST = 0.06, 0.62  # the opacity of the colours of the last and of the first place


def pages(site: Site) -> Iterator[Page]:
    report = site.kinds[0]
    sizes = []
    for size, counts in report.field.places_by_seat().items():
        found = seats_table(report, [row for row in report.field.seat_effects if row.size == size])
        table = replace(found, columns=found.columns[1:], caption=f"Seats of games of {size}")
        sizes.append((size, site.write_chart(places_chart(size, counts)), table))
    effects = [row for row in report.field.seat_effects if row.elo is not None]
    chart = site.write_chart(effects_chart(report, effects)) if effects else None
    yield Page(
        "seats.html", "Seats", "seats.html", {"sizes": sizes, "effects": chart, "left_out": site.left_out}
    )


def places_chart(size: int, counts: NDArray[np.int64]) -> Chart:
    """A bar for each seat: the share of each place, the first one darkest."""
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    with figure(0.7 + 0.34 * size) as (drawn, axes):
        left = shares[:, 0] * 0
        for place in range(size):
            depth = _DARKEST - (_DARKEST - _LIGHTEST) * place / max(1, size - 1)
            axes.barh(range(size), shares[:, place], left=left, color=SERIES[0], alpha=depth, height=0.8)
            for seat, part in enumerate(shares[:, place]):
                if part > _NARROWEST:
                    middle = left[seat] + part / 2
                    axes.text(middle, seat, f"{part:.0%}", ha="center", va="center_baseline")
            left = left + shares[:, place]
        axes.set_yticks(range(size), [seat_name(seat) for seat in range(size)])
        axes.set_ylim(size - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.set_xticks([])
        axes.set_xlabel("share of places, from first to last")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        svg = svg_of(drawn)
    names = [f"place_{place}" for place in range(1, size + 1)]
    rows = [
        {"seat": seat_name(seat), **dict(zip(names, row, strict=True))}
        for seat, row in enumerate(counts.tolist())
    ]
    data = render.csv_text([Table("places", [Column("", " ".join(["seat", *names]))], rows)])
    alt = f"Share of each place by seat, {size} seats; the CSV file has the numbers"
    return Chart(f"places-{size}", alt, svg, data)


def effects_chart(report: Report, rows: Sequence[SeatEffect]) -> Chart:
    """The effect of each seat at each size of table, in Elo, with its interval."""
    labels = [f"{seat_name(row.seat)} of {row.size}" for row in rows]
    with figure(0.7 + 0.27 * len(rows)) as (drawn, axes):
        axes.axvline(0, color=MUTED, lw=0.8)
        draw_intervals(axes, labels, [row.elo or 0 for row in rows], [row.error or 0 for row in rows])
        axes.set_xlabel(f"Elo of the seat, with {100 * report.settings.confidence:g} % confidence interval")
        svg = svg_of(drawn)
    alt = "The effect of each seat in Elo, with intervals; the tables have the numbers"
    return Chart("seats", alt, svg, render.csv_text([seats_table(report, rows)]))
