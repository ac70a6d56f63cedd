"""Scrimmages: who may ask for how many, and what becomes of them."""

from datetime import UTC, datetime
from time import monotonic, time

import psutil
import pytest
from contest_folders import contest_with, end_now, fixed_final, put_settings

from arena.config.document import ConfigError
from arena.contest import entrants, entries, scrimmage_games, scrimmages
from arena.contest import player as player_process
from arena.contest.contest import LADDER
from arena.contest.player import Player
from arena.programs.reading import read_bot
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
    (lambda db: entries.withdraw(db, "bob"), {}, "bob has no entry that plays"),
    (lambda db: entrants.exclude(db, "ada", "cheats"), {}, "ada has no entry that plays"),
    (lambda db: put_settings(db, final=fixed_final()), {}, "deadline is over"),
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
    assert scrimmages.next_due(database).id == third
    scrimmages.end_late(database, NOW + 1 + scrimmages.WITHIN_S + 0.5)
    assert states(database) == ["over", "failed", "waiting"]
    assert second


def test_the_games_are_played_unrated_in_a_file_of_their_own_and_none_twice(contest, database, monkeypatch):
    """Both sit first equally often. After a turn, or a kill, the missing games are played."""
    monkeypatch.setattr(scrimmage_games, "_TURN_S", 0.0)
    number = scrimmages.ask(database, "ada", "bob", 4)
    for _ in range(4):
        assert states(database) != ["over"]
        Player(contest, "start")._play_next()
    assert states(database) == ["over"]
    with Store(contest.runs / "scrimmages.db") as store:
        games = list(store.games())
        assert len({store.record(game.id).fixture.seed for game in games}) == 4
    assert len(games) == 4 and not any(game.faults for game in games)
    assert sorted(game.bots for game in games) == [("ada", "bob")] * 2 + [("bob", "ada")] * 2
    assert all(f"/{number}-" in game.seed_group for game in games)
    assert not (contest.runs / "ladder.db").exists()
    assert [each.state for each in entries.of(database, "ada")] == ["waiting"]


@pytest.fixture
def hanging(contest, database):
    """The number of a scrimmage whose bots answer nothing."""
    for name in ("ada", "bob"):
        place = contest.entries / name
        (place / "bot.sh").write_text("exec sleep 600")
        mark = read_bot(place, name=name).fingerprint
        database.write("UPDATE entry SET fingerprint = ? WHERE entrant = ?", mark, name)
    return scrimmages.ask(database, "ada", "bob", 20)


def freeze_now(contest, database):
    contest.run(LADDER).parent.mkdir(exist_ok=True)
    Store(contest.run(LADDER), writer=True).close()
    put_settings(database, freeze=datetime.fromtimestamp(time() - 1, UTC))


def children():
    """The processes that this one has started, with their descendants."""
    return set(psutil.Process().children(recursive=True))


ENDS = {
    "pause": (lambda contest, database: put_settings(database, paused=True), "playing"),
    "freeze": (freeze_now, "playing"),
    "exclusion": (lambda contest, database: entrants.exclude(database, "bob", "cheats"), "playing"),
    "deadline": (lambda contest, database: end_now(database), "failed"),
    "final": (lambda contest, database: put_settings(database, final=fixed_final(state="over")), "failed"),
    "too late": (lambda contest, database: database.write("UPDATE scrimmage SET until = 0"), "failed"),
    "stop": (None, "playing"),
}


@pytest.mark.parametrize("event", ENDS)
def test_a_running_game_ends_at_once(contest, database, hanging, event):
    """The bots have ten seconds to say hello, so a game that was not ended would be in the file."""
    player = Player(contest, "start")
    act, state = ENDS[event]
    beats, before = [], children()

    def act_in_the_game() -> None:
        if len(beats) == 2:
            act(contest, database) if act else player.stop.set()
        beats.append(bool(children() - before))

    player.reports.pulse = act_in_the_game
    player._play_scrimmage(scrimmages.next_due(database))
    assert True in beats, "a bot was started"
    assert states(database) == [state]
    assert not children() - before
    with Store(contest.runs / "scrimmages.db") as store:
        assert not list(store.games())


def test_after_a_turn_the_ladder_has_three_times_as_long_and_another_entrant_comes_first(
    contest, database, hanging, monkeypatch
):
    monkeypatch.setattr(player_process, "_MIN_LADDER_S", 0.0)
    other = scrimmages.ask(database, "cyd", "ada", 1)
    player = Player(contest, "start")
    began = monotonic()
    player.reports.pulse = lambda: monotonic() - began > 1 and player.stop.set()
    player._play_scrimmage(scrimmages.next_due(database))
    took = monotonic() - began
    assert player._due_scrimmage() is None
    assert player._ladder_until - began >= 4 * (took - 0.5)
    assert scrimmages.next_due(database).id == other


def test_no_entrant_has_a_name_under_which_another_plays(tmp_path):
    """At larger tables each of the two has several seats; those of ada are not those of an entrant ada-2."""
    contest = contest_with(tmp_path / "spring", ("ada", "bob"))
    contest.ladder.write_text(contest.ladder.read_text().replace("seats: 2", "seats: 4"))
    scrimmages.ask(contest.database(), "ada", "bob", 1)
    Player(contest, "start")._play_next()
    with Store(contest.runs / "scrimmages.db") as store:
        (game,) = store.games()
    owners = {
        bot: [name for name in ("ada", "bob", "ada-2", "2.ada") if scrimmage_games.is_of(bot, name)]
        for bot in game.bots
    }
    assert sorted(owners.values()) == [["ada"], ["ada"], ["bob"], ["bob"]]
    for bot in {*game.bots} - {"ada", "bob"}:
        with pytest.raises(ConfigError, match="begins with a letter or a digit"):
            entrants.add(contest.database(), [entrants.NewEntrant(bot)])
