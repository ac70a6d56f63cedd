"""The Elo table: in 80 columns for a terminal, whole for everything else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from arena.plan import Plan
from arena.rating.duels import Transitivity, transitivity
from arena.rating.estimate import Settings, settings_of
from arena.rating.seats import SeatEffect, seat_effects
from arena.rating.standings import Field, Standing, rated, standings, with_cycles
from arena.records import Summary
from arena.report.columns import COLUMNS, FLAGS, GIVE_UP, PLAIN, whole
from arena.report.grid import WIDTH, grid
from arena.rules import seat_name
from arena.sources import Source, namer, to_outcome

LIVE = ("rank", "range", "bot", "elo", "error", "los", "games", "score")
TOP = 10  # rows of the table that are shown while it grows
TEXT = ("bot", "kinds", "flags")  # columns of words, to the left


@dataclass(frozen=True, eq=False)
class Report:
    """Outcomes as they are rated under these settings; with `bots`, the rows of these alone are shown."""

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
        return [row for row in rows if not self.bots or row.bot in self.bots]


def text(report: Report, form: str = "text", wide: bool = False) -> str:
    """The table in one of the `STYLES`, with the flags that occur and what it rests on below."""
    names = list(COLUMNS) if wide else plain_columns(report.rows)
    table = columns_of(report, names, form)
    if form == "text" and not wide:
        for name in GIVE_UP:
            if len(table.partition("\n")[0]) > WIDTH and name in names:
                names.remove(name)
                table = columns_of(report, names, form)
    if form == "html":
        below = "\n".join(f"<p>{escape(line)}</p>" for line in notes(report))
        return f"{table}\n{below}"
    if form == "latex":
        return "\n".join([table, *(f"% {line}" for line in notes(report))])
    gap = "\n\n" if form == "markdown" else "\n"
    return gap.join([table, *notes(report)])


def live(plan: Plan, played: Mapping[str, Summary]) -> str:
    """The top of the table while a run is played: the same estimate, over the games so far."""
    name = namer({name: bot.fingerprint for name, bot in plan.bots.items()})
    outcomes = [to_outcome(game, name, {}) for game in played.values()]
    report = Report(Source(outcomes), settings_of(plan.rating.model_dump()))
    lines = columns_of(report, LIVE, "text").splitlines()
    return "\n".join(lines[: 2 + TOP]) if outcomes else ""


def plain_columns(rows: Iterable[Standing]) -> list[str]:
    """The columns of the plain table: with the forfeits only where there are some."""
    forfeits = ["forfeits"] if any(row.forfeits for row in rows) else []
    return [*PLAIN, *forfeits, "flags"]


def columns_of(report: Report, names: Sequence[str], form: str) -> str:
    confidence = f"{100 * report.settings.confidence:g}"
    headings = [COLUMNS[name].heading.replace("95", confidence) for name in names]
    body = [[COLUMNS[name].cell(row) for name in names] for row in report.rows]
    if form == "html":  # the meaning of a column is a touch away
        headings = [
            f'<abbr title="{escape(COLUMNS[name].meaning)}">{escape(heading)}</abbr>'
            for name, heading in zip(names, headings, strict=True)
        ]
        body = [[escape(cell) for cell in row] for row in body]
    return grid(body, headings, [name in TEXT for name in names], form)


def notes(report: Report) -> list[str]:
    """The flags that occur, what seats are worth, and what the table rests on."""
    flags = {flag for row in report.rows for flag in row.flags}
    lines = [f"{flag}  {meaning}" for flag, meaning in FLAGS.items() if flag in flags]
    return [*lines, *seat_lines(report.seats), *pool_lines(report.field), footing(report)]


def seat_lines(seats: Iterable[SeatEffect]) -> list[str]:
    """What the seats of each size of table are worth, in a line."""
    cells: dict[int, list[str]] = {}
    for row in seats:
        if row.elo is not None:
            error = "" if row.error is None else f"±{whole(row.error)}"
            cells.setdefault(row.size, []).append(f"{seat_name(row.seat)} {row.elo:+.0f}{error}")
    return [f"Elo of seats, {size} a table: {'  '.join(words)}" for size, words in cells.items()]


def pool_lines(field: Field) -> list[str]:
    """The pools, where there are several: bots of different ones cannot be compared."""
    pools = [", ".join(names) for names in parts(field, field.ratings.pool)]
    return [f"not linked by any game: {'  |  '.join(pools)}"] if len(pools) > 1 else []


def parts(field: Field, labels: Iterable[int]) -> list[list[str]]:
    """The names of the bots that share a label, largest sets first."""
    sets: dict[int, list[str]] = {}
    for name, label in zip(field.names, labels, strict=True):
        sets.setdefault(int(label), []).append(name)
    return sorted(sets.values(), key=lambda names: (-len(names), names))


def footing(report: Report) -> str:
    """What the table rests on, and how it was made where that is not the usual way."""
    field, source, settings = report.field, report.source, report.settings
    unusual = {
        settings.method: settings.method != "pairs",
        "forfeits left out": settings.forfeits == "exclude",
        "seats fitted": settings.seats == "fit",
        f"prior {settings.prior:g}": settings.prior != Settings.prior,
    }
    played = f"{field.games} games in {field.groups} seed groups"
    counts = f"{played}, {source.faults} faults, {source.voids} void games"
    return "; ".join([counts, *(words for words, holds in unusual.items() if holds)])
