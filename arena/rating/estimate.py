"""Strengths with their errors, pool by pool, on the Elo scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import NormalDist
from typing import Any

import numpy as np

from arena.rating.components import bulk, components
from arena.rating.distributions import t_quantile
from arena.rating.logit import Model, count_stages, ghost_slope, links, maximise, scores
from arena.rating.outcome import Games
from arena.rating.sandwich import deviations, sandwich

ELO = 400 / log(10)  # per nat
GHOST = 0.5  # wins, and losses, of each bot against the ghost
STILL = 1e-6  # nats; scores of groups that vary by less do not vary


@dataclass(frozen=True)
class Settings:
    """How outcomes are rated: the `rating:` of a plan.

    `anchor` is a bot and its Elo; without one the mean of each pool is `average`. With `seats: fit` their
    effects are in the fit; with `forfeits: exclude` the games that somebody forfeited are not.
    """

    method: str = "pairs"
    prior: float = GHOST
    average: float = 1500
    anchor: tuple[str, float] | None = None
    seats: str = "report"
    confidence: float = 0.95
    forfeits: str = "count"

    @property
    def tail(self) -> float:
        """The quantile at the upper end of an interval: .975."""
        return (1 + self.confidence) / 2

    def prior_for(self, strong: np.ndarray) -> float:
        """The prior for a pool of bots of these components: of several there is no estimate without one."""
        return self.prior or (0 if (strong == strong[0]).all() else GHOST)


def settings_of(rating: Mapping[str, Any]) -> Settings:
    """The `rating:` of a plan, as plain values."""
    anchor = rating.get("anchor")
    return Settings(**{**rating, "anchor": (anchor["bot"], float(anchor["elo"])) if anchor else None})


@dataclass(frozen=True, eq=False)
class Ratings:
    """What `rate` says of the bots, (K,) each, in Elo; NaN where nothing can be said.

    `se` is the standard error of `elo` and `error` half its interval; `spread` (K, K) the standard
    error of each difference. `rough` tells which `se` are no sandwich. Bots of one `strong`
    component have scored against each other, around corners at least; those of one `pool` are linked
    by games at all. Both are the number of the first bot in it.
    """

    elo: np.ndarray
    se: np.ndarray
    error: np.ndarray
    spread: np.ndarray
    rough: np.ndarray
    strong: np.ndarray
    pool: np.ndarray


def rate(tables: Sequence[Games], size: int, settings: Settings, anchor: int | None = None) -> Ratings:
    """Rate bots 0 to `size` - 1, each pool by itself. `anchor` is the bot's number, if it played."""
    won = links(count_stages(Model(settings.method, size), tables), size)
    strong, pool = components(won), components(won | won.T)
    elo, se, error = np.full((3, size), np.nan)
    spread, rough = np.full((size, size), np.nan), np.zeros(size, bool)
    for label in np.unique(pool):
        bots = np.flatnonzero(pool == label)
        part = rate_pool(select(tables, bots, size), strong[bots], bots == anchor, settings)
        elo[bots], se[bots], error[bots], spread[np.ix_(bots, bots)], rough[bots] = part
    return Ratings(elo, se, error, spread, rough, strong, pool)


def select(tables: Sequence[Games], bots: np.ndarray, size: int) -> list[Games]:
    """The games of a pool, its bots (ascending numbers) numbered anew from 0, and its groups too."""
    if len(bots) == size:
        return list(tables)
    number = np.full(size, -1)
    number[bots] = np.arange(len(bots))
    kept = [(games, number[games.bots[:, 0]] >= 0) for games in tables]
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
    tables: Sequence[Games], strong: np.ndarray, anchor: np.ndarray, settings: Settings
) -> tuple[np.ndarray, ...]:
    """The first five of `Ratings` for one pool. `anchor` (K,) marks the anchor if it is here."""
    near = strong[:, None] == strong
    prior = settings.prior_for(strong)
    at, robust, inverse, freedom = fit(tables, len(strong), settings, prior, settings.seats == "fit")
    bots = slice(len(strong))
    theta, robust, inverse = at[bots], robust[bots, bots], inverse[bots, bots]
    zero, weights = (theta[anchor], anchor * 1.0) if anchor.any() else (theta.mean(), bulk(strong))
    level = settings.anchor[1] if anchor.any() else settings.average
    shared = inverse @ ghost_slope(theta, prior)
    varied = robust - np.outer(shared, shared) / max(freedom, 1)  # less what all groups have in common
    se, spread, rough = errors(robust, varied, inverse, weights, near)
    if len(strong) == 1:
        se[:] = np.nan
    normal, student = NormalDist().inv_cdf(settings.tail), t_quantile(settings.confidence, freedom)
    error = np.where(anchor, 0, se * np.where(rough, normal, student))
    return ELO * (theta - zero) + level, ELO * se, ELO * error, ELO * spread, rough


def errors(
    robust: np.ndarray, varied: np.ndarray, inverse: np.ndarray, weights: np.ndarray, near: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard errors to the weighted mean (K,) and each other (K, K), and which of the first are rough.

    Within a strong component (`near`) the sandwich holds; across them there is only the curvature, mostly
    the ghost's. So it is where all groups ended alike, which is no proof that they always will.
    """
    (se, spread), (rough_se, rough_spread) = deviations(robust, weights), deviations(inverse, weights)
    still, stuck = (each <= STILL for each in deviations(varied, weights))
    rough = ~near[:, weights > 0].all(axis=1) | (still & (weights < 1))
    return np.where(rough, rough_se, se), np.where(near & ~stuck, spread, rough_spread), rough


def fit(
    tables: Sequence[Games], size: int, settings: Settings, prior: float, seats: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Parameters in nats, their sandwich and inverse curvature, and degrees of freedom.

    With `seats` their effects follow the strengths, unless they cannot be told from the bots.
    """
    sizes = tuple(sorted({games.size for games in tables})) if seats else ()
    model = Model(settings.method, size, sizes)
    try:
        at, inverse = maximise(count_stages(model, tables), model, prior)
    except np.linalg.LinAlgError:
        if not seats:
            raise
        return fit(tables, size, settings, prior, seats=False)
    groups = 1 + max(int(games.group[-1]) for games in tables)
    fitted = model.parameters - len(model.levels)
    robust, freedom = sandwich(inverse, scores(model, tables, at), groups, fitted)
    return at, robust, inverse, freedom
