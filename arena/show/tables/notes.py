"""The notes below the standings: flags, effects of seats, cycles, pools, and the basis of the standings."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any
from unicodedata import normalize

import numpy as np

from arena.config.text import list_words
from arena.rating.settings import RatingSettings
from arena.rating.standings import Field, SeatEffect, Standing, Transitivity
from arena.rules import seat_name
from arena.show.tables.claims import pair_lines, verdict_lines
from arena.show.tables.report import Report
from arena.show.tables.table import counted, for_programs, plain, share, whole
from arena.tournament.runs.sources import Source

_PAIRWISE = "ranges pairwise: each comparison holds by itself, not all together"
_WIDE_RANGES = "ranges a little too wide (by Bonferroni, as there are too many bots for a simulation)"

WINS = "net and Elo rank bots differently: if only wins count, use method: winner"
_ONE_SCHEDULE = "points compare bots only if all have played the same schedule"
UNKNOWN_SEATS = "these games do not tell the effects of seats apart from the strengths of bots"
FLAGS = {
    ">": "beat every opponent always: the Elo depends on the prior; lower bound shown",
    "<": "lost to every opponent always: Elo depends on the prior; upper bound shown",
    "~": "rough error: one-sided results against most others, or all groups ended alike",
    "?": "fewer than 30 seed groups",
    "!": "not linked to the main pool by any game: its Elo is not comparable",
    "C": "in a cycle of bots, each significantly beaten by another of them",
}
WHY_APART = (
    "rated apart: the arena cannot confine people and remote bots, make them forget, or know what program "
    "plays"
)
# These facts about a source are in JSON.
_ABOUT = ("faults", "excluded", "skipped", "unfinished", "ungrouped", "repeated", "mixed")
_MIN_OWN = 0.98  # the share of a model's own answers
# Cyrillic and Greek letters that look like Latin ones, after casefold (confusables of Unicode, UTS 39).
_LOOKALIKES = str.maketrans("авеһіјкмнорѕтухԁԛԝαικνορτυχ", "abehijkmhopstyxdqwaikvoptux")
_LITTLE = 0.02  # If errors are widened by less, there is no note.
_MISFIT = 0.01  # The test of transitivity is shown if its p-value is lower.


def notes(report: Report) -> list[str]:
    """The used flags, the effects of seats, cycles, pools, and the basis of the standings."""
    flags = {flag for row in report.rows for flag in row.flags}
    known = [f"{flag}  {meaning}" for flag, meaning in FLAGS.items() if flag in flags]
    beside = [
        *_seat_lines(report.field.seat_effects),
        *_cycle_lines(report.field.transitivity),
        *pair_lines(report.field),
    ]
    beside += [*_pairing_lines(report.field), *_anchor_lines(report), *_pool_lines(report.field)]

    rules = [_ONE_SCHEDULE] if report.settings.order == "points" else []
    named = [*_alike_lines(report.field.names), *group_lines(report.source)]
    skipped = [*_own_lines(report)]
    skipped += [f"{bot} sits out: {why}" for bot, why in report.source.skipped.items()]
    return [
        *verdict_lines(report),
        *known,
        *rules,
        *_other_order(report),
        *beside,
        *named,
        footing(report),
        *skipped,
    ]


def _other_order(report: Report) -> list[str]:
    """A note if a bot clearly wins more than a bot with more Elo, which counts all places."""
    larger = any(games.size > 2 for games in report.field.arrays)
    if report.settings.method != "pairs" or report.settings.order != "elo" or not larger:
        return []
    return [WINS] if _wins_more(report.rows) else []


def _wins_more(rows: Sequence[Standing]) -> bool:
    """Whether the net winnings of a row exceed those of a row above it by more than two standard errors."""
    rows = [row for row in rows if not row.unrated]
    net, first, games = np.array([(row.net, row.first, row.games) for row in rows], float).reshape(-1, 3).T
    variance = (1 + net) ** 2 * (1 - first) / np.where(first > 0, first * games, 1)
    apart = np.array(["!" in row.flags for row in rows], bool)
    for upper in range(len(rows)):
        lower = slice(upper + 1, None)
        clearly = net[lower] - net[upper] > 2 * np.sqrt(variance[lower] + variance[upper])
        if (clearly & (apart[lower] == apart[upper])).any():
            return True
    return False


def _seat_lines(seats: Iterable[SeatEffect]) -> list[str]:
    cells: dict[int, list[str]] = {}
    for row in seats:
        if row.elo is not None:
            error = "" if row.error is None else f"±{whole(row.error)}"
            cells.setdefault(row.size, []).append(f"{seat_name(row.seat)} {round(row.elo):+}{error}")
    return [f"Elo of seats, {size} a table: {'  '.join(effects)}" for size, effects in cells.items()]


def sizes_of(sizes: Iterable[int]) -> str:
    return f"tables of {', '.join(map(str, sizes))}"


def _cycle_lines(found: Transitivity | None) -> list[str]:
    """The cycles, and the p-value of the test whether one Elo per bot explains the duels.

    Without cycles there is a line only if the test fails.
    """
    if not found:
        return []
    p = found.probability
    chance = "" if p is None else f"test that one Elo per bot fits: p = {p:.2g}"
    if found.cycles:
        return ["; ".join(filter(None, [f"cycles: {_joined(found.cycles)}", chance]))]
    misfit = p is not None and p < _MISFIT
    return [f"one Elo per bot does not explain the games of two; {chance}"] if misfit else []


def _anchor_lines(report: Report) -> list[str]:
    """The origin of the level: several anchors, or the last bot, whose few points move all others."""
    rated = {row.bot: row.elo for row in report.rows if not row.unrated and "!" not in row.flags}
    anchors, given = report.field.anchors, report.settings.anchors
    if len(anchors) > 1:
        named = [f"{bot} {given[bot]:g}" for bot in anchors]
        return [f"the level is the mean of the anchors, given as {list_words(named)}"]
    if not anchors or len(rated) < 3 or report.settings.order == "points" or [*rated][-1] != anchors[0]:
        return []
    return [f"the level comes from {anchors[0]}, the last bot: read differences"]


def _pairing_lines(field: Field) -> list[str]:
    """A note on how much errors are widened because results decided which bots met."""
    more = field.ratings.widened - 1
    if more < _LITTLE:
        return []
    return [
        "results decided which bots met, and lucky bots met lucky ones: errors are "
        f"{more:.0%} larger than in a round robin, and among close bots the Elo of the first is too high"
    ]


def _pool_lines(field: Field) -> list[str]:
    pools = _name_sets(field, field.ratings.pool)
    return [f"not linked by any game: {_joined(pools)}"] if len(pools) > 1 else []


def _alike_lines(names: Iterable[str]) -> list[str]:
    """A note on names that look alike. This may be a mistake, but they count as different bots."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(normalize("NFKC", name).casefold().translate(_LOOKALIKES), []).append(name)
    found = [names for names in alike.values() if len(names) > 1]
    if not found:
        return []
    cause = (
        "case"
        if all(len({name.casefold() for name in names}) == 1 for names in found)
        else "letters that look alike"
    )
    return [f"different bots, as their names differ by {cause}: {_joined(found)}"]


