"""Strengths of bots by all-pairs Bradley-Terry, with errors clustered by seed group.

The strengths are the maximum of an all-pairs Bradley-Terry likelihood over all games at once (Bradley & Terry
1952, Biometrika 39:324; Hunter 2004, Ann. Statist. 32:384): the order of the games never matters. A game of n
seats is its n(n-1)/2 pairs, each weighted 3/(n+1): among equals, a score then varies as much as the curvature
says. A tie is half a win. Each bot also wins and loses `prior` games against a ghost of strength 0, so that
perfect scores stay finite. Errors are the sandwich clustered by seed group (Liang & Zeger 1986, Biometrika
73:13).

Strengths are in nats; one nat is 400/ln 10 Elo. All follows from one sorted table of counted pairs (`Pairs`),
so shuffled or merged records give the same bytes. K is the number of bots.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import log
from statistics import NormalDist

import numpy as np

from arena.student import t_quantile

ELO = 400 / log(10)  # per nat
GHOST = 0.5  # wins, and losses, of each bot against the ghost
STEPS = 100  # of Newton's method, at most
CELLS = 2**23  # numbers held at once in `squares`


@dataclass(frozen=True, eq=False)
class Games:
    """The games of n seats as integers, a row each: `group` (m,), the others (m, n); `forfeits` 0 or 1."""

    bots: np.ndarray
    places: np.ndarray
    group: np.ndarray
    forfeits: np.ndarray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Counted pairs (m,), sorted: in `group`, `low` scored 0, ½ or 1 against `high`, with `weight` in all.

    Groups are numbered from 0 without a gap, and `low < high`.
    """

    group: np.ndarray
    low: np.ndarray
    high: np.ndarray
    score: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True, eq=False)
class Ratings:
    """What `rate` says of the bots, (K,) each, in Elo; NaN where nothing can be said.

    `se` is the standard error of `elo` and `error` half its interval; `spread` (K, K) the standard error of
    each difference. `rough` tells which `se` are no sandwich. Bots of one `pool` are linked by games.
    """

    elo: np.ndarray
    se: np.ndarray
    error: np.ndarray
    spread: np.ndarray
    rough: np.ndarray
    pool: np.ndarray


def count_pairs(tables: list[Games], size: int) -> Pairs:
    """The pairs of all games, equal ones counted. A bot says nothing against itself."""
    groups, seats = max(t.group.max() for t in tables), max(t.bots.shape[1] for t in tables)
    shape = (groups + 1, size, size, seats + 1, 3)
    keys = np.concatenate([key for table in tables for key in _pair_keys(table, shape)])
    keys, counts = np.unique(keys, return_counts=True)
    group, low, high, seats, points = np.unravel_index(keys, shape)
    return Pairs(_renumber(group), low, high, points / 2, counts * 3 / (seats + 1))


