"""A clock of the machine that is set does not end a contest."""

import pytest
from contest_folders import contest_with

from arena.contest import alarms
from arena.contest.contest import deadline
from arena.contest.player import Player
from arena.contest.settings import settings_of
from arena.contest.steady_clock import SteadyClock


@pytest.fixture
def contest(tmp_path):
    return contest_with(tmp_path / "spring", ("ada", "bob"))


class Clocks:
    """Of a machine that was started at 0."""

    def __init__(self, wall=1000.0):
        self.wall, self.steady = wall, 0.0

    def pass_(self, seconds):
        self.wall += seconds
        self.steady += seconds

    def of(self, start):
        return SteadyClock(start, lambda: self.wall, lambda: self.steady)


def test_what_is_set_is_remembered_until_the_server_is_started_again(contest):
    clocks, database = Clocks(), contest.database()
    assert clocks.of("first").jump(database) == 0
    clocks.pass_(3600)
    clocks.wall += 5  # as NTP does
    assert clocks.of("first").jump(database) == 0
    clocks.wall += 86400
    assert clocks.of("first").jump(database) == 86405
    assert clocks.of("first").jump(database) == 86405, "another process of the same server"
    assert clocks.of("second").jump(database) == 0, "the organiser has looked at the clock"
    clocks.wall -= 3600
    assert clocks.of("second").jump(database) == -3600


def test_a_clock_that_jumps_past_the_deadline_does_not_begin_the_final(contest):
    database, now = contest.database(), deadline(contest, contest.database()).timestamp() - 86400
    player = Player(contest, "start", clock=lambda: now)
    player._look()
    assert not player._final_is_due()
    now += 2 * 86400
    assert not player._final_is_due()
    (alarm,) = alarms.unseen(database)
    assert "was set by 48 h" in alarm.text and "start the server again" in alarm.text
    assert not settings_of(database).final
    assert Player(contest, "again", clock=lambda: now)._final_is_due()
