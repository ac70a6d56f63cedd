"""Work in several processes."""

import multiprocessing.resource_tracker
import multiprocessing.spawn
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from arena.config.document import MachineError
from arena.tournament.processes import WorkerDied, Workers, interrupts_blocked, parallel
from arena.tournament.worker_process import INTERRUPTS, ask, tell_caller

pytestmark = pytest.mark.alone


def test_one_job_starts_no_process():
    assert list(parallel(lambda number: (number, os.getpid()), [3, 4], 1)) == [
        (3, os.getpid()),
        (4, os.getpid()),
    ]


@pytest.mark.slow
def test_results_come_in_the_order_of_the_items():
    assert list(parallel(int, map(str, range(12)), 2)) == list(range(12))


MUCH = 20_000_000  # bytes, of which a pipe holds a hundredth


@pytest.mark.slow
class TestAWorkerThatSendsALargeValue:
    """Half of it is in the pipe, and nothing will send the rest."""

    def test_it_can_be_ended(self):
        workers = Workers(2)
        half_sent(workers)
        began = time.monotonic()
        workers.close(at_once=True)
        assert time.monotonic() < began + 5
        assert not [child for child in psutil.Process().children() if is_worker(child)]

    def test_if_it_is_killed_only_its_call_is_lost(self):
        workers = Workers(2)
        call, worker = half_sent(workers)
        reserve = [workers.submit(len, "four") for _ in range(4)]
        worker.process.kill()
        ended = []
        while len(ended) < 5:
            ended += workers.take_completed()
        assert [each.result() for each in reserve] == [4] * 4
        with pytest.raises(WorkerDied, match=r"^a process of the arena died: killed by SIGKILL$"):
            call.result()
        assert workers.result(workers.submit(len, "afterwards")) == 10
        workers.close()


def half_sent(workers):
    """A call whose value is larger than a pipe, and its worker, which is sending it."""
    call = workers.submit(bytes, MUCH)
    (worker,) = filter(None, workers._workers)
    assert worker.pipe.poll(30)
    return call, worker


@pytest.mark.slow
def test_a_worker_tells_its_caller_how_a_call_goes():
    workers = Workers(1)
    call = workers.submit(tell_caller, "host", "waits")
    while not call.told:
        assert not workers.take_completed()
    assert call.told == {"host": "waits"}
    assert workers.take_completed() == [call]
    busy = workers.submit(time.sleep, 60)
    assert workers.take_completed(most_s=0) == []
    assert not busy.told
    workers.close(at_once=True)


@pytest.mark.slow
def test_calls_that_were_submitted_are_made_before_workers_finish(tmp_path):
    """Even if their values fill the pipe."""
    workers = Workers(1)
    for number in range(2):
        workers.submit(os.mkdir, tmp_path / str(number))
        workers.submit(bytes, MUCH)
    workers.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]


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
    with pytest.raises(MachineError, match=r"^a process of the arena died: exited with status 1$"):
        list(parallel(os._exit, [1], 2))


@pytest.mark.slow
def test_an_error_that_cannot_be_made_again_is_told_by_its_traceback():
    workers = Workers(1)
    with pytest.raises(ValueError, match="wrong"):
        workers.result(workers.submit(exec, "raise ValueError('wrong')"))
    code = "from arena.rules.game import PositionError\nraise PositionError(('table',), 'wrong')"
    with pytest.raises(RuntimeError, match="PositionError: wrong"):
        workers.result(workers.submit(exec, code))
    workers.close()


@pytest.mark.slow
def test_a_call_may_ask_and_goes_on_with_the_answer_before_those_in_reserve():
    workers = Workers(1)
    asking, reserve = workers.submit(ask, "how many"), workers.submit(len, "four")
    while asking.question is None:
        assert workers.take_completed() == []
    assert asking.question == "how many"
    workers.answer(asking, 42)
    ended = []
    while len(ended) < 2:
        ended += workers.take_completed()
    assert [(call, call.result()) for call in ended] == [(asking, 42), (reserve, 4)]
    killed = workers.submit(ask, "nobody answers")
    while killed.question is None:
        workers.take_completed()
    workers.close(at_once=True)
    assert killed.value is None and not [child for child in psutil.Process().children() if is_worker(child)]


@pytest.mark.slow
def test_a_process_that_dies_before_it_is_set_up_is_an_error_however_much_it_would_read(monkeypatch):
    multiprocessing.resource_tracker.ensure_running()
    monkeypatch.setattr(multiprocessing.spawn, "_python_exe", b"/bin/true")
    workers = Workers(1, dict, bytes(MUCH))
    call = workers.submit(len, "four")
    while call not in workers.take_completed():
        pass
    assert isinstance(call.error, WorkerDied)


@pytest.mark.slow
def test_more_processes_than_the_system_allows():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 12, hard))
    try:
        with pytest.raises(MachineError, match="cannot be started: Too many open files"):
            list(parallel(len, ["four"] * 100, 30))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not [child for child in psutil.Process().children() if is_worker(child)]


@pytest.mark.parametrize("thread", [False, True], ids=["alone", "beside a thread"])
def test_an_interrupt_takes_effect_after_what_it_may_not_interrupt(thread):
    """The kernel gives a signal to a thread that has not blocked it."""
    done, stop = [], threading.Event()
    beside = threading.Thread(target=stop.wait)
    if thread:
        beside.start()
    try:
        with pytest.raises(KeyboardInterrupt), interrupts_blocked():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            done.append("all of it")
    finally:
        stop.set()
    assert done
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ()) & {*INTERRUPTS}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_processes_end_with_their_parent(tmp_path):
    (tmp_path / "napping.py").write_text(
        "import time\nfrom arena.tournament.processes import parallel\n"
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
