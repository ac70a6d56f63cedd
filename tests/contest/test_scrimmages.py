"""Scrimmages: who may ask for how many games, and that none is pending for ever."""

import pytest
from contests import new_contest

from arena.config.document import ConfigError
from arena.contest import entrants, scrimmages


@pytest.fixture
def state(tmp_path):
    """A contest in which ada, bob and cal have a version that plays, and dan has none."""
    database = new_contest(tmp_path / "spring", "ada", "bob", "cal", "dan").database()
    for name in ("ada", "bob", "cal"):
        database.write(
            "INSERT INTO entry (entrant, number, received, bytes, sha256, state, since, fingerprint)"
            " VALUES (?, 1, 0, 1, '', 'playing', 0, 'f')",
            name,
        )
    return database


def at(seconds):
    return lambda: float(seconds)


def states(database, name="ada"):
    return [row["state"] for row in scrimmages.of(database, name)]


WRONG = [
    ("ada", 4, "another entrant"),
    ("dan", 4, "dan has no version that plays"),
    ("nobody", 4, "nobody has no version that plays"),
    ("bob", 0, "1 to 20 games"),
    ("bob", 21, "1 to 20 games"),
]


@pytest.mark.parametrize("opponent, games, why", WRONG)
def test_what_cannot_be_asked_for(state, opponent, games, why):
    with pytest.raises(ConfigError, match=why):
        scrimmages.ask(state, "ada", opponent, games, at(0))
    assert states(state) == []


def test_twenty_games_an_hour(state):
    scrimmages.ask(state, "ada", "bob", 15, at(0))
    with pytest.raises(ConfigError, match="20 games an hour are allowed, and 15 were asked for"):
        scrimmages.ask(state, "ada", "cal", 6, at(60))
    scrimmages.ask(state, "ada", "cal", 5, at(60))
    scrimmages.ask(state, "bob", "ada", 20, at(61))
    scrimmages.ask(state, "ada", "bob", 15, at(3601))


def test_who_declines_is_not_played_and_costs_nothing(state):
    state.write("UPDATE entrant SET declines = 1 WHERE name = 'bob'")
    scrimmages.ask(state, "ada", "bob", 20, at(0))
    assert states(state) == ["declined"] and scrimmages.due(state) == []
    scrimmages.ask(state, "ada", "cal", 20, at(1))
    assert states(state) == ["waiting", "declined"]


def test_entrants_take_turns(state):
    for _ in range(3):
        scrimmages.ask(state, "ada", "cal", 2, at(0))
    scrimmages.ask(state, "bob", "cal", 2, at(0))
    order = []
    while waiting := scrimmages.due(state):
        assert scrimmages.begin(state, waiting[0]["id"], 100.0)
        assert not scrimmages.begin(state, waiting[0]["id"], 100.0)
        scrimmages.finish(state, waiting[0]["id"])
        order.append(waiting[0]["entrant"])
    assert order == ["ada", "bob", "ada", "ada"]


def test_none_is_pending_for_ever(state):
    first = scrimmages.ask(state, "ada", "bob", 2, at(0))
    scrimmages.ask(state, "ada", "bob", 2, at(0))
    scrimmages.begin(state, first, 100.0)
    assert [row["id"] for row in scrimmages.expire(state, 101.0)] == [first]
    assert states(state) == ["waiting", "failed"]
    scrimmages.expire(state, 4000.0)
    assert states(state) == ["failed", "failed"]
    scrimmages.finish(state, first)
    assert states(state) == ["failed", "failed"]


def test_all_of_a_deleted_entrant_is_gone(state):
    scrimmages.ask(state, "ada", "bob", 2, at(0))
    entrants.delete(state, "bob")
    assert states(state) == []
