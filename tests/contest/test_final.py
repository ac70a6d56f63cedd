"""The final: fixed on the first day and at the deadline, played from that alone, verified by anybody."""

import hmac
import json
import shutil
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import combinations, product
from time import time

import pytest
from contest_folders import contest_with, end_now, enter, put_settings
from stored_games import fixture, record

from arena.config.document import ConfigError
from arena.contest import entrants, entries, final, folders, publication
from arena.contest.contest import deadline, open_contest
from arena.contest.player import Player
from arena.contest.settings import Commitment, VoidDeal, settings_of
from arena.referee.deals import commitment
from arena.referee.seat import Fault
from arena.tournament.runs.commitments import final_problems
from arena.tournament.runs.facts import Author
from arena.tournament.runs.store import Store, VoidGame
from arena.tournament.runs.stored_game import pack
from arena.tournament.runs.verify import verify
from arena.tournament.runs.without_stderr import copy_without_stderr

NAMES = ("ada", "bob", "cyd")


def fix(contest, database):
    final.publish_commitment(contest, database)
    end_now(database)
    final.fix(contest, database, time())
    return settings_of(database).final


@pytest.fixture
def contest(tmp_path):
    return contest_with(tmp_path / "spring", NAMES)


@pytest.fixture
def database(contest):
    return contest.database()


@pytest.fixture(scope="module")
def over(tmp_path_factory):
    """A contest whose final was played and published."""
    contest = contest_with(tmp_path_factory.mktemp("contest") / "spring", NAMES)
    database = contest.database()
    end_now(database)
    player = Player(contest, "start")
    final.publish_commitment(contest, database)
    player._play_next()
    put_settings(database, publish=True)
    player._play_next()
    assert settings_of(database).published
    return contest


def test_the_list_at_the_deadline_and_the_secret_of_the_first_day_are_that_of_the_run(contest, database):
    """Computed here as the page says, without the arena."""
    fixed = fix(contest, database)
    secret = (contest.server / "secret").read_text().strip()
    assert settings_of(database).commitment == Commitment(sha256(secret.encode()).hexdigest())
    assert fixed.list_sha256 == sha256(fixed.text.encode()).hexdigest()
    listed = json.loads(fixed.text)
    assert listed["bots"] == dict(fixed.listed) and [*listed["bots"]] == [*NAMES]
    assert (listed["format"], listed["groups"], listed["seats"]) == ("round-robin", 2, [2])
    plan = final.plan_of(contest, settings_of(database).final)
    assert plan.seed == hmac.new(secret.encode(), fixed.text.encode(), "sha256").hexdigest()


def test_what_was_fixed_does_not_change_any_more(contest, database):
    """A new version, a moved deadline and a clock that was set change nothing."""
    before = fix(contest, database)
    enter(contest, database, "ada", 2, "# another")
    assert fix(contest, database) == before
    put_settings(database, deadline=datetime(2037, 1, 1, 18, tzinfo=UTC))
    assert final.is_due(contest, database, time()) is False
    plan = final.plan_of(contest, settings_of(database).final)
    assert {name: bot.fingerprint for name, bot in plan.bots.items()} == dict(before.listed)


def test_each_game_of_a_final_has_a_deal_of_its_own(over):
    with Store(over.published / "final.db") as store:
        seeds = [store.record(game.id).fixture.seed for game in store.games()]
    assert len(set(seeds)) == len(seeds) == 12
    assert json.loads((over.published / "list.json").read_text())["deals"] == "per-game"


def test_a_final_may_have_a_deal_for_each_seed_group(contest, database):
    contest.final.write_text(contest.final.read_text() + "deals: per-group\n")
    assert "deals" not in json.loads(fix(contest, database).text)
    assert final.plan_of(contest, settings_of(database).final).conditions.has_equal_deals
    contest.final.write_text(contest.final.read_text().replace("per-group", "per-game"))
    with pytest.raises(ConfigError, match="is not the plan that was published at the deadline"):
        final.plan_of(contest, settings_of(database).final)


