"""Training has the rules of the arena: games by both are played in step, and agree on everything."""

import random

import pytest
from training_games import Pair

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_random_games_are_the_same(seats, cast):
    for number in range(6):
        pair = Pair(seats, cast, random.Random(f"{seats} {cast} {number}"))
        while not pair.state.over:
            pair.step()
            if pair.state.to_act and pair.state.view(pair.state.to_act[0]).kind == "action":
                pair.settle("action")
                pair.compare()
        pair.settle("")
        assert list(pair.game.fallen)[: seats - pair.game.living] == pair.state.match.position.fallen
