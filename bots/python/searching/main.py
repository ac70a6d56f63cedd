"""Searches: plays each promising answer on in hands that fit what was heard, and takes the best.

`python3 main.py --playouts N` plays so many playouts for each answer; then the same games give the same
answers. Without it the clock of the ask decides. `python3 main.py adaptive` looks less far, but learns how
each rival plays, from game to game if names are told.
"""

import sys
from typing import Any, NamedTuple

import asks
import local_asks
import local_styles
import local_value
import rates
import styles
import value
from local_view import LocalTable
from search import Caution, Clock, Search
from table import Table, facts_in

SHARE = 0.62  # of the time limit
MOST = 1.5  # seconds for an answer
FAR = 2  # turns of its own in a playout
FEW = 400  # playouts of the adaptive bot
NEW_STYLE = 2.0  # games that the belief that a name plays in any style is worth
REMEMBERED = 50  # games of a name


class Kind(NamedTuple):
    """What the bot needs to play a game."""

    table: Any
    asks: Any
    styles: dict
    ours: str  # the style that we play on with
    value: Any
    caution: Caution | None = None
    own: Any = None  # makes the style with the rates of one player, from what was seen of it
    near: int = 0  # turns of its own in a playout of the adaptive bot; 0: to the end of the turn


def kind_of(name, seats):
    """The kind of a game, or None if the bot does not know it."""
    if name == "complots":
        some = styles.load_styles()
        return Kind(Table, asks, some, "counting", value.value, own=rates.maker(rates.Own, some))
    if name == "local":
        ours = "local_reader" if seats == 2 else "local_reader_more"
        some, caution = local_styles.load_styles(seats), Caution(errors=3.0, gain=0.08)
        own = rates.maker(rates.LocalOwn, some)
        near = 0 if seats == 2 else 1  # of three, the value of a position says too little of who fights whom
        return Kind(LocalTable, local_asks, some, ours, local_value.value, caution, own, near)
    return None


class Memory:
    """How the players of each name have played, over the games of this process."""

    def __init__(self):
        self.games = {}  # by name: for each of the last games how probable each style was
        self.seen = {}  # by name: the counts of `rates`

    def prior(self, name, styles):
        """The probability of each style for a name: its mean over earlier games and NEW_STYLE equal ones."""
        seen = self.games.get(name, [])
        weight = NEW_STYLE / len(styles)
        return {
            style: (weight + sum(shares.get(style, 0.0) for shares in seen)) / (NEW_STYLE + len(seen))
            for style in styles
        }

    def learn(self, name, shares, news):
        """Note, after a game, how probable each style was, and what was seen. Older counts are worth less."""
        self.games[name] = [*self.games.get(name, []), shares][-REMEMBERED:]
        earlier, kept = self.seen.get(name, {}), 1 - 1 / REMEMBERED
        self.seen[name] = {
            kind: tuple(
                kept * old + new
                for old, new in zip(earlier.get(kind, rates.NONE), news.get(kind, rates.NONE), strict=True)
            )
            for kind in earlier | news
        }


class Player:
    """Plays one game, which begins with the `words` of its line; only the adaptive bot has a memory."""

    known = {}

    def __init__(self, words, playouts=None, memory=None):
        facts, name = facts_in(words), words[1]
        key = name, int(facts["seats"])
        if key not in self.known:
            self.known[key] = kind_of(*key)
        self.kind = self.known[key]
        if self.kind:
            some, seats = self.kind.styles, int(facts["seats"])
            self.memory = memory
            self.names = [(name, each) for each in facts["names"].split(",")] if "names" in facts else None
            by_seat = [some] * seats
            if memory:
                known = self.names or [None] * seats
                by_seat = [some | {"own": self.kind.own(memory.seen.get(each, {}))} for each in known]
                priors = [memory.prior(each, own) for each, own in zip(known, by_seat, strict=True)]
            else:
                priors = [dict.fromkeys(some, 1 / len(some))] * seats
            self.table = self.kind.table(facts, by_seat, priors)
            turns = self.kind.near if memory else FAR
            seed, caution = int(facts["seed"]), self.kind.caution
            self.search = Search(some[self.kind.ours], self.kind.value, seed, playouts, turns, caution)

    def hear(self, verb, words):
        if self.kind:
            rest = facts_in(words[1:]) if verb == "state" else words[1:]
            getattr(self.table, verb)(words[0], rest)

    def end(self):
        """Remember for each name in which style it seems to have played, and what it did how often."""
        if self.kind and self.memory and self.names:
            for seat, shares in self.table.style_shares().items():
                self.memory.learn(self.names[seat], shares, self.table.styles[seat]["own"].news)

    def answer(self, kind, limit, facts, options, clock):
        if not self.kind or len(options) == 1:
            return options[0]
        first = self.kind.asks.simple(self.table, kind, facts, options)
        some = self.kind.asks.candidates(self.table, kind, facts, options)
        if not some or not self.table.others():
            return first
        clock.start(min(MOST, SHARE * int(facts.get("move", limit)) / 1000), int(limit) / 1000)
        return self.search.choose(self.table, some, first, clock)


def main(arguments):
    memory = Memory() if arguments == ["adaptive"] else None
    playouts = int(arguments[1]) if arguments[:1] == ["--playouts"] else FEW if memory else None
    player, clock = None, Clock()  # news comes with an ask, so it is read in the time of the answer
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "game":
            player = Player(words, playouts, memory)
        elif verb in ("event", "secret", "state") and player:
            player.hear(verb, words)
        elif verb == "end" and player:
            player.end()
        elif verb == "ask":
            colon = words.index(":")
            kind, limit, facts, options = words[1], words[2], facts_in(words[:colon]), words[colon + 1 :]
            word = player.answer(kind, limit, facts, options, clock) if player else options[0]
            print(words[0], word, flush=True)
            clock = Clock()


if __name__ == "__main__":
    main(sys.argv[1:])
