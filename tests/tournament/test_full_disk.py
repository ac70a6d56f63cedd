"""A disk that is full or read-only, and a run file that goes away: one clear line, and nothing is lost."""

import shutil
import subprocess
import sys

import psutil
import pytest
from programs import games_in
from runs import begin_with_log

pytestmark = pytest.mark.slow  # whole runs

PLAN = "seats: [2, 3]\nseed: 5\ngroups: 20\nclock: {move: 5s}\nsandbox: limits\n"
ARENA = f"{sys.executable} -m arena"
FULL = "database or disk is full"


@pytest.fixture
def disk(tmp_path, kin, box):
    """Runs a shell script in `disk`, a folder that is a disk of 8 MB or read-only; what it said."""
    place = tmp_path / "disk"
    place.mkdir()

    def run(script: str, readonly: bool = False) -> str:
        mount = ["--ro-bind", place, place] if readonly else ["--size", "8000000", "--tmpfs", place]
        words = ["bwrap", "--dev-bind", "/", "/", *mount, "--chdir", place, "sh", "-c", script]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        assert psutil.wait_procs(kin(), timeout=2)[1] == []
        return done.stdout

    return run


def test_a_run_whose_disk_is_full_stops_and_goes_on_when_there_is_room(disk, arena, plan_file, tmp_path):
    """The disk is full after a few games; what was committed by then can be read, and is the same later."""
    plan = plan_file(PLAN)
    said = disk(f"""
        head -c 7700000 /dev/zero > filler
        {ARENA} run {plan} --out run.db; echo status $?
        {ARENA} export run.db > ../first.jsonl
        rm filler
        {ARENA} run {plan} --out run.db > ../table.txt; echo status $?
        {ARENA} export run.db > ../run.jsonl
        """)
    assert f"arena: run.db: cannot be written: {FULL}; what was recorded is safe\nstatus 2" in said
    assert "Traceback" not in said and said.endswith("status 0\n")
    first, run = [(tmp_path / name).read_text().splitlines() for name in ("first.jsonl", "run.jsonl")]
    assert 0 < len(first) < len(run) == 180 and set(first) < set(run)
    assert f"run.db: {len(first)} of 180 games played" in said
    assert (tmp_path / "table.txt").read_text() == arena("run", plan, "--out", "whole.db").stdout
    assert run == arena("export", "whole.db").stdout.splitlines()


def test_a_disk_that_is_full_from_the_beginning(disk, plan_file):
    plan = plan_file(PLAN)
    said = disk(f"""
        head -c 9000000 /dev/zero > filler 2>/dev/null
        {ARENA} run {plan} --out run.db; echo status $?
        rm filler
        {ARENA} run {plan} --out run.db; echo status $?
        """)
    assert said.startswith(f"arena: run.db: {FULL}; the file was not changed\nstatus 2\n")
    assert "180 games in" in said and said.endswith("status 0\n")


def test_results_are_shown_where_nothing_can_be_written(disk, arena, plan_file, tmp_path):
    """A finished run, and one that was killed, whose games are in the log beside it, without its index."""
    plan = plan_file(PLAN)
    table = arena("run", plan, "--out", "disk/run.db").stdout
    assert disk(f"{ARENA} table run.db", readonly=True) == table
    shutil.copy(tmp_path / "disk" / "run.db", tmp_path / "copy.db")
    full = "head -c 9000000 /dev/zero > filler 2>/dev/null"
    assert disk(f"cp {tmp_path}/copy.db run.db; {full}; {ARENA} table run.db") == table
    with begin_with_log(plan_file(PLAN.replace("20", "2000")), tmp_path) as process:
        while games_in(tmp_path / "run.db") < 30:
            assert process.poll() is None
        process.kill()
    for name in ("run.db", "run.db-wal"):
        shutil.copy(tmp_path / name, tmp_path / "disk")
    said = disk(f"{ARENA} table run.db", readonly=True)
    assert said.endswith(arena("table", "run.db").stdout.splitlines()[-1] + "\n")


def test_a_run_in_a_place_that_cannot_be_written(disk, plan_file):
    said = disk(f"{ARENA} run {plan_file(PLAN)} --out run.db; echo status $?", readonly=True)
    assert said == "arena: run.db: cannot be written: Read-only file system\nstatus 2\n"


@pytest.mark.parametrize("code", ["removed", "moved"])
def test_a_run_stops_at_once_when_its_file_is_gone(plan_file, tmp_path, kin, code):
    """Otherwise hours of games would be lost. A file that was moved can be moved back, and has everything."""
    plan = plan_file(PLAN.replace("20", "2000"))
    with begin_with_log(plan, tmp_path) as process:
        while games_in(tmp_path / "run.db") < 30:
            assert process.poll() is None
        (tmp_path / "run.db").rename(tmp_path / "moved.db")
        if code == "removed":
            (tmp_path / "moved.db").unlink()
        assert process.wait(20) == 2
    assert (tmp_path / "said.txt").read_text().endswith("was moved or removed while it was being written\n")
    assert psutil.wait_procs(kin(), timeout=2)[1] == []
    if code == "moved":
        (tmp_path / "moved.db").rename(tmp_path / "run.db")
        assert games_in(tmp_path / "run.db") >= 30
