"""Searches: plays each promising answer on in hands that fit what was heard, and takes the best.

`python3 main.py --playouts N` plays so many playouts for each answer; then the same games give the same
answers. Without it the clock of the ask decides. `python3 main.py adaptive` looks less far, but remembers
from game to game in which style each name plays, if names are told.
"""

import sys
from typing import Any, NamedTuple

import asks
import local_asks
import local_styles
import local_value
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
    near: int = 0  # turns of its own in a playout of the adaptive bot; 0: to the end of the turn


def kinds(name, seats):
    """The kind of a game, or None if the bot does not know it."""
    if name == "complots":
        return Kind(Table, asks, styles.load_styles(), "counting", value.value)
    if name == "local":
        ours = "local_reader" if seats == 2 else "local_reader_more"
        some, caution = local_styles.load_styles(seats), Caution(errors=3.0, gain=0.08)
        near = 0 if seats == 2 else 1  # of three, the value of a position says too little of who fights whom
        return Kind(LocalTable, local_asks, some, ours, local_value.value, caution, near)
    return None


class Memory:
    """In which styles the players of each name have played, over the games of this process."""

    def __init__(self):
        self.games = {}

    def prior(self, name, styles):
        """How probable each style is: those of earlier games, and each alike with some weight."""
        seen = self.games.get(name, [])
        weight = NEW_STYLE / len(styles)
        return {
            style: (weight + sum(shares.get(style, 0.0) for shares in seen)) / (NEW_STYLE + len(seen))
            for style in styles
        }

    def learn(self, name, shares):
        self.games[name] = [*self.games.get(name, []), shares][-REMEMBERED:]


class Player:
    """One game."""

    known = {}

    def __init__(self, words, playouts=None, memory=None):
        facts, name = facts_in(words), words[1]
        key = name, int(facts["seats"])
        if key not in self.known:
            self.known[key] = kinds(*key)
        self.kind = self.known[key]
        if self.kind:
            some, seats = self.kind.styles, int(facts["seats"])
            self.memory = memory
            self.names = [(name, each) for each in facts["names"].split(",")] if "names" in facts else None
            if memory and self.names:
                priors = [memory.prior(each, some) for each in self.names]
            else:
                priors = [dict.fromkeys(some, 1 / len(some))] * seats
            self.table = self.kind.table(facts, some, priors)
            turns = self.kind.near if memory else FAR
            seed, caution = int(facts["seed"]), self.kind.caution
            self.search = Search(some[self.kind.ours], self.kind.value, seed, playouts, turns, caution)

    def hear(self, verb, words):
        if self.kind:
            rest = facts_in(words[1:]) if verb == "state" else words[1:]
            getattr(self.table, verb)(words[0], rest)

    def end(self):
        """Remember for each name in which style it seems to have played."""
        if self.kind and self.memory and self.names:
            for seat, shares in self.table.style_shares().items():
                self.memory.learn(self.names[seat], shares)

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
