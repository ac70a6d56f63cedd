"""A run as data frames: what is in them, that they join, and what they say when something is missing."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from stored_games import random_run

from arena.config.document import ConfigError
from arena.games import GAMES
from arena.tournament.runs import dataframes, load_run
from arena.tournament.runs.store import Store

FRAMES = ("games", "seats", "answers", "times", "faults")


@pytest.fixture
def run_file(tmp_path):
    random_run(tmp_path / "run.db", games=6)
    return tmp_path / "run.db"


def records(path):
    with Store(path) as store:
        return [store.record(game.id) for game in store.summaries()]


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("games", [0, 3])
def test_the_docstrings_name_every_column_and_its_dtype(tmp_path, name, games):
    """Also those of a run without games."""
    random_run(tmp_path / "run.db", games=games)
    told = dict(re.findall(r"^ *\| `(\w+)` \| (\w+) \|", getattr(dataframes.RunFrames, name).__doc__, re.M))
    frame = getattr(load_run(tmp_path / "run.db"), name)
    assert told and told == {column: str(dtype) for column, dtype in frame.dtypes.items()}


def test_a_game_has_its_number_in_the_list_and_its_length(run_file):
    games = load_run(str(run_file)).games
    assert list(games["number"]) == [1, 2, 3, 4, 5, 6]
    assert list(games["game"]) == [record.fixture.id for record in records(run_file)]
    assert list(games["replies"]) == [len(record.replies) for record in records(run_file)]


def test_answers_and_times_and_seats_agree(run_file):
    run = load_run(run_file)
    asked = run.answers[run.answers["ask"].notna()]
    joined = asked.merge(run.times, on=["game", "seat", "bot", "ask"], how="outer", suffixes=("", "_again"))
    assert set(joined[joined["ms"].isna()]["ask"]) == {0}, "only `ready` is no answer"
    answered = joined[joined["ms"].notna()]
    assert len(answered) == len(asked) and (answered["ms"] == answered["ms_again"]).all()
    totals = asked.groupby(["game", "seat"])["ms"].sum()
    seats = run.seats.set_index(["game", "seat"])["thought_ms"]
    assert seats[seats > 0].sort_index().to_dict() == totals[totals > 0].to_dict()
    counts = run.answers.groupby(["game", "seat"]).size()
    assert (run.seats.set_index(["game", "seat"])["answers"].loc[counts.index] == counts).all()


def test_a_forfeit_is_in_all_frames(tmp_path):
    random_run(tmp_path / "run.db", games=12, forfeits=0.3)
    run = load_run(tmp_path / "run.db")
    out = run.seats[run.seats["forfeit"].notna()]
    assert len(out) and set(out["forfeit"]) == {"crashed"} == set(run.faults["kind"])
    assert run.games["faults"].sum() == len(run.faults) == run.seats["faults"].sum()
    late = run.answers.merge(out[["game", "seat"]])
    assert late["ask"].isna().all() and late["ms"].isna().all()


@pytest.mark.slow
def test_a_fault_stands_at_its_answer(arena, first_bot, tmp_path):
    bad = tmp_path / "bad.sh"
    bad.write_text(first_bot.read_text().replace('"$id $1"', '"$id ${1#income}"'))
    assert arena("play", "complots", bad, first_bot, "--seed", 1, "--record", "run.db").returncode == 0
    run = load_run(tmp_path / "run.db")
    wrong = run.answers[run.answers["fault"].notna()]
    assert set(wrong["word"]) == {"income"} and set(wrong["fault"]) == {"illegal"} and len(wrong) == 3
    assert len(run.faults) == 3 and "answered" in run.faults["detail"][0]
    assert set(run.answers["limit_ms"]) == {2000.0}


def test_seeds_are_missing_until_the_run_is_closed(run_file):
    assert load_run(run_file).games["seed"].notna().all()
    with Store(run_file, writer=True) as store:
        store.write_facts(replace(store.facts, secret="s"))
    assert load_run(run_file).games["seed"].isna().all()
    with Store(run_file, writer=True) as store:
        store.write_facts(replace(store.facts, revealed=True))
    assert load_run(run_file).games["seed"].notna().all()


def test_several_runs_have_each_game_once(run_file, tmp_path):
    random_run(tmp_path / "local.db", GAMES["local"], games=2)
    runs = load_run(run_file, tmp_path / "local.db", run_file)
    assert list(runs.games["rules"]) == ["complots"] * 6 + ["local"] * 2
    assert set(runs.games["run"]) == {str(run_file), str(tmp_path / "local.db")}
    assert list(runs.games["number"])[-2:] == [1, 2]


def test_what_is_no_run_is_refused_at_once(tmp_path):
    (tmp_path / "games.csv").write_text("game,bot,place\n")
    for name, problem in (("none.db", "no such run"), ("games.csv", "has only results")):
        with pytest.raises(ConfigError, match=f"{name}: {problem}"):
            load_run(tmp_path / name)


def test_a_notebook_without_pandas_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"load_run needs pandas: .*pip install '?pandas>="):
        load_run("run.db")


@pytest.mark.slow
def test_only_notebooks_import_pandas():
    check = "import sys, arena.tournament.runs.sources, arena.tournament.runs; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
