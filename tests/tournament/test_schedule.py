"""The games of a plan are complete and fair, and depend only on the plan."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, dropwhile, takewhile
from math import comb

import instant_games
import pytest
from plans import changed

from arena.referee.conditions import Limits
from arena.referee.deals import deal
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.formats.lineups import arcs, circles, lineups
from arena.tournament.formats.plan import WAIT
from arena.tournament.plan.load import load_plan, part_with


@pytest.fixture
def plan(plan_file):
    def make(bots=4, **changes):
        more = {"seats": (2,), "groups": 3, "seed": "7", **changes}
        return changed(load_plan(plan_file("", bots=bots)), **more)

    return make


def names(count: int) -> tuple[str, ...]:
    return tuple(f"bot{number:03}" for number in range(count))


def ready(plan, played):
    """The games that are due before the first wait for running games."""
    due = schedule.due(plan, played)
    return list(
        takewhile(lambda fixture: fixture is not WAIT, dropwhile(lambda fixture: fixture is WAIT, due))
    )


def ended(fixture, places):
    return Summary(
        fixture.id, fixture.bots, fixture.fingerprints, places, {}, 0, fixture.group, fixture.rotation
    )


@pytest.mark.parametrize("seats", [2, 3, 4, (2, 4)])
def test_a_round_robin_meets_every_line_up_in_all_rotations(plan, seats):
    sizes = seats if isinstance(seats, tuple) else (seats,)
    whole = plan(5, seats=sizes)
    fixtures = list(schedule.fixtures(whole, {}))
    assert len(fixtures) == schedule.size(whole) == sum(comb(5, n) * 3 * n for n in sizes)
    assert len({fixture.id for fixture in fixtures}) == len(fixtures)
    met = Counter(tuple(sorted(fixture.bots)) for fixture in fixtures)
    for n in sizes:
        for lineup in combinations(sorted(whole.bots), n):
            assert met[lineup] == 3 * n


def test_a_seed_group_is_the_rotations_of_one_circle_with_one_deal(plan):
    groups: dict[str, list] = {}
    for fixture in schedule.fixtures(plan(5, seats=(4,)), {}):
        groups.setdefault(fixture.group, []).append(fixture)
    for games in groups.values():
        assert len(games) == 4
        assert len({deal(game, "secret", 0).seed for game in games}) == 1
        first = games[0].bots
        assert {game.bots for game in games} == {first[k:] + first[:k] for k in range(4)}
    assert len({deal(games[0], "secret", 0).seed for games in groups.values()}) == len(groups)


def test_the_first_group_of_all_line_ups_comes_before_the_second_of_any(plan):
    whole = plan(5, seats=(2, 3))
    numbers = [int(fixture.group.split()[-1]) for fixture in schedule.fixtures(whole, {})]
    assert numbers == sorted(numbers)


def test_ids_depend_on_these_bots_alone(plan):
    """No game is played again after a bot is added or changed, and the order of the bots does not matter."""
    few, many = plan(3), plan(4)
    before = {fixture.id for fixture in schedule.fixtures(few, {})}
    assert before < {fixture.id for fixture in schedule.fixtures(many, {})}
    turned = replace(few, bots=dict(reversed(few.bots.items())))
    assert before == {fixture.id for fixture in schedule.fixtures(turned, {})}
    changed = dict(few.bots) | {"bot2": replace(few.bots["bot2"], fingerprint="other")}
    after = {fixture.id for fixture in schedule.fixtures(replace(few, bots=changed), {})}
    assert len(before & after) == len(before) // 3


@pytest.mark.parametrize(
    "change",
    [
        {"seed": "8"},
        {"strikes": 1},
        {"names": True},
        {"ponder": False},
        {"limits": Limits(cpu=9)},
        {"options": {"cast": "inquisitor"}},
    ],
)
def test_ids_change_with_what_could_change_the_game(plan, change):
    whole = plan(3)
    if "options" in change:
        change = {"options": {**whole.options, **change["options"]}}
    ids = {fixture.id for fixture in schedule.fixtures(whole, {})}
    assert not ids & {fixture.id for fixture in schedule.fixtures(changed(whole, **change), {})}


def test_ids_are_the_same_everywhere(plan):
    """The ids are literals: if they change, stored runs can no longer be continued."""
    whole = plan(2, groups=1)
    bots = {name: replace(bot, fingerprint="f" * 16) for name, bot in whole.bots.items()}
    (one, two) = schedule.fixtures(replace(whole, bots=bots), {})
    assert (one.id, two.id) == ("516c0388f8b5d726", "f6036d9d35a2779b")


def test_due_is_what_was_not_played(plan):
    whole = plan(3)
    every = list(schedule.fixtures(whole, {}))
    played = {fixture.id: ended(fixture, (1, 2)) for fixture in every}
    some = {fixture.id: played[fixture.id] for fixture in every[:5]}
    assert list(schedule.due(whole, some)) == every[5:]
    assert not list(schedule.due(whole, played))


def test_a_game_that_is_missing_from_a_group_is_due_and_so_is_one_of_a_changed_bot(plan):
    whole = plan(3)
    every = list(schedule.fixtures(whole, {}))
    for gap in every:
        played = {fixture.id: ended(fixture, (1, 2)) for fixture in every if fixture is not gap}
        assert list(schedule.due(whole, played)) == [gap]
    changed = {**whole.bots, "bot0": replace(whole.bots["bot0"], fingerprint="new")}
    played = {fixture.id: ended(fixture, (1, 2)) for fixture in every}
    again = list(schedule.due(replace(whole, bots=changed), played))
    assert [fixture.bots for fixture in again] == [each.bots for each in every if "bot0" in each.bots]


# Line-ups


@pytest.mark.parametrize("bots", [6, 7, 8, 10, 13, 16, 21, 40])
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("most", [50, 200])
def test_a_sample_meets_every_pair_about_equally_often(bots, seats, most):
    """Every bot plays equally often, and the meetings of pairs differ by at most one."""
    sample = lineups(names(bots), seats, most)
    if comb(bots, seats) <= most:
        assert len(sample) == comb(bots, seats)
        return
    assert len(sample) <= max(most, bots)
    assert all(len(set(lineup)) == seats for lineup in sample)
    sat = Counter(bot for lineup in sample for bot in lineup)
    assert len(set(sat.values())) == 1 and len(sat) == bots
    met = Counter(pair for lineup in sample for pair in combinations(lineup, 2))
    counts = [met[pair] for pair in combinations(names(bots), 2)]
    assert max(counts) - min(counts) <= 1


def test_line_ups_that_come_twice_get_seeds_of_their_own(plan):
    """7 bots at 4 seats: 21 line-ups of 35, where blocks may repeat; no two games are the same."""
    for bots, most in ((7, 21), (8, 60), (6, 12)):
        whole = plan(bots, seats=(4,), groups=2, lineups=most)
        fixtures = list(schedule.fixtures(whole, {}))
        assert len({fixture.id for fixture in fixtures}) == len(fixtures) == schedule.size(whole)


@pytest.mark.parametrize("seats", range(2, 9))
def test_every_bot_follows_every_other_about_equally_often(seats):
    rounds = circles(seats)
    followed = Counter(arc for circle in rounds for arc in arcs(circle))
    counts = [followed[a, b] for a in range(seats) for b in range(seats) if a != b]
    prime = all(seats % divisor for divisor in range(2, seats))
    assert max(counts) - min(counts) <= (0 if prime else 1)


# Series


def test_a_series_is_the_same_table_over_and_over(plan):
    whole = plan(3, seats=(3,), format="series", groups=5)
    fixtures = list(schedule.fixtures(whole, {}))
    assert [fixture.bots for fixture in fixtures] == [tuple(whole.bots)] * 5
    assert len({deal(fixture, "secret", 0).seed for fixture in fixtures}) == 5


def test_gc_37_the_winner_starts_the_next_game(plan):
    """C7: the winner of a game begins the next; after a shared win the starter stays the same."""
    whole = plan(2, seats=(2,), format="series", groups=4)
    whole = replace(whole, options={**whole.options, "starter": "winner"})
    played: dict[str, Summary] = {}
    starters = []
    for places in ((2, 1), (1, 1), (1, 2), (2, 1)):
        fixture, *_ = ready(whole, played)  # each game waits for the previous one
        starters.append(fixture.options["starter"])
        played[fixture.id] = ended(fixture, places)
    assert starters[1:] == ["p2", "p2", "p1"]
    assert starters[0] in ("p1", "p2")
    assert ready(whole, played) == []


def test_descriptions_say_how_many_games(plan):
    assert "6 line-ups x 3 groups x 2 rotations = 36 games" in schedule.describe(plan(4))
    sampled = schedule.describe(plan(12, seats=(4,), lineups=24))
    assert "balanced, of 495" in sampled


def test_games_of_bots_that_have_changed_are_counted(plan):
    """The total is that of the plan and of the games of old versions; other plans say what is new."""
    before = plan(bots=4, groups=3)
    played = {game.id: summary(game) for game in ready(before, {})}
    fingerprints = {name: bot.fingerprint for name, bot in before.bots.items()}
    bots = before.bots | {"bot1": replace(before.bots["bot1"], fingerprint="f" * 16)}
    after = replace(before, bots=bots)
    assert schedule.size(before, played) == schedule.size(before) == 36
    assert schedule.size(after, played) == 36 + 18
    assert schedule.changes(before, fingerprints, played) == []
    assert schedule.changes(after, fingerprints, played) == [
        "bot1 changed: 18 new games, the old version stays"
    ]
    some = {game.id: summary(game) for game in ready(after, played)[:10]}
    assert schedule.size(after, played | some) == 36 + 18
    assert "bot1 changed: 8 new games" in schedule.changes(after, fingerprints, played | some)[0]
    adaptive = changed(after, format="adaptive", games=100)
    assert schedule.changes(adaptive, fingerprints, played) == [
        "bot1 changed: new games, the old version stays"
    ]


def summary(game) -> Summary:
    places = tuple(range(1, len(game.bots) + 1))
    return Summary(game.id, game.bots, game.fingerprints, places, {}, 0, game.group, game.rotation)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_games_that_have_left_the_sample_count_besides_it(form):
    """When a bot joins, a sample has other line-ups, and the run more games than the sample."""
    keys = {"challengers": ("bot00",)} if form == "gauntlet" else {}
    before, after = (instant_games.plan(form, bots, lineups=24, groups=1, **keys) for bots in (12, 13))
    played = {game.id: ended(game, (1, 2, 3, 4)) for game in schedule.fixtures(before, {})}
    assert schedule.size(before, played) == schedule.size(before) == len(played)
    due = list(schedule.due(after, played))
    assert schedule.size(after, played) == len(played) + len(due) > schedule.size(after)
    left = schedule.size(after, played) - schedule.size(after)
    fingerprints = {name: bot.fingerprint for name, bot in before.bots.items()}
    assert schedule.changes(after, fingerprints, played) == [
        f"bots have joined, which changes the sample of line-ups: {left} games are outside it"
    ]


def test_a_part_to_play_is_no_change_of_the_sample():
    """As with `arena run quickstart BOT` after `arena run quickstart`."""
    before, after = (instant_games.plan(bots=bots, groups=1) for bots in (5, 6))
    played = {game.id: ended(game, (1, 2, 3, 4)) for game in schedule.fixtures(before, {})}
    part = part_with(after, after.bots.keys() - before.bots.keys())
    fingerprints = {name: bot.fingerprint for name, bot in before.bots.items()}
    assert schedule.changes(part, fingerprints, played) == []
    assert schedule.size(part, played) == schedule.size(after) == len(played) + schedule.size(part)
