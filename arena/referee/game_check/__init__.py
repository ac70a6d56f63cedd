"""Checks that every game has to pass, in random games: for `arena check-game`, and for the tests."""
