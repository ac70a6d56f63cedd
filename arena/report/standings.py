"""The standings for people: in 80 columns for a terminal, in full for other formats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from math import sqrt
from typing import TYPE_CHECKING

from arena.core.config import ConfigError
from arena.rating.duels import Transitivity, transitivity
from arena.rating.estimate import PRIOR, Settings, settings_of
from arena.rating.outcomes import Outcomes
from arena.rating.ranges import superiority
from arena.rating.seats import SeatEffect, seat_effects
from arena.rating.standings import Field, Standing, rated, standings, with_cycles
from arena.records.record import Summary
from arena.report import columns, page
from arena.report.columns import COLUMNS, CONTEST, DROPPED, FLAGS, PLAIN, plain, whole
from arena.report.grid import WIDTH, folded, grid, markdown, width
from arena.report.placings import placings_lines
from arena.results.sources import Source, namer, to_outcome, versions
from arena.rules import seat_name

if TYPE_CHECKING:  # imports pydantic, which takes a quarter of a second
    from arena.formats.plan import Plan

LIVE = ("rank", "range", "bot", "elo", "error", "los", "games", "score")
TOP = 10  # rows that are shown while a run is played
TEXT = ("bot", "kinds", "flags")  # columns that are aligned left
PAIRWISE = "ranges pairwise: each comparison holds by itself, not all together"
FLAT = "LOS assumes a flat prior: it is too high between bots of nearly equal strength"
ELO_OF_ALL = "The Elo of all games together, which is not what the places are decided by"
WINS = "net and Elo rank bots differently: if only wins count, use method: winner"
MISFIT = 0.01  # p-value below which the test of transitivity is shown
NARROWEST = 12  # characters for the name of a bot, at least


@dataclass(frozen=True, eq=False)
class Report:
    """The standings of a source under these settings; with `bots`, only the rows of these bots."""

    source: Source
    settings: Settings
    bots: Sequence[str] = ()

    @cached_property
    def field(self) -> Field:
        return rated(self.source.outcomes, self.settings)

    @cached_property
    def transitivity(self) -> Transitivity | None:
        return transitivity(self.field)

    @cached_property
    def seats(self) -> list[SeatEffect]:
        return seat_effects(self.field)

    @cached_property
    def rows(self) -> list[Standing]:
        cycles = self.transitivity.cycles if self.transitivity else ()
        rows = with_cycles(standings(self.field), cycles)
        return self._chosen(rows) if self.bots else rows

    def _chosen(self, rows: Iterable[Standing]) -> list[Standing]:
        """The rows of `bots`, each with its likelihood of superiority over the next row shown."""
        shown = [replace(row, los=None) for row in rows if row.bot in self.bots]
        better, number = superiority(self.field.ratings), self.field.names.index
        for place, (row, following) in enumerate(pairwise(shown)):
            los = float(better[number(row.bot), number(following.bot)])
            shown[place] = replace(row, los=None if los != los else los)
        return shown


def rate_now(report: Report) -> None:
    """Compute the ratings, which are otherwise computed when they are needed.

    ConfigError: these settings do not fit these games.
    """
    try:
        report.field, report.seats  # noqa: B018  # cached
    except ValueError as error:
        raise ConfigError(f"these games cannot be rated with these settings: {error}") from None


def text(report: Report, form: str = "text", wide: bool = False) -> str:
    """The standings in one of the formats for people, with notes below.

    The places of a tournament with rounds come first: the Elo, which counts all games alike, may have another
    order.
    """
    placed = placings_lines(report.source.placings)
    lines = [*placed, "", f"{ELO_OF_ALL}:", ""] if placed else []
    if form == "html":
        return page.preformatted(lines) + elo_text(report, form, wide)
    if form == "markdown" and lines:
        lines = ["```text", *lines[:-3], "```", "", *lines[-2:]]
    if form == "latex":
        lines = [f"% {line}".rstrip() for line in lines]
    return "\n".join([*lines, elo_text(report, form, wide)])


def elo_text(report: Report, form: str, wide: bool) -> str:
    names = wide_columns(report.rows) if wide else plain_columns(report)
    table = narrow(report, names) if form == "text" and not wide else columns_of(report, names, form)
    return with_notes(table, notes(report), definitions(report, names), form)


def with_notes(table: str, notes: Sequence[str], meanings: Mapping[str, str], form: str) -> str:
    """A table in one of the formats for people, with notes below."""
    if form == "text":
        return "\n".join([table, *(line for note in notes for line in folded(note, margin=3))])
    if form == "html":
        below = [page.paragraphs(notes), page.definitions(meanings)]
        return "\n".join([table, *below, page.fold("Formulas and sources", columns.page())])
    if form == "latex":
        return "\n".join([table, *(f"% {line}" for line in notes)])
    return "\n\n".join([table, *map(markdown, notes)])


def narrow(report: Report, names: Sequence[str]) -> str:
    """The standings in 80 columns: columns are dropped, and then long names are wrapped."""
    names = list(names)
    for dropped in ("", *DROPPED):
        names = [name for name in names if name != dropped]
        table = columns_of(report, names, "text")
        over = len(table.split("\n")[1]) - WIDTH  # the line of dashes has the full width
        if over <= 0:
            return table
    longest = max(width(row.bot) for row in report.rows)
    return columns_of(report, names, "text", max(NARROWEST, longest - over))


def live(plan: "Plan", played: Mapping[str, Summary]) -> str:
    """The top of the standings while a run is played: the same estimate from the games so far."""
    name = namer(versions([(plan.identity(), played.values())]))
    outcomes = Outcomes.of(to_outcome(game, name, {}) for game in played.values())
    if not outcomes:
        return ""
    report = Report(Source(outcomes), settings_of(plan.run.rating.plain()))
    head, dashes, *rows = narrow(report, LIVE).splitlines()
    shown = [head, dashes, *rows[:TOP]]
    rest = sum(map(bool, rows[TOP:]))  # an empty line stands between pools
    return "\n".join([*shown, *([f"and {rest} more"] if rest else [])])


def plain_columns(report: Report) -> list[str]:
    """The columns without --wide: forfeits if there are any, winnings if a game has more than two seats."""
    forfeits = ["forfeits"] if any(row.forfeits for row in report.rows) else []
    names = CONTEST if report.settings.order == "points" else PLAIN
    larger = any(games.size > 2 for games in report.field.arrays)
    return [*(name for name in names if name != "net" or larger), *forfeits, "flags"]


def wide_columns(rows: Sequence[Standing]) -> list[str]:
    """All columns but those that are empty in every row."""
    return [name for name, column in COLUMNS.items() if name == "flags" or any(map(column.cell, rows))]


def columns_of(report: Report, names: Sequence[str], form: str, fold: int | None = None) -> str:
    body = [[COLUMNS[name].cell(row) for name in names] for row in report.rows]
    if form == "text":
        body = in_blocks(report, body)
    left = [name in TEXT for name in names]
    return grid(body, headings(report, names), left, form, definitions(report, names), fold)


def in_blocks(report: Report, body: list[list[str]]) -> list[list[str]]:
    """The cells of the rows, with an empty line between pools."""
    if report.settings.order == "points" or len(pools := set(report.field.ratings.pool.tolist())) < 2:
        return body
    pool = dict(zip(report.field.names, report.field.ratings.pool.tolist(), strict=True))
    lines = [([""] * len(body[0])) for _ in pools]
    apart: list[list[str]] = []
    for (this, following), cells in zip(pairwise([*report.rows, None]), body, strict=True):
        apart.append(cells)
        if this and following and pool[this.bot] != pool[following.bot]:
            apart.append(lines.pop())
    return apart


def headings(report: Report, names: Sequence[str]) -> list[str]:
    confidence = f"{100 * report.settings.confidence:g}"
    return [COLUMNS[name].heading.replace("95", confidence) for name in names]


def definitions(report: Report, names: Sequence[str]) -> dict[str, str]:
    """The meaning of each heading."""
    meanings = (COLUMNS[name].meaning for name in names)
    named = zip(headings(report, names), meanings, strict=True)
    return {heading: meaning for heading, meaning in named if heading}


def notes(report: Report) -> list[str]:
    """The flags that occur, the effects of seats, cycles, pools, and what the standings are based on."""
    flags = {flag for row in report.rows for flag in row.flags}
    known = [f"{flag}  {meaning}" for flag, meaning in FLAGS.items() if flag in flags]
    beside = [*seat_lines(report.seats), *cycle_lines(report.transitivity), *pool_lines(report.field)]
    flat = [FLAT] if any(row.los is not None for row in report.rows) else []
    skipped = [f"{bot} sits out: {why}" for bot, why in report.source.skipped.items()]
    return [*known, *flat, *other_order(report), *beside, footing(report), *skipped]


def other_order(report: Report) -> list[str]:
    """A note if a bot clearly wins more than one with more Elo, which counts all places."""
    larger = any(games.size > 2 for games in report.field.arrays)
    if report.settings.method != "pairs" or report.settings.order != "elo" or not larger:
        return []
    pairs = combinations(report.rows, 2)
    return [WINS] if any(wins_more(lower, upper) for upper, lower in pairs) else []


def wins_more(one: Standing, other: Standing) -> bool:
    """Whether the net winnings differ by more than two standard errors, of as many games as were played."""
    if ("!" in one.flags) != ("!" in other.flags):
        return False
    error = sqrt(
        sum((1 + row.net) ** 2 * (1 - row.first) / (row.first * row.games or 1) for row in (one, other))
    )
    return one.net - other.net > 2 * error


def seat_lines(seats: Iterable[SeatEffect]) -> list[str]:
    """One line of seat effects for each number of seats."""
    cells: dict[int, list[str]] = {}
    for row in seats:
        if row.elo is not None:
            error = "" if row.error is None else f"±{whole(row.error)}"
            cells.setdefault(row.size, []).append(f"{seat_name(row.seat)} {round(row.elo):+}{error}")
    return [f"Elo of seats, {size} a table: {'  '.join(effects)}" for size, effects in cells.items()]


def cycle_lines(found: Transitivity | None) -> list[str]:
    """The cycles, and the test whether one Elo per bot explains the duels, which is shown if it fails."""
    if not found:
        return []
    p = found.probability
    chance = "" if p is None else f"test that one Elo per bot fits: p = {p:.2g}"
    if found.cycles:
        cycles = "  |  ".join(", ".join(cycle) for cycle in found.cycles)
        return ["; ".join(filter(None, [f"cycles: {cycles}", chance]))]
    misfit = p is not None and p < MISFIT
    return [f"one Elo per bot does not explain the games of two; {chance}"] if misfit else []


def pool_lines(field: Field) -> list[str]:
    """The pools, if there are several: bots of different pools cannot be compared."""
    pools = [", ".join(names) for names in name_sets(field, field.ratings.pool)]
    return [f"not linked by any game: {'  |  '.join(pools)}"] if len(pools) > 1 else []


def name_sets(field: Field, labels: Iterable[int]) -> list[list[str]]:
    """The names of the bots that have the same label, largest set first."""
    sets: dict[int, list[str]] = {}
    for name, label in zip(field.names, labels, strict=True):
        sets.setdefault(int(label), []).append(name)
    return sorted(sets.values(), key=lambda names: (-len(names), names))


def footing(report: Report) -> str:
    """What the standings are based on, and every setting that is not the default."""
    field, source, settings = report.field, report.source, report.settings
    anchor = settings.anchor[0] if settings.anchor else None
    scale = " ".join(map(plain, settings.points))
    unusual = {
        f"ranked by points{f' for places: {scale}' if scale else ''}": settings.order == "points",
        f"runs with different rules ({source.mixed})": bool(source.mixed),
        settings.method: settings.method != "pairs",
        "not comparable with Elo by other methods": settings.method != "pairs"
        and any(games.size > 2 for games in field.arrays),
        "forfeits left out": settings.forfeits == "exclude",
        "seats fitted": settings.seats == "fit",
        PAIRWISE: settings.ranges == "pairwise",
        f"prior {PRIOR:g} instead of 0, as there is no finite estimate without a prior": field.replaced_prior,
        f"prior {settings.prior:g}": not field.replaced_prior and settings.prior != Settings.prior,
        f"the anchor {anchor} has not played": anchor is not None and anchor not in field.names,
        f"{source.unfinished} games without a result": source.unfinished > 0,
        "the fit of the Elo did not converge: it is not exact": not field.ratings.converged,
        "the fit of the Elo of seats did not converge: it is not exact": any(
            not row.converged for row in report.seats
        ),
    }
    played = f"{field.games} games in {field.groups} seed groups"
    counts = f"{played}, {source.faults} faults, {source.voids} void games" if source.whole else played
    left_out = [f"without {bot} ({why})" for bot, why in source.excluded.items()]
    return "; ".join([counts, *(note for note, applies in unusual.items() if applies), *left_out])
