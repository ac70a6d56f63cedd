"""The page of pairs: the score of each bot against each other, compared with the score from the Elo."""

from collections.abc import Iterator, Mapping, Sequence

from matplotlib.patches import Rectangle

from arena.rating.standings import PairTest
from arena.show.pages.chart import INK, MUTED, RULE, SERIES, Chart, figure, short, svg_of
from arena.show.pages.page import Page, definition
from arena.show.pages.site import Site
from arena.show.tables.matrices import CELLS, OPPONENT, matrix
from arena.show.tables.render import csv_text
from arena.show.tables.report import Report
from arena.show.tables.standings import BOT
from arena.show.tables.table import Column, Table, share

_MAX_BOTS = 40  # bots in the chart and in the table
_LARGE = 14  # With more bots the page is as wide as the window.
_DEEPEST = 0.6  # Text is still readable on a colour with this opacity.
_FULL = 0.3  # the difference of scores with the deepest colour
_MORE, _LESS = SERIES[0], SERIES[1]
_CELL = 0.4  # inches

Tests = Mapping[tuple[int, int], PairTest]


def pages(site: Site) -> Iterator[Page]:
    """The page, unless no two bots met."""
    report = site.kinds[0]
    tests = {(test.one, test.two): test for test in report.field.pair_tests}
    if not tests:
        return
    thirds = report.field.third_tests
    marked = sum(test.is_significant for test in tests.values())
    yield Page(
        "pairs.html",
        "Pairs",
        "pairs.html",
        {
            "left_out": site.left_out,
            "chart": site.write_chart(pairs_chart(report, tests, thirds)),
            "large": len(report.rows) > _LARGE,
            "tested": len(tests),
            "marked": marked,
            "tested_thirds": len(thirds),
            "marked_thirds": sum(test.is_significant for test in thirds),
            "thirds": site.linked(_thirds_table(report, thirds)),
            "confidence": f"{100 * report.settings.confidence:g}",
            "los": site.linked(matrix(report, "los", _MAX_BOTS)),
            "definition": definition(CELLS["los"]),
            "cut": _MAX_BOTS if len(report.rows) > _MAX_BOTS else None,
        },
    )


def _seen_from(tests: Tests, one: int, two: int) -> tuple[float, float, PairTest] | None:
    """The score of `one` against `two`, the expected score, and the test; None if they have not met."""
    test = tests.get((min(one, two), max(one, two)))
    if one == two or test is None:
        return None
    return (test.score, test.expected, test) if one < two else (1 - test.score, 1 - test.expected, test)


_THIRD = ["third", "with_third", "without_third", "third_p", "third_significant"]


def _third_seen_from(
    strongest: Mapping[tuple[int, int], PairTest], names: Sequence[str], one: int, two: int
) -> dict[str, object]:
    """The columns of the third player of a pair; they are None if there is none."""
    test = strongest.get((min(one, two), max(one, two)))
    if not test:
        return dict.fromkeys(_THIRD)
    scores = (test.score, test.expected) if one < two else (1 - test.score, 1 - test.expected)
    values = names[test.third], *scores, float(f"{test.p:.4g}"), int(test.is_significant)
    return dict(zip(_THIRD, values, strict=True))


def pairs_chart(report: Report, tests: Tests, thirds: Sequence[PairTest] = ()) -> Chart:
    """A heat map of the scores of the first bots against each other. The CSV has all pairs that met."""
    top = report.rows[:_MAX_BOTS]
    numbers = [report.field.names.index(row.bot) for row in top]
    size = len(top)
    with figure(0.5 + _CELL * 0.8 * size, 2.2 + _CELL * size) as (drawn, axes):
        for down, one in enumerate(numbers):
            for across, two in enumerate(numbers):
                if found := _seen_from(tests, one, two):
                    score, expected, test = found
                    depth = _DEEPEST * min(1, abs(score - expected) / _FULL)
                    colour = _MORE if score > expected else _LESS
                    axes.add_patch(
                        Rectangle((across - 0.5, down - 0.5), 1, 1, color=colour, alpha=depth, lw=0)
                    )
                    weight = "bold" if test.is_significant else "normal"
                    axes.text(
                        across, down, f"{100 * score:.0f}", ha="center", va="center_baseline", weight=weight
                    )
                    if test.is_significant:
                        frame = Rectangle((across - 0.45, down - 0.45), 0.9, 0.9, fill=False, ec=INK, lw=1.4)
                        axes.add_patch(frame)
                elif one == two:
                    axes.text(across, down, "·", ha="center", va="center", color=MUTED)
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_ylim(size - 0.5, -0.5)
        labels = [f"{number} {short(row.bot)}" for number, row in enumerate(top, 1)]
        axes.set_yticks(range(size), labels)
        axes.set_xticks(range(size), [str(number) for number in range(1, size + 1)])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.hlines([number - 0.5 for number in range(size + 1)], -0.5, size - 0.5, color=RULE, lw=0.6)
        svg = svg_of(drawn)
    alt = (
        f"Scores of {size} bots against each other, in per cent: rows against columns. Coloured where they "
        "differ from what the Elo expects; the CSV file has the numbers"
    )
    return Chart("pairs", alt, svg, csv_text([_pairs_table(report, tests, thirds)]))


_PAIRS = (
    BOT,
    OPPONENT,
    Column("", "meetings score expected"),
    Column("", "p significant", digits=300),  # A p-value has four digits, wherever they begin.
    Column("", "third with_third without_third"),
    Column("", "third_p third_significant", digits=300),
    CELLS["los"],
    CELLS["difference"],
)


_THIRDS = (
    BOT,
    OPPONENT,
    Column("third", "third", is_bot=True),
    Column("meetings", "meetings", "{:,}".format),
    Column("with", "score", share),
    Column("without", "expected", share),
    Column("p", "p", "{:.2g}".format),
)


def _thirds_table(report: Report, thirds: Sequence[PairTest]) -> Table:
    """The pairs whose score depends significantly on a third player, the surest first."""
    names = report.field.names
    found = [test for test in thirds if test.is_significant][:_MAX_BOTS]
    rows = [
        {"bot": names[test.one], "opponent": names[test.two], **vars(test), "third": names[test.third]}
        for test in found
    ]
    return Table("thirds", _THIRDS, rows)


def _pairs_table(report: Report, tests: Tests, thirds: Sequence[PairTest]) -> Table:
    """A row for each pair that met, in which `bot` is the higher one in the standings.

    Its third player is the one with the smallest p-value.
    """
    field, names = report.field, report.field.names
    values = {
        "los": field.superiority(),
        "difference": field.differences(),
        "error": field.difference_errors(),
    }
    place = {report.field.names.index(row.bot): number for number, row in enumerate(report.rows)}
    met = [(one, two) if place[one] < place[two] else (two, one) for one, two in tests]
    strongest = {(test.one, test.two): test for test in reversed(thirds)}
    rows = []
    for one, two in sorted(met, key=lambda pair: (place[pair[0]], place[pair[1]])):
        if found := _seen_from(tests, one, two):
            score, expected, test = found
            results = {"meetings": test.meetings, "score": score, "expected": expected}
            tested = {"p": float(f"{test.p:.4g}"), "significant": int(test.is_significant)}
            numbers = {name: float(each[one, two]) for name, each in values.items()}
            third = _third_seen_from(strongest, names, one, two)
            rows.append({"bot": names[one], "opponent": names[two], **results, **tested, **third, **numbers})
    return Table("pairs", _PAIRS, rows)
