"""Where games are played: what `arena run` says about `--jobs`."""

import pytest

from arena.cli import play_out
from arena.cli.play_out import Venue, crowd_note


@pytest.mark.parametrize(("jobs", "is_crowd"), [(None, False), (2, False), (4, False), (5, True), (64, True)])
def test_far_more_games_at_a_time_than_cores_get_a_line(jobs, is_crowd, monkeypatch):
    monkeypatch.setattr(play_out, "usable_cores", lambda: 2)
    line = f"{jobs} at a time on 2 cores is slower than 2: each needs a process and its own bots"
    assert crowd_note(Venue(jobs)) == (line if is_crowd else "")


def test_a_scheduler_that_does_not_answer_leaves_no_run_file(told, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("arena.tournament.engine.dask_connection._CONNECT_TIMEOUT_S", 0.1)
    told("run", "quickstart", "--engine", "tcp://127.0.0.1:1", "--out", "run.db", status=2)
    assert not (tmp_path / "run.db").exists()


def test_games_with_models_besides_the_others_are_of_the_local_engine_alone(refused):
    why = "--model-games does not apply to Dask: each worker plays one game, of any bots"
    assert why in refused("run", "quickstart", "--engine", "dask", "--model-games", "2")
