"""What the pages show, as values that are JSON: for all visitors, and for one entrant.

A time is an object: `at` for programs (ISO 8601), `text` for people, both in the time zone of the deadline.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from time import time
from typing import Any

from arena.contest import entrants, entries, scrimmages
from arena.contest.contest import Contest, deadline, freeze
from arena.contest.database import setting
from arena.contest.entries import Entry
from arena.contest.handin import HOURLY, KEPT, MOST_BYTES
from arena.contest.moments import show_moment
from arena.contest.pages.server import ContestServer, is_frozen, is_published
from arena.web.database import Database

Values = dict[str, Any]

_STATES = {
    "received": "waits for its turn",
    "unpacking": "is being unpacked",
    "building": "is being built",
    "checking": "plays its test games",
    "waiting": "passed; waits for the ladder",
    "playing": "plays on the ladder",
    "replaced": "was replaced",
    "failed": "did not pass",
    "withdrawn": "was withdrawn",
}
_LATEST = 100  # notices and answers on a page


class Times:
    """Writes times in the zone of the deadline."""

    def __init__(self, contest: Contest, state: Database):
        self.deadline = deadline(contest, state)

    def of(self, seconds: float | None) -> Values | None:
        """A time of the database, in seconds since 1970, as an object; None for None."""
        return None if seconds is None else self.moment(datetime.fromtimestamp(int(seconds), UTC))

    def moment(self, moment: datetime) -> Values:
        local = moment.astimezone(self.deadline.tzinfo)
        return {"at": local.isoformat(), "text": show_moment(local)}


def contest_view(server: ContestServer) -> Values:
    """The answer of `/api/contest`: all that is public, without the standings and the final."""
    contest, state = server.contest, server.state
    times = Times(contest, state)
    freezes, now = freeze(contest, state), time()
    return {
        "title": contest.keys.title,
        "game": contest.terms.game.name,
        "seats": contest.terms.seats,
        "now": times.of(now),
        "phase": _phase_of(state, times.deadline.timestamp(), now),
        "is_paused": bool(setting(state, "paused")),
        "waits": (setting(state, "player") or {}).get("waits", ""),
        "deadline": times.moment(times.deadline),
        "freeze": times.moment(freezes) if freezes else None,
        "is_frozen": is_frozen(state),
        "entries": contest.keys.entries,
        "deals": contest.terms.conditions.deals,
        "limits": {
            "bytes": MOST_BYTES,
            "an_hour": HOURLY,
            "kept": KEPT,
            "games": scrimmages.MOST_GAMES,
            "scrimmages_an_hour": scrimmages.HOURLY,
        },
        "counts": _counts(state),
        "remote": _remote(server),
        "notices": _notices(state, times),
        "answers": _answers(state, times, "is_public AND answered IS NOT NULL"),
    }


def _phase_of(state: Database, end: float, now: float) -> str:
    """`open`; after the deadline `closed`; `final` while that is played; then `over`; then `published`."""
    if is_published(state):
        return "published"
    final = setting(state, "final") or {}
    if final:
        return "over" if final.get("state") == "over" else "final"
    return "closed" if now > end else "open"


def _counts(state: Database) -> Values:
    """The numbers of entrants that take part, of entries, of those in work, and of those in each state.

    Entries of excluded entrants do not count. `playing` are those that play, also if they are judged again.
    """
    sql = "SELECT count(*) AS number FROM entrant WHERE excluded IS NULL AND withdrawn IS NULL"
    ((number,),) = (row.values() for row in state.rows(sql))
    sql = (
        "SELECT state, count(*) AS number FROM entry JOIN entrant ON entrant.name = entry.entrant"
        " WHERE excluded IS NULL GROUP BY state"
    )
    rows = state.rows(sql)
    found = dict.fromkeys(entries.STATES, 0) | {row["state"]: row["number"] for row in rows}
    total = sum(found.values())
    found["playing"] = sum(row["state"] != "waiting" for row in entries.playing(state))
    in_work = sum(found[name] for name in entries.WORKED_ON)
    return {"entrants": number, "entries": total, "in_work": in_work, **found}


def _remote(server: ContestServer) -> Values:
    """How many entrants play from their own machines, and how many of them are connected."""
    names = {row["name"] for row in entrants.remote(server.state)}
    return {"entrants": len(names), "connected": len(names & server.remotes.connected.keys())}


def remote_view(server: ContestServer) -> list[Values]:
    """The remote entrants that take part, and whether each is connected; public."""
    return [
        {"name": row["name"], "team": row["team"], "is_connected": row["name"] in server.remotes.connected}
        for row in entrants.remote(server.state)
    ]


def _notices(state: Database, times: Times) -> list[Values]:
    rows = state.rows(f"SELECT * FROM notice ORDER BY id DESC LIMIT {_LATEST}")
    return [{"id": row["id"], "at": times.of(row["at"]), "text": row["text"]} for row in rows]


def _answers(state: Database, times: Times, condition: str, *values: Any) -> list[Values]:
    """At most 100 questions for which the SQL `condition` holds, the newest first, without who asked."""
    sql = f"SELECT * FROM question WHERE {condition} ORDER BY id DESC LIMIT {_LATEST}"
    return [_question(row, times) for row in state.rows(sql, *values)]


def _question(row: Mapping[str, Any], times: Times) -> Values:
    return {
        "id": row["id"],
        "at": times.of(row["at"]),
        "text": row["text"],
        "answer": row["answer"],
        "answered": times.of(row["answered"]),
        "is_public": bool(row["is_public"]),
    }


def questions_for_organiser(state: Database, times: Times) -> list[Values]:
    """At most 100 questions: first those that wait for an answer; the oldest first in each part."""
    sql = f"SELECT * FROM question ORDER BY answered IS NOT NULL, id LIMIT {_LATEST}"
    return [_question(row, times) | {"entrant": row["entrant"]} for row in state.rows(sql)]


def entry_views(server: ContestServer, rows: Iterable[Entry]) -> list[Values]:
    """The entries of these rows for the pages; `place`: in the queue, or before the ladder; None: neither."""
    state = server.state
    times = Times(server.contest, state)
    places = {row["id"]: row["place"] for row in (*entries.queue(state), *entries.waiting(state))}
    excluded, playing = entrants.excluded(state), {row["id"] for row in entries.playing(state)}
    final = setting(state, "final") or {}
    listed = dict(final.get("list", ()))

    def words(row: Entry) -> str:
        """The state of an entry for people, with its place, and whether it is excluded or plays meanwhile."""
        if row["entrant"] in excluded and row["state"] not in entries.ENDED:
            return "does not play: its entrant is excluded"
        if row["state"] == "playing" and row["fingerprint"] == listed.get(row["entrant"]):
            return "has played in the final" if final.get("state") == "over" else "plays in the final"
        place = f", number {places[row['id']]} in the queue" if row["id"] in places else ""
        also = "; it plays on" if row["id"] in playing and row["state"] not in ("waiting", "playing") else ""
        return f"{_STATES[row['state']]}{place}{also}"

    return [_entry(row, words(row), places.get(row["id"]), times) for row in rows]


def _entry(row: Entry, words: str, place: int | None, times: Times) -> Values:
    return {
        "id": row["id"],
        "entrant": row["entrant"],
        "version": row["number"],
        "received": times.of(row["received"]),
        "bytes": row["bytes"],
        "sha256": row["sha256"],
        "state": row["state"],
        "words": words,
        "place": place,
        "since": times.of(row["since"]),
        "until": times.of(row["until"]),
        "why": row["why"],
        "by_arena": bool(row["by_arena"]),
        "findings": [{"advice": "", **each} for each in entries.findings_of(row)],
        "fingerprint": row["fingerprint"],
    }


def entrant_view(server: ContestServer, name: str) -> Values:
    """The answer of `/api/entrant`: what an entrant may know about itself. ConfigError: there is none."""
    state = server.state
    times, row = Times(server.contest, state), entrants.find(server.state, name)
    others = [each["name"] for each in entrants.all_entrants(state) if _plays_scrimmages(each, name)]
    return {
        "name": name,
        "team": row["team"],
        "author": row["author"],
        "is_remote": bool(row["is_remote"]),
        "is_connected": name in server.remotes.connected,
        "declines": bool(row["declines"]),
        "excluded": row["excluded"],
        "withdrawn": times.of(row["withdrawn"]),
        "entries": entry_views(server, entries.of(state, name)),
        "opponents": others,
        "scrimmages": _scrimmages(state, times, name),
        "questions": _answers(state, times, "entrant = ?", name),
    }


def _plays_scrimmages(row: entrants.Entrant, asks: str) -> bool:
    is_in = not row["excluded"] and row["withdrawn"] is None
    return bool(is_in and not row["declines"] and not row["is_remote"] and row["name"] != asks)


def _scrimmages(state: Database, times: Times, name: str) -> list[Values]:
    """The latest scrimmages that this entrant asked for, or was asked for, the newest first."""
    sql = f"SELECT * FROM scrimmage WHERE ? IN (entrant, opponent) ORDER BY id DESC LIMIT {_LATEST}"
    return [
        {
            "id": row["id"],
            "entrant": row["entrant"],
            "opponent": row["opponent"],
            "games": row["games"],
            "asked": times.of(row["asked"]),
            "state": row["state"],
            "until": times.of(row["until"]),
            "why": row["why"],
        }
        for row in state.rows(sql, name)
    ]
