"""Comparisons of two bots: their games, their end, and `arena compare` as a whole."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter

import pytest
from plans import changed
from runs import wait_for_games

from arena.config.document import ConfigError
from arena.rating.experiments import Sprt, Trial
from arena.referee.conditions import TimeControl
from arena.referee.deals import deal
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.compare import as_text, comparison, games_needed, ratio_line, state, trial_so_far
from arena.tournament.formats.compare import group_scores, score, sprt
from arena.tournament.formats.plan import WAIT

LIMITS = {"elo0": 0.0, "elo1": 20.0, "alpha": 0.05, "beta": 0.05}


@pytest.fixture
def plan(tmp_path, first_bot):
    def make(
        field=0, seats=None, max_groups=200, options=(), game="complots", elo_model="logistic", **limits
    ):
        paths = [tmp_path / f"{name}.sh" for name in ["new", "old", *"abcdef"[:field]]]
        for path in paths:
            path.write_text(first_bot.read_text())
        one, two, *others = paths
        given = LIMITS | limits
        control = TimeControl()
        return comparison(
            game, one, two, others, seats, dict(options), control, given, max_groups, "7", elo_model
        )

    return make


def trial(plan, scores):
    """The test after groups with these scores."""
    made = Trial(sprt(plan))
    for each in scores:
        made.add(each)
    return made


def ended(fixture, places):
    return Summary(
        fixture.id, fixture.bots, fixture.fingerprints, places, {}, 0, fixture.group, fixture.rotation
    )


def drawn(fixture, edge):
    """Invented places: chance from the fixture, with an advantage for `new`."""
    rng = random.Random(fixture.id)
    points = [rng.gauss(edge if bot == "new" else 0, 1) for bot in fixture.bots]
    return tuple(1 + sum(other > own for other in points) for own in points)


def play(plan, played, result, seed=0):
    """Play the games that are due as a tournament does, in any order between two waits. Returns the games."""
    rng, games, batch = random.Random(seed), [], []
    for fixture in schedule.due(plan, played):
        if fixture is not WAIT:
            batch.append(fixture)
            continue
        for each in rng.sample(batch, len(batch)):
            played[each.id] = ended(each, result(each))
        games += batch
        batch = []
    for each in batch:
        played[each.id] = ended(each, result(each))
    return games + batch


def by_group(games):
    groups = {}
    for fixture in games:
        groups.setdefault(fixture.group, []).append(fixture)
    return groups


# --- the games


def equal(fixture):
    return (1,) * len(fixture.bots)


def test_two_alone_play_each_deal_in_both_seatings(plan):
    games = play(plan(max_groups=20), {}, equal)
    groups = by_group(games)
    assert len(groups) == 20 and schedule.size(plan(max_groups=20)) == len(games) == 40
    for one, two in groups.values():
        assert one.bots == two.bots[::-1] and {*one.bots} == {"new", "old"}
        assert deal(one, "secret", 0).seed == deal(two, "secret", 0).seed
    assert len({deal(fixture, "secret", 0).seed for fixture in games}) == 20


@pytest.mark.parametrize(("field", "seats"), [(1, 2), (3, 2), (2, 3), (5, 3), (3, 4), (6, 4)])
def test_twins_have_the_same_deal_seat_and_opponents(plan, field, seats):
    """Each group has one set of opponents, in all rotations, with each of the two bots on the free seat."""
    made = plan(field=field, seats=seats, max_groups=40)
    games = play(made, {}, equal)
    assert len(games) == schedule.size(made) == 40 * 2 * seats
    for group in by_group(games).values():
        tables = {fixture.bots for fixture in group}
        assert len(group) == len(tables) == 2 * seats and len({fixture.seed for fixture in group}) == 1
        swap = {"new": "old", "old": "new"}
        for bots in tables:
            assert ("new" in bots) != ("old" in bots) and len(set(bots)) == seats
            assert tuple(swap.get(bot, bot) for bot in bots) in tables
        chairs = [fixture.bots.index("new") for fixture in group if "new" in fixture.bots]
        assert sorted(chairs) == list(range(seats))
    assert len({fixture.id for fixture in games}) == len(games)


def test_every_set_of_opponents_gets_its_turn_and_every_order(plan):
    games = play(plan(field=4, seats=4, max_groups=40), {}, equal)
    fields = Counter(frozenset(fixture.bots) - {"new", "old"} for fixture in games)
    assert len(fields) == 4 and len(set(fields.values())) == 1
    around = {}
    for fixture in games:
        first = fixture.bots.index(min(fixture.bots))
        names = [bot.replace("old", "new") for bot in fixture.bots[first:] + fixture.bots[:first]]
        around.setdefault(frozenset(names), set()).add(tuple(names))
    assert all(len(orders) == 6 for orders in around.values())  # 3! circles of four


def test_the_order_of_the_opponents_does_not_matter(tmp_path, first_bot):
    paths = [tmp_path / f"{name}.sh" for name in "pqxyz"]
    for path in paths:
        path.write_text(first_bot.read_text())
    one, two, *field = paths
    plans = [
        comparison("complots", one, two, others, 3, {}, TimeControl(), LIMITS, 9, "7")
        for others in (field, field[::-1])
    ]
    assert plans[0].identity() == plans[1].identity()
    assert [*schedule.fixtures(plans[0], {})] == [*schedule.fixtures(plans[1], {})]


# --- the scores


@pytest.mark.parametrize(
    ("place", "places", "value"),
    [
        (1, (1, 2), 1),
        (2, (1, 2), 0),
        (1, (1, 1), 0.5),
        (2, (1, 2, 3), 0.5),
        (2, (1, 2, 2, 2), 1 / 3),
        (1, (1, 2, 2, 4), 1),
        (4, (1, 2, 2, 4), 0),
        (1, (1, 1, 3, 4), 5 / 6),
    ],
)
def test_a_share_is_the_part_of_the_others_that_were_beaten(place, places, value):
    assert score(place, places) == pytest.approx(value)


@pytest.mark.parametrize(
    ("wins", "score"), [((True, True), 1), ((True, False), 0.5), ((False, True), 0.5), ((False, False), 0)]
)
def test_the_score_of_a_pair_is_the_mean_of_its_games(plan, wins, score):
    made, played = plan(max_groups=1), {}
    for fixture, won in zip(schedule.fixtures(made, {}), wins, strict=False):
        new_first = fixture.bots[0] == "new"
        played[fixture.id] = ended(fixture, (1, 2) if won == new_first else (2, 1))
    assert list(group_scores(made, played)) == [score]


def test_the_score_of_twins_is_half_and_half_the_lead_over_the_other(plan):
    """`new` wins all its tables of three, `old` comes second at all of its own: ½ + (1 - ½)/2."""
    made, played = plan(field=2, max_groups=1), {}
    for fixture in schedule.fixtures(made, {}):
        if fixture is not WAIT:
            chair = fixture.bots.index("new" if "new" in fixture.bots else "old")
            places = [2, 3] if "new" in fixture.bots else [1, 3]
            places.insert(chair, 1 if "new" in fixture.bots else 2)
            played[fixture.id] = ended(fixture, tuple(places))
    assert list(group_scores(made, played)) == [pytest.approx(0.75)]


def test_scores_end_before_the_first_group_with_a_hole(plan):
    made, played = plan(max_groups=30), {}
    games = play(made, played, lambda fixture: drawn(fixture, 0.3))
    whole = list(group_scores(made, played))
    assert len(whole) == 30
    del played[games[21].id]  # a game of the eleventh group
    assert list(group_scores(made, played)) == whole[:10]
    assert list(group_scores(made, played, first=4)) == whole[4:10]


def test_scores_that_grow_are_looked_at_once(plan):
    made, played = plan(max_groups=60), {}
    look, games = trial_so_far(made), {}
    play(made, games, lambda fixture: drawn(fixture, 0.3))
    for id, game in games.items():
        played[id] = game
        assert look(played).seen.counts == Counter(group_scores(made, played))


# --- when it ends


@pytest.mark.parametrize(("field", "edge"), [(0, 0.0), (0, 0.4), (0, -0.4), (3, 0.0), (3, 1.0)])
def test_it_ends_with_the_look_that_decides_and_not_later(plan, field, edge):
    made, played = plan(field=field, max_groups=2000, elo1=60.0), {}
    games = play(made, played, lambda fixture: drawn(fixture, edge))
    scores, size = list(group_scores(made, played)), schedule.size(made) // 2000
    assert len(scores) * size == len(games) and Sprt.is_look(len(scores))
    verdict = sprt(made).decide(scores)
    assert verdict.better is (edge > 0.2) and verdict.groups == len(scores)
    assert sprt(made).decide(scores[:-1]).better is None
    assert not play(made, played, equal)


def test_normalized_elo_ends_with_the_look_that_decides_too(plan):
    made, played = plan(max_groups=2000, elo1=100.0, elo_model="normalized"), {}
    play(made, played, lambda fixture: drawn(fixture, 0.2))
    scores = list(group_scores(made, played))
    assert sprt(made).decide(scores).groups == len(scores)
    other = sprt(plan(elo1=100.0)).decide(scores)
    assert other.llr != sprt(made).decide(scores).llr


@pytest.mark.parametrize("field", [0, 2])
def test_who_finishes_first_has_no_say(plan, field):
    runs = []
    for seed in range(3):
        played = {}
        made = plan(field=field, max_groups=400, elo1=60.0)
        runs.append((play(made, played, lambda fixture: drawn(fixture, 0.2), seed), played))
    assert runs[0] == runs[1] == runs[2]


def test_an_undecided_one_goes_on_with_more_groups(plan):
    def result(fixture):
        return drawn(fixture, 0.1)

    short, whole = {}, {}
    play(plan(max_groups=50), short, result)
    assert sprt(plan()).decide(group_scores(plan(), short)).better is None and len(short) == 100
    play(plan(max_groups=5000), whole, result)
    play(plan(max_groups=5000), short, result)
    assert short == whole and len(whole) > 100


def test_fewer_groups_than_there_are_leave_a_verdict_as_it_is(plan):
    made, played = plan(elo1=100.0), {}
    play(made, played, lambda fixture: drawn(fixture, 1))
    fewer = changed(made, max_groups=1)
    assert state(fewer, trial_so_far(fewer)(played)) == state(made, trial_so_far(made)(played))


def test_only_how_long_it_goes_on_may_change(plan):
    identity = plan().identity()
    assert plan(max_groups=7).identity() == identity
    for limit in LIMITS:
        assert plan(**{limit: LIMITS[limit] + 0.01}).identity() != identity
    assert plan(field=1).identity() != identity != plan(field=1, seats=2).identity()
    assert plan(elo_model="normalized").identity() != identity


def test_a_run_from_before_there_was_a_choice_of_the_scale_goes_on(plan):
    assert "elo_model" not in plan().identity()


# --- its messages


def test_words_before_the_first_group(plan):
    assert as_text(plan(), trial(plan(), [])).splitlines() == [
        "LLR +0.00 (-2.94 to +2.94), 0 groups, +0 Elo (-∞ to +∞)",
        "+0 nElo (-∞ to +∞), Ptnml(0-2): 0, 0, 0, 0, 0",
        "undecided whether new is better than old",
    ]
    said = state(plan(), trial(plan(), []))
    assert said["interval"] == said["normalized_interval"] == [None, None]


@pytest.mark.parametrize(
    ("scores", "answer"),
    [
        ([1.0] * 32, "new is better than old: rather +100 Elo than +0"),
        ([0.0] * 32, "new is not better than old: rather +0 Elo than +100"),
        ([0.0, 1.0, 0.5, 0.75] * 8, "undecided whether new is better than old"),
    ],
)
def test_words_of_each_verdict(plan, scores, answer):
    made = plan(elo1=100.0)
    first, second, third = as_text(made, trial(made, scores)).splitlines()
    assert third == answer and max(len(first), len(second)) <= 80 and ", 32 groups, " in first
    assert first == ratio_line(trial(made, scores))
    named = answer.replace("+100 Elo", "+100 nElo").replace("+0 Elo", "+0 nElo")
    made = plan(elo1=100.0, elo_model="normalized")
    assert as_text(made, trial(made, scores)).splitlines()[2] == named


@pytest.mark.parametrize(
    ("results", "counts"),
    [
        ("WW WL LW LL", [1, 0, 2, 0, 1]),
        ("DD DW WD DL WW", [0, 1, 1, 2, 1]),
        ("LL LD DD LL LW", [2, 1, 2, 0, 0]),
    ],
)
def test_pentanomial_counts_by_hand(plan, results, counts):
    """A pair has 0, ½, 1, 1½ or 2 points: a win and a loss is the same as two draws."""
    pairs, played = results.split(), {}
    made = plan(max_groups=len(pairs))
    for fixture, result in zip(schedule.fixtures(made, {}), "".join(pairs), strict=False):
        places = {"W": (1, 2), "D": (1, 1), "L": (2, 1)}[result]
        played[fixture.id] = ended(fixture, places if fixture.bots[0] == "new" else places[::-1])
    said = state(made, trial_so_far(made)(played))
    assert said["pentanomial"] == counts
    assert {score: count for score, count in said["group_scores"]} == {
        points / 4: count for points, count in enumerate(counts) if count
    }
    words = as_text(made, trial_so_far(made)(played)).splitlines()[1]
    assert words.endswith(f", Ptnml(0-2): {', '.join(map(str, counts))}")


def test_twin_games_have_counts_of_all_their_scores(plan):
    made = plan(field=2)
    seen = trial(made, [1 / 6, 1 / 6, 0.5, 7 / 12, 1.0])
    said = state(made, seen)
    assert said["pentanomial"] is None
    assert said["group_scores"] == [[0.166666667, 2], [0.5, 1], [0.583333333, 1], [1.0, 1]]
    assert as_text(made, seen).splitlines()[1].endswith(", scores 0, <½, ½, >½, 1: 0, 2, 1, 1, 1")


@pytest.mark.parametrize(
    ("field", "scores", "max_groups", "least", "most"),
    [
        (0, [], 200, 32, 200),  # the first look is after 32 groups
        (0, [0.5, 1.0, 0.0, 0.5] * 5, 25, 25, 25),
        (0, [0.5, 1.0, 0.0, 0.5] * 25, 200, 104, 200),  # the next look
        (0, [1.0] * 56, 200, 56, 56),  # decided
        (2, [0.5, 1.0, 0.0, 0.5] * 25, 104, 104, 104),
    ],
)
def test_the_games_that_are_needed_end_with_a_look_or_with_the_last_group(
    plan, field, scores, max_groups, least, most
):
    made = plan(field=field, max_groups=max_groups)
    low, high = games_needed(made, trial(made, scores))
    size = schedule.size(made) / max_groups
    assert least * size <= low <= high <= most * size
    assert (low, high) == (least * size, most * size) or len(scores) > 25


def test_a_clear_lead_needs_fewer_games(plan):
    close, clear = ([0.5, 1.0, 0.0, 0.5] * 5, [0.5, 1.0, 1.0, 0.5] * 5)
    made = plan(max_groups=5000)
    ends = [games_needed(made, trial(made, scores)) for scores in (close, clear)]
    assert ends[1][1] < ends[0][1] < 10_000 and ends[0][0] < ends[0][1]


# --- errors


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"elo0": 20.0}, "elo0 should be below elo1"),
        ({"elo0": 30.0}, "elo0 should be below elo1"),
        ({"elo1": 5000.0}, "both at most 2000 from 0"),
        ({"alpha": 0.0}, "alpha and beta should be above 0"),
        ({"alpha": 0.6, "beta": 0.6}, "together below 1"),
        ({"seats": 9}, "complots has 2 to 8 seats, not 9"),
        ({"seats": 1}, "complots has 2 to 8 seats, not 1"),
        ({"seats": 3}, "a table of 3 needs 2 bots or more after --against, not 0"),
        ({"field": 2, "seats": 4}, "a table of 4 needs 3 bots or more after --against, not 2"),
        ({"game": "complot"}, "no game 'complot'; did you mean complots?"),
        ({"options": {"casst": "ambassador"}}, "casst: unknown option of complots; did you mean cast?"),
        ({"options": {"max_turns": "many"}}, "max_turns: should be a whole number"),
        ({"options": {"starter": "winner"}}, "starter: winner needs format: series"),
    ],
)
def test_what_cannot_be_compared(plan, changes, message):
    with pytest.raises(ConfigError) as caught:
        plan(**changes)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_options_are_read_as_in_a_plan(plan):
    made = plan(options={"max_turns": "50", "steal_from_dead": "true"})
    assert made.options["max_turns"] == 50 and made.options["steal_from_dead"] is True


# --- the command


@pytest.fixture
def bots(tmp_path, first_bot, checkout):
    """`good` bluffs and wins by far; `first` and `same` always take the first option, which loses."""
    (tmp_path / "same.sh").write_text(first_bot.read_text())
    (tmp_path / "good.py").write_text((checkout / "bots" / "python" / "bluffer.py").read_text())
    return tmp_path


@pytest.mark.slow
def test_the_better_one(arena, bots):
    done = arena("compare", "good.py", "first.sh", "--sprt", "elo1=100", "--seed", 1)
    assert done.returncode == 0, done.stderr
    assert "is good better than first? at tables of 2" in done.stderr
    assert done.stdout.splitlines()[2] == "good is better than first: rather +100 Elo than +0"
    assert ", 32 groups, " in done.stdout
    again = arena("compare", "good.py", "first.sh", "--sprt", "elo1=100")
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "64 of 20000 games played" in again.stderr
    assert "64 games in 32 seed groups" in arena("table", "runs/good-first.db").stdout


@pytest.mark.slow
def test_equals_and_going_on_and_what_may_change(arena, bots):
    """The same program twice: all groups score ½, so the test is undecided first, then says no."""
    command = ["compare", "first.sh", "same.sh", "--seed", 1, "--format", "json", "--out", "x.db"]
    undecided = arena(*command, "--max-groups", 44)
    assert undecided.returncode == 3, undecided.stderr
    said = json.loads(undecided.stdout)
    assert said["better"] is None and (said["groups"], said["games"], said["elo"]) == (44, 88, 0)
    done = arena(*command, "--max-groups", 500)
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert said["better"] is False and (said["groups"], said["games"]) == (56, 112)
    assert said["llr"] <= said["bounds"][0] and said["interval"][0] < 0 < said["interval"][1]
    refused = arena(*command, "--sprt", "elo1=30")
    assert refused.returncode == 2 and refused.stdout == ""
    assert refused.stderr == "arena: x.db: the run began with elo1: 20.0, not 30.0; use --out for a new run\n"
    refused = arena(*command, "--sprt", "model=normalized")
    assert refused.returncode == 2 and refused.stdout == ""
    message = "x.db: the run began with elo_model: logistic, not normalized; use --out for a new run"
    assert refused.stderr == f"arena: {message}\n"


@pytest.mark.slow
def test_normalized_elo_as_a_command(arena, bots):
    command = [
        "compare",
        "good.py",
        "first.sh",
        "--sprt",
        "elo1=100",
        "--seed",
        1,
        "--sprt",
        "model=normalized",
    ]
    done = arena(*command, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "0 or 100 nElo, at most" in done.stderr
    said = json.loads(done.stdout)
    assert said["elo_model"] == "normalized" and sum(said["pentanomial"]) == said["groups"] == 32
    assert said["pentanomial"][4] == 32 and said["normalized_elo"] is None  # it won all
    again = arena(*command)
    assert again.stdout.splitlines()[2] == "good is better than first: rather +100 nElo than +0"
    back = arena(*command[:-1], "model=logistic")
    assert back.returncode == 2 and "the run began with elo_model: normalized, not logistic" in back.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("more", "seats"), [([], 3), (["--seats", 2], 2)])
def test_against_a_field(arena, bots, more, seats):
    against = ["--against", "same.sh", "--against", "good.py", *more]
    done = arena(
        "compare", "good.py", "first.sh", *against, "--sprt", "elo1=100", "--seed", 1, "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    assert f"is good better than first against good-2, same? at tables of {seats}" in done.stderr
    said = json.loads(done.stdout)
    assert Sprt.is_look(said["groups"]) and said["games"] == said["groups"] * 2 * seats and said["elo"] > 60


@pytest.mark.slow
def test_against_a_field_at_tables_of_four(arena, bots):
    """A bot and its copy: a few groups are enough to check the games, but not to decide."""
    against = [word for _ in range(3) for word in ("--against", "same.sh")]
    done = arena("compare", "first.sh", "same.sh", *against, "--max-groups", 3)
    assert done.returncode == 3, done.stderr
    assert ", 3 groups, +0 Elo (" in done.stdout
    games = [
        json.loads(line)["fixture"]["bots"]
        for line in arena("export", "runs/first-same.db").stdout.splitlines()
    ]
    assert len(games) == 3 * 2 * 4 and all(len(set(bots)) == 4 for bots in games)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("first.sh none.sh", "none.sh: no such bot"),
        ("first.sh same.sh --against none.sh", "none.sh: no such bot"),
        ("first.sh same.sh --sprt elo0=20 --sprt elo1=10", "elo0 should be below elo1"),
        ("first.sh same.sh --sprt elo1=nan", "elo0 should be below elo1"),
        ("first.sh same.sh --sprt elo1=much", "--sprt elo1: should be a number, not 'much'"),
        ("first.sh same.sh --sprt elo2=3", "--sprt elo2: unknown key; did you mean elo1?"),
        ("first.sh same.sh --sprt alpha", "--sprt alpha: should be KEY=VALUE"),
        ("first.sh same.sh --sprt beta=2", "alpha and beta should be above 0, together below 1"),
        (
            "first.sh same.sh --sprt model=normalised",
            "--sprt model: should be logistic or normalized, not 'normalised'; did you mean normalized?",
        ),
        ("first.sh same.sh --sprt model=normalized --sprt elo1=501", "both at most 500 from 0"),
        ("first.sh same.sh --seats 3", "a table of 3 needs 2 bots or more after --against, not 0"),
        ("first.sh same.sh -o cast", "--option cast: should be KEY=VALUE"),
        ("first.sh same.sh --move 2", "--move: should be a time"),
        ("first.sh same.sh --out first.sh", "first.sh: not a run file"),
    ],
)
def test_mistakes_get_one_line_and_status_2(refused, bots, given, message):
    assert message in refused("compare", *given.split())


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_goes_on_after_an_end_and_plays_nothing_twice(arena, bots, ending):
    command = ["compare", "first.sh", "same.sh", "--seed", 1, "--sprt", "elo1=2", "--max-groups", 150]
    whole = arena(*command, "--out", "whole.db", "--jobs", 1)
    assert whole.returncode == 3
    words = [sys.executable, "-m", "arena", *map(str, command), "--out", "run.db"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=bots, stdout=pipe, stderr=pipe, env=os.environ, text=True) as process:
        recorded = wait_for_games(bots / "run.db", 70)
        process.send_signal(ending)
        output, errors = process.communicate(timeout=20)
    if ending == signal.SIGINT:
        assert process.returncode == 130
        assert "stopped; resume with: the same command, and --out run.db" in errors
        ratio, counts, answer = output.splitlines()
        groups = int(re.search(r"^LLR .* \(-2.94 to \+2.94\), (\d+) groups, ", ratio)[1])
        games = map(json.loads, arena("export", "run.db").stdout.splitlines())
        complete = Counter(Counter(game["fixture"]["group"] for game in games).values())[2]
        assert 32 <= groups <= complete < 150  # the first 32 are complete before others begin
        assert re.search(r"Ptnml\(0-2\): 0, 0, (\d+), 0, 0$", counts)[1] == str(groups)
        assert answer == "undecided whether first is better than same"
    assert recorded < 300
    done = arena(*command, "--out", "run.db", "--jobs", 2)
    assert (done.returncode, done.stdout) == (3, whole.stdout)
    assert arena("export", "run.db").stdout == arena("export", "whole.db").stdout


@pytest.mark.slow
def test_an_end_before_the_first_game_is_told_as_json_too(bots):
    (bots / "late.py").write_text("import time\ntime.sleep(60)\n")
    words = [sys.executable, "-m", "arena", "compare", "late.py", "first.sh", "--format", "json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=bots, stdout=pipe, stderr=pipe, text=True) as process:
        for line in process.stderr:
            if "games played" in line:
                break
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "stopped; resume with: the same command" in errors
    said = json.loads(output)
    assert (said["better"], said["groups"], said["games"], said["llr"]) == (None, 0, 0, 0)
    assert said["pentanomial"] == [0] * 5 and said["bounds"] == [-2.9444, 2.9444]