def group_lines(source: Source) -> list[str]:
    """A warning about games without a seed group, which is stronger if line-ups repeat."""
    if not source.ungrouped:
        return []
    games = f"{counted(source.ungrouped, 'game')} without a group"
    if not source.repeats:
        return [f"{games}: each counts as a seed group; if games share a deal, they need a column group"]
    return [
        f"{games}, and line-ups repeat: each game counts as a seed group, so if games share a deal (as with "
        "seats swapped), all errors are wrong; they need a column group"
    ]


def _own_lines(report: Report) -> list[str]:
    return [f"{line}: arena table models" for line in few_own_lines(report)]


def few_own_lines(report: Report) -> list[str]:
    """A warning about language models if the arena answered for them too often."""
    shares = {name: found.own for name, found in report.answers.by_bot.items() if found.own is not None}
    low = [f"{name} {share(own)}" for name, own in shares.items() if own < _MIN_OWN]
    return (
        [f"too few answers of their own ({', '.join(low)}; at least {_MIN_OWN:.0%} is play)"] if low else []
    )


def _name_sets(field: Field, labels: Iterable[int]) -> list[list[str]]:
    sets: dict[int, list[str]] = {}
    for name, label in zip(field.names, labels, strict=True):
        sets.setdefault(int(label), []).append(name)
    return sorted(sets.values(), key=lambda names: (-len(names), names))


