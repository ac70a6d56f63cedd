"""Intrigue: `position`, `setup`, `game` (the turn), `stages` (placing advisors), `talk`, `promises`.

The rulings (I1-I38) are in `intrigue.md`.
"""
