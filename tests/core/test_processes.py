"""Work in several processes."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from arena.core.config import MachineError
from arena.core.processes import parallel


def test_one_job_starts_no_process():
    assert list(parallel(lambda number: (number, os.getpid()), [3, 4], 1)) == [
        (3, os.getpid()),
        (4, os.getpid()),
    ]


@pytest.mark.slow
def test_results_come_in_the_order_of_the_items():
    assert list(parallel(int, map(str, range(12)), 2)) == list(range(12))


def is_worker(process):
    """Whether a process is one of a pool; other tests may have left dead ones behind."""
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.slow
def test_an_exception_is_raised_here_and_ends_the_work():
    results = parallel(int, ["1", "2", "x", *["3"] * 1000], 2)
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ValueError, match="'x'"):
        next(results)
    assert not [child for child in psutil.Process().children() if is_worker(child)]


@pytest.mark.slow
def test_a_process_that_dies_is_one_clear_error():
    with pytest.raises(MachineError, match="a process of the arena died"):
        list(parallel(os._exit, [1], 2))


@pytest.mark.slow
def test_processes_end_with_their_parent(tmp_path):
    (tmp_path / "napping.py").write_text(
        "import time\nfrom arena.core.processes import parallel\n"
        "if __name__ == '__main__':\n    list(parallel(time.sleep, [60] * 4, 2))\n"
    )
    parent = subprocess.Popen([sys.executable, tmp_path / "napping.py"])
    deadline = time.monotonic() + 30
    while len(children := psutil.Process(parent.pid).children()) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)  # two workers, and the tracker of multiprocessing
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive
