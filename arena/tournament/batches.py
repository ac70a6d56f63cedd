"""Plays the games of a queue with any engine, and requeues unplayed games.

This part of playing is the same for all engines.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.referee.fixture import Fixture
from arena.tournament.engine.interface import BatchResult, Engine
from arena.tournament.work_queue import MAX_VOIDS, ServerLost, VoidRun, WorkQueue


def no_stop() -> bool:
    return False


@contextmanager
def closing_engine(engine: Engine) -> Iterator[None]:
    """Close the engine after the block, or at once if the block raises (`Engine.close`)."""
    try:
        yield
    except BaseException:
        engine.close(at_once=True)
        raise
    engine.close()


def _next_batch(engine: Engine, queue: WorkQueue) -> list[Fixture]:
    """The next games to submit: ordinary ones if there is room for them, else one with a language model.

    [] if there is no such game, or no room for it.
    """
    batch = queue.take(engine.batch_size) if engine.has_room else []
    return batch or (queue.take_waiting() if engine.has_waiting_room else [])


def play(
    engine: Engine, queue: WorkQueue, should_stop: Callable[[], bool] = no_stop
) -> Iterator[list[BatchResult]]:
    """Play all games of the queue, in any order; yields new results as they arrive, sometimes an empty list.

    If the queue has set games aside, it ends at the next `WAIT`. When `should_stop` returns True, no more
    batches are submitted, and it ends after the batches in flight.

    Raises:
        VoidRun: There were `MAX_VOIDS` failures in a row, or games kill too many workers.
        ServerLost: The last of the failures was caused by the server of a language model.
    """
    in_flight = failures = 0
    while True:
        stopping, exhausted = should_stop(), False
        while not stopping and not exhausted and (engine.has_room or engine.has_waiting_room):
            queue.jobs = max(1, engine.workers)
            if batch := _next_batch(engine, queue):
                engine.submit(batch)
                in_flight += 1
            else:
                exhausted = True
        if not in_flight and (stopping or exhausted):
            if queue.needs_barrier and not stopping:
                engine.end_processes()
                queue.pass_barrier()
                continue
            # Games after a WAIT depend on all games before it.
            if stopping or queue.ended or queue.set_aside:
                return
            queue.proceed()
            continue
        ended = engine.take_completed()
        in_flight -= len(ended)
        for batch, result in ended:
            if result.killed:
                queue.blame(batch)
            else:
                queue.give_back(batch[result.finished :], result.interrupted)
        yield [result for _, result in ended]
        for _, result in ended:
            if result.failure and not result.killed:
                failures += 1
                if failures >= MAX_VOIDS:
                    raise (ServerLost if result.server_failed else VoidRun)(result.failure)
            elif result.finished:
                failures = 0
