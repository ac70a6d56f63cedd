"""The value of seats: their mean scores, and their effects, fitted together with the strengths."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.distributions import t_quantile
from arena.rating.estimate import ELO, NEGLIGIBLE, fit
from arena.rating.field import RatedField
from arena.rating.outcome_arrays import OutcomeArrays, scores_by_position, wins_by_position


@dataclass(frozen=True)
class SeatEffect:
    """One seat (from 0) in games of `size` seats: its games, mean score, share of wins, and effect in Elo.

    The effects of all seats of a size add up to 0. `elo` and `error` (half the interval) are None if the
    games do not identify the effects (see `identified.py`). `error` is None if there are too few groups, or
    all ended alike. `score` and `first` are None without games, which happens if all bots of the seat are
    left out. `converged` says whether the fit has full precision.
    """

    size: int
    seat: int
    games: int
    score: float | None
    first: float | None
    elo: float | None
    error: float | None
    converged: bool


def seat_effects(field: RatedField) -> list[SeatEffect]:
    """The effects of all seats in the main pool, in the order of table sizes and seats."""
    if not field.arrays:
        return []
    _, arrays = field.main_games()
    main = field.ratings.pool == field.main
    strong, start = field.ratings.strong[main], field.ratings.elo[main] / ELO
    prior = field.settings.prior_for(strong)
    fitted = fit(arrays, strong, field.settings, prior, True, start - start.mean())
    known, found = fitted.model.seat_counts, fitted.found
    effects = found.at[len(strong) :] * ELO
    robust, freedom = fitted.covariance(arrays, range(len(strong), len(found.at)))
    spread: Floats = np.sqrt(np.maximum(np.diag(robust), 0)) * ELO
    errors = spread * t_quantile(field.settings.confidence, freedom)
    seats: list[SeatEffect] = []
    for size in sorted({games.table for games in arrays}):
        first = sum(other for other in known if other < size)  # the number of this size's first effect
        for seat in range(size):
            elo = float(effects[first + seat]) if size in known else None
            varied = size in known and errors[first + seat] > NEGLIGIBLE * ELO
            error = float(errors[first + seat]) if varied else None
            seats.append(SeatEffect(size, seat, *_counts(arrays, size, seat), elo, error, found.converged))
    return seats


def _counts(arrays: Sequence[OutcomeArrays], size: int, seat: int) -> tuple[int, float | None, float | None]:
    """The number of games of a seat at tables of this size, its mean score, and its share of wins.

    The score and the share are None without games.
    """
    played, score, first = 0, 0.0, 0
    for games in arrays:
        if games.table == size:
            here = (games.seats == seat).sum(axis=0)  # by position in the order of finish
            played += int(here.sum())
            score += float(scores_by_position(games) @ here)
            first += int(wins_by_position(games) @ here)
    return (played, score / played, first / played) if played else (0, None, None)


def places_by_seat(arrays: Sequence[OutcomeArrays]) -> dict[int, Ints]:
    """For each number of seats, how often each seat (row) finished at each place (column): (n, n)."""
    found: dict[int, Ints] = {}
    for games in arrays:
        counts = found.setdefault(games.table, np.zeros((games.table, games.table), np.int64))
        for position, place in enumerate(games.places):
            counts[:, place - 1] += np.bincount(games.seats[:, position], minlength=games.table)
    return dict(sorted(found.items()))