@pytest.mark.parametrize(
    "late, states, is_due",
    [
        (-1, {}, False),
        (1, {}, False),
        (11, {}, True),
        (11, {"ada": "received"}, False),
        (11, {"ada": "checking"}, False),
        (11, {"ada": "failed"}, True),
        (final.VERDICTS_S + 1, {"ada": "checking"}, True),
    ],
)
def test_the_final_waits_for_verdicts_but_not_for_ever(contest, database, late, states, is_due):
    for name, state in states.items():
        database.write("UPDATE entry SET state = ? WHERE entrant = ?", state, name)
    assert final.is_due(contest, database, deadline(contest, database).timestamp() + late) == is_due


def test_another_secret_than_that_of_the_first_day_is_refused(contest, database):
    final.publish_commitment(contest, database)
    contest.secret.write_text("0" * 64)
    with pytest.raises(ConfigError, match="is not the secret whose SHA-256 was published"):
        final.publish_commitment(contest, database)


def test_a_plan_that_was_changed_after_the_deadline_is_refused(contest, database):
    fix(contest, database)
    contest.final.write_text(contest.final.read_text().replace("groups: 2", "groups: 3"))
    with pytest.raises(ConfigError, match="is not the plan that was published at the deadline"):
        final.plan_of(contest, settings_of(database).final)


@pytest.mark.parametrize(
    "line, words",
    [
        ("bots: entries", "the bots are those of the entrants"),
        ("format: swiss", "round-robin or adaptive"),
        ("seed: 5", "seed"),
    ],
)
def test_a_plan_that_is_none_for_a_final_is_named(contest, database, line, words):
    key = line.partition(":")[0]
    lines = [each for each in contest.final.read_text().splitlines() if not each.startswith(key)]
    contest.final.write_text("\n".join([*lines, line]))
    with pytest.raises(ConfigError, match=words):
        fix(contest, database)


def test_a_void_game_is_told_to_the_pages_and_kept_in_the_published_copy(contest, database, tmp_path):
    """Its reason without the places of the server, also if it is in the file before the player starts."""
    fix(contest, database)
    why = f"Traceback\nOSError: no space for {contest.folder}/x\n"
    game = VoidGame("f" * 16, "ada bob 0", "0" * 16, 0, why)
    with Store(contest.run("final"), writer=True) as store:
        store.add_voids([game, game._replace(game="e" * 16, why="")])
        final.tell_voids(contest, database, store)
    why = "OSError: no space for x"
    assert settings_of(database).final.voids == (VoidDeal(group="ada bob 0", deal=1, games=2, why=why),)
    copy_without_stderr(contest.run("final"), tmp_path / "copy.db", hidden=f"{contest.folder}/")
    with Store(tmp_path / "copy.db") as copy:
        assert [void.why for void in copy.void_rows()] == [why, ""]


def test_an_entry_that_is_gone_or_broken_after_the_deadline_loses_and_the_others_play(contest, database):
    fix(contest, database)
    entrants.delete(database, "ada")
    shutil.rmtree(contest.entries / "ada")
    for copy in (contest.runs / "final.bots").glob("ada-*"):
        shutil.rmtree(copy)
    plan = final.plan_of(contest, settings_of(database).final)
    assert [bool(bot.broken) for bot in plan.bots.values()] == [True, False, False]


def test_the_final_waits_for_an_entry_that_cannot_be_copied_but_not_for_ever(contest, database):
    """The organiser is told what to do; without an organiser the entry loses its games at last."""
    (mark,) = [each.fingerprint for each in entries.of(database, "ada")]
    (contest.entries / "ada" / "bot.sh").write_text("exit 1")
    with pytest.raises(ConfigError, match=r"entry ada: its files were changed .* judge it again, or exclude"):
        fix(contest, database)
    final.fix(contest, database, time() + final.VERDICTS_S)
    assert dict(settings_of(database).final.listed)["ada"] == mark
    plan = final.plan_of(contest, settings_of(database).final)
    assert [bool(bot.broken) for bot in plan.bots.values()] == [True, False, False]


def test_what_was_excluded_is_named_and_why(contest, database):
    entrants.exclude(database, "bob", "before the deadline: it is not in the list")
    fix(contest, database)
    entrants.exclude(database, "ada", "two\naccounts")
    assert final.excluded(database) == {"ada": "two\naccounts"}
    said = "\nWithout ada, which the organiser has excluded: two accounts\n"
    assert publication._without(("ada", "two\naccounts")) == said


