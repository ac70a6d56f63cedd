"""No process of a bot lives beside another that has seen the deal of its game.

`tests/exploits/siblings.py` finds its own processes in every tier, by a channel that is open. Where none that
it finds may know the deal, it is also played without a barrier: so each of these tests could fail.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest
from cheats import program, records_of, said_by, write_plan
from programs import games_in

from arena.referee.record import Record

pytestmark = pytest.mark.slow

ARENA = [sys.executable, "-m", "arena"]
# The same command, but processes of bots live on.
WITHOUT_BARRIER = """
import runpy
from arena.tournament.engine.local import Local
Local.end_processes = lambda self: None
runpy.run_module("arena", run_name="__main__")
"""


def siblings(folder: Path) -> dict[str, Path]:
    bots = {}
    for name in "abc":
        bots[name] = program(folder / name, "siblings.py", "gossip.py")
        (bots[name] / "note").write_bytes(bytes(2**14))
    return bots


def told(records: Iterable[Record]) -> tuple[int, int]:
    """How many living processes were found in all games, and how many of them knew the deal of the game."""
    seen: dict[tuple[str, str], set[str]] = {}
    found: list[tuple[tuple[str, str], str]] = []
    for record in records:
        for seat, bot in enumerate(record.fixture.bots):
            for line in said_by(record, seat):
                _, own, *others = line.split()
                seen.setdefault((bot, own), set()).add(record.fixture.seed)
                found += [((bot, other), record.fixture.seed) for other in others]
    return len(found), sum(seed in seen.get(other, ()) for other, seed in found)


@pytest.mark.parametrize("barrier", [True, False])
def test_no_living_process_has_seen_the_deal_of_a_game(tmp_path, tier, barrier):
    """Two workers have processes of a bot at the same time, which play games with other deals."""
    plan = write_plan(tmp_path, siblings(tmp_path), groups=24, sandbox=tier.tier)
    program = ARENA if barrier else [sys.executable, "-c", WITHOUT_BARRIER]
    command = [*program, "run", plan, "--out", "run.db", "--jobs", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and " 0 faults" in done.stdout, done.stderr + done.stdout
    found, knowing = told(records_of(tmp_path / "run.db"))
    assert found > 20
    assert knowing == 0 if barrier else knowing > 20


def supervisors_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    below = psutil.Process(process.pid).children(recursive=True)
    return [each for each in below if "supervisor" in " ".join(each.cmdline())]


def test_a_run_that_goes_on_waits_until_the_processes_of_the_killed_one_have_ended(tmp_path):
    """Their supervisor is stopped before the others are killed, so the bots live on for a while."""
    plan = write_plan(tmp_path, siblings(tmp_path), groups=30, sandbox="limits")
    command = [*ARENA, "run", plan, "--out", "run.db", "--jobs", "1"]
    folder = tmp_path / "tmp"
    folder.mkdir()
    begin = partial(
        subprocess.Popen,
        command,
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    )

    def until(condition: Callable[[], bool]) -> None:
        end = monotonic() + 100
        while not condition():
            assert monotonic() < end
            sleep(0.01)

    def is_stopped_with_its_bots() -> bool:
        """Stop the supervisor, unless its bots are just being started or ended."""
        nonlocal supervisor, bots
        supervisor, *others = supervisors_of(first) or [psutil.Process()]
        bots = supervisor.children()
        if others or len(bots) != 3:
            return False
        supervisor.suspend()
        if [each.pid for each in supervisor.children()] == [each.pid for each in bots]:
            return True
        supervisor.resume()
        return False

    supervisor, bots = psutil.Process(), []
    with begin() as first:
        until(lambda: games_in(tmp_path / "run.db") >= 40)  # in the second of three generations
        until(is_stopped_with_its_bots)
        for each in psutil.Process(first.pid).children(recursive=True):
            if each not in (supervisor, *supervisor.children(recursive=True)):
                each.kill()  # also its worker, which would end the bots of a supervisor that hangs
        first.kill()
    with begin() as second:
        until(lambda: len(list(folder.glob("arena-*/generation"))) == 2)
        sleep(2)
        started = supervisors_of(second)
        # One that was answering has ended by itself, as its pipe broke.
        still_there = [each for each in bots if each.status() != psutil.STATUS_ZOMBIE]
        supervisor.resume()
        output, _ = second.communicate(timeout=120)
    assert len(still_there) >= 2 and started == [], "it starts no bot beside them"
    assert second.returncode == 0 and " 0 faults" in output
    records = records_of(tmp_path / "run.db")
    assert len(records) == 90 and told(records)[1] == 0