def _pair_keys(table: Games, shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Group, low, high, seats and twice the score of low in one number; one pair of seats at a time."""
    seats = table.bots.shape[1]
    for a, b in combinations(range(seats), 2):
        one, two = table.bots[:, a], table.bots[:, b]
        points = 1 + np.sign(two - one) * np.sign(table.places[:, b] - table.places[:, a])
        parts = (table.group, np.minimum(one, two), np.maximum(one, two), np.full_like(one, seats), points)
        yield np.ravel_multi_index(parts, shape)[one != two]


def _renumber(ascending: np.ndarray) -> np.ndarray:
    """The same steps, from 0 and without a gap."""
    return np.cumsum(np.diff(ascending, prepend=ascending[:1]) > 0)


def select(pairs: Pairs, bots: np.ndarray, size: int) -> Pairs:
    """The pairs among some of the bots (ascending numbers), who are numbered anew from 0."""
    number = np.full(size, -1)
    number[bots] = np.arange(len(bots))
    low, high = number[pairs.low], number[pairs.high]
    kept = (low >= 0) & (high >= 0)
    return Pairs(_renumber(pairs.group[kept]), low[kept], high[kept], pairs.score[kept], pairs.weight[kept])


def points_won(pairs: Pairs, size: int) -> np.ndarray:
    """The weighted points of each bot (row) against each other one, (K, K)."""
    cells = np.concatenate([pairs.low * size + pairs.high, pairs.high * size + pairs.low])
    points = np.concatenate([pairs.weight * pairs.score, pairs.weight * (1 - pairs.score)])
    return np.bincount(cells, points, size * size).reshape(size, size)


def rate(
    pairs: Pairs,
    size: int,
    anchor: tuple[int, float] | None = None,
    average: float = 1500,
    prior: float = GHOST,
    confidence: float = 0.95,
) -> Ratings:
    """Rate bots 0 to `size` - 1, each pool by itself; see `standings`. `anchor` is a bot's number and Elo."""
    won = points_won(pairs, size)
    strong, pool = components(won > 0), components(won + won.T > 0)
    elo, se, error = np.full((3, size), np.nan)
    spread, rough = np.full((size, size), np.nan), np.zeros(size, bool)
    for label in np.unique(pool):
        bots = np.flatnonzero(pool == label)
        fixed = np.isin(bots, anchor[:1] if anchor else ())
        level = anchor[1] if fixed.any() else average
        part = rate_pool(select(pairs, bots, size), strong[bots], fixed, level, prior, confidence)
        elo[bots], se[bots], error[bots], spread[np.ix_(bots, bots)], rough[bots] = part
    return Ratings(elo, se, error, spread, rough, pool)


def rate_pool(
    pairs: Pairs, strong: np.ndarray, anchor: np.ndarray, level: float, prior: float, confidence: float
) -> tuple[np.ndarray, ...]:
    """The first five of `Ratings` for one pool. `anchor` (K,) marks the anchor if it is here.

    Within a strong component the sandwich holds; across them there is only the curvature, mostly the ghost's.
    """
    near = strong[:, None] == strong
    theta, inverse = maximise(points_won(pairs, len(strong)), prior if near.all() else prior or GHOST)
    zero, weights = (theta[anchor], anchor * 1.0) if anchor.any() else (theta.mean(), bulk(strong))
    robust, freedom = sandwich(inverse, *pair_scores(pairs, theta))
    (se, spread), (rough_se, rough_spread) = deviations(robust, weights), deviations(inverse, weights)
    rough = ~near[:, weights > 0].all(axis=1)
    se = np.where(anchor, 0, np.where(rough, rough_se, se))
    normal, student = NormalDist().inv_cdf((1 + confidence) / 2), t_quantile(confidence, freedom)
    error = np.where(anchor, 0, se * np.where(rough, normal, student))
    return ELO * (theta - zero) + level, se, error, np.where(near, spread, rough_spread), rough


def maximise(won: np.ndarray, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """The strengths (K,) and the inverse of the curvature there (K, K), by Newton's method.

    Without a prior the mean strength is 0, and the inverse means something for differences only.
    """
    theta = np.zeros(len(won))
    for _ in range(STEPS):
        slope, curvature = derivatives(won, prior, theta)
        step = np.linalg.solve(curvature, slope)
        longest = np.abs(step).max()
        theta += step * 2 / max(longest, 2)
        if longest < 1e-12:
            break
    return theta, np.linalg.inv(derivatives(won, prior, theta)[1])


def derivatives(won: np.ndarray, prior: float, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slope (K,) and negative curvature (K, K) of the log-likelihood, ghost included."""
    chance = logistic(theta[:, None] - theta)
    gain, flow = won * chance.T, (won + won.T) * chance * chance.T
    slope = gain.sum(axis=1) - gain.sum(axis=0) + prior * (logistic(-theta) - logistic(theta))
    ghost = 2 * prior * logistic(theta) * logistic(-theta)
    free = 0 if prior else 1 / len(won)  # holds the mean where no ghost does
    return slope, np.diag(flow.sum(axis=1) + ghost) - flow + free


def logistic(difference: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-difference))


def sandwich(
    inverse: np.ndarray, group: np.ndarray, bot: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, int]:
    """The covariance of the strengths (K, K), clustered by seed group, and its degrees of freedom.

    Scores come in pieces as from `pair_scores`. The factor G/(G-p) pays for fitting p differences to G
    groups; all is NaN where G does not exceed p.
    """
    groups, size = 1 + int(group.max(initial=-1)), len(inverse)
    freedom = groups - (size - 1)
    factor = groups / freedom if freedom > 0 else np.nan
    return factor * (inverse @ squares(group, bot, value, size) @ inverse), freedom


def pair_scores(pairs: Pairs, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scores of the groups, ghost excluded, in pieces: group (ascending), bot, what to add there."""
    miss = pairs.weight * (pairs.score - logistic(theta[pairs.low] - theta[pairs.high]))
    bots, values = np.column_stack([pairs.low, pairs.high]), np.column_stack([miss, -miss])
    return np.repeat(pairs.group, 2), bots.ravel(), values.ravel()


def squares(group: np.ndarray, bot: np.ndarray, value: np.ndarray, size: int) -> np.ndarray:
    """The sum over groups of u uᵀ (K, K), where u (K,) is what the pieces of a group add up to.

    Few bots share a group, so only their cells are multiplied: groups of equal width at once.
    """
    total, span = np.zeros(size * size), max(1, CELLS // size**2)
    for first in range(0, 1 + group.max(initial=-1), span):
        part = slice(*np.searchsorted(group, (first, first + span)))
        scores = np.bincount((group[part] - first) * size + bot[part], value[part])
        filled = np.flatnonzero(scores)
        widths = np.bincount(filled // size)[filled // size]
        for width in np.unique(widths):
            cells = filled[widths == width].reshape(-1, width)
            u, who = scores[cells], cells % size
            targets, products = who[:, :, None] * size + who[:, None, :], u[:, :, None] * u[:, None, :]
            total += np.bincount(targets.ravel(), products.ravel(), size * size)
    return total.reshape(size, size)


def deviations(covariance: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors in Elo: of each bot against the weighted mean (K,), and against each other (K, K)."""
    own, mean = np.diag(covariance), covariance @ weights
    single, double = own - 2 * mean + weights @ mean, own[:, None] + own - 2 * covariance
    return ELO * np.sqrt(np.maximum(single, 0)), ELO * np.sqrt(np.maximum(double, 0))


def components(links: np.ndarray) -> np.ndarray:
    """For each node of a graph (K, K) the first node of its strong component, where each can reach each."""
    reach, before = links | np.eye(len(links), dtype=bool), None
    while not np.array_equal(reach, before):
        before, steps = reach, reach.astype(np.float32)
        reach = steps @ steps > 0
    return (reach & reach.T).argmax(axis=1)


def bulk(strong: np.ndarray) -> np.ndarray:
    """Weights (K,) of what errors are taken against: the component with most of the bots, or else all."""
    main = strong == np.bincount(strong).argmax()
    main |= main.mean() <= 0.5
    return main / main.sum()
