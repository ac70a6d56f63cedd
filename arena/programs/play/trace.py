"""The trace of a record: the parts that differ between replays of a game: times, stderr, versions."""

import platform
import sys
from collections.abc import Sequence

import arena
from arena.programs.play.player import Player
from arena.programs.play.stderr import join_parts
from arena.referee.referee import Referee

_VERSIONS = {
    "arena": arena.__version__,
    "python": platform.python_version(),
    "machine": f"{sys.platform} {platform.machine()}",
}


def trace(referee: Referee, players: Sequence[Player], seconds: float) -> dict[str, object]:
    """The trace of a game that has just ended, as JSON values. Keys of seats count from 1."""
    said = {seat: parts for seat, player in enumerate(players, 1) if (parts := player.take_stderr())}
    return {
        "seconds": round(seconds, 6),
        "microseconds": [state.microseconds() for state in referee.seats],
        "figures": {
            seat: figures for seat, state in enumerate(referee.seats, 1) if (figures := state.measured())
        },
        "sent": [state.sent() for state in referee.seats],
        "stderr": {seat: join_parts(parts) for seat, parts in said.items()},
        "stderr_asks": {seat: [(ask, len(text)) for ask, text in parts] for seat, parts in said.items()},
        **_VERSIONS,
    }