def test_what_waited_for_the_ladder_at_the_deadline_plays_in_the_final(contest, database):
    fix(contest, database)
    assert {each.state for each in entries.playing(database)} == {"playing"}


def test_the_published_folder_has_all_that_is_needed(over, tmp_path):
    folder, database = over.published, over.database()
    with Store(folder / "final.db") as store:
        verdict = verify(store)
        assert (verdict.run, verdict.games, verdict.checked) == ([], {}, 12)
        assert verdict.contest == settings_of(database).commitment.sha256
        assert store.facts.revealed
    sums = (folder / "SHA256SUMS").read_text()
    for line in sums.splitlines():
        digest, name = line.split("  ")
        assert sha256((folder / name).read_bytes()).hexdigest() == digest
    assert settings_of(database).published.sha256 == sha256(sums.encode()).hexdigest()
    assert settings_of(database).commitment.sha256 in (folder / "README.md").read_text()
    assert not (folder / "entries").exists()
    names = [each.name for each in settings_of(database).places]
    assert sorted(names) == [*NAMES]


def tampered(over, path, remove="0", **changes):
    """A copy of the published run with other facts, its commitment made to fit, without some games."""
    shutil.copy(over.published / "final.db", path)
    with sqlite3.connect(path) as base:
        base.execute(f"DELETE FROM game WHERE {remove}")
    base.close()
    with Store(path, writer=True) as store:
        facts = store.facts
        facts = replace(facts, **{key: change(facts) for key, change in changes.items()})
        if facts.committed and facts.secret:
            facts = replace(facts, commitment=commitment(facts.committed, facts.secret))
        store.write_facts(facts)
    with Store(path) as store:
        return verify(store).run


def other_bots(facts):
    return {**facts.committed, "bots": {**facts.committed["bots"], "ada": "0" * 16}}


def play_final(contest, groups, places):
    """A final between four; the `places` by seat of two bots in a game of a seed group."""
    with Store(contest.run("final"), writer=True) as store:
        for number, pair in product(range(groups), combinations(("ada", "bob", "cyd", "dan"), 2)):
            for rotation, bots in enumerate((pair, pair[::-1])):
                group = f"{' '.join(pair)} {number}"
                marks = tuple(f"f{bot}" for bot in bots)
                played = replace(fixture(), bots=bots, fingerprints=marks, group=group, rotation=rotation)
                made = record(fixture=played, replies=(), faults=(), result=(places(number, bots), None))
                store.append([pack(made)])


def ada_wins_and_dan_loses(number, bots):
    if "ada" in bots or "dan" in bots:
        return (1, 2) if bots[0] == "ada" or bots[1] == "dan" else (2, 1)
    return (1, 2) if number % 2 else (2, 1)


def test_a_final_says_who_is_surely_first_and_who_may_be_among_the_first_three(contest, database):
    """With clean scores, for which no curve is fitted: the chance of such a record decides."""
    play_final(contest, 12, ada_wins_and_dan_loses)
    places, prize = final.result(contest, database)
    assert prize == "Surely first: ada. May be among the first three: ada, bob and cyd."
    assert [each.name for each in places if each.may_be_first] == ["ada"]
    assert {each.name for each in places if each.may_be_on_podium} == {"ada", "bob", "cyd"}


def test_a_few_games_leave_open_who_is_first(contest, database):
    play_final(contest, 1, ada_wins_and_dan_loses)
    places, prize = final.result(contest, database)
    assert prize == "Any bot may be first." and all(each.may_be_first for each in places)


def test_the_published_result_says_who_may_be_first(over):
    prize = settings_of(over.database()).prize
    assert prize.endswith(" first.") and f"\n{prize}\n" in (over.published / "README.md").read_text()


OTHER = "0123456789abcdef" * 4
NOT_PUBLISHED = "the secret of the contest is not the one whose SHA-256 was published"
DOES_NOT_FOLLOW = "the secret of the run does not follow"
TAMPERED = [
    ("another hash", {"origin": lambda f: replace(f.origin, sha256=OTHER)}, NOT_PUBLISHED),
    ("another secret", {"origin": lambda f: replace(f.origin, secret=OTHER)}, NOT_PUBLISHED),
    (
        "another secret with its hash",
        {"origin": lambda f: replace(f.origin, secret=OTHER, sha256=sha256(OTHER.encode()).hexdigest())},
        DOES_NOT_FOLLOW,
    ),
    ("another entry", {"committed": other_bots, "plan": other_bots}, DOES_NOT_FOLLOW),
    (
        "another number of games",
        {"committed": lambda f: {**f.committed, "groups": 1}, "plan": lambda f: {**f.plan, "groups": 1}},
        DOES_NOT_FOLLOW,
    ),
    ("no secret", {"origin": lambda f: replace(f.origin, secret=None)}, "has lost the secret of its contest"),
]


