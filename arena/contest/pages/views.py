"""The values that pages show: for all visitors, and for one entrant.

A template and a program get the same JSON of a value (`to_json`). A time in it is an object: `at` for
programs (ISO 8601), `text` for people, both in the time zone of the deadline.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal

from arena.contest import entrants, entries, notices, questions, scrimmages
from arena.contest.contest import deadline, freeze
from arena.contest.handin import HOURLY, KEPT, MAX_BYTES
from arena.contest.moments import show_moment
from arena.contest.pages.server import ContestServer
from arena.contest.reports import PLAYER
from arena.contest.settings import Settings, settings_of
from arena.programs.check.finding import Finding
from arena.web.database import Database

Phase = Literal["open", "closed", "final", "over", "published"]
_STATES: Mapping[entries.State, str] = {
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


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of an entrant."""

    bytes: int = MAX_BYTES
    an_hour: int = HOURLY
    kept: int = KEPT
    games: int = scrimmages.MAX_GAMES
    scrimmages_an_hour: int = scrimmages.HOURLY


@dataclass(frozen=True, kw_only=True)
class ContestView:
    """The answer of `/api/contest`: all public facts, without the standings and the final."""

    title: str
    game: str
    seats: Sequence[int]
    now: datetime
    phase: Phase
    is_paused: bool
    waits: str
    deadline: datetime
    freeze: datetime | None
    is_frozen: bool
    entries: str
    deals: str
    limits: Limits
    counts: Mapping[str, int]
    remote: Mapping[str, int]  # the numbers of remote entrants, and of connected ones
    notices: Sequence[notices.Notice]
    answers: Sequence[questions.Answer]


@dataclass(frozen=True, kw_only=True)
class EntryView(entries.EntryFacts):
    """An entry; `place` is its place in the queue, or among the entries that wait for the ladder."""

    words: str
    place: int | None


@dataclass(frozen=True, kw_only=True)
class EntrantEntries(entrants.Entrant):
    """An entrant with entries, the newest first."""

    is_connected: bool
    entries: Sequence[EntryView]


@dataclass(frozen=True, kw_only=True)
class EntrantView(EntrantEntries):
    """The answer of `/api/entrant`: the facts that an entrant may know about itself."""

    opponents: Sequence[str]
    scrimmages: Sequence[scrimmages.Scrimmage]
    questions: Sequence[questions.Answer]


@dataclass(frozen=True, kw_only=True)
class RemoteEntrant:
    """The public part of a remote entrant."""

    name: str
    team: str
    is_connected: bool


def to_json(server: ContestServer, view: object) -> Any:
    """The JSON of a view: dataclasses are objects with their fields."""
    return _json_of(view, deadline(server.contest, server.state).tzinfo)


def _json_of(value: object, zone: tzinfo | None) -> Any:
    match value:
        case datetime():
            moment = value.astimezone(zone).replace(microsecond=0)
            return {"at": moment.isoformat(), "text": show_moment(moment)}
        case Finding():
            return {"advice": "", **value.to_json()}
        case Mapping():
            return {name: _json_of(each, zone) for name, each in value.items()}
        case list() | tuple():
            return [_json_of(each, zone) for each in value]
    return _json_of(vars(value), zone) if is_dataclass(value) else value


def contest_view(server: ContestServer) -> ContestView:
    contest, state = server.contest, server.state
    settings, now, end = settings_of(state), datetime.now(UTC), deadline(contest, state)
    connected = [each.is_connected for each in remote_view(server)]
    return ContestView(
        title=contest.keys.title,
        game=contest.terms.game.name,
        seats=contest.terms.seats,
        now=now,
        phase=_phase_of(settings, is_late=now > end),
        is_paused=settings.paused,
        waits=settings.player(PLAYER).waits,
        deadline=end,
        freeze=freeze(contest, state),
        is_frozen=settings.is_frozen,
        entries=contest.keys.entries,
        deals=contest.terms.conditions.deals,
        limits=Limits(),
        counts=_counts(state),
        remote={"entrants": len(connected), "connected": sum(connected)},
        notices=notices.latest(state),
        answers=questions.public(state),
    )


def _phase_of(settings: Settings, is_late: bool) -> Phase:
    """The phase: `closed` after the deadline, `final` during the final, then `over`, then `published`."""
    if settings.published:
        return "published"
    if settings.final:
        return "over" if settings.final.state == "over" else "final"
    return "closed" if is_late else "open"


def _counts(state: Database) -> Mapping[str, int]:
    """The numbers of entrants that take part, of entries, of entries in work, and of entries in each state.

    Entries of excluded entrants do not count. Playing entries that are checked again count as `playing`.
    """
    found = entries.counts(state)
    playing = sum(entry.state != "waiting" for entry in entries.playing(state))
    return {
        "entrants": entrants.count(state),
        "entries": sum(found.values()),
        "in_work": sum(found[name] for name in entries.WORKED_ON),
        **found,
        "playing": playing,
    }


def remote_view(server: ContestServer) -> list[RemoteEntrant]:
    """The remote entrants that take part, and whether each is connected; public."""
    connected = server.remotes.connected
    return [
        RemoteEntrant(name=each.name, team=each.team, is_connected=each.name in connected)
        for each in entrants.remote(server.state)
    ]


def entry_views(server: ContestServer, found: Iterable[entries.Entry]) -> list[EntryView]:
    """The views of the entries `found`."""
    state, final = server.state, settings_of(server.state).final
    places = {
        entry.id: place
        for listed in (entries.queue(state), entries.waiting(state))
        for place, entry in enumerate(listed, 1)
    }
    excluded, playing = entrants.excluded(state), {entry.id for entry in entries.playing(state)}
    marks = dict(final.listed) if final else {}

    def words(entry: entries.Entry) -> str:
        """The state of an entry for people, with its place, and whether it is excluded or plays meanwhile."""
        if entry.entrant in excluded and entry.state not in entries.ENDED:
            return "does not play: its entrant is excluded"
        if final and entry.state == "playing" and entry.fingerprint == marks.get(entry.entrant):
            return "has played in the final" if final.state == "over" else "plays in the final"
        place = f", number {places[entry.id]} in the queue" if entry.id in places else ""
        also = "; it plays on" if entry.id in playing and entry.state not in ("waiting", "playing") else ""
        return f"{_STATES[entry.state]}{place}{also}"

    return [EntryView(**_facts_of(entry), words=words(entry), place=places.get(entry.id)) for entry in found]


def _facts_of(entry: entries.Entry) -> dict[str, Any]:
    return {each.name: getattr(entry, each.name) for each in fields(entries.EntryFacts)}


def entrant_view(server: ContestServer, entrant: entrants.Entrant) -> EntrantView:
    state, name = server.state, entrant.name
    return EntrantView(
        **vars(entrant),
        is_connected=name in server.remotes.connected,
        entries=entry_views(server, entries.of(state, name)),
        opponents=[each.name for each in entrants.opponents(state) if each.name != name],
        scrimmages=scrimmages.of(state, name),
        questions=questions.of(state, name),
    )
