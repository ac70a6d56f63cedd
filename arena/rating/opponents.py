"""Pairs of bots: the difference of their strengths, the score that it predicts, and their results."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arena.rating.arrays import Floats, Ints, none_if_nan
from arena.rating.distributions import t_quantiles
from arena.rating.estimate import ELO, Ratings
from arena.rating.field import RatedField
from arena.rating.logit import logistic
from arena.rating.performance import performance_rating
from arena.rating.points import duel_results, head_to_head
from arena.rating.settings import RatingSettings
from arena.rating.superiority import superiority


@dataclass(frozen=True)
class Opponent:
    """The results of a bot against one opponent, or against all of them together (`bot` is then "").

    Attributes:
        bot: The opponent.
        elo: Its Elo, or the mean Elo of all opponents over the meetings; None if from too few games.
        meetings: The number of meetings.
        wins: Wins in games of two, like `draws` and `losses`; None without such games.
        score: The mean points of a meeting.
        expected: The expected points of a meeting.
        performance: The Elo that predicts `score`; None if all points were won, or none.
        los: The likelihood of superiority over the opponent; None if unknown, and for all opponents.
    """

    bot: str
    elo: float | None
    meetings: int
    wins: int | None
    draws: int | None
    losses: int | None
    score: float
    expected: float
    performance: float | None
    los: float | None


def differences(ratings: Ratings) -> Floats:
    """The Elo of the row's bot less the column's (K, K); NaN on the diagonal and between pools."""
    comparable = (ratings.pool[:, None] == ratings.pool) & ~np.eye(len(ratings.elo), dtype=bool)
    return np.where(comparable, ratings.elo[:, None] - ratings.elo, np.nan)


def difference_errors(ratings: Ratings, settings: RatingSettings) -> Floats:
    """Half the confidence interval of each difference (K, K); NaN if unknown."""
    known = ~np.isnan(differences(ratings)) & ~np.isnan(ratings.spread)
    freedom = np.where(known, ratings.spread_freedom, np.inf)
    return np.where(known, ratings.spread * t_quantiles(settings.confidence, freedom), np.nan)


def expected_scores(ratings: Ratings) -> Floats:
    """The expected score of the row's bot against the column's (K, K), from 0 to 1; NaN if unknown."""
    return logistic(differences(ratings) / ELO)


def opponents(field: RatedField, bot: str) -> list[Opponent]:
    """A row for each opponent that a bot has met, strongest first.

    If there are several opponents, a row for all of them follows. There are no rows if the bot has not
    played.
    """
    return all_opponents(field, [bot]).get(bot, [])


def all_opponents(field: RatedField, bots: Iterable[str]) -> dict[str, list[Opponent]]:
    """The rows of `opponents` by name, for those of these bots that have played.

    This is faster than one call for each bot.
    """
    points, met = head_to_head(field.arrays, len(field.names))
    duels = duel_results(field.arrays, len(field.names))
    expected, few = expected_scores(field.ratings), field.ratings.too_few
    better = superiority(field.ratings)

    def row(own: int, name: str, others: Ints) -> Opponent:
        weights, elo = met[own, others], field.ratings.elo[others]
        total, scored = float(weights.sum()), float(points[own, others].sum())
        counts = [int(matrix[own, others].sum()) for matrix in duels]
        wins, draws, losses = counts if any(counts) else [None] * 3
        return Opponent(
            bot=name,
            elo=None if len(others) == 1 and few[others[0]] else float(weights @ elo) / total,
            meetings=int(total),
            wins=wins,
            draws=draws,
            losses=losses,
            score=scored / total,
            expected=float(weights @ expected[own, others]) / total,
            performance=performance_rating(elo, weights, scored),
            los=none_if_nan(better[own, others[0]]) if len(others) == 1 else None,
        )

    def rows(own: int) -> list[Opponent]:
        faced = np.flatnonzero(met[own])
        faced = faced[np.argsort(-field.ratings.elo[faced], kind="stable")]
        found = [row(own, field.names[other], np.array([other])) for other in faced]
        return [*found, row(own, "", faced)] if len(found) > 1 else found

    numbers = {name: number for number, name in enumerate(field.names)}
    return {bot: rows(numbers[bot]) for bot in bots if bot in numbers}
