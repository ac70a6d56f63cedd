"""Complots, in the order of the rule book: `position`, `setup`, `turn`, `challenges`, `losing`.

Both variants play the same turn. `variant.Variant` is the interface to their differences: the classic one is
in `game`, the local one in `arena.games.local`. The rulings (C1-C54) are in `complots.md`.
"""
