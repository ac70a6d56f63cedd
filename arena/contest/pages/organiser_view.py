"""What the organiser sees: the newest entries with states and verdicts, alarms, and the server's health.

Health is judged by when the last game and the last entry were finished: a process may run and do no work.
"""

from collections import defaultdict
from collections.abc import Mapping
from time import time
from typing import Any

from arena.contest import entrants
from arena.contest.database import setting
from arena.contest.handin import KEPT
from arena.contest.pages.final_view import all_places, final_view
from arena.contest.pages.server import ContestServer
from arena.contest.pages.views import Times, Values, contest_view, entry_views, questions_for_organiser
from arena.contest.reports import REMOTE_PLAYER
from arena.web.database import Database

_LATEST = 50  # alarms that are shown


def organiser_view(server: ContestServer) -> Values:
    """The answer of `/api/organiser`, but for the forecast, only for the operator."""
    state = server.state
    times = Times(server.contest, state)
    return {
        "contest": contest_view(server),
        "final": final_view(server),
        "podium": int(setting(state, "podium") or 0),
        "places": len(all_places(server)),
        "publish": bool(setting(state, "publish")),
        "health": _health(state, times),
        "entrants": _entrants(server, times),
        "questions": questions_for_organiser(state, times),
        "alarms": _alarms(state, times),
    }


def _entrants(server: ContestServer, times: Times) -> list[Values]:
    """All entrants, each with its newest entries, the newest first."""
    sql = (
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY entrant ORDER BY number DESC) AS nth"
        f" FROM entry) WHERE nth <= {KEPT} ORDER BY entrant, nth"
    )
    found = defaultdict(list)
    for each in entry_views(server, server.state.rows(sql)):
        found[each["entrant"]].append(each)
    connected = server.remotes.connected
    return [
        _entrant(row, found[row["name"]], times, row["name"] in connected)
        for row in entrants.all_entrants(server.state)
    ]


def _entrant(row: entrants.Entrant, found: list[Values], times: Times, is_connected: bool) -> Values:
    return {
        "name": row["name"],
        "is_remote": bool(row["is_remote"]),
        "is_connected": is_connected,
        "team": row["team"],
        "author": row["author"],
        "excluded": row["excluded"],
        "withdrawn": times.of(row["withdrawn"]),
        "entries": found,
    }


def _health(state: Database, times: Times) -> Values:
    """When the last entry and the last games were finished; `late`: entries past the limit of their state."""
    sql = "SELECT max(since) AS last FROM entry WHERE state IN ('waiting', 'playing', 'failed')"
    late = "SELECT count(*) AS number FROM entry WHERE until IS NOT NULL AND until < ?"
    player: Mapping[str, Any] = setting(state, "player") or {}
    remote: Mapping[str, Any] = setting(state, REMOTE_PLAYER) or {}
    return {
        "last_entry": times.of(state.rows(sql)[0]["last"]),
        "last_game": times.of(player.get("last_game")),
        "games": player.get("games", 0),
        "last_remote_game": times.of(remote.get("last_game")),
        "remote_games": remote.get("games", 0),
        "late": state.rows(late, time())[0]["number"],
    }


def _alarms(state: Database, times: Times) -> list[Values]:
    """At most `_LATEST` errors of the arena that the organiser has not marked as seen, the newest first."""
    rows = state.rows(f"SELECT * FROM alarm WHERE NOT is_seen ORDER BY id DESC LIMIT {_LATEST}")
    kept = ("id", "source", "text")
    return [{"at": times.of(row["at"])} | {name: row[name] for name in kept} for row in rows]
