"""The local variant of Complots, in the order of its rules: `position`, `setup`, `game`.

The turn is the same as in the classic game (`complots.turn`). The rulings (L1-L30) are in `local.md`.
"""
