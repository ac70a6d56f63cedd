"""What must hold in every game, checked in random games: for `arena check-game`, and for the tests."""
