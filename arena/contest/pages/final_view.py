"""What is public about the final: from the first day its commitment, at the end its result and its files.

The organiser tells the places one by one, from the last one upwards; the setting `podium` counts them.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.config.document import ConfigError
from arena.contest import entrants
from arena.contest.contest import deals
from arena.contest.database import setting
from arena.contest.final import excluded
from arena.contest.pages.server import ContestServer, is_published
from arena.contest.pages.views import Times, Values
from arena.referee.conditions import PER_GROUP


def final_view(server: ContestServer) -> Values:
    """The answer of `/api/final`; of the result it has only the places that the organiser has told."""
    state = server.state
    times, final = Times(server.contest, state), setting(state, "final") or {}
    places = _told_places(server)
    untold = len(all_places(server)) - len(places)
    published, names = setting(state, "published"), entrants.aliases(state)
    return {
        "sha256_of_secret": (setting(state, "commitment") or {}).get("sha256"),
        "plan": final.get("plan") or _read_plan(server),
        "deals": _deals(server, final.get("text")),
        "state": "published" if published else final.get("state"),
        "began": times.of(final.get("at")),
        "played": final.get("played", 0),
        "total": final.get("total"),
        "why": final.get("why", ""),
        "list": [
            {"name": names.get(name, name), "fingerprint": mark} for name, mark in final.get("list", ())
        ],
        "sha256_of_list": final.get("list_sha256"),
        "excluded": [{"name": names.get(name, name), "why": why} for name, why in excluded(state).items()],
        "voids": [{**each, "group": _aliased(each["group"], names)} for each in final.get("voids", ())],
        "places": places,
        "untold": untold,
        "prize": "" if untold else final.get("prize", ""),
        "files": [{"name": path.name, "bytes": path.stat().st_size} for path in published_files(server)],
        "published": {"at": times.of(published["at"]), "sha256": published["sha256"]} if published else None,
    }


def _aliased(group: str, names: Mapping[str, str]) -> str:
    """The name of a seed group, with what is shown instead of the names of deleted entrants."""
    return " ".join(names.get(word, word) for word in group.split(" "))


def published_files(server: ContestServer) -> list[Path]:
    """The files with which visitors can verify the result; none before it is published."""
    folder = server.contest.published
    if not is_published(server.state) or not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())


def all_places(server: ContestServer) -> list[dict[str, Any]]:
    """The places as `final.result` gives them, the best first; none before the final is over."""
    found: list[dict[str, Any]] = setting(server.state, "places") or []
    return found


def _told_places(server: ContestServer) -> list[dict[str, Any]]:
    """The places that are public: the last ones, or all once the result is published."""
    places = all_places(server)
    count = len(places) if is_published(server.state) else int(setting(server.state, "podium") or 0)
    return places[max(0, len(places) - count) :]


def _deals(server: ContestServer, fixed: str | None) -> str | None:
    """The key `deals` of the final, from the list that was `fixed`, or from its plan before there is a list.

    None: the plan cannot be read now.
    """
    if fixed is not None:
        return str(json.loads(fixed).get("deals", PER_GROUP))
    try:
        return deals(server.contest.final)
    except ConfigError:
        return None


def _read_plan(server: ContestServer) -> str:
    """The text of the plan of the final, as it is in the folder now; "" if it cannot be read."""
    try:
        return server.contest.final.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
