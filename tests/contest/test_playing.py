"""Bots that do not start on the ladder or in the final are started once more."""

from pathlib import Path

import pytest

from arena.contest.playing import start_twice
from arena.programs.bot import Bot, BotError
from arena.tournament.engine.interface import Setup

BOTS = {name: Bot(name, ("sh",), Path(), "f") for name in ("ada", "bob", "cyd")}
AGAIN = " (at the second attempt as well)"


@pytest.mark.parametrize(
    "first, second, broken",
    [
        ({}, None, {}),
        ({"ada": "no answer"}, {}, {}),
        ({"ada": "no answer", "bob": "exited"}, {"bob": "exited"}, {"bob": f"exited{AGAIN}"}),
    ],
)
@pytest.mark.parametrize("kind", ["unbuilt", "unstarted"])
def test_a_bot_has_two_attempts_to_start(first, second, broken, kind):
    attempts, opened, said = [first, second], [], []

    def open_engine(setup):
        opened.append(setup.tried)
        if failed := attempts.pop(0):
            raise BotError(BOTS, **{"unbuilt": {}, "unstarted": {}, kind: failed})
        return "engine"

    try:
        assert start_twice(open_engine, said.append, Setup(BOTS, True, 10.0), pause=0.0) == "engine"
        found = {}
    except BotError as error:
        found = getattr(error, kind)
    assert found == broken and len(said) == len(first)
    assert opened == [frozenset(), *([BOTS.keys() - first.keys()] if first else [])]
