"""Searches: plays each promising answer on in hands that fit what was heard, and takes the best.

`python3 main.py --playouts N` plays so many playouts for each answer; then the same games give the same
answers. Without it the clock of the ask decides.
"""

import sys
from time import process_time

from search import Search, candidates, simple
from styles import load_styles
from table import Table, facts_in

SHARE = 0.62  # of the time limit
MOST = 1.5  # seconds for an answer

STYLES = load_styles()
PRIOR = {name: 1 / len(STYLES) for name in STYLES}


class Player:
    """One game."""

    def __init__(self, words, playouts):
        facts = facts_in(words)
        self.is_ours = words[1] == "complots"
        if self.is_ours:
            self.table = Table(facts, STYLES, [PRIOR] * int(facts["seats"]))
            self.search = Search(STYLES["counting"], int(facts["seed"]), playouts=playouts)

    def answer(self, kind, limit, facts, options, started):
        if not self.is_ours or len(options) == 1:
            return options[0]
        first = simple(self.table, kind, facts, options)
        some = candidates(self.table, kind, facts, options)
        if not some or not self.table.others():
            return first if first in options else options[0]
        seconds = min(MOST, SHARE * int(facts.get("move", limit)) / 1000)
        return self.search.choose(self.table, some, first, started, seconds)


def main(arguments):
    playouts = int(arguments[1]) if arguments[:1] == ["--playouts"] else None
    player = None
    for line in sys.stdin:
        started = process_time()
        verb, *words = line.split()
        if verb == "game":
            player = Player(words, playouts)
        elif verb in ("event", "secret", "state") and player and player.is_ours:
            rest = facts_in(words[1:]) if verb == "state" else words[1:]
            getattr(player.table, verb)(words[0], rest)
        elif verb == "ask":
            colon = words.index(":")
            kind, limit, facts, options = words[1], words[2], facts_in(words[:colon]), words[colon + 1 :]
            word = player.answer(kind, limit, facts, options, started) if player else options[0]
            print(words[0], word, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
