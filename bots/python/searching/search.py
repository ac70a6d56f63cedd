"""One step of improvement over a simple player: every candidate is tried in the same worlds.

A world is a game that may be the one we play, drawn from our beliefs. In each, every candidate is played on
with the same random numbers: all seats go on in their styles for some turns, and then `value` tells our
share. So two candidates differ by what they do and not by luck, and their difference has a small error.
Candidates that are clearly worse than the best are dropped.
"""

from math import sqrt
from random import Random
from time import monotonic, process_time
from typing import NamedTuple

from rules import GameOver

LONGEST = 1200  # random numbers that a playout may use
BATCH = 12  # worlds between two looks at the figures
ENOUGH = 600  # worlds after which two candidates are as good as equal
GRACE = 0.5  # seconds of waiting for a core beyond the time limit; the arena allows one
CLEAR = 2.2  # standard errors by which a candidate is worse that is dropped
MARGIN = {1: 1.0}  # standard errors by which another answer must be better than the simple one, by rivals
USUAL_MARGIN = 2.0


class Caution(NamedTuple):
    """By how much an answer must be better than the simple one with two and more rivals.

    The simple one is then never dropped: one unlucky look out of many would be enough for that.
    """

    errors: float  # standard errors
    gain: float  # of the share of the others that we end before


class Clock:
    """The time for an answer: computing counts, and so does waiting for a core for long."""

    def __init__(self):
        self.computed, self.began, self.seconds, self.limit = process_time(), monotonic(), 0.0, 0.0

    def start(self, seconds, limit):
        """Note that an ask has come: `seconds` may be computed, and after `limit` the answer is late."""
        self.began, self.seconds, self.limit = monotonic(), seconds, limit

    def is_over(self):
        return process_time() - self.computed > self.seconds or monotonic() - self.began > self.limit + GRACE


class Search:
    """Finds the best answer in some time or with some playouts."""

    def __init__(self, style, value, seed, playouts=None, turns=2, caution=None):
        self.style, self.value, self.dice = style, value, Random(seed)
        self.playouts = playouts  # for an answer; None: the clock decides
        self.turns = turns  # of ours that a playout has; 0: it ends with the turn
        self.caution = caution
        self.pool = [self.dice.random() for _ in range(30_000)]

    def choose(self, table, candidates, simple, clock):
        """The best of `candidates`, functions by word that play it; `simple` if none is clearly better."""
        self.depth = max(3 * self.turns, self.turns * (len(table.others()) + 1) + self.turns // 2)
        words = list(candidates)
        results = {word: [] for word in words}
        weights, open_words = [], words
        limit = max(BATCH, self.playouts // len(words)) if self.playouts else ENOUGH
        worlds = table.worlds(self.dice)
        caution = self.caution if simple in candidates and len(table.others()) > 1 else None
        while len(weights) < min(limit, ENOUGH) and len(open_words) > 1:
            for _ in range(BATCH):
                game, weight = next(worlds)
                weights.append(weight)
                at = int(self.dice.random() * (len(self.pool) - LONGEST))
                numbers = self.pool[at : at + LONGEST]
                for word in open_words:
                    results[word].append(self._play(game.copy(), table.me, candidates[word], numbers))
                if self.playouts is None and clock.is_over():
                    break
            else:
                open_words = self._best(results, weights, open_words, CLEAR)
                if caution and simple not in open_words:
                    open_words.append(simple)
                continue
            break
        complete = [word for word in open_words if len(results[word]) == len(weights)]
        means = {word: mean(results[word], weights) for word in complete}
        best = max(means, key=means.get)
        if simple in means and best != simple:
            gain, error = difference(results[best], results[simple], weights)
            errors, least = caution or (MARGIN.get(len(table.others()), USUAL_MARGIN), 0.0)
            if gain < max(least, errors * error):
                return simple
        return best

    def _play(self, game, me, begin, numbers):
        game.chance = iter(numbers).__next__
        game.players[me] = self.style
        try:
            begin(game)
            depth = self.depth
            while game.turn < depth and game.is_alive(me):
                game.play_turn()
        except GameOver:
            pass
        except StopIteration:
            return 0.5
        return self.value(game, me)

    def _best(self, results, weights, words, errors):
        best = max(words, key=lambda word: mean(results[word], weights))
        kept = []
        for word in words:
            gain, error = difference(results[best], results[word], weights)
            if word == best or gain <= errors * error or gain < 1e-9:
                kept.append(word)
        if len(kept) > 1 and all(results[word] == results[best] for word in kept) and len(weights) > 60:
            return [best]
        return kept


def mean(values, weights):
    return sum(map(float.__mul__, values, weights)) / sum(weights)


def difference(values, others, weights):
    """The weighted mean of paired differences and its standard error."""
    total = sum(weights)
    gains = [a - b for a, b in zip(values, others, strict=True)]
    average = sum(gain * weight for gain, weight in zip(gains, weights, strict=True)) / total
    squares = sum((weight * (gain - average)) ** 2 for gain, weight in zip(gains, weights, strict=True))
    return average, sqrt(squares) / total + 1e-4
