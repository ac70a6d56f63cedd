"""The views of `arena table`: functions that make tables of a report, for all formats."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain

from arena.config.document import ConfigError
from arena.config.text import suggestion
from arena.rating.standings import Change, CoursePoint, Opponent, SeatEffect
from arena.rules import seat_name
from arena.show.tables.behaviour import behaviour_tables
from arena.show.tables.matrices import matrix
from arena.show.tables.models import clean_table, models_table, paired_table
from arena.show.tables.nash import nash
from arena.show.tables.notes import WHY_APART, about, left_out
from arena.show.tables.report import Report
from arena.show.tables.standings import BOT, ELO, at_confidence, plot, standings, wide
from arena.show.tables.table import Column, Table, likelihood, share, value, whole, with_error, words
from arena.tournament.runs.sources import TOGETHER

_PARTS, _MAX_PARTS = 10, 1000  # parts of a course


# One bot against each opponent


def _performance(elo: float | None, score: float) -> str:
    return whole(elo) if elo is not None else ">" if score else "<"


def _points_above(score: float, expected: float) -> str:
    return f"{100 * (score - expected):+.1f}"


_DUELS = {"wins": "W", "draws": "D", "losses": "L"}
# fmt: off
OPPONENTS = (
    Column("opponent", "bot", lambda bot: bot or "all", "strongest first; the last row is all of them "
        "together", is_bot=True),
    Column("Elo", "elo", whole, "Elo of the opponent; of all: the mean over the meetings", digits=4),
    Column("met", "meetings", "{:,}".format, "meetings: two seats at one table"),
    *(Column(word, name, words, f"{name} in games of two") for name, word in _DUELS.items()),
    Column("score", "score", share, "mean score of the meetings; a tie is half"),
    Column("expected", "expected", share, "the score that the Elo of the two expects"),
    Column("diff", "", _points_above, "score less expected, in percentage points", uses="score expected"),
    Column("performance", "performance", _performance, "the Elo with which this score would be the expected "
        "one. For a perfect score it is infinite: `>` or `<`", uses="score", digits=4),
    Column("LOS", "los", likelihood, "likelihood that the bot is better than this opponent"),
)
# fmt: on


def opponents_table(rows: Sequence[Opponent]) -> Table:
    duels = any(row.wins is not None for row in rows)
    columns = [column for column in OPPONENTS if duels or column.names not in _DUELS]
    exact = Table("opponents", OPPONENTS, rows)
    return Table("opponents", columns, rows, "Record against each opponent", exact=exact)


def _opponents_of(report: Report, bot: str) -> Table:
    report.check_bots("opponents", [bot])
    return opponents_table(report.field.opponents([bot])[bot])


# The Elo over the games, and over the versions of a bot


COURSE = (
    Column("groups", "groups", words, "seed groups that count, in the order of their first games"),
    Column("games", "games", words, "their games"),
    BOT,
    Column("Elo", "elo error", with_error, "the estimate from these games alone, and its error", digits=4),
)


def course_table(report: Report, points: Sequence[CoursePoint]) -> Table:
    """The Elo of each bot after each part of the games, in the order of the standings."""

    def cell(point: CoursePoint, bot: str) -> str:
        return with_error(point.elo[bot], point.error[bot]).lstrip("+") if bot in point.elo else ""

    headings = [str(point.groups) for point in points]
    rows = [
        {"bot": row.bot} | {key: cell(point, row.bot) for key, point in zip(headings, points, strict=True)}
        for row in report.rows
    ]
    exact = [
        {"groups": point.groups, "games": point.games, "bot": bot, "elo": elo, "error": point.error[bot]}
        for point in points
        for bot, elo in point.elo.items()
    ]
    columns = [BOT, *(Column(groups, groups) for groups in headings)]
    return Table("course", columns, rows, "Course", exact=Table("course", COURSE, exact), stub=1)


def _course_of(report: Report, parts: str) -> Table:
    count = int(parts) if parts.isascii() and parts.isdecimal() else 0
    if parts and not 1 <= count <= _MAX_PARTS:
        raise ConfigError(f"course:{parts}: PARTS should be a whole number from 1 to {_MAX_PARTS}")
    points = report.field.course(report.source.outcomes, count or _PARTS, report.source.widenings)
    return course_table(report, list(points))


# fmt: off
CHANGES = (
    replace(BOT, meaning="a version of a changed bot; name@fingerprint is an older one"),
    ELO,
    Column("gain", "gain error", with_error, "Elo over the version before, with the error of that", digits=4),
    Column("LOS", "los", likelihood, "likelihood that it is better than the version before"),
)
# fmt: on


def changes_table(rows: Iterable[Change]) -> Table:
    return Table("changes", CHANGES, [*rows], "Versions of changed bots", empty="no bot was changed")


def _changes_of(report: Report) -> Table:
    return changes_table(chain.from_iterable(report.field.changes(report.source.outcomes)))


# Seats


SEATS = (
    Column("seats", "size", words, "seats of a table"),
    Column("seat", "seat", lambda seat: seat_name(seat - 1)),
    Column("games", "games", words, "games of this size"),
    Column("score", "score", share, "mean share of opponents beaten from this seat; ties count half"),
    Column("1st", "first", share, "share of games won, alone or shared"),
    Column(
        "Elo", "elo", with_error, "effect of the seat, with the strengths of its bots accounted for", digits=4
    ),
    Column("±95", "error", whole, "half its confidence interval", digits=4),
)
CONVERGED = Column("", "converged", words, "whether the fit of the effect is exact")


def seats_table(report: Report, rows: Iterable[SeatEffect]) -> Table:
    numbered = [asdict(row) | {"seat": row.seat + 1} for row in rows]
    exact = Table("seats", [*SEATS, CONVERGED], numbered)
    return Table("seats", at_confidence(report, SEATS), numbered, "Seats", exact=exact)


# The deal


def _points(value: float | None, error: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}" + ("" if error is None else f"±{100 * error:.1f}")


# fmt: off
DEALS = (
    Column("seats", "size", words, "seats of a table"),
    Column("games", "games", words, "games of this size"),
    Column("groups", "groups", words, "their seed groups"),
    Column("deal %", "deal deal_error", _points, "share of the variance of a score that the deal explains, ± "
        "half its confidence interval. It is what the scores of one seat in the games of a group have in "
        "common, beyond what the bots score there in other groups of the same line-up. `-`: no line-up has "
        "several groups of several games, or the groups of each line-up ended alike"),
    Column("saved %", "saved saved_error", _points, "share of the games that rotation saved, ± half its "
        "confidence interval; below 0 it cost games. So many more games would tell as much if each had a "
        "deal and an order of seats of its own; it costs games where those of a group repeat each other"),
)
# fmt: on


def _deals(report: Report) -> Table:
    return Table("deals", DEALS, [asdict(row) for row in report.field.deal_effects()], "Deals", legend=True)


@dataclass(frozen=True)
class TableView:
    """A view.

    Attributes:
        make: Makes its tables of a report and the argument, if any.
        summary: A line for the help.
        argument: The argument as in the help: `:BOT`, in brackets if it may be left out.
        is_rated: Whether the tables are based on ratings, and so get the notes on these.
    """

    make: Callable[..., Table | list[Table]]
    summary: str
    argument: str = ""
    is_rated: bool = True


VIEWS = {
    "standings": TableView(standings, "The Elo table, in 80 columns."),
    "wide": TableView(wide, "The Elo table with all columns."),
    "plot": TableView(plot, "The Elo table with its intervals drawn; only in text."),
    "los": TableView(partial(matrix, kind="los"), "Likelihood of superiority of all pairs of bots."),
    "head-to-head": TableView(partial(matrix, kind="head-to-head"), "Points and meetings of all pairs."),
    "difference": TableView(partial(matrix, kind="difference"), "Elo differences of all pairs."),
    "expected": TableView(partial(matrix, kind="expected"), "The scores that the Elo expects of all pairs."),
    "opponents": TableView(_opponents_of, "The results of BOT against each opponent.", ":BOT"),
    "course": TableView(
        _course_of, f"The Elo after each of PARTS parts of the games ({_PARTS}).", "[:PARTS]"
    ),
    "changes": TableView(_changes_of, "What each version of a changed bot gained."),
    "nash": TableView(nash, "Nash averages, for games with cycles."),
    "seats": TableView(
        lambda report: seats_table(report, report.field.seat_effects), "The effects of seats."
    ),
    "deals": TableView(_deals, "What the deal explains, and what rotation saved."),
    "models": TableView(
        models_table, "Language models: their own answers, tokens and costs.", is_rated=False
    ),
    "paired": TableView(paired_table, "Differences of language models at the same deals."),
    "clean": TableView(
        clean_table, "The Elo table of the games without a failed answer of a model: conditional."
    ),
    "behaviour": TableView(behaviour_tables, "How the bots play; replays all games.", is_rated=False),
}


def check_view(view: str) -> None:
    """Check the name of a view and its argument.

    Raises:
        ConfigError: There is no such view, or the argument after its colon is missing or not wanted.
    """
    name, colon, argument = view.partition(":")
    if name not in VIEWS:
        raise ConfigError(f"no view {name!r}{suggestion(name, list(VIEWS))}")
    wanted = VIEWS[name].argument
    if wanted.startswith(":") and not argument:
        raise ConfigError(f"the view {name} should be {name}{wanted}")
    if colon and not wanted:
        raise ConfigError(f"{view}: the view {name} takes nothing after a colon")


def tables_of(view: str, reports: Sequence[Report]) -> list[Table]:
    """The tables of a view, such as `opponents:ann`, of each report, with the rows of the report's `bots`.

    If there are several reports, their tables differ by the `size` or `kind` of the games.

    Raises:
        ConfigError: As `check_view`, or a report lacks data that the view needs.
    """
    check_view(view)
    name, _, argument = view.partition(":")
    if any(report.kind for report in reports):
        reports = _of_kinds(VIEWS[name], argument, reports)
    found = []
    for report in reports:
        made = VIEWS[name].make(*([report, argument] if VIEWS[name].argument else [report]))
        for table in made if isinstance(made, list) else [made]:
            if VIEWS[name].is_rated:
                table = replace(table, about={**table.about, **about(report)})
                missing = [each for each in left_out(report.source) if each not in " ".join(table.notes)]
                table = replace(table, notes=[*table.notes, *missing])
            if report.size:
                part = {"size": report.size, **table.part}
                table = replace(table, caption=f"{report.size} a table", part=part)
            if report.kind:
                table = _of_kind(table, report.kind)
            found.append(_chosen(table, report.bots))
    return found


def _of_kinds(view: TableView, argument: str, reports: Sequence[Report]) -> Sequence[Report]:
    """The reports to show. Each has one kind of games: without people and remote bots, or with them.

    A view without ratings shows one report of all games. A view of a bot shows the reports that have it.
    """
    if not view.is_rated:
        return [replace(reports[0], kind="")]
    named = [report for report in reports if report.has(argument)] if view.argument == ":BOT" else []
    return named or reports


def _of_kind(table: Table, kind: str) -> Table:
    """The table, marked with the kind of its games, a key of `Source.by_kind`."""
    caption = f"Games {kind}" + (f", {table.caption}" if table.part else "")
    notes = [*table.notes, *([WHY_APART] if kind == TOGETHER else [])]
    return replace(table, caption=caption, part={"kind": kind, **table.part}, notes=notes)


def _chosen(table: Table, bots: Sequence[str]) -> Table:
    """The table with only the rows of these bots; unchanged if `bots` is empty, or no column has bots."""
    name = next((column.names for column in table.columns if column.is_bot), None)
    if not bots or not name:
        return table
    rows = [row for row in table.rows if value(row, name) in bots]
    return replace(table, rows=rows, exact=table.exact and _chosen(table.exact, bots))
