"""The local variant of Complots, in the order of its rule: `position`, `setup`, `cards`, `game`.

The rulings (L1-L30) are in `local.md`.
"""
