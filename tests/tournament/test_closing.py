"""A run that was played to its end lacks no game of its plan; a game that is removed is missed."""

import json
import sqlite3
from dataclasses import replace

import pytest
from instant_games import Instant, plan

from arena.tournament import run as tournament
from arena.tournament.runs.closing import close, missing_games
from arena.tournament.runs.facts import Closing
from arena.tournament.runs.store import Store

APART = {f"bot{number:02}": f"author {number // 2}" for number in range(10)}
PLANS = {
    "round-robin": plan(groups=1, lineups=20),
    "round robin with two sizes": replace(plan(groups=1, lineups=10), seats=(2, 4)),
    "teams apart": replace(plan(groups=1, lineups=20, teams="apart"), teams=APART),
    "gauntlet": plan("gauntlet", groups=1, lineups=20, challengers=("bot03", "bot05")),
    "series": plan("series", 4, groups=5),
    "swiss": plan("swiss", groups=1, rounds=3),
    "knockout": plan("knockout", groups=1, advance=2),
}


def play(whole, path) -> None:
    bots = {name: replace(bot, author=whole.teams.get(name, "")[7:]) for name, bot in whole.bots.items()}
    with Store(path, writer=True) as store:
        prepared = tournament.prepare(replace(whole, bots=bots), store)
        tournament.run(prepared, store, Instant, lambda _: None, lambda _: None)


def missing(path) -> int | None:
    with Store(path) as store:
        return missing_games(store.facts, dict(store.played()))


@pytest.mark.parametrize("whole", PLANS.values(), ids=PLANS)
def test_a_format_that_is_played_out_lacks_nothing_and_misses_each_game(whole, tmp_path):
    path = tmp_path / "run.db"
    play(whole, path)
    assert missing(path) == 0
    with sqlite3.connect(path) as base:
        ((count,),) = base.execute("SELECT count(*) FROM game")
        base.execute("DELETE FROM game WHERE number = ?", (count // 2,))
    base.close()
    assert missing(path) == 1


@pytest.mark.parametrize("form", ["adaptive"])
def test_of_a_format_without_an_end_nothing_is_known(form, tmp_path):
    path = tmp_path / "run.db"
    play(plan(form, 5, games=20), path)
    with Store(path, writer=True) as store:
        assert close(store) is None
        assert store.facts.closed == Closing(games=store.count(), missing=None)


def test_a_bot_that_sits_out_has_no_games_to_miss(tmp_path):
    """It began the run and is broken now: it stays in the plan of the run."""
    whole = plan(bots=5, groups=1)
    play(whole, tmp_path / "run.db")
    with Store(tmp_path / "run.db", writer=True) as store:
        stored = store.facts.plan
        more = {"bots": stored["bots"] | {"broken": "f" * 16}}
        store.write_facts(replace(store.facts, plan=stored | more))
    assert missing(tmp_path / "run.db") > 0
    with Store(tmp_path / "run.db", writer=True) as store:
        store.write_facts(replace(store.facts, skipped={"broken": "build failed"}))
    assert missing(tmp_path / "run.db") == 0


def test_teams_that_cannot_be_known_are_not_guessed(tmp_path):
    play(PLANS["teams apart"], tmp_path / "run.db")
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("UPDATE about SET value = ? WHERE key = 'authors'", (json.dumps({}),))
    base.close()
    assert missing(tmp_path / "run.db") is None
