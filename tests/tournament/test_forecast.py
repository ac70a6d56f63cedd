"""Forecasts of plans, against tournaments that the formats play to their end with simulated games."""

from math import exp
from random import Random
from statistics import fmean, median

import pytest

from arena.rating.outcomes import Outcome
from arena.rating.standings import rate_all
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.forecast import forecast
from arena.tournament.formats import ladder
from arena.tournament.formats.plan import WAIT
from arena.tournament.plan.load import load_plan

NAT = 173.7  # Elo


def play_out(plan, rng):
    """The games of a tournament, and the strengths of its bots, in nats."""
    strengths = {name: rng.gauss(0, 200 / NAT) for name in plan.bots}
    played = {}
    for game in schedule.fixtures(plan, played):
        if game is not WAIT:
            weights = {bot: exp(strengths[bot]) for bot in game.bots}
            order = []
            while weights:
                order += rng.choices(list(weights), weights.values())
                del weights[order[-1]]
            places = tuple(1 + order.index(bot) for bot in game.bots)
            made = Summary(game.id, game.bots, game.fingerprints, places, {}, 0, game.group, game.rotation)
            played[game.id] = made
    return played, strengths


FORMATS = {
    "round robin": (6, "seats: 2\ngroups: 20\n"),
    "swiss": (10, "seats: 2\nformat: swiss\nrounds: 4\ngroups: 6\n"),
    "knockout": (8, "seats: 2\nformat: knockout\ngroups: 10\n"),
    "adaptive": (6, "seats: 2\nformat: adaptive\ngames: 600\n"),
    "adaptive until a target": (6, "seats: 2\nformat: adaptive\ntarget_error: 80\n"),
    "adaptive with a focus": (6, "seats: 2\nformat: adaptive\ntarget_error: 80\nfocus: bot1\n"),
    "ladder": (6, "seats: 3\n"),
    "series": (3, "seats: 3\nformat: series\ngroups: 200\noptions: {starter: winner}\n"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_that_follow_results_keep_their_forecast_within_a_fifth(plan_file, name):
    bots, keys = FORMATS[name]
    plan = load_plan(plan_file(f"{keys}seed: 1\n", bots=bots))
    plan = plan.in_format(ladder.FORMAT, games=300) if name == "ladder" else plan
    found, rng = forecast(plan), Random(3)
    games, errors, best = [], [], []
    for _ in range(12):
        played, strengths = play_out(plan, rng)
        outcomes = [Outcome(game.bots, game.places, game.seed_group) for game in played.values()]
        field = rate_all(outcomes, plan.run.rating, plan.format.widenings)
        games.append(len(played))
        errors.append(median(error for error in field.ratings.error if error > 0))
        winner = field.names[field.ratings.elo.argmax()]
        if plan.format.placings:
            winner = plan.format.placings(plan, played).places[0].bot
        best.append(winner == max(strengths, key=strengths.__getitem__))
    assert found["games"] == pytest.approx(fmean(games), rel=0.2)
    assert found["error"] == pytest.approx(fmean(errors), rel=0.2)
    assert found["best"] == pytest.approx(fmean(best), abs=0.3)
    assert (found["first"] is None) == (plan.format.placings is not None)
