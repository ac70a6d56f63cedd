"""The times that a plan or the command line gives to bots."""

from dataclasses import dataclass

from arena.core.values import KEYS, MoveTime, TimeOrNone


@dataclass(frozen=True)
class TimeControl:
    """Times such as 500ms, 1s or 2m."""

    __pydantic_config__ = KEYS

    # Here in seconds.
    move: MoveTime = 1.0
    """Time for an answer; 1s by default."""
    bank: TimeOrNone = 0.0
    """Time for a whole game, taken when an answer needs more than `move`; none by default."""
    start: MoveTime = 10.0
    """Time for a process to start and say ready; 10s by default."""
    game: MoveTime | None = None
    """Time for all answers of a game together; no limit by default."""

    def plain(self) -> dict[str, float]:
        """The limits that are set, as JSON has them."""
        return {name: value for name, value in vars(self).items() if value is not None}
