"""The turns of slow tests (tests/helpers/lonely.py)."""

import fcntl
import os
from threading import Thread

import lonely


def test_a_lonely_test_waits_for_others_and_later_ones_wait_for_it(tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(lonely, "_FOLDER", tmp_path)
    monkeypatch.setattr(lonely, "_QUEUE", tmp_path / "queue")
    (tmp_path / "queue").mkdir()

    def play(name, alone):
        with lonely.turn(alone):
            order.append(name)

    queue = os.open(tmp_path / "queue", os.O_RDONLY)
    threads = [
        Thread(target=play, args=each) for each in (("beside", False), ("alone", True), ("later", False))
    ]
    with lonely.turn(alone=False):
        threads[0].start()
        threads[0].join()
        threads[1].start()
        while is_free(queue):  # until it waits for the end of this block
            pass
        threads[2].start()
        order.append("first ends")
    for thread in threads[1:]:
        thread.join()
    os.close(queue)
    assert order == ["beside", "first ends", "alone", "later"]


def is_free(lock):
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(lock, fcntl.LOCK_UN)
    return True
