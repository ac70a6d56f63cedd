"""Adaptive tournaments: the choice of line-ups against a full search, the order of games, and whole runs."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations, islice, repeat

import numpy as np
import pytest
from plans import changed
from runs import wait_for_games

from arena.rating.adaptive import best_lineups, contrasts, prospects
from arena.rating.outcome_arrays import to_arrays
from arena.rating.outcomes import Outcome
from arena.referee.deals import deal
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.formats.adaptive import (
    FORFEITS_IN_A_ROW,
    MIN_GROUPS,
    MIN_GROUPS_ONE_SIDED,
    RANDOM_EVERY,
    TRIAL_EVERY,
    has_reached_target,
    notices,
    phase_tag,
)
from arena.tournament.formats.plan import WAIT
from arena.tournament.plan.load import focused, load_plan

# --- the choice


def field(bots, seed, games=60):
    """Strengths and inverse curvature after invented duels, of some bots many more than of others."""
    rng = random.Random(seed)
    outcomes = [Outcome((f"{bot}",), (1,), "") for bot in range(bots)]
    for number in range(games):
        pair = rng.sample(range(bots), 2)
        pair = pair if rng.random() < 0.7 else [0, 1]
        places = (1, 2) if rng.random() < 1 / (1 + np.exp((pair[0] - pair[1]) / 3)) else (2, 1)
        outcomes.append(Outcome(tuple(map(str, pair)), places, str(number)))
    tables = [games for games in to_arrays(outcomes)[1] if games.size > 1]
    return prospects(tables, bots, 0.5)


def after(theta, precision, lineup):
    """V⁻¹ + H, summed pair by pair: n games of weight 3/(n+1)."""
    total, seats = precision.copy(), len(lineup)
    for one, two in combinations(lineup, 2):
        d = np.eye(len(theta))[one] - np.eye(len(theta))[two]
        p = 1 / (1 + np.exp(theta[two] - theta[one]))
        total += seats * 3 / (seats + 1) * p * (1 - p) * np.outer(d, d)
    return total


def gain(theta, precision, aim, lineup):
    now, then = np.linalg.inv(precision), np.linalg.inv(after(theta, precision, lineup))
    return np.trace(aim @ now) - np.trace(aim @ then)


@pytest.mark.parametrize("focus", [None, 0, 4])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_pair_is_that_of_a_search_again_and_again(seed, focus):
    """Each choice takes the earlier ones into account: Woodbury updates agree with a new inverse."""
    theta, inverse = field(7, seed)
    aim, precision = contrasts(7, focus), np.linalg.inv(inverse)
    for lineup in islice(best_lineups(theta, inverse, aim, repeat(2)), 25):
        gains = {pair: gain(theta, precision, aim, pair) for pair in combinations(range(7), 2)}
        assert gains[lineup] == pytest.approx(max(gains.values()), rel=1e-8)
        precision = after(theta, precision, lineup)


@pytest.mark.parametrize("focus", [None, 2])
@pytest.mark.parametrize("sizes", [(3,), (5,), (2, 4, 3)])
def test_more_seats_are_filled_one_by_one_with_the_best(sizes, focus):
    """For each number of seats in turn: the best pair, then always the best additional bot."""
    theta, inverse = field(7, 1)
    aim, precision = contrasts(7, focus), np.linalg.inv(inverse)

    def worth(lineup, seats):  # at a table with this many seats, some of them still empty
        scale = (seats * 3 / (seats + 1)) / (len(lineup) * 3 / (len(lineup) + 1))
        added = after(theta, 0 * precision, lineup) * scale
        return np.trace(aim @ (np.linalg.inv(precision) - np.linalg.inv(precision + added)))

    for seats, lineup in zip(sizes * 6, best_lineups(theta, inverse, aim, sizes * 6), strict=True):
        filled = max(combinations(range(7), 2), key=lambda pair: round(worth(pair, seats), 9))
        while len(filled) < seats:
            free = [bot for bot in range(7) if bot not in filled]
            filled = (*filled, max(free, key=lambda bot: round(worth((*filled, bot), seats), 9)))
        assert lineup == tuple(sorted(filled))
        precision = after(theta, precision, lineup)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_filling_seats_one_by_one_loses_little_against_a_search_of_whole_line_ups(seats):
    for seed in range(4):
        theta, inverse = field(7, seed)
        aim, precision = contrasts(7), np.linalg.inv(inverse)
        (lineup,) = best_lineups(theta, inverse, aim, (seats,))
        gains = [gain(theta, precision, aim, each) for each in combinations(range(7), seats)]
        assert gain(theta, precision, aim, lineup) >= 0.8 * max(gains)


def test_a_thousand_updates_do_not_drift():
    theta, inverse = field(6, 3)
    aim, precision, first = contrasts(6), np.linalg.inv(inverse), inverse.copy()
    picks = list(best_lineups(theta, inverse, aim, [2, 3] * 500))
    for lineup in picks[:-1]:
        precision = after(theta, precision, lineup)
    np.testing.assert_array_equal(inverse, first)  # the arguments are not changed
    gains = {each: gain(theta, precision, aim, each) for each in combinations(range(6), 2)}
    (again,) = best_lineups(theta, np.linalg.inv(precision), aim, (3,))
    assert picks[-1] == again
    assert max(gains, key=gains.get) in list(combinations(again, 2))


def test_contrasts_are_the_mean_squared_error_that_they_stand_for():
    """tr C V Cᵀ is the sum over all bots against the mean; with a focus, the mean over its differences."""
    _, v = field(5, 2)
    centre = np.eye(5) - 1 / 5
    assert np.trace(contrasts(5) @ v) == pytest.approx(np.trace(centre @ v @ centre.T))
    differences = [v[3, 3] + v[j, j] - 2 * v[3, j] for j in range(5) if j != 3]
    assert np.trace(contrasts(5, 3) @ v) == pytest.approx(np.mean(differences))


def test_without_games_the_first_of_equals_is_taken():
    theta, inverse = prospects([], 6, 0.5)
    picks = list(best_lineups(theta, inverse, contrasts(6), repeat(2, 3)))
    assert picks == [(0, 1), (2, 3), (4, 5)]


def test_noise_in_the_last_digits_does_not_change_the_choice():
    theta, inverse = prospects([], 8, 0.5)
    quiet = list(best_lineups(theta, inverse, contrasts(8), [2, 4] * 20))
    rng = np.random.default_rng(1)
    for _ in range(10):
        noise = 1e-15 * rng.normal(size=inverse.shape)
        assert list(best_lineups(theta, inverse + noise + noise.T, contrasts(8), [2, 4] * 20)) == quiet


def test_a_newcomer_in_focus_sits_at_every_table():
    theta, inverse = field(6, 5, games=400)
    precision = np.linalg.inv(np.pad(inverse, (0, 1)) + 4 * np.diag(np.eye(7)[6]))
    picks = list(best_lineups(np.append(theta, 0), np.linalg.inv(precision), contrasts(7, 6), [2, 3] * 10))
    assert all(6 in lineup for lineup in picks)
    assert len({bot for lineup in picks for bot in lineup}) > 3


# --- the schedule


@pytest.fixture
def plan(plan_file):
    def make(bots=5, **changes):
        more = {"format": "adaptive", "seats": (2,), "seed": "7", "games": 120, **changes}
        return changed(load_plan(plan_file("", bots=bots)), **more)

    return make


def ended(fixture, lucky=0.7, crashing=()):
    """An invented result that depends on the fixture only: lower numbers mostly win. Some bots forfeit."""
    rng = random.Random(fixture.id)
    if lucky == 1:
        points = [-int(bot[3:]) for bot in fixture.bots]
    else:
        points = [rng.gauss(-int(bot[3:]), 1 / (1 - lucky)) for bot in fixture.bots]
    forfeits = {seat: "crashed" for seat, bot in enumerate(fixture.bots) if bot in crashing}
    points = [own - 1e6 * (seat in forfeits) for seat, own in enumerate(points)]
    places = tuple(1 + sum(other > own for other in points) for own in points)
    return Summary(
        fixture.id, fixture.bots, fixture.fingerprints, places, forfeits, 0, fixture.group, fixture.rotation
    )


def play(plan, played, seed=0, lucky=0.7, most=10**6, crashing=()):
    """Play at most `most` games as a tournament does, each batch in any order. Returns the batches."""
    rng, batches, batch = random.Random(seed), [], []

    def finish():
        for fixture in rng.sample(batch, len(batch)):
            played[fixture.id] = ended(fixture, lucky, crashing)
        batches.append(list(batch))
        batch.clear()

    for fixture in schedule.due(plan, played):
        if fixture is not WAIT:
            batch.append(fixture)
        elif batch:
            finish()
        if sum(map(len, batches)) + len(batch) == most:
            break
    if batch:
        finish()
    return batches


def flat(batches):
    return [fixture for batch in batches for fixture in batch]


SIZES = [(2,), (4,), (2, 3)]


@pytest.mark.parametrize("seats", SIZES)
def test_the_schedule_does_not_hang_on_who_finishes_first(plan, seats):
    schedules = [flat(play(plan(seats=seats), {}, seed)) for seed in range(3)]
    assert schedules[0] == schedules[1] == schedules[2]
    assert len(schedules[0]) == schedule.size(plan(seats=seats)) >= 120


@pytest.mark.parametrize(("seats", "most"), list(zip(2 * SIZES, [1, 7, 30, 77, 119, 100], strict=True)))
def test_a_schedule_goes_on_from_wherever_it_was_left(plan, seats, most):
    whole, halves = {}, {}
    play(plan(seats=seats), whole)
    play(plan(seats=seats), halves, most=most)
    assert len(halves) == most
    play(plan(seats=seats), halves, seed=9)
    assert halves == whole


@pytest.mark.parametrize("seats", SIZES)
def test_any_of_the_games_of_a_batch_may_be_missing(plan, seats):
    """As after a kill: games in flight are played again, and no others."""
    whole = {}
    last = [fixture.id for fixture in play(plan(seats=seats), whole)[-1]]
    lost = set(last[1::2])
    rest = {id: game for id, game in whole.items() if id not in lost}
    assert {fixture.id for fixture in flat(play(plan(seats=seats), rest))} == lost
    assert rest == whole


@pytest.mark.parametrize("seats", SIZES)
def test_groups_are_whole_and_numbers_of_seats_take_turns(plan, seats):
    groups = {}
    for fixture in flat(play(plan(seats=seats), {})):
        groups.setdefault(fixture.group, []).append(fixture)
    for fixtures in groups.values():
        bots = fixtures[0].bots
        assert len(set(bots)) == len(bots) == len(fixtures)
        assert {fixture.bots[0] for fixture in fixtures} == set(bots)
        assert len({deal(fixture, "secret", 0).seed for fixture in fixtures}) == 1
    sizes = [len(fixtures) for fixtures in groups.values()]
    assert sizes == [seats[number % len(seats)] for number in range(len(sizes))]


@pytest.mark.parametrize("seats", SIZES)
def test_a_tenth_of_the_line_ups_of_each_size_is_drawn_at_random(plan, seats):
    """With another seed and equal results, the first line-up that differs is a random one."""
    tally = Counter()
    one, two = (
        flat(play(plan(seats=seats, seed=seed, games=300 * sum(seats)), {}, lucky=1)) for seed in "ab"
    )
    lineups = [
        list(dict.fromkeys(fixture.group.rpartition("/")[0] for fixture in each)) for each in (one, two)
    ]
    for number, (group, other) in enumerate(zip(*lineups, strict=True)):
        if group != other:
            tally[seats[number % len(seats)]] += 1
            assert number // len(seats) % RANDOM_EVERY == RANDOM_EVERY - 1
            break
    assert tally


def test_games_are_counted_in_whole_groups(plan):
    for games, seats, size in [
        (1, (2,), 2),
        (10, (4,), 12),
        (11, (2, 3), 12),
        (12, (2, 3), 12),
        (13, (3,), 15),
    ]:
        made = plan(games=games, seats=seats)
        assert schedule.size(made) == size == len(flat(play(made, {})))


def test_more_games_go_on_where_fewer_ended(plan):
    few, many = {}, {}
    first = flat(play(plan(games=90), few))
    assert flat(play(plan(games=200), many))[:90] == first
    play(plan(games=200), few)
    assert few == many


def test_it_stops_when_every_error_is_small_enough(plan):
    played = {}
    batches = play(plan(games=None, target_error=60.0), played)
    assert schedule.size(plan(games=None, target_error=60.0)) is None
    groups = Counter(
        bot for group in {(game.seed_group, game.bots) for game in played.values()} for bot in group[1]
    )
    assert min(groups.values()) >= MIN_GROUPS
    before = [fixture for batch in batches[:-1] for fixture in batch]
    outcomes = [Outcome(game.bots, game.places, game.seed_group) for game in played.values()]
    held = [Outcome(f.bots, played[f.id].places, f.group) for f in before]
    whole = plan(target_error=60.0)
    assert has_reached_target(whole, outcomes) and not has_reached_target(whole, held)


def test_the_table_has_no_say_in_the_games(plan):
    """The rating method and the prior do not change the games, so a run can continue with other ones."""
    made = plan()
    other = changed(made, rating=replace(made.run.rating, prior=3.0, method="winner"))
    assert flat(play(made, {})) == flat(play(other, {}))


def test_whichever_limit_comes_first(plan):
    long, played = plan(games=None, target_error=60.0), {}
    play(long, played)
    assert len(flat(play(plan(games=100, target_error=60.0), {}))) == 100
    assert len(flat(play(plan(games=10**5, target_error=60.0), {}))) == len(played)


@pytest.mark.parametrize("seats", [(2,), (4,)])
def test_bots_that_always_win_and_always_lose_do_not_make_it_endless(plan, seats):
    """The errors of perfect scores stay large, so there is a limit on their seed groups."""
    made, played = plan(bots=4, games=None, target_error=1.0, seats=seats), {}
    play(made, played, lucky=1, most=20 * MIN_GROUPS_ONE_SIDED * seats[0])
    met = {bot: {game.seed_group for game in played.values() if bot in game.bots} for bot in made.bots}
    assert all(len(groups) >= MIN_GROUPS_ONE_SIDED for groups in met.values())
    assert not flat(play(made, played, lucky=1))


def test_a_newcomer_is_rated_on_what_the_others_have_played(plan):
    """A bot in focus plays in nearly every game, and far fewer games are needed than for all bots."""
    played, alone = {}, {}
    play(plan(bots=5, games=1200), played)
    old = set(played)
    new = focused(plan(bots=6, games=None), "bot5")
    assert (new.format.name, new.config.focus, new.config.target_error) == ("adaptive", "bot5", 30)
    new = changed(new, target_error=70.0)
    fixtures = flat(play(new, played))
    assert not old & {fixture.id for fixture in fixtures}
    assert sum("bot5" in fixture.bots for fixture in fixtures) >= 0.8 * len(fixtures)
    play(new, alone)
    assert len(fixtures) <= 0.8 * len(alone)
    assert not flat(play(new, played))  # the target has been reached


def test_what_was_played_for_another_aim_changes_no_choice_of_before(plan):
    """A tournament continues, or is computed again, after a bot was in focus."""
    whole, parts = {}, {}
    play(plan(games=200), whole)
    play(plan(games=90), parts)
    assert len(flat(play(changed(focused(plan(), "bot1"), games=60), parts))) == 60
    assert not flat(play(plan(games=90), parts))
    play(plan(games=200), parts)
    assert whole.items() < parts.items()


def test_another_field_or_aim_is_another_era(plan):
    made = plan()
    bots = {**made.bots, "bot0": replace(made.bots["bot0"], fingerprint="f" * 16)}
    tags = [phase_tag(each) for each in (made, plan(bots=6), plan(seats=(3,)), changed(made, focus="bot1"))]
    assert len({*tags, phase_tag(replace(made, bots=bots))}) == 5
    assert phase_tag(plan(games=7, target_error=9.0, bots=5)) == phase_tag(made)


def test_games_of_a_changed_bot_are_not_counted_as_its_own(plan):
    made, played = plan(games=None, target_error=60.0), {}
    play(made, played)
    before = dict(played)
    changed = {**made.bots, "bot0": replace(made.bots["bot0"], fingerprint="f" * 16)}
    made = replace(made, bots=changed)
    again = flat(play(made, played))
    groups = {fixture.group for fixture in again if "bot0" in fixture.bots}
    assert len(groups) >= MIN_GROUPS
    assert len(again) < len(before)


def test_two_bots_are_enough(plan):
    assert len(flat(play(plan(bots=2, games=50), {}))) == 50


# --- bots that forfeit all their games, and bots that are excluded


@pytest.mark.parametrize("seats", SIZES)
def test_a_bot_that_always_forfeits_gets_one_line_up_in_twenty(plan, seats):
    made, played = plan(bots=6, seats=seats, games=900), {}
    batches = play(made, played, crashing=["bot2"])
    later = [fixture for batch in batches[4:] for fixture in batch]
    groups = {fixture.group: len(fixture.bots) for fixture in later}
    crashed = {fixture.group for fixture in later if "bot2" in fixture.bots}
    assert 0 < len(crashed) <= len(groups) / TRIAL_EVERY + len(seats)
    (notice,) = notices(made, played)
    assert notice.startswith("bot2 has forfeited its last 10 games: it plays in at most 5 % of the line-ups")


@pytest.mark.parametrize("most", [1, 77, 300])
def test_a_schedule_with_forfeits_goes_on_from_wherever_it_was_left(plan, most):
    made, whole, parts = plan(games=400), {}, {}
    play(made, whole, crashing=["bot4"])
    play(made, parts, seed=1, most=most, crashing=["bot4"])
    play(made, parts, seed=2, crashing=["bot4"])
    assert parts.keys() == whole.keys()


def test_a_bot_that_works_again_plays_like_the_others(plan):
    played = {}
    play(plan(games=400), played, crashing=["bot1"])
    (notice,) = notices(plan(games=400), played)
    assert "bot1" in notice
    more = flat(play(plan(games=1200), played))
    assert notices(plan(games=1200), played) == []
    assert sum("bot1" in fixture.bots for fixture in more) > len(more) / 5


@pytest.mark.parametrize(("bots", "focus"), [(5, "bot1"), (2, None)])
def test_if_nothing_else_is_left_to_play_it_stops(plan, bots, focus):
    """The bot in focus forfeits, or the others are too few for a table."""
    made, played = plan(bots=bots, games=None, target_error=20.0, focus=focus), {}
    play(made, played, crashing=["bot1"])
    assert FORFEITS_IN_A_ROW <= len(played) <= 60
    (notice,) = notices(made, played)
    assert notice.startswith("no more games: ")


def test_an_error_that_only_a_forfeiting_bot_has_does_not_count(plan):
    made, played = plan(games=None, target_error=60.0), {}
    play(made, played, crashing=["bot4"])
    assert sum("bot4" in game.bots for game in played.values()) < 2 * MIN_GROUPS


@pytest.mark.parametrize("seats", [(2,), (2, 3)])
def test_an_excluded_bot_plays_no_more_and_the_games_so_far_count(plan, seats):
    made, played = plan(games=300, seats=seats), {}
    play(made, played, most=100)
    before = dict(played)
    without = replace(made, excluded=frozenset({"bot1"}))
    assert "bot1" not in {bot for fixture in flat(play(without, played)) for bot in fixture.bots}
    assert 300 <= len(played) < 300 + sum(seats)
    assert before.items() <= played.items()
    assert not flat(play(without, played))
    assert notices(without, played) == []


def test_a_run_with_an_exclusion_goes_on_from_wherever_it_was_left(plan):
    made, whole, parts = plan(games=300), {}, {}
    without = replace(made, excluded=frozenset({"bot1"}))
    for played, stops in ((whole, []), (parts, [41, 1])):
        play(made, played, most=100)
        for number, most in enumerate([*stops, 10**6]):
            play(without, played, seed=number, most=most)
    assert parts.keys() == whole.keys()


def test_an_excluded_bot_that_is_included_again_plays_as_before(plan):
    made, whole, parts = plan(games=300), {}, {}
    play(made, whole)
    play(made, parts, most=100)
    play(replace(made, excluded=frozenset({"bot1"})), parts, most=50)
    play(made, parts)
    assert whole.items() <= parts.items()


@pytest.mark.parametrize(
    ("focus", "excluded"), [("bot1", {"bot1"}), (None, {"bot0", "bot1", "bot2", "bot3"})]
)
def test_exclusions_may_leave_nothing_to_play(plan, focus, excluded):
    made = replace(plan(focus=focus), excluded=frozenset(excluded))
    assert not flat(play(made, {}))
    (notice,) = notices(made, {})
    assert notice.startswith("no more games: ")


# --- whole runs


ADAPTIVE = "format: adaptive\nseats: [2, 3]\nseed: 5\ngames: 60\nclock: {move: 5s}\n"


@pytest.mark.slow
def test_an_adaptive_run_a_newcomer_and_a_focus(arena, plan_file):
    done = arena("run", plan_file(ADAPTIVE), "--out", "run.db")
    assert done.returncode == 0, done.stderr
    assert "2 or 3 seats, the line-ups that reduce the errors most, until there are 60 games" in done.stderr
    assert "60 games in 24 seed groups" in done.stdout
    more = plan_file(ADAPTIVE.replace("60", "40"), bots=4)
    assert "100 games in 40 seed groups" in arena("run", more, "--out", "run.db").stdout
    done = arena("run", more, "--out", "run.db", "--focus", "bot3", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {row["bot"]: row["games"] for row in json.loads(done.stdout)["standings"]}
    assert max(rows, key=rows.get) != "bot3" and rows["bot3"] >= 30


@pytest.mark.slow
def test_a_focus_in_a_round_robin(arena, checkout, tmp_path):
    """Games are added until the newcomer's error is small; later the round robin continues unchanged."""
    bot, plan = checkout / "bots" / "python" / "random_bot.py", tmp_path / "plan.yaml"
    plan.write_text(
        f"game: complots\nseats: 2\nseed: 5\ngroups: 4\nbots:\n  a: {bot}\n  b: {bot}\n  c: {bot}\n"
    )
    arena("run", plan, "--out", "run.db")
    plan.write_text(plan.read_text() + f"  new: {bot}\n")
    done = arena("run", plan, "--out", "run.db", "--focus", "new", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "until the error of new is at most 30 Elo" in done.stderr and "24 games played" in done.stderr
    rows = {row["bot"]: row for row in json.loads(done.stdout)["standings"]}
    new = rows[
        "new"
    ]  # the same program as the others: results do not vary, so the limit for one-sided results applies
    assert new["error"] <= 30 or ("~" in new["flags"] and new["groups"] >= MIN_GROUPS_ONE_SIDED)
    assert new["games"] == max(row["games"] for row in rows.values())
    before = len(arena("export", "run.db").stdout.splitlines())
    assert arena("run", plan, "--out", "run.db").returncode == 0
    assert len(arena("export", "run.db").stdout.splitlines()) == before + 3 * 4 * 2


@pytest.mark.slow
def test_a_run_goes_on_without_an_excluded_bot_and_verifies(arena, plan_file):
    plan = ADAPTIVE.replace("[2, 3]", "2")
    arena("run", plan_file(plan), "--out", "run.db")
    before = arena("export", "run.db").stdout.splitlines()
    assert arena("exclude", "run.db", "bot1", "--why", "copied").returncode == 0
    done = arena("run", plan_file(plan.replace("60", "90")), "--out", "run.db")
    assert "without bot1 (copied)" in done.stdout
    after = arena("export", "run.db").stdout.splitlines()
    assert len(after) == 90 and set(before) < set(after)
    new = [json.loads(line)["fixture"]["bots"] for line in set(after) - set(before)]
    assert {bot for bots in new for bot in bots} == {"bot0", "bot2"}
    assert "90 games replayed, 0 with problems" in arena("verify", "run.db").stdout
    done = arena("run", plan_file(plan), "--out", "run.db", "--focus", "bot1")
    assert "no more games: bot1, the only bot whose error counts, is excluded" in done.stderr


def test_a_focus_on_nobody(arena, plan_file):
    done = arena("run", plan_file("seats: 2\n"), "--focus", "bot4")
    assert done.returncode == 2
    assert done.stderr == "arena: --focus: no bot 'bot4'; did you mean bot2?\n"


@pytest.mark.slow
def test_the_same_games_after_kill_9_on_one_worker_and_on_two(arena, plan_file, tmp_path):
    plan = plan_file(ADAPTIVE.replace("60", "200"))
    for jobs in (1, 2):
        assert arena("run", plan, "--out", f"{jobs}.db", "--jobs", jobs).returncode == 0
    whole = arena("export", "1.db").stdout
    assert arena("export", "2.db").stdout == whole
    command = [sys.executable, "-m", "arena", "run", plan, "--out", "run.db", "--jobs", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, env=os.environ) as process:
        recorded = wait_for_games(tmp_path / "run.db", 50)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
    assert recorded < 200
    assert arena("run", plan, "--out", "run.db").returncode == 0
    assert arena("export", "run.db").stdout == whole
