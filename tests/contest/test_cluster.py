"""A contest whose games the workers of a Dask cluster play, as docs/contest.md says."""

import subprocess
import sys

import pytest
from clusters import dask_cluster
from contest_folders import contest_with, end_now, put_settings
from servers import wait_for

from arena.contest import alarms
from arena.contest.reports import PLAYER
from arena.contest.settings import settings_of
from arena.tournament.runs.store import Store
from arena.tournament.runs.verify import verify

pytestmark = pytest.mark.slow


def test_a_cluster_plays_the_ladder_and_the_final(tmp_path):
    with dask_cluster(tmp_path) as cluster:
        cluster.worker("one")
        more = f"engine: {cluster.address}\n"
        contest = contest_with(tmp_path / "spring", ("ada", "bob", "cyd"), groups=1, more=more)
        database = contest.database()
        command = [sys.executable, "-m", "arena", "contest", "serve", str(contest.folder), "--port", "0"]
        with (tmp_path / "said.txt").open("w+") as said:
            process = subprocess.Popen(command, stdout=said, stderr=said)
            try:
                wait_for(lambda: PLAYER in settings_of(database).players, "no games")
                end_now(database)
                wait_for(lambda: settings_of(database).places, "no result")
                put_settings(database, publish=True)
                wait_for(lambda: settings_of(database).published, "not published")
            finally:
                process.terminate()
                process.wait(60)
            said.seek(0)
            assert f"worker {cluster.address.partition(':')[0]}" in said.read(), "the cluster has played"
    with Store(contest.published / "final.db") as store:
        verdict = verify(store)
        assert (verdict.run, verdict.games, verdict.checked, verdict.missing) == ([], {}, 6, 0)
    assert not alarms.unseen(database)
