"""The organiser's view: the newest entries with states and verdicts, alarms, and the server's health.

Health is judged by the time of the last game and the last verdict: a live process may be stuck.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import time
from typing import Any

from arena.contest import alarms, entrants, entries, questions
from arena.contest.handin import KEPT
from arena.contest.pages.final_view import FinalView, final_view
from arena.contest.pages.server import ContestServer
from arena.contest.pages.views import ContestView, EntrantEntries, EntryView, contest_view, entry_views
from arena.contest.reports import PLAYER, REMOTE_PLAYER
from arena.contest.settings import Settings, settings_of
from arena.web.database import Database


@dataclass(frozen=True, kw_only=True)
class Health:
    """The times of the last verdict and the last games; `late`: entries past the limit of their state."""

    last_entry: datetime | None
    last_game: datetime | None
    games: int
    last_remote_game: datetime | None
    remote_games: int
    late: int


@dataclass(frozen=True, kw_only=True)
class OrganiserView:
    """The answer of `/api/organiser`, only for the operator."""

    contest: ContestView
    final: FinalView
    podium: int
    places: int
    publish: bool
    health: Health
    entrants: Sequence[EntrantEntries]
    questions: Sequence[questions.Question]
    alarms: Sequence[alarms.Alarm]
    forecast: Mapping[str, Any] | None


def organiser_view(server: ContestServer) -> OrganiserView:
    state, settings = server.state, settings_of(server.state)
    return OrganiserView(
        contest=contest_view(server),
        final=final_view(server),
        podium=settings.podium,
        places=len(settings.places),
        publish=settings.publish,
        health=_health(state, settings),
        entrants=_entrants(server),
        questions=questions.for_organiser(state),
        alarms=alarms.unseen(state),
        forecast=None if settings.final else server.expected.newest(),
    )


def _entrants(server: ContestServer) -> list[EntrantEntries]:
    """All entrants, each with its newest entries, the newest first."""
    found = defaultdict[str, list[EntryView]](list)
    for each in entry_views(server, entries.newest(server.state, KEPT)):
        found[each.entrant].append(each)
    connected = server.remotes.connected
    return [
        EntrantEntries(**vars(each), is_connected=each.name in connected, entries=found[each.name])
        for each in entrants.all_entrants(server.state)
    ]


def _health(state: Database, settings: Settings) -> Health:
    player, remote = settings.player(PLAYER), settings.player(REMOTE_PLAYER)
    return Health(
        last_entry=entries.last_finished(state),
        last_game=player.last_game,
        games=player.games,
        last_remote_game=remote.last_game,
        remote_games=remote.games,
        late=entries.late(state, time()),
    )
