"""One step of improvement over a simple player: every candidate is tried in the same worlds.

A world is a game that may be the one we play, drawn from our beliefs. In each, every candidate is played on
with the same random numbers: all seats go on in their styles for some turns, and then `value` tells our
share. So two candidates differ by what they do and not by luck, and their difference has a small error.
Candidates that are clearly worse than the best are dropped.
"""

from math import sqrt
from random import Random
from time import process_time

from rules import ASSASSIN, CAPTAIN, COUP, DUCHESS, GameOver
from table import NAMES, WORTH, action_of, seat_of
from value import value

LONGEST = 1200  # random numbers that a playout may use
BATCH = 12  # worlds between two looks at the figures
CLEAR = 2.2  # standard errors by which a candidate is worse that is dropped
MARGIN = 1.0  # standard errors by which a candidate is better that is played instead of the simple player's


class Search:
    def __init__(self, style, seed, seconds=None, playouts=None):
        self.style, self.dice = style, Random(seed)
        self.seconds, self.playouts = seconds, playouts
        self.pool = [self.dice.random() for _ in range(30_000)]
        self.log = None

    def choose(self, table, candidates, simple, started, seconds):
        """The best of the candidates, which are words with functions that play them in a game."""
        self.depth = max(6, 2 * len(table.others()) + 3)
        words = list(candidates)
        results = {word: [] for word in words}
        weights, open_words = [], words
        limit = (self.playouts or 10**9) // len(words)
        worlds = table.worlds(self.dice)
        while len(weights) < max(BATCH, limit) and len(open_words) > 1:
            for _ in range(BATCH):
                game, weight = next(worlds)
                weights.append(weight)
                at = int(self.dice.random() * (len(self.pool) - LONGEST))
                numbers = self.pool[at : at + LONGEST]
                for word in open_words:
                    results[word].append(self._play(game.copy(), table.me, candidates[word], numbers))
                if self.playouts is None and process_time() - started > seconds:
                    break
            else:
                open_words = self._best(results, weights, open_words, CLEAR)
                continue
            break
        complete = [word for word in open_words if len(results[word]) == len(weights)]
        means = {word: mean(results[word], weights) for word in complete}
        best = max(means, key=means.get)
        self.log = len(weights), means
        if simple in means and best != simple:
            gain, error = difference(results[best], results[simple], weights)
            if gain < MARGIN * error:
                return simple
        return best

    def _play(self, game, me, begin, numbers):
        game.chance = iter(numbers).__next__
        game.players[me] = self.style
        try:
            begin(game)
            depth = self.depth
            while game.turn < depth and game.hands[me]:
                game.play_turn()
        except GameOver:
            pass
        except StopIteration:
            return 0.5
        return value(game, me)

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


# The candidates of each kind of question


def candidates(table, kind, facts, options):
    """For each option a function that plays it in a game; None if there is nothing to search."""
    make = {
        "action": act,
        "challenge": challenge,
        "block": block,
        "lose": lose,
        "keep": keep,
        "show": show,
        "exam": exam,
    }.get(kind)
    return {option: make(table, facts, option) for option in options} if make else None


def act(table, facts, option):
    verb, target = action_of(option)
    return lambda game: game.act(verb, target)


def challenge(table, facts, option):
    me, doubts = table.me, option == "challenge"
    verb, target = action_of(facts["action"])
    blocker, card = seat_of(facts["on"]), NAMES[facts["claim"]]

    def play(game):
        game.said = me, doubts
        if table.blocker is None:
            game.challenge_action(verb, target)
        else:
            game.challenge_block(verb, target, blocker, card)

    return play


def block(table, facts, option):
    verb, target = action_of(facts["action"])
    card = None if option == "pass" else NAMES[option.removeprefix("block:")]

    def play(game):
        game.said = table.me, card
        game.block(verb, target)

    return play


def lose(table, facts, option):
    card, cause = NAMES[option], facts["cause"]
    verb, target = table.verb, table.target

    def play(game):
        game.turn_up(table.me, card)
        if cause == "bluff" and table.blocker is not None:
            game.effect(verb, target)
        elif cause == "challenge" and table.blocker is None:
            game.go_on(verb, target, game.may_block_after or table.me != target)
        else:
            game.end_turn()

    return play


def keep(table, facts, option):
    cards = [NAMES[word] for word in option.split("+")]

    def play(game):
        game.keep(table.me, cards)
        game.end_turn()

    return play


def show(table, facts, option):
    examiner, card = seat_of(facts["to"]), NAMES[option]

    def play(game):
        discards = game.players[examiner].exam(game, examiner, table.me, card)
        game.end_exam(table.me, card, discards)
        game.end_turn()

    return play


def exam(table, facts, option):
    target, card = seat_of(facts["of"]), NAMES[facts["card"]]

    def play(game):
        game.end_exam(target, card, option == "discard" and card in game.hands[target])
        game.end_turn()

    return play


# The simple player


def simple(table, kind, facts, options):
    """What a careful player would answer at once; the search needs a reason to deviate."""
    if kind == "action":
        return simple_action(table, options)
    if kind == "block":
        held = [word for word in options if NAMES.get(word.removeprefix("block:")) in table.hand]
        return held[0] if held else "pass"
    if kind == "keep":
        return max(options, key=worth)
    if kind in ("lose", "show"):
        return min(options, key=worth)
    if kind == "exam":
        return "discard" if WORTH[NAMES[facts["card"]]] > 0.55 else "return"
    if kind == "draft":
        return max(options, key=lambda word: worth(word) - 0.3 * (NAMES[word] in table.hand))
    return options[0]


def worth(option):
    cards = option.split("+")
    return sum(WORTH[NAMES[card]] for card in cards) - 0.3 * (len(cards) - len(set(cards)))


def simple_action(table, options):
    def strength(option):
        _, target = action_of(option)
        return table.cards[target] * 20 + table.coins[target] if target >= 0 else 0

    for verb in (COUP, ASSASSIN, CAPTAIN, DUCHESS):
        found = [option for option in options if action_of(option)[0] == verb]
        if found and (verb == COUP or verb in table.hand):
            return max(found, key=strength)
    return "aid" if "aid" in options else options[0]
