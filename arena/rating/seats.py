"""What a seat is worth: its score as it is, and its effect when the bots' strengths are fitted along."""

from dataclasses import dataclass

import numpy as np

from arena.rating.distributions import t_quantile
from arena.rating.estimate import ELO, STILL, fit
from arena.rating.standings import Field


@dataclass(frozen=True)
class SeatEffect:
    """One seat (from 0) at tables of `size`: its games, mean score, share of wins, and worth in Elo.

    The effects of a table add up to 0; `elo` and `error` (half the interval) are None where seats
    cannot be told apart from the bots that sat there, `error` also where no group differed from the others.
    """

    size: int
    seat: int
    games: int
    score: float
    first: float
    elo: float | None
    error: float | None


def seat_effects(field: Field) -> list[SeatEffect]:
    """The seats of all sizes of table in the main pool."""
    if not field.tables:
        return []
    names, tables = field.pooled()
    sizes = sorted({games.size for games in tables})
    prior = field.settings.prior_for(field.ratings.strong[field.ratings.pool == field.main])
    at, robust, _, freedom = fit(tables, len(names), field.settings, prior, seats=True)
    effects = at[len(names) :] * ELO
    spread = np.sqrt(np.maximum(np.diag(robust)[len(names) :], 0)) * ELO
    errors = spread * t_quantile(field.settings.confidence, freedom)
    known, rows = len(effects) > 0, []
    for size in sizes:
        for seat in range(size):
            number = len(rows)
            elo, error = (float(effects[number]), float(errors[number])) if known else (None, None)
            sure = known and error > STILL * ELO
            rows.append(SeatEffect(size, seat, *_counts(tables, size, seat), elo, error if sure else None))
    return rows


def _counts(tables, size: int, seat: int) -> tuple[int, float, float]:
    """Games, mean score and share of wins of a seat."""
    games = score = first = 0
    for table in tables:
        if table.size == size:
            here = (table.seats == seat).sum(axis=0)  # by position in the order of finish
            places = np.array(table.places)
            games += int(here.sum())
            score += float((np.sign(places - places[:, None]).sum(axis=1) / (2 * (size - 1)) + 1 / 2) @ here)
            first += int((places == 1) @ here)
    return games, score / games, first / games
