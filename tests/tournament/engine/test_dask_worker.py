"""What a worker of a cluster answers to a coordinator, before anything is shipped to it."""

import pytest

import arena
from arena.games import GAMES
from arena.tournament.engine.dask_worker import survey

NOW = GAMES["complots"].version
DEMANDS = {
    "run": "",
    "file": "",
    "arena": arena.__version__,
    "game": "complots",
    "version": NOW,
    "sandbox": "auto",
    "require": "limits",
    "parts": [],
}


@pytest.mark.parametrize(
    ("demand", "why"),
    [
        ({"arena": "9.9"}, f"it has arena {arena.__version__}, and the coordinator 9.9"),
        ({"version": 99}, f"it has version {NOW} of complots, and the coordinator version 99"),
        ({"game": "belote"}, "the game belote is not installed"),
    ],
    ids=["another arena", "another version of the game", "a game that is not installed"],
)
def test_a_worker_with_other_rules_is_unfit(demand, why):
    assert survey(DEMANDS | demand) == {"unfit": why}


def test_a_worker_with_the_same_rules_says_which_parts_of_bots_it_lacks(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert survey(DEMANDS | {"parts": ["0" * 64]}) == {"missing": ["0" * 64]}
