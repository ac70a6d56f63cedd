"""The public part of the final: from the first day its commitment, at the end its result and its files.

The organiser reveals the places one by one, from the last one upwards.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from arena.config.document import ConfigError
from arena.contest import entrants
from arena.contest.contest import deals
from arena.contest.final import excluded
from arena.contest.pages.server import ContestServer
from arena.contest.settings import Place, Published, VoidDeal, settings_of
from arena.referee.conditions import PER_GROUP


@dataclass(frozen=True)
class ListedEntry:
    """An entry of the final's list."""

    name: str
    fingerprint: str


@dataclass(frozen=True)
class Excluded:
    """An entrant of the final that is excluded."""

    name: str
    why: str


@dataclass(frozen=True)
class PublicFile:
    """A file with which visitors can verify the result."""

    name: str
    bytes: int


@dataclass(frozen=True, kw_only=True)
class FinalView:
    """The answer of `/api/final`; it has only the places that the organiser has revealed."""

    sha256_of_secret: str | None
    plan: str
    deals: str | None
    state: str | None = None
    began: datetime | None = None
    played: int = 0
    total: int | None = None
    why: str = ""
    list: Sequence[ListedEntry] = ()
    sha256_of_list: str | None = None
    excluded: Sequence[Excluded] = ()
    voids: Sequence[VoidDeal] = ()
    places: Sequence[Place] = ()
    untold: int = 0
    prize: str = ""
    files: Sequence[PublicFile] = ()
    published: Published | None = None


def final_view(server: ContestServer) -> FinalView:
    settings, names = settings_of(server.state), entrants.aliases(server.state)
    commitment, final = settings.commitment, settings.final
    untold = len(settings.places) - len(settings.public_places)
    view = FinalView(
        sha256_of_secret=commitment.sha256 if commitment else None,
        plan=_read_plan(server),
        deals=_deals(server),
        state="published" if settings.published else None,
        places=settings.public_places,
        untold=untold,
        prize="" if untold else settings.prize,
        files=[PublicFile(path.name, path.stat().st_size) for path in published_files(server)],
        published=settings.published,
    )
    if not final:
        return view
    return replace(
        view,
        plan=final.plan,
        deals=str(json.loads(final.text).get("deals", PER_GROUP)),
        state=view.state or final.state,
        began=final.at,
        played=final.played,
        total=final.total,
        why=final.why,
        list=[ListedEntry(names.get(name, name), mark) for name, mark in final.listed],
        sha256_of_list=final.list_sha256,
        excluded=[Excluded(names.get(name, name), why) for name, why in excluded(server.state).items()],
        # The name of a seed group contains the names of its bots.
        voids=[
            replace(each, group=" ".join(names.get(word, word) for word in each.group.split(" ")))
            for each in final.voids
        ],
    )


def published_files(server: ContestServer) -> list[Path]:
    """The files with which visitors can verify the result; none before it is published."""
    folder = server.contest.published
    if not settings_of(server.state).published or not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())


def _deals(server: ContestServer) -> str | None:
    """The key `deals` of the final's plan in the folder; None: it cannot be read."""
    try:
        return deals(server.contest.final)
    except ConfigError:
        return None


def _read_plan(server: ContestServer) -> str:
    """The text of the final's plan in the folder; "" if it cannot be read."""
    try:
        return server.contest.final.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
