"""Outcomes to rate: published games, single duels, and random games."""

import csv
import random
from pathlib import Path

from arena.rating.outcomes import Outcome

DATA = Path(__file__).parent.parent / "data"

PLACES = {"1": (1, 2), "0.5": (1, 1), "0": (2, 1)}


def table(path):
    with (DATA / path).open(newline="") as file:
        return list(csv.DictReader(file))


def tcec(statuses=("ok", "forfeit")):
    for row in table("tcec_s12_div4/games.csv"):
        places = PLACES[row["score0"]]
        lost = {places.index(2): "late"} if row["status"] == "forfeit" else {}
        if row["status"] in statuses:
            yield Outcome((row["seat0"], row["seat1"]), places, row["group"], lost)


def duel(winner, loser, group, tie=False):
    return Outcome((winner, loser), (1, 1) if tie else (1, 2), group)


def luck(groups=60, bots="abcdef", seats=(4, 3, 2), seed=1):
    """Made-up games: line-ups of several sizes in all rotations, stronger bots later in the alphabet."""
    rng = random.Random(seed)
    for number in range(groups):
        lineup = rng.sample(bots, seats[number % len(seats)])
        for turn in range(len(lineup)):
            seated = lineup[turn:] + lineup[:turn]
            points = [rng.randrange(6) + bots.index(bot) for bot in seated]
            places = tuple(1 + sum(rival > own for rival in points) for own in points)
            yield Outcome(tuple(seated), places, f"group {number}", {0: "late"} if points[0] == 0 else {})
