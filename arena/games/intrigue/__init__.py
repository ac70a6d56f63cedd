"""Intrigue: `position`, `setup`, `game` (the turn), `stages` (placing advisors), `talk`, `promises`.

The rulings (I1-I37) are in `intrigue.md`.
"""
