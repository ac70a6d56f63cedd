"""The work queue: the order of games, and void games."""

from dataclasses import dataclass, replace

import pytest

from arena.tournament.formats.plan import WAIT
from arena.tournament.work_queue import MAX_VOIDS, VoidRun, WorkQueue


@dataclass(frozen=True)
class Game:
    """The fields of a fixture that a queue uses."""

    id: str
    group: str
    rotation: int = 0
    attempt: int = 0
    lineup: str = ""


def games(group, count=4):
    return [Game(f"{group}{number}", group) for number in range(count)]


def queue_of(fixtures, jobs=1, attempts=()):
    """A queue whose deals are only the number of the attempt."""
    return WorkQueue(
        iter(fixtures), jobs, lambda game, attempt: replace(game, attempt=attempt), dict(attempts)
    )


def drain(queue):
    """All games that the queue hands out at present."""
    taken = []
    while batch := queue.take():
        taken += batch
    return taken


def test_rotations_go_up_and_down_so_that_a_rotation_follows_one_that_was_played_last():
    """As in a ladder: what is due comes in small lots, each with games of all rotations."""
    lot = [Game(f"{group}{rotation}", group, rotation) for group in "ab" for rotation in range(4)]
    queue = queue_of([*lot, WAIT, *lot, WAIT, *lot])
    orders = []
    for _ in range(3):
        orders.append([game.rotation for game in drain(queue)])
        queue.proceed()
    up = [0, 0, 1, 1, 2, 2, 3, 3]
    assert orders == [up, up[::-1], up]


def test_games_come_in_order_and_those_given_back_first():
    queue = queue_of(games("a") + games("b"), jobs=1)
    first = queue.take()
    assert first == games("a"), "one of two batches"
    queue.give_back(first[2:])
    assert drain(queue) == first[2:] + games("b")
    assert queue.take() == [] and queue.ended


def test_little_work_is_shared_by_the_workers():
    """Each worker has one batch to play and one in reserve."""
    queue = queue_of(games("a", 24), jobs=3)
    assert [len(queue.take()) for _ in range(6)] == [4, 4, 3, 3, 2, 2]


def test_nothing_beyond_a_wait_until_all_before_it_is_played():
    asked = []

    def fixtures():
        yield from games("a")
        yield WAIT
        asked.append("what came of it?")
        yield from games("b")

    queue = queue_of(fixtures(), jobs=2)
    assert drain(queue) == games("a") and not asked and not queue.ended
    queue.proceed()
    assert drain(queue) == games("b") and queue.ended


def test_a_void_game_takes_its_whole_seed_group_with_it():
    """b0 was played, b1 is void, b2 is in flight, b3 has not begun: all four are played, and count once."""
    group = games("b")
    queue = queue_of(games("a") + group, jobs=1)
    taken = drain(queue)
    assert all(queue.counts(id) for id in ("a0", "a1", "a2", "a3", "b0", "b1"))
    queue.give_back([taken[-1]])
    assert queue.void(taken[5], group, played={"a0", "a1", "a2", "a3", "b0"}) == [group[0]]
    assert not queue.counts("b2")
    again = drain(queue)
    assert sorted(game.id for game in again) == ["b0", "b1", "b2", "b3"]
    assert {game.attempt for game in again} == {1}, "another deal"
    assert all(queue.counts(game.id) for game in again)


def test_a_game_that_was_lost_in_flight_is_played_again_with_the_same_deal():
    queue = queue_of(games("a", 1))
    queue.give_back(drain(queue))
    assert drain(queue) == games("a", 1)


def test_attempts_are_counted_over_all_sessions_of_a_run():
    queue = queue_of(games("a", 2) + games("b", 1), attempts={("a", ""): 2})
    assert [(game.id, game.attempt) for game in drain(queue)] == [("a0", 2), ("a1", 2), ("b0", 0)]


def test_a_batch_has_games_of_one_rotation():
    """So a worker has one process for each bot at a time, not one for each bot and rotation."""
    due = [Game(f"{group}{turn}", group, turn) for group in "abcdef" for turn in range(3)]
    queue = queue_of(due)
    first = queue.take()
    assert [game.id for game in first] == ["a0", "b0", "c0"]
    queue.give_back(first[1:])
    order = [game.id for game in drain(queue)]
    assert order == [
        "b0",
        "c0",
        "d0",
        "e0",
        "f0",
        *(f"{group}{turn}" for turn in (1, 2) for group in "abcdef"),
    ]


def test_a_group_that_is_void_again_and_again_stops_the_run():
    group = games("a", 2)
    queue = queue_of(group, jobs=1)
    for _ in range(MAX_VOIDS):
        drain(queue)
        queue.counts(group[0].id)
        queue.void(group[0], group, played=())
        queue.check_voids(group[0])
        queue.counts(group[1].id)
    queue.void(group[0], group, played=())
    with pytest.raises(VoidRun, match="seed group a was void 4 times"):
        queue.check_voids(group[0])


def test_a_game_that_no_longer_counts_is_not_due_twice():
    """b0 was played before a restart, so the format has not yet yielded it when its group becomes void."""
    group = games("b", 2)
    queue = queue_of(iter([*games("a", 1), group[1], *[Game(f"c{n}", "c") for n in range(2000)], group[0]]))
    queue.take()
    queue.counts("b1")
    assert queue.void(group[1], group, played={"b0"}) == [group[0]]
    again = drain(queue)
    assert sorted(game.id for game in again if game.group == "b") == ["b0", "b1"]


def test_games_that_wait_for_a_model_are_handed_out_apart_one_at_a_time():
    all_games = [*games("a", 3), *games("m", 3), WAIT, *games("b", 1)]
    queue = WorkQueue(
        iter(all_games), 1, lambda game, attempt: game, {}, waits=lambda game: game.group == "m"
    )
    assert drain(queue) == games("a", 3), "the others do not wait for them"
    first = queue.take_waiting()
    assert first == games("m", 3)[:1]
    queue.give_back(first)
    assert [queue.take_waiting() for _ in range(4)] == [[game] for game in games("m", 3)] + [[]]
    assert drain(queue) == []
    queue.proceed()
    assert queue.take_waiting() == [] and drain(queue) == games("b", 1)
