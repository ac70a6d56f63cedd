"""The standings: their columns, with the meaning of each, and the views of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from arena.rating.outcomes import Outcomes
from arena.rating.standings import Standing
from arena.referee.record import Summary
from arena.show.tables.notes import notes
from arena.show.tables.placings import placings_lines
from arena.show.tables.report import Report
from arena.show.tables.table import Column, Table, likelihood, margin, plain, share, whole, words
from arena.tournament.runs.sources import Source, namer, to_outcome, versions

if TYPE_CHECKING:  # imports pydantic, which takes a quarter of a second
    from arena.tournament.formats.plan import Plan

_TOP = 10  # rows that are shown while a run is played
ELO_OF_ALL = "The Elo of all games together, which is not what the places are decided by"


def _rank_range(ranks: Sequence[int]) -> str:
    return "-".join(map(str, dict.fromkeys(ranks)))


def _duels(wins: int | None, draws: int | None, losses: int | None) -> str:
    return "" if wins is None else f"{wins}-{draws}-{losses}"


def _margin(error: float | None, bound: float | None, elo: float | None, unrated: str | None) -> str:
    return "" if unrated or elo is None else margin(error, bound, elo)


def _elo(elo: float | None, unrated: str | None) -> str:
    return unrated or whole(elo)


def _total(forfeits: Mapping[str, int]) -> str:
    return str(sum(forfeits.values()) or "")


def _by_kind(forfeits: Mapping[str, int]) -> str:
    return " ".join(f"{kind}:{count}" for kind, count in forfeits.items())


# fmt: off
BOT = Column("bot", "bot", words, "its name; name@fingerprint is an older version. A bot whose files were "
    "changed counts as another bot: games of the old version are kept and count for that version",
    is_bot=True)
ELO = Column("Elo", "elo", whole, "strength: 400 more is ten times the odds of winning", digits=4)
OWN = Column("own", "own", share, "share of the answers of a language model that were its own; for "
        "the others (late, illegal, unreadable) a default of the rules was played. Below 98 % a note warns. "
        "Empty for others")
COLUMNS = {
    "rank": Column("#", "rank", words, "rank by Elo; equal bots share one"),
    "range": Column("range", "rank_range", _rank_range, "possible true ranks, all together: 1 + the bots "
        "surely better, to all bots but those surely worse. In 95 % of standings all ranges are right. See "
        "*Ranges*"),
    "bot": BOT,
    "elo": Column("Elo", "elo", _elo, f"{ELO.meaning}. None after fewer than 3 seed groups, or if the "
        "interval is wider than ±1000 after fewer than 30, for it or most such bots: it would be a guess. "
        "Such a bot has no rank",
        uses="unrated", digits=4),
    "error": Column("±95", "error bound", _margin, "half the confidence interval of the Elo; >x or <x: the "
        "bound of a perfect score. The interval is relative to the mean of the comparable bots, or of "
        "the anchors; a single anchor has the error 0. `-`: too few groups. The heading shows the confidence",
        uses="elo unrated", digits=4),
    "los": Column("LOS", "los", likelihood, "likelihood that the bot is better than the next one, given "
        "the games and how far apart the bots of this field are. Empty if no game links them"),
    "games": Column("games", "games", words, "games played"),
    "groups": Column("groups", "groups", words, "seed groups played: a line-up in all its rotations"),
    "score": Column("score", "score", share, "mean share of opponents beaten; ties count half"),
    "first": Column("1st", "first", share, "share of games won, alone or shared; a draw of two is not won"),
    "net": Column("net", "net", "{:+.2f}".format, "won a game on average, if each seat stakes 1 and the "
        "winners share the stakes. Adds up to 0 over all seats. Left out if all games have two seats"),
    "mean_place": Column("place", "mean_place", "{:.2f}".format, "mean place"),
    "opponents": Column("opp", "opponents", whole, "mean Elo of the opponents met", digits=4),
    "points": Column("points", "points", plain, "points for places, or by default for opponents beaten. See "
        "*Points*"),
    "direct": Column("direct", "direct", share, "mean score against bots with the same points. Empty if "
        "there is none"),
    "sonneborn_berger": Column("SB", "sonneborn_berger", plain, "points of all opponents beaten; ties count "
        "half"),
    "buchholz": Column("Buch", "buchholz", plain, "points of all opponents"),
    "results": Column("W-D-L", "wins draws losses", _duels, "games of two won, drawn, lost"),
    "drawn": Column("drawn", "drawn", share, "share of games of two that were drawn"),
    "forfeits": Column("forf", "forfeits", _total, "games forfeited by faults of the bot"),
    "kinds": Column("by", "forfeits", _by_kind, "the forfeits by kind of fault", is_left=True),
    "flags": Column("", "flags", words, "warnings, explained below the table", is_left=True),
}
EXACT = (  # columns for programs
    *COLUMNS.values(),
    Column("", "se", words, "standard error of the Elo", digits=4),
    Column("", "freedom", words, "degrees of freedom of the quantile of its interval; empty: normal"),
    Column("", "unrated", words, "why there is no Elo (`too few games`); empty if there is one"),
)
# fmt: on
_LAST = ("forfeits", "kinds", "flags")
_ALL = {name: COLUMNS[name] for name in COLUMNS if name not in _LAST}
_ALL |= {"own": OWN, **{name: COLUMNS[name] for name in _LAST}}
_LIVE = ("rank", "range", "bot", "elo", "error", "los", "games", "score")
_PLAIN = (
    "rank", "range", "bot", "elo", "error", "los", "games", "groups", "score", "first", "net", "mean_place",
)  # fmt: skip
_CONTEST = (
    "rank", "bot", "points", "direct", "sonneborn_berger", "buchholz", "games", "first", "net", "elo",
    "error",
)  # fmt: skip
_DROPS = ("mean_place", "net", "first", "rank_range", "games", "score", "groups")  # to fit 80 columns


def standings(report: Report) -> Table:
    """The standings, with notes below; the places of a tournament with rounds come first."""
    return _table(report, _columns_of(report, _plain_columns(report)))


def wide(report: Report) -> Table:
    """The standings with all columns but those that are empty in every row."""
    used = [
        name
        for name, column in _ALL.items()
        if name == "flags" or any(column.cell(row) for row in _rows(report))
    ]
    return replace(_table(report, _columns_of(report, used)), fits=False)


def plot(report: Report) -> Table:
    from arena.show.tables.intervals import draw, terminal  # rich is slow to import

    return replace(standings(report), picture=lambda: draw(report, terminal()))


def live(plan: "Plan", played: Mapping[str, Summary]) -> Table | None:
    """The top of the standings while a run is played, from the games so far; None before the first game."""
    name = namer(versions([(plan.identity(), played.values())]))
    outcomes = Outcomes.of(to_outcome(game, name, {}) for game in played.values())
    if not outcomes:
        return None
    report = Report(Source(outcomes, widenings=plan.format.widenings), plan.run.rating)
    rest = len(report.rows) - _TOP
    more = [f"and {rest} more"] if rest > 0 else []
    top = report.rows[:_TOP]
    columns, rows = _columns_of(report, _LIVE), [row.shown for row in top]
    return Table("standings", columns, rows, notes=more, drops=_DROPS, gaps=_gaps(report, top))


def _table(report: Report, columns: Sequence[Column]) -> Table:
    placed, rows = placings_lines(report.source.placings), _rows(report)
    return Table(
        "standings",
        columns,
        rows,
        "Standings",
        above=[*placed, "", f"{ELO_OF_ALL}:"] if placed else [],
        notes=notes(report),
        exact=Table("standings", _exact_columns(report), rows),
        empty="no games yet",
        drops=_DROPS,
        gaps=_gaps(report, report.rows),
    )


def _plain_columns(report: Report) -> list[str]:
    """The names of the columns of the view `standings`.

    `net` is there only if a game has more than two seats, `own` only if there are answers of models,
    `forfeits` only if there are any.
    """
    forfeits = ["forfeits"] if any(row.forfeits for row in report.rows) else []
    names = _CONTEST if report.settings.order == "points" else _PLAIN
    larger = any(games.size > 2 for games in report.field.arrays)
    own = ["own"] if report.answers.by_bot else []
    return [*(name for name in names if name != "net" or larger), *own, *forfeits, "flags"]


def _exact_columns(report: Report) -> list[Column]:
    """The columns for programs; `own` only if there are language models."""
    return [*EXACT, *([OWN] if report.answers.by_bot else [])]


def _rows(report: Report) -> list[dict[str, Any]]:
    """The values of each row of the standings."""
    answers = report.answers.by_bot
    own = {name: found.own for name, found in answers.items()}
    return [row.shown | {"own": own.get(row.bot)} for row in report.rows]


def _columns_of(report: Report, names: Iterable[str]) -> list[Column]:
    return at_confidence(report, [_ALL[name] for name in names])


def at_confidence(report: Report, columns: Iterable[Column]) -> list[Column]:
    """The columns with the confidence of the report in their headings, in place of 95."""
    confidence = f"{100 * report.settings.confidence:g}"
    return [replace(column, heading=column.heading.replace("95", confidence)) for column in columns]


def _gaps(report: Report, rows: Sequence[Standing]) -> list[int]:
    pools = report.field.ratings.pool.tolist()
    if report.settings.order == "points" or len(set(pools)) < 2:
        return []
    pool = dict(zip(report.field.names, pools, strict=True))
    return [number for number, (one, two) in enumerate(pairwise(rows), 1) if pool[one.bot] != pool[two.bot]]
