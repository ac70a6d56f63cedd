"""Shows a worker's game to spectators, in a small file that it replaces now and then.

Theory of operation. Spectators must not slow down a game, and must not learn more than every player knows. So

- the loop compares one number with the time each turn, and calls `look` only `PAUSE_S` after the last file. A
  fast game ends before that, and costs nothing else;
- the file contains the news for *all* seats up to the beginning of a turn, and a spectator's view of the
  table (`Game.public_view`). Within a turn the table would be ahead of the news, and reveal the time of each
  answer. So `look` waits for the beginning of a turn, before any answer in it;
- a rename replaces the previous file: a reader finds a whole file or none;
- an error of the disk or of a game's view does not affect the game. It only ends the writing.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from arena.referee.fixture import Fixture
from arena.rules import ALL, Ask, Tell
from arena.rules.match import Match

PAUSE_S = 0.5


class LiveGame:
    """Writes the current game of a worker to `path`."""

    def __init__(self, path: Path):
        self._path = path
        self._match: Match | None = None
        self._head: dict[str, Any] = {}
        self._looked = 0  # the length of the log at the last look
        self._free = 0.0  # when the next file may be written
        self.due = inf  # when the loop calls `look`

    def begin(self, fixture: Fixture, match: Match) -> None:
        self._match, self._looked, self.due = match, 0, self._free
        self._head = {
            "id": fixture.id,
            "game": fixture.game,
            "options": dict(fixture.options),
            "bots": fixture.bots,
        }

    def look(self, now: float) -> float:
        """Write the game if a turn has just begun; returns when (by `monotonic`) to look again, or inf."""
        assert self._match
        if _begins_turn(self._match.log, self._looked):
            self._write(now)
        self._looked = len(self._match.log)
        return self.due

    def end(self) -> None:
        """Note that the game is over; write its last turn if the pause is over."""
        now = monotonic()
        if self._match and now >= self.due:
            self._write(now)
        self._match = None

    def close(self) -> None:
        """Remove the file: no game is in progress."""
        self._match = None
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _write(self, now: float) -> None:
        assert self._match
        try:
            text = json.dumps(self._head | _public(self._match))
            new = self._path.with_suffix(".new")
            new.write_text(text, encoding="utf-8")
            os.replace(new, self._path)
            self._free = self.due = now + PAUSE_S
        except Exception:  # a full disk, or the view of another package's game
            self.due = inf


def _begins_turn(log: Sequence[tuple[Any, Any]], since: int) -> bool:
    """Whether a turn begins in these entries of a log, without an answer so far."""
    begun = False
    for step, _ in log[since:]:
        if type(step) is Tell:
            begun = begun or step.begins_turn
        elif type(step) is Ask:
            begun = False
    return begun


def _public(match: Match) -> dict[str, Any]:
    """The common knowledge of all seats in a game, as JSON values."""
    places, scores = match.result or (None, None)
    view = match.game.public_view
    return {
        "news": [news.text for news in match.heard(ALL)],
        "view": view(match.position) if view else None,
        "places": places,
        "scores": scores,
    }
