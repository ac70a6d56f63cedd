"""The page of the course: the Elo after each part of the games, and the gains of new versions of bots."""

from collections.abc import Iterator, Mapping, Sequence

from arena.rating.standings import CoursePoint
from arena.show.pages.chart import MUTED, RULE, SERIES, Chart, figure, short, svg_of
from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables.render import csv_text
from arena.show.tables.report import Report
from arena.show.tables.views import changes_table, course_table

_PARTS = 20
_MAX_NAMED = 12  # bots with a name and a colour
_FAINT = 40  # bots with a line
_LABEL = 0.25  # inches between two labels


def pages(site: Site) -> Iterator[Page]:
    """The page, unless there are too few seed groups for two points."""
    report = site.kinds[0]
    points = []
    for point in report.field.course(report.source.outcomes, _PARTS, report.source.widenings):
        points.append(point)
        site.progress("course", len(points), _PARTS)
    if len(points) < 2:
        return
    found = [row for rows in report.field.changes(report.source.outcomes) for row in rows]
    yield Page(
        "course.html",
        "Course",
        "course.html",
        {
            "left_out": site.left_out,
            "chart": site.write_chart(course_chart(report, points)),
            "changes": site.linked(changes_table(found)) if found else None,
            "named": _MAX_NAMED,
            "unnamed": max(0, len(report.rows) - _MAX_NAMED),
        },
    )


def course_chart(report: Report, points: Sequence[CoursePoint]) -> Chart:
    """The Elo of the bots over the games: the first bots in colour, with names; further ones in grey."""
    bots = [row.bot for row in report.rows if row.bot in points[-1].elo]
    named = bots[:_MAX_NAMED]
    height = max(2.6, 0.3 * len(named) + 1.2)
    with figure(height) as (drawn, axes):
        for bot in bots[_MAX_NAMED:_FAINT]:
            axes.plot(*_line(points, bot), color=RULE, lw=1)
        for number, bot in enumerate(named):
            axes.plot(*_line(points, bot), color=SERIES[number % len(SERIES)], lw=1.8)
        low, high = axes.get_ylim()
        last, gap = points[-1].groups, _LABEL * (high - low) / height
        ends = apart({bot: points[-1].elo[bot] for bot in named}, gap)
        for number, bot in enumerate(named):
            colour = SERIES[number % len(SERIES)]
            axes.annotate(
                short(bot),
                (last, points[-1].elo[bot]),
                (last * 1.03, ends[bot]),
                va="center",
                arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.8, "shrinkA": 1, "shrinkB": 0},
                annotation_clip=False,
            )
        axes.set_xlim(0, last)
        axes.set_xlabel("seed groups")
        axes.set_ylabel("Elo", color=MUTED)
        axes.grid(axis="y")
        svg = svg_of(drawn)
    alt = f"The Elo of {len(named)} bots after each of {len(points)} parts of the games; the CSV file has it"
    return Chart("course", alt, svg, csv_text([course_table(report, points)]))


def _line(points: Sequence[CoursePoint], bot: str) -> tuple[list[int], list[float]]:
    known = [point for point in points if bot in point.elo]
    return [point.groups for point in known], [point.elo[bot] for point in known]


def apart(heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """Heights for labels of bots, in Elo: close to `heights`, in the same order, at least `gap` apart."""
    # Labels that would overlap become a block around the mean of their heights.
    blocks: list[tuple[list[str], float]] = []  # names from below, and the height of their middle
    for name in sorted(heights, key=heights.__getitem__):
        names, middle = [name], heights[name]
        while blocks and middle - blocks[-1][1] < gap * (len(names) + len(blocks[-1][0])) / 2:
            below, centre = blocks.pop()
            middle = (centre * len(below) + middle * len(names)) / (len(below) + len(names))
            names = [*below, *names]
        blocks.append((names, middle))
    return {
        name: middle + gap * (number - (len(names) - 1) / 2)
        for names, middle in blocks
        for number, name in enumerate(names)
    }
