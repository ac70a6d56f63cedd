"""The strategy of two seats: a table with the probability of each option in each situation.

A situation is what the seat knows now, with the last claims of both, but without the earlier history of the
game. Situations are numbered as in bots/training/duel.c.
"""

import zlib
from itertools import combinations_with_replacement

from position import card_of, verb_of

RANKS = {
    hand: rank
    for size in range(1, 5)
    for rank, hand in enumerate(combinations_with_replacement(range(5), size))
}  # of multisets, among those of their size
CLAIMS, WEALTH = 6, 9  # what a seat claimed last; classes of the coins of both
SIDES = 40 * 6 * 11 * 11
SECTIONS = {  # what is decided: slots, in this order
    "action": SIDES * CLAIMS * CLAIMS * 8,
    "challenge": SIDES * CLAIMS * 9 * 2,
    "block": SIDES * CLAIMS * 3 * 3,
    "lose": 15 * 6 * WEALTH * 5 * 5,
    "keep": 120 * 2 * 6 * WEALTH * 5,
    "exam": 40 * 6 * WEALTH * 5 * 2,
    "draft": 5 * 2 * 5,
}
CAUSES = ["coup", "assassin", "bluff", "challenge", "show"]
CHUNK = 1 << 16  # slots that are compressed together


class Table:
    """The probabilities in a file: chunks of bytes, each compressed alone, and unpacked when it is needed."""

    def __init__(self, path):
        self._data = path.read_bytes()
        count = int.from_bytes(self._data[:4], "little")
        ends = [int.from_bytes(self._data[4 * at : 4 * at + 4], "little") for at in range(1, count + 1)]
        start = 4 * count + 4
        self._bounds = [(start + a, start + b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        self._chunks = {}

    def __getitem__(self, slot):
        """The weight of a slot, from 0 to 255."""
        chunk, at = divmod(slot, CHUNK)
        if chunk not in self._chunks:
            start, end = self._bounds[chunk]
            self._chunks[chunk] = zlib.decompress(self._data[start:end])
        return self._chunks[chunk][at]


def section(kind):
    """The first slot of a kind of decision."""
    names = list(SECTIONS)
    return sum(SECTIONS[name] for name in names[: names.index(kind)])


class Duel:
    """Looks up the decisions of one seat in one game."""

    def __init__(self, table, position):
        self.table, self.position = table, position
        self.me = position.me
        self.other = next(name for name in position.names if name != self.me)

    # Parts of a situation

    def _own(self):
        hand = tuple(self.position.cards(self.me, "hand"))
        if len(hand) == 2:
            return RANKS[hand]
        return 15 + 5 * self.position.cards(self.me, "lost")[0] + hand[0]

    def _lost(self):
        return 0 if self.position.size(self.other) == 2 else 1 + self.position.cards(self.other, "lost")[0]

    def _side(self):
        mine, theirs = (min(10, self.position.coins(seat)) for seat in (self.me, self.other))
        return ((self._own() * 6 + self._lost()) * 11 + mine) * 11 + theirs

    def _wealth(self):
        mine, theirs = (self.position.coins(seat) for seat in (self.me, self.other))
        return ((mine >= 3) + (mine >= 7)) * 3 + (theirs >= 3) + (theirs >= 7)

    def _last(self, seat):
        return self.position.stories[seat].last

    # The weight of each option

    def weights(self, kind, facts, options):
        """The weight of each option, by the table; all are 0 where training has never been."""
        return getattr(self, f"_{kind}")(facts, options)

    def _read(self, kind, situation, width, slots):
        start = section(kind) + situation * width
        return [self.table[start + slot] for slot in slots]

    def _action(self, facts, options):
        situation = (self._side() * CLAIMS + self._last(self.me)) * CLAIMS + self._last(self.other)
        return self._read("action", situation, 8, [verb_of(option)[0] for option in options])

    def _challenge(self, facts, options):
        verb, _ = verb_of(facts["action"])
        if facts["on"] == facts["actor"]:
            context = verb - 3
        else:
            context = {1: 5, 4: 6}.get(verb) or (7 if facts["claim"] == "captain" else 8)
        situation = (self._side() * CLAIMS + self._last(self.other)) * 9 + context
        return self._read("challenge", situation, 2, [option == "challenge" for option in options])

    def _block(self, facts, options):
        context = {1: 0, 4: 1, 5: 2}[verb_of(facts["action"])[0]]
        situation = (self._side() * CLAIMS + self._last(self.me)) * 3 + context
        return self._read("block", situation, 3, [_block_slot(option) for option in options])

    def _lose(self, facts, options):
        hand = tuple(self.position.cards(self.me, "hand"))
        situation = (RANKS[hand] * 6 + self._lost()) * WEALTH + self._wealth()
        situation = situation * 5 + CAUSES.index(facts.get("cause", "show"))
        return self._read("lose", situation, 5, map(card_of, options))

    _show = _lose

    def _exam(self, facts, options):
        situation = (self._own() * 6 + self._lost()) * WEALTH + self._wealth()
        situation = situation * 5 + card_of(facts["card"])
        return self._read("exam", situation, 2, [option == "discard" for option in options])

    def _draft(self, facts, options):
        (card,) = self.position.cards(self.me, "hand")
        begins = self.position.coins(self.me) == 1  # who begins has a coin less
        return self._read("draft", card * 2 + begins, 5, map(card_of, options))

    def _keep(self, facts, options):
        hand = self.position.cards(self.me, "hand")
        return [self._chance_of_keeping(hand, list(map(card_of, option.split("+")))) for option in options]

    def _chance_of_keeping(self, hand, kept):
        """The probability that these cards stay, if cards are returned one by one as the table says."""
        if len(hand) == len(kept):
            return float(sorted(hand) == sorted(kept))
        size = len(hand)
        rank = RANKS[tuple(hand)] + {2: 0, 3: 15, 4: 50}[size]
        situation = ((rank * 2 + len(kept) - 1) * 6 + self._lost()) * WEALTH + self._wealth()
        cards = sorted(set(hand))
        odds = self._read("keep", situation, 5, cards)
        total = sum(odds) or 1
        return sum(
            odd / total * self._chance_of_keeping(_without(hand, card), kept)
            for card, odd in zip(cards, odds, strict=True)
            if odd
        )


def _without(hand, card):
    rest = list(hand)
    rest.remove(card)
    return rest


def _block_slot(option):
    if option == "pass":
        return 0
    return 1 + (card_of(option.removeprefix("block:")) == 4)
