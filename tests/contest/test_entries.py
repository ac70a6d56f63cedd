"""The states of an entry: who may change them, whose turn it is, and what happens if the arena dies."""

import pytest
from contests import bot_archive, hand_in, new_contest, states

from arena.contest import alarms, entrants, entries
from arena.programs.check.finding import Finding

NOON = 2_000_000_000.0


@pytest.fixture
def spring(tmp_path):
    return new_contest(tmp_path / "spring", "ada", "bob", "cyd")


@pytest.fixture
def database(spring):
    return spring.database()


@pytest.fixture
def hand(spring):
    """Hands in a new version of an entrant."""
    return lambda name: hand_in(spring, name, bot_archive())


def take(database, now=NOON):
    return entries.take(database, lambda entry: True, now, 60.0)


def accept(database, entry, made="abc", installed=None):
    install = (installed if installed is not None else []).append
    return entries.accept(database, entry, made, [], NOON, 60.0, lambda: install(entry.version))


def test_from_the_hand_in_to_the_ladder(database, hand):
    hand("ada")
    entry = take(database)
    assert (entry.state, entry.until.timestamp()) == ("unpacking", NOON + 60)
    for state in ("building", "checking"):
        assert entries.enter(database, entry, state, NOON, 60.0)
        assert states(database, "ada") == {"ada": [state]}
    installed = []
    assert accept(database, entry, "abc", installed) and installed == [1]
    (waiting,) = entries.waiting(database)
    assert waiting.until.timestamp() == NOON + 60
    entries.set_playing(database, {"ada": "another version"}, NOON)
    assert states(database, "ada") == {"ada": ["waiting"]}
    entries.set_playing(database, {"ada": "abc"}, NOON)
    assert states(database, "ada") == {"ada": ["playing"]}
    assert [entry.entrant for entry in entries.playing(database)] == ["ada"]


def test_entrants_take_turns(database, hand):
    for name in ("ada", "bob"):
        hand(name)
    served = [take(database).entrant]
    hand("cyd")
    hand("ada")
    assert [each.entrant for each in entries.queue(database)] == ["bob", "cyd", "ada"]
    served += [take(database).entrant for _ in range(2)]
    assert served == ["ada", "bob", "cyd"]


def test_versions_of_an_entrant_are_worked_on_one_after_another(database, hand):
    hand("ada")
    first = take(database)
    hand("ada")
    assert take(database) is None
    assert entries.pending(database) == 2
    accept(database, first)
    second = take(database)
    assert second.version == 2
    accept(database, second)
    assert states(database, "ada") == {"ada": ["waiting", "replaced"]}


def test_a_version_that_fails_leaves_the_one_before_in_place(database, hand):
    hand("ada")
    accept(database, take(database))
    hand("ada")
    finding = Finding("plays", "fault", "it crashes", figures={"games": 3})
    entries.fail(database, take(database), "it crashes", [finding], NOON)
    newest, before = entries.of(database, "ada")
    assert (newest.state, newest.why, before.state) == ("failed", "it crashes", "waiting")
    assert newest.findings == (finding,)
    assert [entry.version for entry in entries.playing(database)] == [1]


@pytest.mark.parametrize("act", ["withdraw", "rejudge", "delete"])
def test_out_of_its_turn_a_process_changes_nothing(database, hand, act):
    number = hand("ada")
    entry = take(database)
    if act == "rejudge":
        entries.rejudge(database, number)
    else:
        {"withdraw": entries.withdraw, "delete": entrants.delete}[act](database, "ada")
    before = states(database, "ada")
    installed = []
    assert not entries.enter(database, entry, "checking", NOON)
    assert not entries.fail(database, entry, "late", [], NOON)
    assert not entries.lose(database, entry, "died", NOON)
    assert not accept(database, entry, "abc", installed)
    assert states(database, "ada") == before and not installed


def test_what_the_arena_loses_is_tried_again_once(database, hand):
    number = hand("ada")
    hand("bob")
    entries.lose(database, take(database), "killed", NOON)
    assert entries.find(database, number).state == "received"
    assert take(database).entrant == "ada", "it comes first"
    entries.lose(database, entries.find(database, number), "killed", NOON, "no memory")
    entry = entries.find(database, number)
    assert (entry.state, entry.by_arena) == ("failed", True)
    assert entry.why == "killed; the arena is at fault, and its organiser was told"
    assert [each.text for each in alarms.unseen(database)] == [
        "ada, version 1: killed: no memory; it has failed: requeue it",
        "ada, version 1: killed; it is tried again",
    ]
    assert entries.requeue(database) == 1
    assert entries.find(database, number).state == "received"


def test_what_the_server_hands_back_is_not_lost(database, hand):
    hand("ada")
    for _ in range(5):
        entry = take(database)
        entries.hand_back(database, entry, NOON)
    assert states(database, "ada") == {"ada": ["received"]}
    assert alarms.unseen(database) == []


def test_what_is_judged_again_plays_on_until_its_verdict(database, hand):
    for name in ("ada", "bob"):
        hand(name)
        accept(database, take(database), name)
        entries.set_playing(database, {name: name}, NOON)
    assert entries.rejudge(database) == 2
    assert [entry.entrant for entry in entries.playing(database)] == ["ada", "bob"]
    entries.fail(database, take(database), "too slow", [], NOON)
    assert [entry.entrant for entry in entries.playing(database)] == ["bob"]
    accept(database, take(database), "bob")
    assert states(database, "ada", "bob") == {"ada": ["failed"], "bob": ["waiting"]}


def test_an_older_version_that_is_judged_again_does_not_take_the_place_of_a_newer(database, hand):
    old = hand("ada")
    entries.fail(database, take(database), "crashes", [], NOON)
    hand("ada")
    accept(database, take(database))
    entries.rejudge(database, old)
    installed = []
    accept(database, take(database), "old", installed)
    assert states(database, "ada") == {"ada": ["waiting", "replaced"]} and not installed


def test_who_is_excluded_leaves_and_may_come_back(database, hand):
    hand("ada")
    accept(database, take(database))
    hand("ada")
    entrants.exclude(database, "ada", "two accounts")
    assert not entries.queue(database) and not entries.playing(database) and not entries.pending(database)
    entrants.readmit(database, "ada")
    assert len(entries.queue(database)) == len(entries.playing(database)) == 1
