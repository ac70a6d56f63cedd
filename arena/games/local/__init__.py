"""The local variant of Complots, in the order of its rules: `position`, `setup`, `game`.

The turn is that of the classic game (`complots.turn`). The rulings (L1-L30) are in `local.md`.
"""
