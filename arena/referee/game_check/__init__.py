"""What must hold in every game, checked in random games: for `arena check-game`, and for the tests.

A game gets these checks for free. They need nothing but the `Game`.
"""
