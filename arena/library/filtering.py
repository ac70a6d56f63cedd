"""A particle filter over the lines heard by a seat: it draws worlds if a likelihood describes the others.

Theory of operation
-------------------
With a likelihood, the weight of an attempt is a product with a factor for each answer of another seat. After
many answers one attempt of hundreds has nearly all the weight. So a batch of attempts, the *particles*, is
played side by side, line by line. When the weights are worth fewer than half of the particles (by Kong's
effective sample size), the batch is resampled. Particles are copied in proportion to their weights; the
copies have equal weights and draws of their own (Gordon, Salmond and Smith 1993). A particle of weight w gets
w copies, rounded up or down at random (systematic resampling), because that adds the least noise.

Copies lose variety: the deals of the cards are all among the first particles. Two things help. A batch begins
with many particles, which are cheap while the game is short. Each resampling keeps as many as the weights are
worth, down to `_KEPT`. Then each particle is *moved* (Gilks and Berzuini 2001). It is played again with the
same picks, except that a random part is drawn anew. The result replaces it with the probability of Metropolis
and Hastings, which keeps the probabilities right.

The product of the mean weights before each resampling is an estimate, without bias, of the probability of the
lines. The worlds of several batches together have the right probabilities if each has its batch's estimate as
its weight (Andrieu, Doucet and Holenstein 2010).

Copies are not independent. Particles that descend from the same first one are a *family*. The weights of
families give the number of independent worlds that all are worth (Lee and Whiteley 2018). When moves have
changed as many picks of a particle as it has, it begins a family of its own. Measured against enumerations,
this number is about right, or too low by a third.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from math import floor, fsum
from typing import NamedTuple

from arena.library.attempts import Attempt, ByChance, Dice, Pick, Place, Product, Question

PARTICLES = 256  # in a new batch
_KEPT = 64  # particles at the end, at least
_RESAMPLED_BELOW = 0.5  # the effective number, as a share of the particles
_MOVES = 2  # of each particle, after each resampling
_STEPS = 3  # a move draws a half, a quarter, … of the picks anew


@dataclass
class Particle:
    """One of a batch. Particles of one `family` are copies of one, with few changes."""

    attempt: Attempt
    family: int
    since: Product = Product()  # the weight of the attempt at the last resampling
    changed: float = 0.0  # the share of picks that moves have changed


class Batch(NamedTuple):
    """Equally probable particles that fit a question, in random order; `evidence` is the weight of each."""

    particles: Sequence[Particle]
    evidence: Product


def filtered(question: Question, rng: Dice) -> Batch | None:
    """A batch of particles; None if none of `PARTICLES` attempts fits."""
    guide, evidence, families = ByChance(rng), Product(), count()
    first = [Attempt(question, question.match(), guide) for _ in range(PARTICLES)]
    batch = [Particle(attempt, next(families)) for attempt in first]
    for lines in range(1, len(question.lines) + 2):  # the last number is above all: to the end
        for particle in batch:
            particle.attempt.hear(lines)
        if not any(particle.attempt.fits for particle in batch):
            return None
        weights, largest = _weights(batch)
        total = fsum(weights)
        worth = total * total / fsum(weight * weight for weight in weights)
        if worth < _RESAMPLED_BELOW * len(batch) or lines > len(question.lines):
            mean = largest.times(total / len(batch))
            evidence = Product(evidence.exponent + mean.exponent, evidence.fraction).times(mean.fraction)
            batch = _resampled(batch, weights, max(_KEPT, int(worth)), rng)
            for particle in batch:
                for _ in range(_MOVES):
                    _move(particle, lines, families, rng)
                particle.since = particle.attempt.weight
    return Batch(_shuffled(batch, rng), evidence)


def _weights(batch: Sequence[Particle]) -> tuple[list[float], Product]:
    """The weights since the last resampling as shares of the largest one, and the largest one."""
    products = [each.attempt.weight.per(each.since) if each.attempt.fits else None for each in batch]
    largest = max(product for product in products if product)
    return [product.over(largest) if product else 0.0 for product in products], largest


def _resampled(batch: Sequence[Particle], weights: Sequence[float], number: int, rng: Dice) -> list[Particle]:
    """So many particles, copied in proportion to their weights."""
    chosen: list[Particle] = []
    for particle, copies in zip(batch, _copies(weights, number, rng.random()), strict=True):
        if copies:
            chosen.append(particle)
            chosen += [replace(particle, attempt=particle.attempt.copy()) for _ in range(copies - 1)]
    return chosen


def _copies(weights: Sequence[float], number: int, point: float) -> list[int]:
    """The number of copies of each particle, `number` in all, by a random point from 0 to 1."""
    sums = list(accumulate(weights))
    # Rounding may add one too many at the end.
    ends = [min(floor(each / sums[-1] * number + point), number) for each in sums]
    return [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]


class _Again:
    """Repeats picks of an earlier attempt with the probability `kept`, if possible; else picks by chance."""

    def __init__(self, rng: Dice, picks: Mapping[Place, Pick], kept: float):
        self._rng, self._picks, self._kept = rng, picks, kept
        self._by_chance = ByChance(rng)

    def pick(self, drawn: Mapping[str, float], place: Place) -> tuple[str, float]:
        old = self._picks.get(place)
        if old and drawn.get(old.word) and self._rng.random() < self._kept:
            return old.word, drawn[old.word] / fsum(drawn.values())
        return self._by_chance.pick(drawn, place)


def _move(particle: Particle, lines: int, families: Iterator[int], rng: Dice) -> None:
    """Perhaps replace the attempt by one with other picks; the probabilities of worlds stay the same."""
    old = particle.attempt
    kept = 1 - 0.5 ** (1 + int(rng.random() * _STEPS))
    question = old.question
    match = question.match_from(old.match.given) if rng.random() < kept else question.match()
    new = Attempt(question, match, _Again(rng, old.picks, kept))
    new.hear(lines)
    if not new.fits:
        return
    # The ratio of the probabilities of both, times that of the way back, by that of the way to the new one.
    # A weight is the probability divided by that of all picks.
    ratio = new.weight.over(old.weight)
    for place, pick in new.picks.items():
        ratio *= pick.share / _chance_again(old.picks.get(place), pick, kept)
    for place, pick in old.picks.items():
        ratio *= _chance_again(new.picks.get(place), pick, kept) / pick.share
    if rng.random() >= ratio:
        return
    new.guide, particle.attempt = old.guide, new
    particle.changed += _changed(old, new)
    if particle.changed >= 1:
        particle.family, particle.changed = next(families), 0.0


def _chance_again(before: Pick | None, pick: Pick, kept: float) -> float:
    """The probability that `_Again` picks this where the earlier attempt had picked `before`."""
    if not before or not pick.drawn.get(before.word):
        return pick.share
    return (1 - kept) * pick.share + kept * (before.word == pick.word)


def _changed(old: Attempt, new: Attempt) -> float:
    """The share of the picks of `old` that differ in `new`; the start is a pick if it was drawn."""
    others = [new.picks[place].word != pick.word for place, pick in old.picks.items() if place in new.picks]
    number = len(old.picks)
    if callable(old.question.start):
        others.append(old.match.given != new.match.given)
        number += 1
    return (sum(others) + number - len(others)) / number if number else 0.0


def _shuffled(batch: Sequence[Particle], rng: Dice) -> list[Particle]:
    left, order = list(batch), []
    while left:
        at = int(rng.random() * len(left))
        left[at], left[-1] = left[-1], left[at]
        order.append(left.pop())
    return order
