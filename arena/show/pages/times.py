"""The page of times: the answer times of each bot, compared with its limits."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, floor, log10

import numpy as np
from matplotlib.ticker import EngFormatter

from arena.show.pages.chart import INK, SERIES, Chart, figure, short, svg_of
from arena.show.pages.page import Page
from arena.show.pages.records import Records
from arena.show.pages.site import Site
from arena.show.tables.behaviour import BOT, TIMES, time_text
from arena.show.tables.render import csv_text
from arena.show.tables.table import Column, Table
from arena.tournament.runs.behaviour import AnswerTimes

_MAX_BOTS = 40  # bots in the chart
_BINS = 12  # bars of a histogram for each power of ten
_SECONDS = EngFormatter("s")  # labels of the scale: 1 µs, 10 ms, 1 s, 100 s
_TALLEST = 0.85  # the share of a row that its histogram may fill
# fmt: off
_CSV = [Column("", "bot from_ms to_ms answers")]
_COLUMNS = (
    Column("answers", "answers", "{:,}".format, "answers with a recorded time, including the `ready` before "
        "each game"),
    TIMES["p50"],
    TIMES["p99"],
    Column("slowest", "slowest", lambda cell: cell, "the slowest answer in milliseconds, with its game"),
    Column("limit", "limits", meaning="time per answer; with a bank, an answer may take longer"),
    replace(TIMES["limit"], heading="of limit"),
    Column("late", "late", meaning="answers that were late, or missing"),
)
# fmt: on


def pages(site: Site) -> Iterator[Page]:
    if not (records := site.records):
        return
    times = answer_times(records)
    order = [bot for bot in site.in_order(times) if times[bot].distribution()]
    if not order:
        return
    first, table = order[:_MAX_BOTS], times_table(records, {bot: times[bot] for bot in order})
    context = {
        "chart": site.write_chart(_times_chart({bot: times[bot] for bot in first})),
        "table": site.linked(replace(table, columns=[BOT, *_COLUMNS])),
        "left": len(order) - len(first),
        "first": len(first),
        "lacking": not all(times[bot].distribution() for bot in times),
    }
    yield Page("times.html", "Times", "times.html", context)


def answer_times(records: Records) -> dict[str, AnswerTimes]:
    """The times of the answers of each bot in all games."""
    found: dict[str, AnswerTimes] = {}
    for tallies in records.collected.tallies.values():
        for bot, tally in tallies.items():
            found.setdefault(bot, AnswerTimes()).merge(tally.times)
    return found


def times_table(records: Records, times: Mapping[str, AnswerTimes]) -> Table:
    """A row for each bot."""
    rows = [_times_row(records, bot, each) for bot, each in times.items()]
    return Table("times", _COLUMNS, rows, "Times of answers in milliseconds")


def _times_row(records: Records, bot: str, times: AnswerTimes) -> dict[str, object]:
    slowest, late = records.collected.slowest.get(bot), records.collected.faults.get((bot, "late"))
    return {
        "bot": bot,
        "answers": sum(count for _, count in times.distribution()),
        "p50": times.milliseconds(50),
        "p99": times.milliseconds(99),
        "slowest": records.cell(slowest.at, slowest.moment, time_text(slowest.microseconds / 1e3))
        if slowest
        else "-",
        "limits": " ".join(f"{limit * 1e3:g}" for limit in times.limits),
        "limit": times.of_limit(99),
        "late": f"{late.count:,}" if late else "",
    }


def _times_chart(times: Mapping[str, AnswerTimes]) -> Chart:
    """A histogram for each bot on a logarithmic scale. All histograms are equally high."""
    spans = {bot: each.distribution() for bot, each in times.items()}
    limits = sorted({limit * 1e3 for each in times.values() for limit in each.limits})
    low = floor(_BINS * log10(min(span[0][0] for span in spans.values()))) - 1
    high = ceil(_BINS * log10(max([*limits, *(span[-1][0] for span in spans.values())]))) + 1
    edges = 10 ** (np.arange(low, high + 1) / _BINS)
    middles = np.sqrt(edges[1:] * edges[:-1])
    data = []
    with figure(1.3 + 0.34 * len(times)) as (drawn, axes):
        for row, (bot, each) in enumerate(times.items()):
            milliseconds, counts = zip(*spans[bot], strict=True)
            heights, _ = np.histogram(milliseconds, edges, weights=counts)
            data += [
                {"bot": bot, "from_ms": f"{start:.4g}", "to_ms": f"{end:.4g}", "answers": int(count)}
                for start, end, count in zip(edges[:-1], edges[1:], heights, strict=True)
                if count
            ]
            top = row + 0.4 - _TALLEST * heights / heights.max()
            axes.fill_between(
                middles, top, row + 0.4, where=heights > 0, color=SERIES[0], alpha=0.35, linewidth=0
            )
            axes.plot(middles, np.where(heights > 0, top, np.nan), color=SERIES[0], linewidth=1)
            marks = ("p50", "|", INK, each.milliseconds(50)), ("p99", "^", INK, each.milliseconds(99))
            for word, mark, colour, value in (*marks, ("slowest", "x", SERIES[1], milliseconds[-1])):
                at, label = [value or 0.0], None if row else word
                axes.plot(at, [row + 0.4], mark, color=colour, markersize=6, linestyle="none", label=label)
        for number, limit in enumerate(limits):
            label = None if number else "limit"
            axes.axvline(limit, color=SERIES[1], linestyle="--", linewidth=1, label=label)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: _SECONDS(value / 1e3))
        axes.set_yticks([row + 0.4 for row in range(len(times))], [short(bot) for bot in times])
        axes.set_ylim(len(times) - 0.3, -0.6)
        axes.set_xlabel("time of an answer")
        axes.grid(axis="x")
        drawn.legend(loc="outside upper left", ncols=4, frameon=False, fontsize=9)
        svg = svg_of(drawn)
    alt = f"Answer times of {len(times)} bots on a logarithmic scale; the table below has the numbers"
    return Chart("times", alt, svg, csv_text([Table("times", _CSV, data)]))