@pytest.mark.parametrize("changes, words", [row[1:] for row in TAMPERED], ids=[row[0] for row in TAMPERED])
def test_what_was_changed_afterwards_is_named(over, tmp_path, changes, words):
    assert any(words in problem for problem in tampered(over, tmp_path / "changed.db", **changes))


def plan_with(**keys):
    return lambda facts: {**facts.plan, **keys}


def without_ada(facts):
    return {**facts.plan, "bots": {name: made for name, made in facts.plan["bots"].items() if name != "ada"}}


def with_eve(facts):
    return {**facts.plan, "bots": {**facts.plan["bots"], "eve": "e" * 16}}


def closed(games, missing=0):
    return {"closed": lambda facts: replace(facts.closed, games=games, missing=missing)}


OF_ADA = "' ' || bots || ' ' LIKE '% 0 %'"
AFTER_THE_LIST = [
    ("an entrant and its games gone", OF_ADA, {"plan": without_ada, **closed(4)}, "bot ada is in the list"),
    (
        "an entrant that sits out",
        OF_ADA,
        {"skipped": lambda facts: {"ada": "it does not start"}, **closed(4)},
        "bot ada did not play, and is in the list of the final: it does not start",
    ),
    ("a bot added", "0", {"plan": with_eve}, "bot eve is not in the list of the final"),
    ("more groups", "0", {"plan": plan_with(groups=3)}, "groups: 3, in the list of the final 2"),
    (
        "fewer groups",
        "seed_group = '1'",
        {"plan": plan_with(groups=1), **closed(6)},
        "groups: 1, in the list",
    ),
    (
        "a group gone, and closed early",
        "seed_group = '1'",
        closed(6, 6),
        "the final lacks 6 of the games that its list fixes",
    ),
    (
        "another rating",
        "0",
        {"rating": lambda f: replace(f.rating, order="points")},
        "rating: order: points, in the list of the final elo",
    ),
]


@pytest.mark.parametrize(
    "remove, changes, words", [row[1:] for row in AFTER_THE_LIST], ids=[row[0] for row in AFTER_THE_LIST]
)
def test_what_differs_from_the_published_list_is_named(over, tmp_path, remove, changes, words):
    path = tmp_path / "changed.db"
    problems = tampered(over, path, remove, **changes)
    assert any(words in problem for problem in problems), problems


def test_a_final_without_its_origin_is_named_by_the_list_beside_it(over, tmp_path):
    """So is a list that was exchanged. The SHA-256 of the list is told: the contest's page has it, too."""
    path = tmp_path / "final.db"
    assert tampered(over, path) == []
    shutil.copy(over.published / "list.json", tmp_path)
    with Store(path) as store:
        verdict = verify(store)
    assert (verdict.run, verdict.listed) == ([], settings_of(over.database()).final.list_sha256)
    (tmp_path / "list.json").write_text("{}")
    assert tampered(over, path) == ["list.json beside the run is not its list"]
    (found,) = tampered(over, path, origin=lambda facts: None)
    assert "the run has lost its origin: list.json beside it is the list of a contest's final" in found


def test_a_published_final_is_closed_and_its_number_of_games_is_held_against_the_list(over, tmp_path):
    """Also if the run says that it goes on."""
    shutil.copy(over.published / "list.json", tmp_path)
    path, changes = tmp_path / "final.db", {"revealed": lambda f: False, "closed": lambda f: None}
    assert tampered(over, path, "seed_group = '1'", **changes) == [
        "the final was published, and its run is not closed",
        "the final lacks 6 of the games that its list fixes",
    ]


