"""Remote entrants: who of those that come and go is at the tables of their ladder."""

from datetime import UTC, datetime
from time import time
from types import SimpleNamespace

import pytest
from contest_folders import contest_with, end_now, fixed_final, put_settings

from arena.contest import entrants, entries, remote_player
from arena.contest.remote_player import RemotePlayer, Roster, with_house
from arena.programs.bot import BotError, remote_bot
from arena.programs.house import opponents
from arena.tournament.plan.load import load_terms

FIRST, *_ = HOUSE = [each.replace("house:", "house-") for each in opponents("complots", "medium", 3)]
PLAN = "game: complots\nseats: {seats}\nformat: ladder\n{more}"


class Gate:
    """In place of the connection to the web process: what that says, and the time."""

    def __init__(self, *_):
        self.said, self.now = [], 0.0
        self._since = {}  # of each connection

    def take(self):
        said, self.said = self.said, []
        return said

    def close(self):
        pass

    def connected(self, **numbers):
        known = {each: self._since.setdefault(each, self.now) for each in numbers.values()}
        connected = {name: [number, known[number]] for name, number in numbers.items()}
        self.said.append({"connected": connected})


@pytest.fixture
def gate(monkeypatch):
    gate = Gate()
    monkeypatch.setattr(remote_player, "GateConnection", lambda *_: gate)
    return gate


def test_a_client_joins_when_it_has_stayed_and_one_that_comes_and_goes_later_and_later(gate):
    roster = Roster(None, lambda: gate.now)
    waited = []
    for number in range(4):  # connects, joins as soon as it may, and is gone
        gate.connected(ann=number, bea=9)
        roster.look()
        began = gate.now
        while "ann" not in roster.steady():
            gate.now += 1
        waited.append(gate.now - began)
        gate.connected(bea=9)
        assert {*roster.look()} == {"bea"}
    assert waited == [3, 6, 12, 24] and roster.steady() == ["bea"]
    gate.connected(ann=10, bea=9)
    roster.look()
    gate.now += 1000
    gate.connected(ann=11, bea=9)  # it has stayed for long, and connects again
    roster.look()
    gate.now += 3
    assert roster.steady() == ["ann", "bea"]


def test_nobody_is_connected_without_a_web_process_and_nobody_is_blamed_for_it(gate):
    roster = Roster(None, lambda: gate.now)
    gate.connected(ann=1)
    roster.look()
    gate.said.append({"gate": False})
    assert not roster.look()
    gate.said.append({"gate": True})
    gate.connected(ann=7)
    assert {*roster.look()} == {"ann"}
    gate.now += 3
    assert roster.steady() == ["ann"]


@pytest.mark.parametrize(
    "seats, more, names, authors, found",
    [
        ("2", "", ["ann"], "", ["ann", FIRST]),
        ("2", "", ["ann", "bea"], "", ["ann", "bea"]),
        ("2", "", ["ann", "bea", "cyd"], "", ["ann", "bea", "cyd"]),
        ("[2, 3]", "", ["ann", "bea"], "", ["ann", "bea", FIRST]),
        ("5", "", ["ann"], "", ["ann", *HOUSE, f"{FIRST}-2"]),
        ("2", "teams: apart\n", ["ann", "bea"], "Ann", ["ann", "bea", FIRST]),
        ("2", "", [FIRST], "", [FIRST, f"{FIRST}-2"]),
    ],
)
def test_house_bots_sit_in_if_there_are_too_few(tmp_path, seats, more, names, authors, found):
    path = tmp_path / "remote.yaml"
    path.write_text(PLAN.format(seats=seats, more=more))
    bots = {name: remote_bot(name, authors) for name in names}
    made = with_house(load_terms(path), bots, bots)
    assert [*made] == found and [name for name in made if made[name].is_remote] == names


@pytest.fixture
def player(tmp_path, gate):
    """With the remote entrants ann and bea, who are connected, and cyd, who is not."""
    contest = contest_with(tmp_path / "spring", [])
    (contest.folder / "remote.yaml").write_text(PLAN.format(seats=2, more=""))
    new = [entrants.NewEntrant(name, is_remote=True) for name in ("ann", "bea", "cyd")]
    entrants.add(contest.database(), [*new, entrants.NewEntrant("dan")])
    player = RemotePlayer(contest, tmp_path / "bots")
    player._roster = Roster(None, lambda: gate.now)
    gate.connected(ann=1, bea=2, dan=3)
    player._roster.look()
    gate.now += 5
    player._playing = ["ann", "bea"]
    return player


def should_stop(player):
    """Whether a run stops that has not looked in the last second."""
    return player._is_short() or player._stops(player._is_over)()


def test_those_that_are_connected_and_take_part_play(player):
    assert player._ready() == ["ann", "bea"]
    assert player._plan(["ann"]).remote == ["ann"]
    entrants.exclude(player._database, "ann", "is a person")
    assert player._ready() == ["bea"]
    entries.withdraw(player._database, "bea")
    assert player._ready() == []


@pytest.mark.parametrize("name, value", [("paused", True), ("final", fixed_final())])
def test_none_play_while_the_organiser_pauses_or_after_the_deadline(player, name, value):
    assert player._is_open() and not should_stop(player)
    put_settings(player._database, **{name: value})
    assert not player._is_open() and should_stop(player)


def test_the_ladder_ends_at_the_deadline(player):
    end_now(player._database)
    assert not player._is_open()
    put_settings(player._database, deadline=datetime(2037, 1, 1, 18, tzinfo=UTC))
    assert player._is_open() and player.clock() <= time()


def test_a_run_stops_when_one_of_its_bots_is_gone_or_another_has_stayed(player, gate):
    assert not should_stop(player)
    gate.connected(ann=1, bea=2, cyd=4)
    gate.now += 1
    assert not should_stop(player), "it has not stayed yet"
    gate.now += 5
    assert should_stop(player)
    assert player._ready() == ["ann", "bea", "cyd"]
    player._playing = ["ann", "bea", "cyd"]
    assert not should_stop(player)
    gate.connected(bea=2, cyd=4)
    assert should_stop(player)
    player._playing = ["bea", "cyd"]
    assert not should_stop(player)
    entrants.exclude(player._database, "ann", "is a person")
    assert should_stop(player), "the run does not say yet that ann does not count"


def test_a_bot_that_does_not_start_is_left_out_longer_and_longer(player, gate):
    bots = player._plan(["ann", "bea"]).bots
    for pause in (6, 12, 24):
        player._leave_out(BotError(bots, {}, {"ann": "has ended"}))
        gate.now += pause - 1
        assert player._ready() == ["bea"]
        gate.now += 1
        assert player._ready() == ["ann", "bea"]


class Games(list):
    """In place of a run file: the forfeits of each game of ann and bea."""

    def latest(self, count):
        found = [*enumerate(SimpleNamespace(bots=("ann", "bea"), forfeits=each) for each in self)]
        return found[::-1][:count]


def test_a_bot_that_is_not_there_for_a_game_does_not_begin_another(player):
    """Its client hangs: that it does not answer is known only later."""
    games = Games([{}, {0: "crashed"}, {1: "late"}])
    player._note(games, SimpleNamespace(fresh=3), False)
    assert not should_stop(player)
    games.append({0: "unstarted"})
    player._note(games, SimpleNamespace(fresh=4), False)
    assert should_stop(player) and player._ready() == ["bea"]
