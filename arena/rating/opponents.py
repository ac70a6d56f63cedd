"""Pairs of bots: the difference of their strengths, the score expected of it, and their results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from arena.rating.arrays import Floats, Ints
from arena.rating.bounds import solve
from arena.rating.distributions import t_quantiles
from arena.rating.estimate import ELO, Ratings
from arena.rating.logit import logistic
from arena.rating.outcome import OutcomeArrays
from arena.rating.points import head_to_head
from arena.rating.ranges import superiority
from arena.rating.settings import Settings
from arena.rating.standings import Field


@dataclass(frozen=True)
class Opponent:
    """The results of a bot against one opponent, or against all of them together (`bot` is then "").

    `elo` is that of the opponent (the mean over the meetings), `score` the mean score of the meetings (each
    pair of seats meets once in a game, a tie is half), `expected` the one that the Elo expects.
    `performance` is the Elo with which `score` would be the expected score, None if every meeting was won or
    lost. `los` is the likelihood that the bot is better than the opponent, None if unknown. `wins`, `draws`
    and `losses` are of games of two.
    """

    bot: str
    elo: float
    meetings: int
    wins: int
    draws: int
    losses: int
    score: float
    expected: float
    performance: float | None
    los: float | None


def differences(ratings: Ratings) -> Floats:
    """The Elo of the row's bot less the column's (K, K); NaN on the diagonal and between pools."""
    comparable = (ratings.pool[:, None] == ratings.pool) & ~np.eye(len(ratings.elo), dtype=bool)
    return np.where(comparable, ratings.elo[:, None] - ratings.elo, np.nan)


def difference_errors(ratings: Ratings, settings: Settings) -> Floats:
    """Half the confidence interval of each difference (K, K); NaN if unknown."""
    known = ~np.isnan(differences(ratings)) & ~np.isnan(ratings.spread)
    freedom = np.where(known, ratings.spread_freedom, np.inf)
    return np.where(known, ratings.spread * t_quantiles(settings.confidence, freedom), np.nan)


def expected_scores(ratings: Ratings) -> Floats:
    """The expected score of the row's bot against the column's (K, K), from 0 to 1; NaN if unknown."""
    return logistic(differences(ratings) / ELO)


def opponents(field: Field, bot: str) -> list[Opponent]:
    """A row for each opponent that a bot has met, strongest first, and one for all of them together."""
    return all_opponents(field, [bot]).get(bot, [])


def all_opponents(field: Field, bots: Iterable[str]) -> dict[str, list[Opponent]]:
    """The rows of `opponents` for each of these bots that has played, by name; faster than one by one."""
    results = *head_to_head(field.arrays, len(field.names)), *_duel_results(field.arrays, len(field.names))
    expected, better = expected_scores(field.ratings), superiority(field.ratings)
    numbers = {name: number for number, name in enumerate(field.names)}
    return {
        bot: _rows_against(field, own, *(matrix[own] for matrix in (*results, expected, better)))
        for bot in bots
        if (own := numbers.get(bot)) is not None
    }


def _rows_against(
    field: Field,
    own: int,
    points: Floats,
    met: Floats,
    won: Ints,
    drawn: Ints,
    lost: Ints,
    expected: Floats,
    los: Floats,
) -> list[Opponent]:
    """The rows of the bot with the number `own`, from its row in each matrix of all pairs."""
    met[own] = 0

    def row(name: str, others: Ints) -> Opponent:
        weights, elo = met[others], field.ratings.elo[others]
        total, scored = float(weights.sum()), float(points[others].sum())
        return Opponent(
            bot=name,
            elo=float(weights @ elo) / total,
            meetings=int(total),
            wins=int(won[others].sum()),
            draws=int(drawn[others].sum()),
            losses=int(lost[others].sum()),
            score=scored / total,
            expected=float(weights @ expected[others]) / total,
            performance=_performance(elo, weights, scored),
            los=None if len(others) > 1 or isnan(los[others[0]]) else float(los[others[0]]),
        )

    faced = np.flatnonzero(met)
    faced = faced[np.argsort(-field.ratings.elo[faced], kind="stable")]
    rows = [row(field.names[other], np.array([other])) for other in faced]
    return [*rows, row("", faced)] if len(rows) > 1 else rows


def _performance(elo: Floats, meetings: Floats, points: float) -> float | None:
    """The Elo that would be expected to score these points; None if all or none of the points were won."""
    if not 0 < points < meetings.sum():
        return None
    return solve(lambda x: float(meetings @ logistic((x - elo) / ELO)), points, elo)


def _duel_results(arrays: Sequence[OutcomeArrays], size: int) -> tuple[Ints, Ints, Ints]:
    """The wins, draws and losses of the row's bot against the column's in games of two, each (K, K)."""
    won, drawn = np.zeros((2, size, size), np.int64)
    for games in arrays:
        if games.table == 2:
            np.add.at(drawn if games.places == (1, 1) else won, (games.bots[:, 0], games.bots[:, 1]), 1)
    return won, drawn + drawn.T, won.T
