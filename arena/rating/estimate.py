"""Strengths and their errors on the Elo scale, separately for each pool of bots that games link."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.components import components, reference_weights
from arena.rating.distributions import t_quantiles
from arena.rating.identified import identifiable_model
from arena.rating.logit import (
    Maximum,
    Model,
    count_by_group,
    count_stages,
    inverse_at,
    links,
    maximise,
    prior_slope,
    scores,
)
from arena.rating.outcome_arrays import OutcomeArrays, own_groups
from arena.rating.sandwich import deviations, sandwich
from arena.rating.separation import separation
from arena.rating.settings import RatingSettings, Widening

ELO = 400 / log(10)  # per nat
FEW = 30  # seed groups; an error bar from fewer is itself uncertain
_MIN_GROUPS = 3  # seed groups; an Elo from fewer means nothing
_MAX_ERROR = 1000  # half an interval in Elo; a wider one from few groups means nothing
NEGLIGIBLE = 1e-6  # nats; groups whose scores vary by less all ended alike


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of K bots, in Elo; NaN if unknown.

    Attributes:
        se: The standard error of `elo`.
        error: Half the interval of `elo`.
        spread: The standard error of each difference (K, K).
        freedom: The degrees of freedom of `se`; infinite for the normal distribution.
        spread_freedom: The degrees of freedom of `spread` (K, K).
        separation: The p-values of `separation.separation` (K, K).
        rough: Whether `se` is not from the sandwich estimator.
        groups: The number of seed groups that each bot played.
        strong: The strong component of each bot, as the number of its first bot. Its bots have scored against
            each other, directly or through others.
        pool: The pool of each bot, as the number of its first bot. Games link the bots of a pool.
        converged: Whether each fit has full precision.
        widened: The mean factor of `widen`.
    """

    elo: Floats
    se: Floats
    error: Floats
    spread: Floats
    freedom: Floats
    spread_freedom: Floats
    separation: Floats
    rough: Bools
    groups: Ints
    strong: Ints
    pool: Ints
    converged: bool
    widened: float = 1.0

    @property
    def too_few(self) -> Bools:
        """Whether each bot (K,) has too few games for an Elo."""
        # A rough error is not from the differences between groups, so it is no sign of few games. An unknown
        # error counts as wide.
        wide = ~self.rough & ~(self.error <= _MAX_ERROR)
        thin = self.groups < FEW
        for label in np.unique(self.pool):
            here = thin & (self.pool == label)
            if wide[here].sum() > here.sum() / 2:  # Otherwise the rest would rank above better bots.
                wide |= here
        few: Bools = (self.error != 0) & ((self.groups < _MIN_GROUPS) | (thin & wide))
        return few

    def widen(self, widenings: Iterable[Widening], seats: int) -> "Ratings":
        """The ratings with larger errors: each bot gets the largest of these widenings.

        `seats` is the size of the smallest table.
        """
        factors = [each.factor(self.groups, seats) for each in widenings]
        if not factors:
            return self
        own = np.max(factors, axis=0)
        pair = np.sqrt((own[:, None] ** 2 + own**2) / 2)
        errors = {"se": self.se * own, "error": self.error * own, "spread": self.spread * pair}
        return replace(self, **errors, widened=float(own.mean()))


def rate(
    arrays: Sequence[OutcomeArrays],
    size: int,
    settings: RatingSettings,
    anchors: Mapping[int, float] = MappingProxyType({}),
) -> Ratings:
    """Rate bots 0 to `size` - 1, each pool by itself. `anchors` has the given Elo of anchors, by number."""
    # Scores in both directions, if only through a cycle, link bots to a component. A link in one direction is
    # enough for a pool.
    won = links(count_stages(Model(settings.method, size), arrays), size)
    strong, pool = components(won), components(won | won.T)
    given = np.array([anchors.get(bot, np.nan) for bot in range(size)])
    parts = []
    for label in np.unique(pool):
        bots = np.flatnonzero(pool == label)
        pool_arrays = select(arrays, bots, size)
        parts.append((bots, _rate_pool(pool_arrays, strong[bots], given[bots], settings)))
    if len(parts) == 1:
        return parts[0][1]
    whole: dict[str, Any] = {"strong": strong, "pool": pool}
    whole["converged"] = all(part.converged for _, part in parts)
    matrices = "spread", "spread_freedom", "separation"
    for name in *matrices, "elo", "se", "error", "freedom", "rough", "groups":
        dimensions = 2 if name in matrices else 1
        kind = {"rough": bool, "groups": int}.get(name, float)
        whole[name] = np.full([size] * dimensions, np.nan if dimensions == 2 else 0, kind)
        for bots, part in parts:
            whole[name][np.ix_(*[bots] * dimensions)] = getattr(part, name)
    return Ratings(**whole)


