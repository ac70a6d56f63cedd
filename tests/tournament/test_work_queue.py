"""The work queue: the order of games, and void games."""

from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

import pytest

from arena.tournament.batches import play
from arena.tournament.engine.interface import BatchResult
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
    seed: str = ""
    fingerprints: tuple[str, ...] = ("0123456789abcdef",)


def deal(game, attempt):
    """All games of a group have the same deal; another attempt has another one."""
    return replace(game, attempt=attempt, seed=f"{game.group}/{attempt}")


def own_deal(game, attempt):
    return replace(game, attempt=attempt, seed=f"{game.id}/{attempt}")


def games(group, count=4):
    return [Game(f"{group}{number}", group) for number in range(count)]


def queue_of(fixtures, jobs=1, attempts=(), deal=own_deal):
    return WorkQueue(iter(fixtures), jobs, deal, dict(attempts))


def drain(queue):
    """All games that the queue hands out at present."""
    taken = []
    while batch := queue.take():
        taken += batch
    return taken


def ids(games):
    return [game.id for game in games]


def end(queue, games):
    """Have games end that the queue has handed out."""
    for game in games:
        assert queue.counts(game.id)


def test_a_deal_is_handed_out_once_between_two_barriers():
    due = [Game(f"{group}{rotation}", group, rotation) for group in "abc" for rotation in range(3)]
    queue = queue_of([*due, WAIT, Game("d0", "d")], deal=deal)
    for _ in range(3):
        taken = drain(queue)
        assert sorted(game.group for game in taken) == ["a", "b", "c"]
        end(queue, taken)
        if queue.needs_barrier:
            queue.pass_barrier()
    queue.proceed()
    assert ids(drain(queue)) == ["d0"], "a new deal needs no barrier"


def test_seed_groups_begin_with_different_rotations():
    """So the games before the first barrier do not have the same bots on the first seats."""
    due = [Game(f"{group}{rotation}", group, rotation) for group in "abcd" for rotation in range(4)]
    first = drain(queue_of(due, deal=deal))
    assert sorted(game.rotation for game in first) == [0, 1, 2, 3]


def test_groups_of_different_models_share_a_deal_and_are_kept_apart():
    due = [Game("a0", "bot gpt 0"), Game("b0", "bot claude 0")]
    queue = queue_of(due, deal=lambda game, attempt: replace(game, seed="the same"))
    assert ids(drain(queue)) == ["a0"] and queue.needs_barrier
    end(queue, due[:1])
    queue.pass_barrier()
    assert ids(drain(queue)) == ["b0"]


def test_games_of_language_models_only_need_no_barrier():
    due = [Game(f"m{rotation}", "m", rotation, fingerprints=("model-1", "model-2")) for rotation in range(2)]
    queue = queue_of(due, deal=deal)
    assert len(drain(queue)) == 2 and not queue.needs_barrier


def test_a_game_that_was_interrupted_is_kept_back_and_one_that_did_not_begin_is_not():
    queue = queue_of([Game(name, name) for name in "abcd"], deal=deal)
    taken = drain(queue)
    assert ids(taken) == [*"abcd"]
    queue.give_back(taken[1:], interrupted=1)
    assert ids(drain(queue)) == ["c", "d"]
    end(queue, [game for game in taken if game.id != "b"])
    assert queue.needs_barrier
    queue.pass_barrier()
    assert ids(drain(queue)) == ["b"]


def test_games_come_in_order_and_those_given_back_first():
    queue = queue_of(games("a") + games("b"), jobs=1)
    first = queue.take()
    assert ids(first) == ["a1", "a2", "a3", "a0"], "one of two batches"
    queue.give_back(first[2:])
    assert ids(drain(queue)) == ["a3", "a0", "b2", "b3", "b0", "b1"]
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
    assert sorted(ids(drain(queue))) == ids(games("a")) and not asked and not queue.ended
    queue.proceed()
    assert sorted(ids(drain(queue))) == ids(games("b")) and queue.ended


def test_a_void_game_takes_its_whole_seed_group_with_it():
    """b0 was played, b1 is void, b2 is in flight, b3 has not begun: all four are played, and count once."""
    group = games("b")
    queue = queue_of(games("a") + group, jobs=1)
    taken = {game.id: game for game in drain(queue)}
    assert all(queue.counts(id) for id in ("a0", "a1", "a2", "a3", "b0", "b1"))
    queue.give_back([taken["b3"]])
    assert queue.void(taken["b1"], group, played={"a0", "a1", "a2", "a3", "b0"}) == [group[0]]
    assert not queue.counts("b2")
    again = drain(queue)
    assert sorted(game.id for game in again) == ["b0", "b1", "b2", "b3"]
    assert {game.attempt for game in again} == {1}, "another deal"
    assert all(queue.counts(game.id) for game in again)


def test_a_game_that_was_lost_in_flight_is_played_again_with_the_same_deal():
    queue = queue_of(games("a", 1))
    taken = drain(queue)
    queue.give_back(taken)
    assert drain(queue) == taken


