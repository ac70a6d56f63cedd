"""Factories of players for the library: other processes import them, too."""

import random


class First:
    """Plays its first option."""

    def answer(self, view):
        return view.options[0]


class Bold:
    """Answers at random, from the seed that it is given."""

    def begin(self, table, seat, seed):
        self.dice = random.Random(seed)

    def answer(self, view):
        return self.dice.choice(view.options)


class Wrong:
    def answer(self, view):
        return "never"
