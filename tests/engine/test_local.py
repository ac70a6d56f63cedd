"""The local engine, when Ctrl-C comes at any moment."""

import subprocess
import sys

import pytest
from samples import CHECKOUT

INTERRUPTED = """
import os, signal, sys, threading, time
from dataclasses import replace
from random import Random
sys.path.insert(0, sys.argv[1])
from programs import PLAIN, fixture, shell
from arena.engine.interface import Setup
from arena.engine.local import Local

def interrupt():
    moments = Random(1)
    while not over.wait(moments.uniform(0.001, 0.01)):
        os.kill(os.getpid(), signal.SIGINT)

def main():
    bots = {name: shell(name, PLAIN) for name in ("one", "two")}
    engine = Local(Setup(bots, reuse=True, start_limit=10), jobs=2)
    engine.batch_time = 0.0
    game, number = fixture("one", "two", game="complots"), 0
    engine.submit([game])
    engine.completed()
    threading.Thread(target=interrupt).start()
    caught, end = 0, time.monotonic() + 4
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                while engine.has_room:
                    number += 1
                    engine.submit([replace(game, group=str(number))])
                engine.completed()
        except KeyboardInterrupt:
            caught += 1
    while not over.is_set():
        try:
            over.set()
        except KeyboardInterrupt:
            pass
    engine.close()
    print("closed after", "many" if caught > 50 else caught)

over = threading.Event()
if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
def test_an_engine_that_was_interrupted_can_be_closed(tmp_path):
    """The exception of Ctrl-C never comes while the lock of a future is held, which nothing would release."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "interrupted.py", CHECKOUT / "tests" / "helpers"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "closed after many\n", done.stderr
