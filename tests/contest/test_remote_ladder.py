"""The ladder of remote entrants in its real processes: clients come and go, and the player is killed."""

import json
import subprocess
import sys
from contextlib import suppress

import pytest
from contest_folders import contest_with
from remote_games import BOT
from servers import served, wait_for

from arena.config.document import ConfigError
from arena.contest import entrants, entries
from arena.contest.contest import REMOTE
from arena.programs.house import opponents
from arena.tournament.runs.store import Store
from arena.tournament.runs.verify import verify

pytestmark = pytest.mark.slow
HOUSE = opponents("complots", "medium", 1)[0].replace(":", "-")
PLAN = "game: complots\nseats: 2\nformat: ladder\nclock: {move: 1s, bank: 1s}\n"


@pytest.fixture
def contest(tmp_path):
    contest = contest_with(tmp_path / "spring", [])
    contest.plan(REMOTE).write_text(PLAN)
    new = [entrants.NewEntrant(name, is_remote=True) for name in ("ann", "bea")]
    entrants.add(contest.database(), new)
    return contest


@pytest.fixture
def connect(contest, tmp_path):
    """Starts the client of an entrant, whose stderr goes to NAME.txt."""
    started = []

    def connect(server, name):
        token = tmp_path / f"{name}.token"
        token.write_text(f"Authorization: Bearer {entrants.new_token(contest.server_database(), name)}\n")
        words = ["connect", server.url, "--token-file", token, "--", sys.executable, BOT]
        with (tmp_path / f"{name}.txt").open("w") as said:
            client = subprocess.Popen([sys.executable, "-m", "arena", *map(str, words)], stderr=said)
        started.append(client)
        return client

    yield connect
    for client in started:
        client.kill()
        client.wait(60)


def played(contest):
    """The games of the ladder so far."""
    with suppress(ConfigError, OSError), Store(contest.run(REMOTE)) as store:
        return [*store.played().values()]
    return []


def test_clients_come_and_go_and_nobody_waits(contest, connect, tmp_path):
    with served(tmp_path, "spring", command=("contest", "serve")) as server:
        ann, bea = connect(server, "ann"), connect(server, "bea")
        wait_for(lambda: len(played(contest)) > 5, "the first games")
        server.child("arena.contest.remote_player").kill()
        before = len(played(contest))
        wait_for(lambda: len(played(contest)) > before + 5, "games of the next process")
        ann.kill()
        wait_for(lambda: HOUSE in played(contest)[-1].bots, "a house bot in place of ann")
        found = json.loads(server.get("/api/remote")[1])
        connected = {each["name"]: each["is_connected"] for each in found["entrants"]}
        assert connected == {"ann": False, "bea": True} and found["run"] == REMOTE

        entrants.new_token(contest.server_database(), "bea")
        assert bea.wait(60) == 2
        assert "the token is not valid there" in (tmp_path / "bea.txt").read_text().splitlines()[-1]
    games = played(contest)
    tables = {tuple(sorted(game.bots)) for game in games}
    assert tables == {("ann", "bea"), ("bea", HOUSE)}
    with Store(contest.run(REMOTE)) as store:
        verdict = verify(store)
    assert (verdict.run, verdict.games, verdict.checked) == ([], {}, len(games))
    assert entries.playing(contest.database()) == [], "none of them is in the final"