def select(arrays: Sequence[OutcomeArrays], bots: Ints, size: int) -> list[OutcomeArrays]:
    """The games of the pool of these `bots` (ascending); bots and groups are renumbered from 0.

    `size` is the number of the bots of all pools.
    """
    if len(bots) == size:
        return list(arrays)
    number = np.full(size, -1)
    number[bots] = np.arange(len(bots))
    # All bots of a game are in one pool, because each is linked to the winner. So the first bot decides.
    kept = [(games, number[games.bots[:, 0]] >= 0) for games in arrays]
    groups = np.flatnonzero(np.bincount(np.concatenate([games.group[here] for games, here in kept])))
    return [
        replace(
            games,
            bots=number[games.bots[here]],
            seats=games.seats[here],
            group=np.searchsorted(groups, games.group[here]),
        )
        for games, here in kept
        if here.any()
    ]


def _rate_pool(
    arrays: Sequence[OutcomeArrays], strong: Ints, given: Floats, settings: RatingSettings
) -> Ratings:
    """The ratings of the K bots of one pool. `given` (K,) has the Elo of the anchors, NaN for other bots."""
    # Within a strong component the sandwich estimator is valid. Between components only the curvature is
    # known, most of it from the virtual opponent. The curvature is also used if all groups ended alike, or if
    # a bot played only one: the sandwich would then be 0, although the next group may end differently.
    size, groups = len(strong), own_groups(arrays, len(strong))
    connected: Bools = strong[:, None] == strong
    prior = settings.prior_for(strong)
    fitted = fit(arrays, strong, settings, prior, settings.seats == "fit")
    theta, inverse = fitted.found.at[:size], fitted.found.inverse[:size, :size]
    # The covariance is larger with effects of seats. Only the part of the bots is needed.
    robust, freedom = fitted.covariance(arrays)
    robust = robust[:size, :size]
    # Only differences of strengths are known. The mean of the anchors, or of all bots, gets the given level:
    # this makes the squared distances of the anchors from their Elo least.
    anchor: Bools = ~np.isnan(given)
    if anchor.any():
        weights, level = anchor / anchor.sum(), float(given[anchor].mean())
        zero = float(theta[anchor].mean())
    else:
        zero, weights, level = float(theta.mean()), reference_weights(strong), settings.average
    # Do all groups end alike? At the maximum their scores add up to minus the slope of the prior. If they are
    # all equal, the sandwich is the square of this sum, divided by the degrees of freedom.
    shared = inverse @ prior_slope(theta, prior)
    varied = robust - np.outer(shared, shared) / max(freedom, 1)  # only the differences between groups
    same, same_pair = (each <= NEGLIGIBLE for each in deviations(varied, weights))
    # From here on `se` (K,) is the error of each bot against the weighted mean, `spread` (K, K) of each
    # difference.
    robust, own = _by_own_groups(robust, groups, freedom)
    se, spread = deviations(robust, weights)
    # Relative to the mean of all bots, the freedom of a pair does not depend on the anchor.
    pair_freedom = _satterthwaite(deviations(robust, np.full(size, 1 / size))[0], own, freedom)
    # A bot with a single group has no variance between groups, and adds none to a difference to it.
    single: Bools = (groups < 2) & (freedom > 0)
    unknown: Bools = same | single | (single & anchor).any()
    # `weights < 1` leaves out a single anchor, whose error is 0 in any case.
    rough: Bools = ~connected[:, weights > 0].all(axis=1) | (unknown & (weights < 1))
    rough_pair = ~connected | same_pair | single[:, None] | single
    # The curvature counts each seed group as one game, as if all its games were alike. This is cautious.
    if rough.any() or (rough_pair & ~np.eye(size, dtype=bool)).any():
        curvature = deviations(_inverse_by_group(arrays, fitted, prior), weights)
        se, spread = np.where(rough, curvature[0], se), np.where(rough_pair, curvature[1], spread)
    # The difference to an anchor is a difference of two bots, so it has the degrees of freedom of the pair;
    # with several anchors the fewest.
    own = np.where(rough, np.inf, pair_freedom[:, anchor].min(axis=1) if anchor.any() else own)
    if size == 1:
        se[:] = np.nan
    error = np.where(anchor & (weights == 1), 0, se * t_quantiles(settings.confidence, own))
    return Ratings(
        elo=ELO * (theta - zero) + level,
        se=ELO * se,
        error=ELO * error,
        spread=ELO * spread,
        freedom=own,
        spread_freedom=np.where(rough_pair, np.inf, pair_freedom),
        separation=separation(arrays, theta, strong, settings.method),
        rough=rough,
        groups=groups,
        strong=strong,
        pool=np.zeros(size, np.int64),
        converged=fitted.found.converged,
    )


