"""The local engine: what a worker imports, and Ctrl-C at any moment."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import count
from random import Random
from threading import Timer

import pytest
from programs import PLAIN, fixture, shell, survivors

from arena.tournament.batches import closing_engine, play
from arena.tournament.engine.interface import Setup
from arena.tournament.engine.local import Local
from arena.tournament.work_queue import WorkQueue


@pytest.mark.slow
def test_ctrl_c_at_any_moment_ends_the_workers_and_their_bots():
    """While workers start, while bots are greeted, while a worker sends many games at once."""
    bots = {name: shell(name, PLAIN) for name in ("one", "two")}
    setup, game = Setup(bots, reuse=True, start_limit=10), fixture("one", "two", game="complots")
    moments = Random(1)
    for _ in range(10):
        endless = (replace(game, group=str(number), seed=str(number)) for number in count())
        queue = WorkQueue(endless, 2, lambda game, attempt: game, {})
        Timer(moments.uniform(0, 2.5), os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            engine = Local(setup, jobs=2)
            with closing_engine(engine):
                for _ in play(engine, queue):
                    pass
        assert survivors(within=2) == []


def test_a_worker_imports_neither_pydantic_nor_numpy():
    """The first would be a third more memory, and half more time to start."""
    code = (
        "import sys, arena.tournament.engine.local as _; print(*{'pydantic', 'numpy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
