"""The Nash averages: a table for people, and rows with all digits for programs."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from arena.rating.nash import RESAMPLES, PairResults, nash_average
from arena.rating.standings import FEW
from arena.report.columns import share, whole
from arena.report.grid import WIDTH, csv_text, grid, width
from arena.report.notes import footing, group_lines
from arena.report.report import Report
from arena.report.standings import NARROWEST, with_notes
from arena.report.standings_data import rounded

DIGITS = 6  # of masses and skills in CSV and JSON
NUMBERS = ("mass", "mass_low", "mass_high", "skill", "skill_low", "skill_high")
MEANINGS = {
    "#": "rank by skill; the bots of the mixture share the first",
    "bot": "its name",
    "mass": "share of the bot in the mixture that no bot beats",
    "mass 95": "bootstrap interval of the mass",
    "skill": "expected score against the mixture: 50 % for its bots, at most 50 % for all others",
    "skill 95": "bootstrap interval of the skill",
    "Elo": "as in the standings",
    "rank": "rank by Elo",
}
ROUGH = "intervals of masses are rough: where scores are close, a small change moves a mass from or to 0"
SHARED = "the score of a pair is from tables of several bots, where the others at the table change it"


def averages(report: Report) -> dict[str, Any]:
    """The `nash` of JSON: a row for each bot of the report, best first, and what they are based on.

    ValueError: two of the bots have not met.
    """
    field = report.field
    results = PairResults.of(field.arrays, len(field.names))
    bots, met = [field.names.index(row.bot) for row in report.rows], results.groups_met()
    groups = {pair: int(met[pair]) for pair in combinations(bots, 2)}
    if missing := [pair for pair, count in groups.items() if not count]:
        one, two = (field.names[bot] for bot in missing[0])
        more = f", nor have {len(missing) - 1} other pairs" if len(missing) > 1 else ""
        raise ValueError(f"{one} and {two} have not met{more}; choose bots that all have, with --bots")
    found = nash_average(results, bots, report.settings.confidence)
    parts = (found.mass, *found.mass_interval, found.skill, *found.skill_interval)
    cells = zip(report.rows, *((column.round(DIGITS) + 0.0).tolist() for column in parts), strict=True)
    rows = [
        {"bot": row.bot, **dict(zip(NUMBERS, numbers, strict=True)), "elo": row.elo, "elo_rank": row.rank}
        for row, *numbers in cells
    ]
    rows.sort(key=lambda row: (-row["skill"], -row["mass"]))
    skills = [row["skill"] for row in rows]
    return {
        "bots": [{"rank": 1 + skills.index(row["skill"]), **rounded(row)} for row in rows],
        "fewest_groups": min(groups.values(), default=0),
        "resamples": RESAMPLES,
    }


def table(report: Report, found: Mapping[str, Any], form: str) -> str:
    """The `averages` in every format but JSON."""
    rows = found["bots"]
    if form == "csv":
        return csv_text([list(row.values()) for row in rows], ["rank", "bot", *NUMBERS, "elo", "elo_rank"])
    confidence = f"{100 * report.settings.confidence:g}"
    meanings = {heading.replace("95", confidence): meaning for heading, meaning in MEANINGS.items()}
    body = [
        [
            *(str(row["rank"]), row["bot"]),
            *(share(row["mass"]), f"{100 * row['mass_low']:.1f}-{share(row['mass_high'])}"),
            *(share(row["skill"]), f"{100 * row['skill_low']:.1f}-{share(row['skill_high'])}"),
            *(whole(row["elo"]), str(row["elo_rank"])),
        ]
        for row in rows
    ]
    left = [heading == "bot" for heading in meanings]
    shown = grid(body, list(meanings), left, form, meanings)
    over = len(shown.split("\n")[1]) - WIDTH  # the line of dashes has the full width
    if form == "text" and over > 0:
        longest = max(width(row["bot"]) for row in rows)
        shown = grid(body, list(meanings), left, form, fold=max(NARROWEST, longest - over))
    return with_notes(shown, notes(report, found), meanings, form)


def notes(report: Report, found: Mapping[str, Any]) -> list[str]:
    """What the numbers mean, how far they can be trusted, and what they are based on."""
    meant = [f"{name}: {MEANINGS[name]}" for name in ("mass", "skill")]
    several = [SHARED] if any(games.size > 2 for games in report.field.arrays) else []
    groups = found["fewest_groups"]
    met = f"; each pair met in {groups} or more{', which is few' * (groups < FEW)}" if groups else ""
    basis = f"{RESAMPLES} resamples of the seed groups{met}"
    return [*meant, ROUGH, *several, *group_lines(report.source), basis, footing(report)]