def _by_own_groups(robust: Floats, groups: Ints, freedom: int) -> tuple[Floats, Floats]:
    """The covariance (K, K) and the degrees of freedom (K,) of the bots, corrected for their own groups."""
    # The error of a bot that played m groups is estimated from these m, however many other groups there are.
    # So its variance gets the factor m/(m-1) if this is more than the factor G/(G-p) of all, and m - 1
    # degrees of freedom.
    if freedom <= 0:  # There are too few groups, and the covariance is NaN already.
        return robust, np.full(len(groups), float(freedom))
    # This is G without effects of seats. With them it is less, and the factor larger.
    total = freedom + len(groups) - 1
    own = np.maximum(groups - 1, 1)
    factor = np.sqrt(np.maximum(1, (own + 1) / own * freedom / total))
    return robust * np.outer(factor, factor), np.minimum(own, freedom).astype(float)


def _satterthwaite(se: Floats, freedom: Floats, most: int) -> Floats:
    """Degrees of freedom (K, K) of the differences of bots, at most `most`.

    `se` and `freedom` (K,) are the standard errors and the degrees of freedom of the bots.
    """
    # (v₁ + v₂)² / (v₁²/f₁ + v₂²/f₂) for the variances v, rounded down (Satterthwaite 1946, Biometrics 2:110).
    variance = np.maximum(se, NEGLIGIBLE) ** 2
    each = variance**2 / freedom
    pairs = (variance[:, None] + variance) ** 2 / (each[:, None] + each)
    # NEGLIGIBLE is added because a rounding error must not turn 7 into 6.
    whole: Floats = np.floor(np.minimum(pairs + NEGLIGIBLE, most))
    return whole


@dataclass(frozen=True, eq=False)
class Fit:
    model: Model
    found: Maximum

    def covariance(
        self, arrays: Sequence[OutcomeArrays], numbers: Sequence[int] | None = None
    ) -> tuple[Floats, int]:
        """The sandwich covariance of all parameters, or of these `numbers`, and its degrees of freedom."""
        inverse = self.found.inverse if numbers is None else self.found.inverse_rows(numbers)
        groups = 1 + max(int(games.group[-1]) for games in arrays)
        free = self.model.parameters - len(self.model.blocks)
        return sandwich(inverse, scores(self.model, arrays, self.found.at), groups, free)


def _inverse_by_group(arrays: Sequence[OutcomeArrays], fitted: Fit, prior: float) -> Floats:
    """The inverse of the curvature (K, K) if each seed group counts as one game."""
    bots = slice(fitted.model.bots)
    return inverse_at(count_by_group(fitted.model, arrays), fitted.model, prior, fitted.found.at)[bots, bots]


def fit(
    arrays: Sequence[OutcomeArrays],
    strong: Ints,
    settings: RatingSettings,
    prior: float,
    seats: bool,
    start: Floats | None = None,
) -> Fit:
    """Fit the strengths of one pool, and with `seats` the effects of seats that the games identify.

    A `start` (K,) near the strengths saves time.

    Raises:
        LinAlgError: As `maximise`.
    """
    model = Model(settings.method, len(strong))
    if seats:
        model, stages = identifiable_model(settings.method, arrays, strong, start)
    else:
        stages = count_stages(model, arrays)
    return Fit(model, maximise(stages, model, prior, start))