def test_attempts_are_counted_over_all_sessions_of_a_run():
    queue = queue_of(games("a", 2) + games("b", 1), attempts={("a", ""): 2})
    assert [(game.id, game.attempt) for game in drain(queue)] == [("a1", 2), ("a0", 2), ("b0", 0)]


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
    queue = WorkQueue(iter(all_games), 1, own_deal, {}, waits=lambda game: game.group == "m")
    assert len(drain(queue)) == 3, "the others do not wait for them"
    first = queue.take_waiting()
    assert ids(first) == ["m2"]
    queue.give_back(first)
    assert [ids(queue.take_waiting()) for _ in range(4)] == [["m2"], ["m0"], ["m1"], []]
    assert drain(queue) == []
    queue.proceed()
    assert queue.take_waiting() == [] and ids(drain(queue)) == ["b0"]


class Processes:
    """What living processes know: an engine whose games end in any order, are void, interrupted or lost.

    Bots tell each other everything: if a game begins whose deal was seen since the last barrier, it is noted
    in `leaks`.
    """

    workers, batch_size = 3, 7

    def __init__(self, chance, trouble):
        self.chance, self.trouble = chance, trouble
        self.flights, self.seen = [], set()
        self.leaks, self.begun, self.barriers = [], Counter(), 0

    def _room(self, waits):
        return sum(waiting == waits for _, waiting in self.flights) < 4

    has_room = property(lambda self: self._room(False))
    has_waiting_room = property(lambda self: self._room(True))

    def submit(self, batch):
        self.flights.append((batch, batch[0].group.startswith("m")))

    def end_processes(self):
        assert not self.flights, "no game is in flight"
        self.seen.clear()
        self.barriers += 1

    def take_completed(self):
        if self.chance.random() < 0.2:
            return []
        batch, _ = self.flights.pop(self.chance.randrange(len(self.flights)))
        begun = self.chance.randint(1, len(batch))
        for game in batch[:begun]:
            self.begun[game.id] += 1
            if game.fingerprints[0] != "model-1":
                self.leaks += [game] if game.seed in self.seen else []
                self.seen.add(game.seed)
        if self.chance.random() > self.trouble:
            games = [Played(Columns(game.id)) for game in batch[:begun]]
            return [(batch, BatchResult(finished=begun, games=games))]
        what = self.chance.choice(["void", "interrupted", "lost", "killed"])
        games = [Played(Columns(game.id)) for game in batch[: begun - 1]]
        if what == "void":
            return [(batch, BatchResult(begun, games, batch[begun - 1]))]
        if what == "interrupted":
            return [(batch, BatchResult(begun - 1, games, interrupted=1))]
        return [(batch, BatchResult(interrupted=len(batch), killed=what == "killed"))]


class Columns(NamedTuple):
    id: str


class Played(NamedTuple):
    columns: Columns


def due_of(chance, most_rotations):
    """Seed groups of several formats: of several sizes, some without some games, with models, and `WAIT`s."""
    for number in range(chance.randint(1, 30)):
        kind = chance.choice(["a", "m", "o"])  # bots, bots with a model, models only
        made = ("model-1",) if kind == "o" else ("0123456789abcdef",)
        for rotation in range(chance.randint(1, most_rotations)):
            if chance.random() > 0.1:
                yield Game(f"{kind}{number}-{rotation}", f"{kind}{number}", rotation, fingerprints=made)
        if chance.random() < 0.2:
            yield WAIT


@pytest.mark.parametrize("trouble", [0, 0.05, 0.3])
def test_whatever_happens_no_living_process_has_seen_the_deal_of_a_game_that_begins(trouble):
    """Every game is played and counts once, and the run ends."""
    for seed in range(100):
        play_at_random(Random(seed), trouble)


def play_at_random(chance, trouble):
    due = list(due_of(chance, most_rotations=8))
    groups = {game.group: [each for each in due if each and each.group == game.group] for game in due if game}
    shared = chance.random() < 0.3  # groups of different models with the same deal

    def deal(game, attempt):
        name = f"m{int(game.group[1:]) // 3}" if shared and game.group[0] == "m" else game.group
        return replace(game, attempt=attempt, seed=f"{name}/{attempt}")

    engine = Processes(chance, trouble)
    queue = WorkQueue(iter(due), 3, deal, {}, waits=lambda game: game.group[0] == "m")
    counted: Counter[str] = Counter()
    try:
        for results in play(engine, queue):
            for result in results:
                counted.update(game.columns.id for game in result.games if queue.counts(game.columns.id))
                if result.void and queue.counts(result.void.id):
                    played = {id for id, count in counted.items() if count}
                    counted.subtract(ids(queue.void(result.void, groups[result.void.group], played)))
                    queue.check_voids(result.void)
    except VoidRun:
        assert trouble
    else:
        assert queue.set_aside or +counted == Counter(game.id for game in due if game)
    assert engine.leaks == []
    assert set(counted.values()) <= {0, 1}


def test_there_are_as_many_barriers_as_a_group_has_rotations_but_the_first():
    """Here for 300 groups; with own deals there are none."""
    due = [Game(f"{group}-{turn}", str(group), turn) for group in range(300) for turn in range(4)]
    for dealt, barriers in ((deal, 3), (own_deal, 0)):
        engine = Processes(Random(1), trouble=0)
        for results in play(engine, queue := queue_of(due, jobs=3, deal=dealt)):
            for result in results:
                end(queue, [game.columns for game in result.games])
        assert engine.barriers == barriers
