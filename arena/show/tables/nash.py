"""The Nash averages of a report."""

from itertools import combinations
from typing import Any

from arena.config.document import ConfigError
from arena.programs.machine import install_command
from arena.rating.standings import FEW
from arena.show.tables.notes import footing, group_lines
from arena.show.tables.report import Report
from arena.show.tables.standings import BOT, ELO, at_confidence
from arena.show.tables.table import Column, Table, share, words


def _interval(low: float, high: float) -> str:
    return f"{100 * low:.1f}-{share(high)}"


# fmt: off
_MASS = Column("mass", "mass", share, "share of the bot in the mixture that no bot beats")
_SKILL = Column("skill", "skill", share, "expected score against the mixture: 50 % for its bots, at most 50 "
    "% for all others")
NASH = (
    Column("#", "rank", words, "rank by skill; the bots of the mixture share the first"),
    BOT,
    _MASS,
    Column("mass 95", "mass_low mass_high", _interval, "bootstrap interval of the mass"),
    _SKILL,
    Column("skill 95", "skill_low skill_high", _interval, "bootstrap interval of the skill"),
    ELO,
    Column("rank", "elo_rank", words, "rank by Elo"),
)
# fmt: on
_NUMBERS = ("mass", "mass_low", "mass_high", "skill", "skill_low", "skill_high")
_ROUGH = "intervals of masses are rough: where scores are close, a small change moves a mass from or to 0"
_SHARED = "the score of a pair is from tables of several bots, where the others at the table change it"


def nash(report: Report) -> Table:
    """A row for each bot, best first.

    Raises:
        ConfigError: Two of the bots have not met, or scipy is missing.
        ValueError: No equilibrium was found, for numerical reasons.
    """
    field = report.field
    try:
        results = field.pair_results()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "scipy":
            raise
        raise ConfigError(f"the view nash needs scipy: {install_command('nash')}") from None
    bots, met = [field.names.index(row.bot) for row in report.rows], results.groups_met()
    groups = {pair: int(met[pair]) for pair in combinations(bots, 2)}
    if missing := [pair for pair, count in groups.items() if not count]:
        one, two = (field.names[bot] for bot in missing[0])
        more = f", nor have {len(missing) - 1} other pairs" if len(missing) > 1 else ""
        raise ConfigError(f"nash: {one} and {two} have not met{more}; choose bots that all have, with --bots")
    found = results.nash_average(bots, report.settings.confidence)
    parts = (found.mass, *found.mass_interval, found.skill, *found.skill_interval)
    cells = zip(report.rows, *(part.round(6).tolist() for part in parts), strict=True)
    rows: list[dict[str, Any]] = [
        {
            "bot": row.bot,
            **dict(zip(_NUMBERS, numbers, strict=True)),
            "elo": row.shown["elo"],
            "elo_rank": row.rank,
        }
        for row, *numbers in cells
    ]
    rows.sort(key=lambda row: (-row["skill"], -row["mass"]))
    skills = [row["skill"] for row in rows]
    fewest = min(groups.values(), default=0)
    several = [_SHARED] if any(games.size > 2 for games in field.arrays) else []
    few = f"; each pair met in {fewest} or more{', which is few' * (fewest < FEW)}" if fewest else ""
    return Table(
        "nash",
        at_confidence(report, NASH),
        [{"rank": 1 + skills.index(row["skill"]), **row} for row in rows],
        "Nash averages",
        # The notes explain the numbers, then how reliable they are, then their basis.
        notes=[
            *(f"{column.heading}: {column.meaning}" for column in (_MASS, _SKILL)),
            *(_ROUGH, *several, *group_lines(report.source)),
            *(f"{found.resamples} resamples of the seed groups{few}", footing(report)),
        ],
        about={"fewest_groups": fewest, "resamples": found.resamples},
    )
