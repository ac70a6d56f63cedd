"""The player plays the ladder so that no bot knows a deal from an earlier game."""

import pytest
from contest_folders import contest_with

from arena.contest.contest import strict
from arena.contest.player import Player
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store


@pytest.mark.parametrize("choice, games_of_a_deal", [("", 1), ("deals: per-group\n", 2)])
def test_each_game_of_the_ladder_has_a_deal_of_its_own_unless_its_plan_says_otherwise(
    tmp_path, choice, games_of_a_deal
):
    contest = contest_with(tmp_path / "spring", ("ada", "bob", "cyd"))
    contest.ladder.write_text(contest.ladder.read_text() + f"games: 12\n{choice}")
    Player(contest, "start")._play_ladder()
    with Store(contest.runs / "ladder.db") as store:
        seeds = [store.record(game.id).fixture.seed for game in store.games()]
    assert len(seeds) == 12 == games_of_a_deal * len(set(seeds))
    assert strict(load_plan(contest.ladder), contest.ladder).conditions.has_equal_deals == bool(choice)
