"""The columns of the Elo table: headings, cells, and what each means."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

from arena.rating.standings import Standing


@dataclass(frozen=True)
class Column:
    """A column of the table: its heading, what its cells say, and what that means."""

    heading: str
    cell: Callable[[Standing], str]
    meaning: str


def whole(number: float | None) -> str:
    return "" if number is None else str(round(number))  # never -0


def share(number: float | None) -> str:
    return "" if number is None else f"{number:.1%}"


def likelihood(number: float | None) -> str:
    return "" if number is None else f"{number:.0%}"


def margin(row: Standing) -> str:
    if row.bound is not None:
        return f"{'>' if row.score == 1 else '<'}{whole(row.bound)}"
    return "-" if row.error is None else whole(row.error)


COLUMNS = {
    "rank": Column("#", lambda row: str(row.rank), "rank by Elo; equal bots share one"),
    "range": Column(
        "range",
        lambda row: "-".join(map(str, dict.fromkeys(row.rank_range))),
        "ranks that the bot may truly have: 1 + those surely better, to all but those surely worse",
    ),
    "bot": Column("bot", lambda row: row.bot, "its name; name@fingerprint is an older version of it"),
    "elo": Column("Elo", lambda row: whole(row.elo), "strength: 400 more means ten times the odds"),
    "error": Column(
        "±95", margin, "half the confidence interval of the Elo; >x or <x: the bound of a perfect score"
    ),
    "los": Column(
        "LOS", lambda row: likelihood(row.los), "likelihood that the bot is better than the next one"
    ),
    "games": Column("games", lambda row: str(row.games), "games played"),
    "groups": Column("groups", lambda row: str(row.groups), "seed groups played: games that share a deal"),
    "score": Column("score", lambda row: share(row.score), "mean share of the opponents beaten, ties half"),
    "first": Column("1st", lambda row: share(row.first), "share of the games won, alone or together"),
    "mean_place": Column("place", lambda row: f"{row.mean_place:.2f}", "mean place"),
    "opponents": Column("opp", lambda row: whole(row.opponents), "mean Elo of the opponents met"),
    "forfeits": Column(
        "forf", lambda row: str(sum(row.forfeits.values()) or ""), "games lost by faults of its own"
    ),
    "kinds": Column(
        "by",
        lambda row: " ".join(f"{kind}:{count}" for kind, count in row.forfeits.items()),
        "the forfeits by the kind of the fault that did it",
    ),
    "without": Column("w/o", lambda row: whole(row.without), "Elo from the games that nobody forfeited"),
    "flags": Column("", lambda row: row.flags, "warnings, explained below the table"),
}
PLAIN = ("rank", "range", "bot", "elo", "error", "los", "games", "score", "first", "mean_place")
GIVE_UP = ("mean_place", "first", "range", "games", "score")  # where 80 columns are too few, in this order
FLAGS = {
    ">": "beat everybody always: the Elo rests on the prior; its lower bound is shown",
    "<": "never scored: the Elo rests on the prior; its upper bound is shown",
    "~": "rough error: links with most others go one way, or results never vary",
    "?": "fewer than 30 seed groups",
    "!": "played in a pool of its own: not comparable with the others",
    "C": "in a cycle of bots, each surely beaten by another of them",
}


def page() -> str:
    """The page that defines every number, with its source."""
    return (files("arena.rating") / "README.md").read_text(encoding="utf-8")
