"""The columns of the standings: heading, cells and meaning of each."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

from arena.rating.standings import Standing


@dataclass(frozen=True)
class Column:
    """A column of the standings."""

    heading: str
    cell: Callable[[Standing], str]
    meaning: str


def plain(number: float | None) -> str:
    """Up to two decimals, without zeros at the end."""
    return "" if number is None else f"{number:.2f}".rstrip("0").rstrip(".")


def counted(number: int, thing: str) -> str:
    """1 game, 2 games."""
    return f"{number} {thing}{'s' * (number != 1)}"


def whole(number: float | None) -> str:
    return "" if number is None else str(round(number))  # never -0


def share(number: float | None) -> str:
    return "" if number is None else f"{number:.1%}"


def likelihood(number: float | None) -> str:
    return "" if number is None else f"{max(number, 0.0):.0%}"  # never -0%


def margin(row: Standing) -> str:
    if row.bound is not None:
        return f"{'>' if row.score == 1 else '<'}{whole(row.bound)}"
    return "-" if row.error is None else whole(row.error)


def results(row: Standing) -> str:
    return f"{row.wins}-{row.draws}-{row.losses}" if row.wins + row.draws + row.losses else ""


COLUMNS = {
    "rank": Column("#", lambda row: str(row.rank), "rank by Elo; equal bots share one"),
    "range": Column(
        "range",
        lambda row: "-".join(map(str, dict.fromkeys(row.rank_range))),
        "possible true ranks, all together: 1 + the bots surely better, to all bots but those surely worse",
    ),
    "bot": Column("bot", lambda row: row.bot, "its name; name@fingerprint is an older version"),
    "elo": Column("Elo", lambda row: whole(row.elo), "strength: 400 more is ten times the odds of winning"),
    "error": Column(
        "±95", margin, "half the confidence interval of the Elo; >x or <x: the bound of a perfect score"
    ),
    "los": Column(
        "LOS",
        lambda row: likelihood(row.los),
        "likelihood that the bot is better than the next one, if nothing is known of the two but these games",
    ),
    "games": Column("games", lambda row: str(row.games), "games played"),
    "groups": Column(
        "groups", lambda row: str(row.groups), "seed groups played; the games of a group share a deal"
    ),
    "score": Column("score", lambda row: share(row.score), "mean share of opponents beaten; ties count half"),
    "first": Column(
        "1st", lambda row: share(row.first), "share of games won, alone or shared; a draw of two is not won"
    ),
    "net": Column(
        "net",
        lambda row: f"{row.net:+.2f}",
        "won a game on average, if each seat stakes 1 and the winners share the stakes",
    ),
    "mean_place": Column("place", lambda row: f"{row.mean_place:.2f}", "mean place"),
    "opponents": Column("opp", lambda row: whole(row.opponents), "mean Elo of the opponents met"),
    "points": Column(
        "points", lambda row: plain(row.points), "points for places, or by default for opponents beaten"
    ),
    "direct": Column("direct", lambda row: share(row.direct), "mean score against bots with the same points"),
    "sonneborn_berger": Column(
        "SB", lambda row: plain(row.sonneborn_berger), "points of all opponents beaten; ties count half"
    ),
    "buchholz": Column("Buch", lambda row: plain(row.buchholz), "points of all opponents"),
    "results": Column("W-D-L", results, "games of two won, drawn, lost"),
    "drawn": Column("drawn", lambda row: share(row.drawn), "share of games of two that were drawn"),
    "forfeits": Column(
        "forf", lambda row: str(sum(row.forfeits.values()) or ""), "games forfeited by faults of the bot"
    ),
    "kinds": Column(
        "by",
        lambda row: " ".join(f"{kind}:{count}" for kind, count in row.forfeits.items()),
        "the forfeits by kind of fault",
    ),
    "without": Column("w/o", lambda row: whole(row.without), "Elo from the games without a forfeit"),
    "flags": Column("", lambda row: row.flags, "warnings, explained below the table"),
}
PLAIN = (
    "rank", "range", "bot", "elo", "error", "los", "games", "groups", "score", "first", "net", "mean_place",
)  # fmt: skip
CONTEST = (
    "rank", "bot", "points", "direct", "sonneborn_berger", "buchholz", "games", "first", "net", "elo",
    "error",
)  # fmt: skip
DROPPED = (
    "mean_place",
    "net",
    "first",
    "range",
    "games",
    "score",
    "groups",
)  # in this order, to fit 80 columns
FLAGS = {
    ">": "beat every opponent always: the Elo depends on the prior; lower bound shown",
    "<": "lost to every opponent always: Elo depends on the prior; upper bound shown",
    "~": "rough error: one-sided results against most others, or all groups ended alike",
    "?": "fewer than 30 seed groups",
    "!": "not linked to the main pool by any game: its Elo is not comparable",
    "C": "in a cycle of bots, each significantly beaten by another of them",
}


PAGES = ("README.md", "columns.md", "methods.md", "evidence.md")  # of arena.rating


def page() -> str:
    """The pages that define every number and give its source, as one text."""
    reading, *others = ((files("arena.rating") / name).read_text(encoding="utf-8") for name in PAGES)
    text = "\n".join([reading, *(f"#{other}" for other in others)])
    text = re.sub(r"\]\(\w+\.md(#[\w-]+)\)", r"](\1)", text)
    return re.sub(r"\[([^\]]*)\]\([^#)][^)]*\)", r"\1", text)  # links that lead out of this text
