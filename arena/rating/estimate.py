"""Strengths and their errors on the Elo scale, separately for each pool of bots that games link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import NormalDist
from typing import Any

import numpy as np

from arena.rating.arrays import Bools, Floats, Ints
from arena.rating.components import components, reference_weights
from arena.rating.distributions import t_quantile
from arena.rating.logit import Maximum, Model, count_stages, links, maximise, prior_slope, scores
from arena.rating.outcome import OutcomeArrays
from arena.rating.sandwich import deviations, sandwich

ELO = 400 / log(10)  # per nat
PRIOR = 0.5  # wins, and losses, of each bot against the virtual opponent
NEGLIGIBLE = 1e-6  # nats; groups whose scores vary by less all ended alike


@dataclass(frozen=True)
class Settings:
    """How outcomes are rated: the `rating:` of a plan.

    `anchor` is a bot and its Elo; without an anchor the mean of each pool is `average`. `seats: fit` fits the
    effects of seats too; `forfeits: exclude` leaves out games with a forfeit.
    """

    method: str = "pairs"
    prior: float = PRIOR
    average: float = 1500
    anchor: tuple[str, float] | None = None
    seats: str = "report"
    confidence: float = 0.95
    forfeits: str = "count"

    @property
    def tail(self) -> float:
        """The quantile at the upper end of an interval: .975."""
        return (1 + self.confidence) / 2

    def prior_for(self, strong: Ints) -> float:
        """The prior for a pool with these strong components: with several, no estimate exists without one."""
        return self.prior or (0 if (strong == strong[0]).all() else PRIOR)


def settings_of(rating: Mapping[str, Any]) -> Settings:
    """The `rating:` of a plan, as plain values."""
    anchor = rating.get("anchor")
    return Settings(**{**rating, "anchor": (anchor["bot"], float(anchor["elo"])) if anchor else None})


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of K bots, in Elo; NaN if unknown.

    `se` is the standard error of `elo`, `error` half its interval, `spread` (K, K) the standard error of each
    difference. `rough` marks the bots whose `se` is not from the sandwich estimator. Bots of one `strong`
    component have scored against each other, directly or through others; bots of one `pool` are linked by
    games. Both are given as the number of the first bot in the set. `converged`: the fit of each pool was
    found to full precision.
    """

    elo: Floats
    se: Floats
    error: Floats
    spread: Floats
    rough: Bools
    strong: Ints
    pool: Ints
    converged: bool


def rate(
    arrays: Sequence[OutcomeArrays], size: int, settings: Settings, anchor: int | None = None
) -> Ratings:
    """Rate bots 0 to `size` - 1, each pool by itself. `anchor` is the number of the anchor, if it played."""
    won = links(count_stages(Model(settings.method, size), arrays), size)
    strong, pool = components(won), components(won | won.T)
    elo, se, error = np.full((3, size), np.nan)
    spread, rough, converged = np.full((size, size), np.nan), np.zeros(size, np.bool_), True
    for label in np.unique(pool):
        bots = np.flatnonzero(pool == label)
        pool_arrays = select(arrays, bots, size)
        part, good = rate_pool(pool_arrays, strong[bots], bots == anchor, settings)
        elo[bots], se[bots], error[bots], spread[np.ix_(bots, bots)], rough[bots] = part
        converged &= good
    return Ratings(elo, se, error, spread, rough, strong, pool, converged)


def select(arrays: Sequence[OutcomeArrays], bots: Ints, size: int) -> list[OutcomeArrays]:
    """The games of a pool, given by its bots (ascending); bots and groups are renumbered from 0."""
    if len(bots) == size:
        return list(arrays)
    number = np.full(size, -1)
    number[bots] = np.arange(len(bots))
    kept = [(games, number[games.bots[:, 0]] >= 0) for games in arrays]
    groups = np.unique(np.concatenate([games.group[here] for games, here in kept]))
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


def rate_pool(
    arrays: Sequence[OutcomeArrays], strong: Ints, anchor: Bools, settings: Settings
) -> tuple[tuple[Floats, Floats, Floats, Floats, Bools], bool]:
    """The first five fields of `Ratings` for one pool, and whether its fit converged.

    `anchor` (K,) marks the anchor, if it is here.
    """
    connected: Bools = strong[:, None] == strong
    prior = settings.prior_for(strong)
    found, robust, freedom = fit(arrays, len(strong), settings, prior, settings.seats == "fit")
    bots = slice(len(strong))
    theta, robust, inverse = found.at[bots], robust[bots, bots], found.inverse[bots, bots]
    if settings.anchor and anchor.any():
        zero, weights, level = float(theta[anchor][0]), anchor.astype(float), settings.anchor[1]
    else:
        zero, weights, level = float(theta.mean()), reference_weights(strong), settings.average
    shared = inverse @ prior_slope(theta, prior)
    varied = robust - np.outer(shared, shared) / max(freedom, 1)  # without what all groups have in common
    se, spread, rough = errors(robust, varied, inverse, weights, connected)
    if len(strong) == 1:
        se[:] = np.nan
    normal, student = NormalDist().inv_cdf(settings.tail), t_quantile(settings.confidence, freedom)
    error = np.where(anchor, 0, se * np.where(rough, normal, student))
    return (ELO * (theta - zero) + level, ELO * se, ELO * error, ELO * spread, rough), found.converged


def errors(
    robust: Floats, varied: Floats, inverse: Floats, weights: Floats, connected: Bools
) -> tuple[Floats, Floats, Bools]:
    """Standard errors against the mean (K,) and of differences (K, K), and which of the first are rough.

    Within a strong component (`connected`) the sandwich estimator holds. Between components only the
    curvature is known, most of it from the virtual opponent. The curvature is also used if all groups ended
    alike: the sandwich would then be 0, although the next group may end differently.
    """
    (se, spread), (rough_se, rough_spread) = deviations(robust, weights), deviations(inverse, weights)
    same, same_pair = (each <= NEGLIGIBLE for each in deviations(varied, weights))
    rough: Bools = ~connected[:, weights > 0].all(axis=1) | (same & (weights < 1))
    return np.where(rough, rough_se, se), np.where(connected & ~same_pair, spread, rough_spread), rough


def fit(
    arrays: Sequence[OutcomeArrays],
    size: int,
    settings: Settings,
    prior: float,
    seats: bool,
    start: Floats | None = None,
) -> tuple[Maximum, Floats, int]:
    """The fit in nats, the covariance of its parameters by the sandwich, and its degrees of freedom.

    With `seats`, the effects of seats follow the strengths, unless they cannot be told apart from them.
    A `start` (K,) close to the strengths saves time.
    """
    sizes = tuple(sorted({games.size for games in arrays})) if seats else ()
    model = Model(settings.method, size, sizes)
    try:
        found = maximise(count_stages(model, arrays), model, prior, start)
    except np.linalg.LinAlgError:
        if not seats:
            raise
        return fit(arrays, size, settings, prior, seats=False)
    groups = 1 + max(int(games.group[-1]) for games in arrays)
    fitted = model.parameters - len(model.blocks)
    robust, freedom = sandwich(found.inverse, scores(model, arrays, found.at), groups, fitted)
    return found, robust, freedom