def _joined(sets: Iterable[Iterable[str]]) -> str:
    return "  |  ".join(map(", ".join, sets))


def footing(report: Report) -> str:
    """The basis of the standings, and the settings that are not the default.

    `average`, `confidence`, an anchor that has played, and `points` that do not rank the bots are left out.
    """
    field, source, settings = report.field, report.source, report.settings
    scale = " ".join(map(plain, settings.points))
    unusual = {
        f"ranked by points{f' for places: {scale}' if scale else ''}": settings.order == "points",
        f"runs with different rules ({source.mixed})": bool(source.mixed),
        settings.method: settings.method != "pairs",
        "not comparable with Elo by other methods": settings.method != "pairs"
        and any(games.size > 2 for games in field.arrays),
        "forfeits left out": settings.forfeits == "exclude",
        "seats fitted": settings.seats == "fit" and not report.unknown_seats,
        f"seats not fitted for {sizes_of(report.unknown_seats)}: {UNKNOWN_SEATS}": settings.seats == "fit"
        and bool(report.unknown_seats),
        _PAIRWISE: settings.ranges == "pairwise",
        _WIDE_RANGES: field.has_wide_ranges,
        f"prior {RatingSettings.prior:g} instead of 0, as there is no finite estimate without a prior": (
            field.replaced_prior
        ),
        f"prior {settings.prior:g}": not field.replaced_prior and settings.prior != RatingSettings.prior,
        **{f"the anchor {bot} has not played": bot not in field.names for bot in settings.anchors},
        f"{counted(source.unfinished, 'game')} without a result": source.unfinished > 0,
        f"{counted(source.repeated, 'game')} in two files or more, counted once": source.repeated > 0,
        "the fit of the Elo did not converge: it is not exact": not field.ratings.converged,
        "the fit of the Elo of seats did not converge: it is not exact": any(
            not row.converged for row in report.field.seat_effects
        ),
    }
    counts = f"{counted(field.games, 'game')} in {counted(field.groups, 'seed group')}"
    if source.whole:
        counts += f", {counted(source.faults, 'fault')}, {counted(source.voids, 'void game')}"
    return "; ".join([counts, *(note for note, applies in unusual.items() if applies), *left_out(source)])


def left_out(source: Source) -> list[str]:
    """A note on each bot that `arena exclude` has taken out."""
    return [f"without {bot} ({why})" for bot, why in source.excluded.items()]


def about(report: Report) -> dict[str, Any]:
    field, source, found = report.field, report.source, report.field.transitivity
    return {
        "settings": asdict(report.settings),
        "games": field.games,
        "groups": field.groups,
        "void": source.voids,
        **{name: for_programs(getattr(source, name), 6) for name in _ABOUT},
        "ranking": source.placings.ranking,
        **dict(zip(("may_be_first", "may_be_on_podium"), report.contenders, strict=True)),
        "prior_replaced": field.replaced_prior,
        "converged": field.ratings.converged,
        "pools": _name_sets(field, field.ratings.pool),
        "components": _name_sets(field, field.ratings.strong),
        "transitivity": found and {key: for_programs(value, 6) for key, value in asdict(found).items()},
    }
