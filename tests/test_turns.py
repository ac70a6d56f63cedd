"""How slow tests share the workers (tests/helpers/lonely.py, pyproject.toml)."""

import fcntl
import os
import subprocess
import sys
import tomllib
from threading import Thread

import lonely
import pytest
from samples import CHECKOUT


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


@pytest.mark.slow
def test_a_test_that_ends_its_process_does_not_keep_the_others_from_ending(tmp_path):
    """As a test does that takes too long. Some schedulers of xdist start it again, without end."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    scheduler = project["tool"]["pytest"]["ini_options"]["addopts"].split("--dist ")[1].split()[0]
    (tmp_path / "test_ends.py").write_text(
        "import os\ndef test_first(): pass\ndef test_ends(): os._exit(1)\ndef test_last(): pass\n"
    )
    run = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", scheduler, tmp_path]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and "1 failed, 2 passed" in done.stdout, done.stdout