def test_a_final_whose_entrants_have_changed_their_teams_is_named(over):
    """With teams: apart the teams decide which games there are."""
    with Store(over.published / "final.db") as store:
        facts = store.facts
    settings = {**facts.committed["settings"], "teams": {name: f"bot {name}" for name in NAMES}}
    listed = {**facts.committed, "teams": "apart", "settings": settings}
    facts = replace(facts, committed=listed, plan={**facts.plan, "teams": "apart"})
    path, author = over.published / "x.db", Author(author="Ann", version="")
    assert [each for each in final_problems(path, facts, 12, 0) if "teams" in each] == []
    facts = replace(facts, authors={name: author for name in NAMES})
    found = [each for each in final_problems(path, facts, 12, 0) if "teams" in each]
    assert found[0] == "teams: ada: author Ann, in the list of the final bot ada"


@pytest.mark.parametrize(
    "games, settings, words",
    [
        (12, {"games": 12}, None),
        (12, {"games": 13}, "the final has 12 games, its list fixes 13"),
        (12, {"games": 13, "target_error": 10.0}, None),
        (12, {"games": 11}, None),  # the last seed group ends beyond
        (12, {"games": 10}, "the final has 12 games, its list fixes 10, plus the rest of a seed group"),
    ],
)
def test_an_adaptive_final_has_the_number_of_games_of_its_list(over, games, settings, words):
    with Store(over.published / "final.db") as store:
        facts = store.facts
    listed = {
        **facts.committed,
        "format": "adaptive",
        "settings": {**facts.committed["settings"], **settings},
    }
    facts = replace(facts, committed=listed)
    problems = [
        each for each in final_problems(over.published / "x.db", facts, games, None) if "games, " in each
    ]
    assert problems == [] if words is None else words in problems[0]


def test_the_published_run_has_nothing_that_private_entries_wrote_to_stderr(over):
    with Store(over.published / "final.db") as store:
        assert all("stderr" not in store.record(game.id).trace for game in store.games())


def test_a_freeze_shows_the_standings_of_its_moment_until_the_end(contest, database):
    ladder, frozen = contest.runs / "ladder.db", contest.runs / "frozen.db"
    moment = deadline(contest, database)
    with Store(ladder, writer=True):
        pass
    now = moment.timestamp()
    publication.freeze(contest, database, moment, now - 1)
    assert not frozen.exists() and not settings_of(database).frozen
    publication.freeze(contest, database, moment, now + 1)
    first = frozen.stat().st_ino
    publication.freeze(contest, database, moment, now + 100)
    assert frozen.stat().st_ino == first and settings_of(database).frozen.at.timestamp() == now + 1
    publication.freeze(contest, database, moment, now - 1)  # it was moved, or the clock was
    assert not frozen.exists() and not settings_of(database).frozen


def test_games_that_cannot_be_played_do_not_keep_the_final_from_its_end(contest, database):
    fix(contest, database)
    attempts = [False] * 3 + [True] + [False] * 4
    assert [final.give_up(database, has_new) for has_new in attempts] == [False] * 7 + [True]


def test_an_engine_that_is_none_is_named(contest):
    with (contest.folder / "contest.yaml").open("a") as file:
        file.write("engine: dusk\n")
    with pytest.raises(ConfigError, match="engine: should be local, dask, or an address"):
        open_contest(contest.folder)


def test_a_fault_is_published_without_what_the_bot_wrote_to_stderr(over):
    with Store(over.published / "final.db") as store:
        record = store.record(next(store.games()).id)
    said = Fault(0, "unstarted", 0, "exited with status 3 before it answered hello; stderr: 'my secret plan'")
    public = replace(record, faults=(said,)).without_stderr()
    assert [fault.detail for fault in public.faults] == ["exited with status 3 before it answered hello"]


def test_copies_that_nothing_plays_any_more_are_removed(tmp_path):
    old, new, other = "ada-0123456789abcdef", "ada-fedcba9876543210", "part"
    for name in (old, new, other):
        (tmp_path / name / "build").mkdir(parents=True)
    folders.remove_old_copies(tmp_path, {new})
    assert sorted(path.name for path in tmp_path.iterdir()) == [new, other]


def test_a_final_without_enough_entries_says_how_many_it_needs(tmp_path):
    lonely = contest_with(tmp_path / "lonely", ["ada"])
    with pytest.raises(ConfigError, match="the final needs 2 entries and has 1: extend the deadline"):
        fix(lonely, lonely.database())
