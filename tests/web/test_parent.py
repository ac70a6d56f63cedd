"""Keeping child processes: pauses before restarts, hangs, what a process leaves behind, failed starts."""

from contextlib import closing

import psutil
import pytest
from asgi import server_for
from servers import has_ended, wait_for

from arena.web import parent
from arena.web.host import Host
from arena.web.parent import Child, end_children
from arena.web.seatings import Seating, add_seating

MODULES = {
    "waits": "import sys; sys.stdin.read()",
    "dies": "raise SystemExit(3)",
    "leaves": """
        from pathlib import Path
        from subprocess import Popen
        Path(__file__).with_suffix(".pid").write_text(str(Popen(["sleep", "600"]).pid))
        raise SystemExit(3)
    """,
    "hangs": """
        from pathlib import Path
        from time import sleep
        from arena.web.settings import read_settings
        settings = read_settings()
        settings.beat()
        (settings.folder / f"after hang: {settings.is_after_hang}").touch()
        sleep(600)
    """,
}


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def settings(tmp_path, monkeypatch):
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text("\n".join(map(str.strip, text.splitlines())))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return server_for(tmp_path / "server").settings


@pytest.fixture
def child(settings, clock):
    """Makes children, which end with the test."""
    made = []

    def make(module, **options):
        made.append(Child(module, settings, clock=clock, **options))
        return made[-1]

    yield make
    end_children(made, 0.0)


def ended(child):
    wait_for(lambda: not child.look(), "it has not ended")
    return child.status


def test_each_pause_before_a_restart_is_twice_the_one_before(child, clock, capfd):
    found = child("waits", log_file=9999)  # no such descriptor: no start succeeds
    pauses = []
    for failures in range(1, 11):
        waited = 0.0
        while not found.start() and found.failures < failures:
            clock.now += 0.05
            waited += 0.05
        pauses.append(waited)
    assert pauses == pytest.approx([0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10], abs=0.06)
    assert "cannot be started: Bad file descriptor" in capfd.readouterr().err


def test_a_process_that_dies_is_replaced_after_the_pause(child, clock):
    found = child("dies")
    for failures in (1, 2):
        assert found.start()
        assert (ended(found), found.failures, found.pid) == (3, failures, None)
        assert not found.start(), "it pauses"
        clock.now += 0.25


def test_a_process_that_has_lived_for_long_is_replaced_soon(child, clock):
    found = child("waits")
    found.failures, found._pause = 5, 3.2
    assert found.start()
    clock.now += 31.0
    psutil.Process(found.pid).kill()
    assert (ended(found), found.failures) == (-9, 0)
    clock.now += 0.11
    assert found.start()


def test_a_process_that_hangs_is_killed_and_the_next_one_told(child, clock, settings):
    found = child("hangs", beats=True)
    for is_after_hang in (False, True):
        assert found.start()
        wait_for(lambda told=is_after_hang: (settings.folder / f"after hang: {told}").exists(), "no beat")
        for _ in range(20):
            assert found.look() and not has_ended(psutil.Process(found.pid))
            clock.now += 1.0
        found.look()
        assert ended(found) == -9
        clock.now += 1.0


def test_what_a_process_leaves_in_its_group_ends_with_it(child, tmp_path):
    found = child("leaves")
    assert found.start() and ended(found) == 3
    left = int((tmp_path / "leaves.pid").read_text())
    wait_for(lambda: not psutil.pid_exists(left) or has_ended(psutil.Process(left)), "it still runs")


def test_a_process_that_has_just_died_may_be_told_to_end(child):
    found = child("dies")
    assert found.start()
    process = psutil.Process(found.pid)
    wait_for(lambda: has_ended(process), "it has not ended")
    found.terminate()
    assert ended(found) == 3


def test_children_end_when_their_stdin_is_closed_and_by_force_if_they_do_not(child):
    polite, rude = child("waits"), child("hangs")
    for each in (polite, rude):
        assert each.start()
    processes = [psutil.Process(each.pid) for each in (polite, rude)]
    end_children([polite, rude], 0.3)
    assert all(map(has_ended, processes)) and polite.pid is rude.pid is None


@pytest.mark.parametrize("command", ["/no/such/program", "/bin/true"])
def test_a_table_process_that_cannot_start_does_not_end_the_host(command, settings, monkeypatch):
    """It would end the games at all other tables."""
    monkeypatch.setattr(parent, "python", lambda module: [command])
    server = server_for(settings.folder)
    names = ["ann", "honest"]
    seating = Seating("t1", "new", True, "complots", {}, ["person", "house:honest"], names, None, None)
    add_seating(server.database, seating)
    with closing(Host(settings)) as host:
        host.look()
        wait_for(lambda: host.look() or host._games["t1"].child.failures, "it has not failed")
