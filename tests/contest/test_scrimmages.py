"""Scrimmages: who may ask for how many, and what becomes of them."""

import pytest
from contest_folders import contest_with

from arena.config.document import ConfigError
from arena.contest import entrants, entries, scrimmages
from arena.contest.database import put_setting
from arena.contest.player import Player
from arena.tournament.runs.store import Store

NOW = 1e9


@pytest.fixture
def contest(tmp_path):
    return contest_with(tmp_path / "spring", ("ada", "bob", "cyd"))


@pytest.fixture
def database(contest):
    return contest.database()


def ask(database, entrant="ada", opponent="bob", games=4, at=NOW):
    return scrimmages.ask(database, entrant, opponent, games, lambda: at)


def states(database):
    return [row["state"] for row in database.rows("SELECT state FROM scrimmage ORDER BY id")]


REFUSED = [
    (lambda db: None, {"games": 0}, "1 to 20 games"),
    (lambda db: None, {"games": 21}, "1 to 20 games"),
    (lambda db: None, {"opponent": "ada"}, "needs another entrant"),
    (lambda db: None, {"opponent": "eve"}, "no entrant eve"),
    (lambda db: scrimmages.decline(db, "bob", True), {}, "bob declines scrimmages"),
    (lambda db: entrants.withdraw(db, "bob"), {}, "bob has no entry that plays"),
    (lambda db: entrants.exclude(db, "ada", "cheats"), {}, "ada has no entry that plays"),
    (lambda db: put_setting(db, "final", {"state": "playing"}), {}, "deadline is over"),
]


@pytest.mark.parametrize("before, values, words", REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_refused_says_why(database, before, values, words):
    before(database)
    with pytest.raises(ConfigError, match=words):
        ask(database, **values)
    assert states(database) == []


def test_an_entrant_may_ask_for_twenty_an_hour(database):
    for number in range(scrimmages.HOURLY):
        ask(database, at=NOW + number)
    with pytest.raises(ConfigError, match="20 scrimmages an hour"):
        ask(database, at=NOW + 3599)
    ask(database, at=NOW + 3601)
    ask(database, "bob", "ada", at=NOW)


def test_who_declines_later_declines_those_that_wait(database):
    ask(database)
    ask(database, opponent="cyd")
    scrimmages.decline(database, "bob", True)
    assert states(database) == ["declined", "waiting"]
    scrimmages.decline(database, "bob", False)
    ask(database)


def test_who_had_fewer_comes_first_and_what_is_late_has_failed(database):
    first = ask(database)
    scrimmages.end(database, first, "over")
    second, third = ask(database, at=NOW + 1), ask(database, "bob", "cyd", at=NOW + 2)
    assert scrimmages.next_due(database)["id"] == third
    scrimmages.end_late(database, NOW + 1 + scrimmages.WITHIN_S + 0.5)
    assert states(database) == ["over", "failed", "waiting"]
    assert second


def test_the_games_are_played_unrated_in_a_file_of_their_own_and_none_twice(contest, database):
    """Both sit first equally often. After a kill the missing games are played."""
    number = scrimmages.ask(database, "ada", "bob", 4)
    player = Player(contest, "start")
    stops = iter([False, False, True])
    player._stop_scrimmage = lambda: next(stops)
    player._play_next()
    assert states(database) == ["playing"]
    player = Player(contest, "start")
    player._play_next()
    assert states(database) == ["over"]
    with Store(contest.runs / "scrimmages.db") as store:
        games = list(store.games())
        assert len({store.record(game.id).fixture.seed for game in games}) == 4
    assert len(games) == 4 and not any(game.faults for game in games)
    assert sorted(game.bots for game in games) == [("ada", "bob")] * 2 + [("bob", "ada")] * 2
    assert all(f"/{number}-" in game.seed_group for game in games)
    assert not (contest.runs / "ladder.db").exists()
    assert [each["state"] for each in entries.of(database, "ada")] == ["waiting"]


def test_no_entrant_has_a_name_under_which_another_plays(tmp_path):
    """At larger tables each of the two has several seats; those of ada are not those of an entrant ada-2."""
    contest = contest_with(tmp_path / "spring", ("ada", "bob"))
    contest.ladder.write_text(contest.ladder.read_text().replace("seats: 2", "seats: 4"))
    scrimmages.ask(contest.database(), "ada", "bob", 1)
    Player(contest, "start")._play_next()
    with Store(contest.runs / "scrimmages.db") as store:
        (game,) = store.games()
    owners = {
        bot: [name for name in ("ada", "bob", "ada-2", "2.ada") if scrimmages.is_of(bot, name)]
        for bot in game.bots
    }
    assert sorted(owners.values()) == [["ada"], ["ada"], ["bob"], ["bob"]]
    for bot in {*game.bots} - {"ada", "bob"}:
        with pytest.raises(ConfigError, match="begins with a letter or a digit"):
            entrants.add(contest.database(), [entrants.NewEntrant(bot)])
