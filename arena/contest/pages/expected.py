"""The forecast of the final for the organiser, which is computed now and then beside the pages."""

from asyncio import Task, create_task
from time import monotonic
from typing import Any

from arena.contest import entries
from arena.contest.contest import Contest
from arena.contest.pages import reading
from arena.web.database import Database
from arena.web.reading import ReadingProcess

_AGAIN_S = 600.0  # after which it is computed again: the ladder has gone on


class ExpectedFinal:
    """Knows the newest forecast of a final that has not begun."""

    def __init__(self, contest: Contest, state: Database):
        self._contest, self._state = contest, state
        self._found: dict[str, Any] | None = None
        self._basis: tuple[Any, ...] = ()
        self._due = 0.0
        self._task: Task[None] | None = None

    def newest(self) -> dict[str, Any] | None:
        """The newest forecast, with the number of `entries`; None if there is none, or not yet.

        If it is out of date, a process begins to compute the next one.
        """
        names = [each.entrant for each in entries.playing(self._state)]
        plan = self._contest.final
        basis = (*names, plan.stat().st_mtime_ns if plan.is_file() else 0)
        is_busy = self._task is not None and not self._task.done()
        if names and not is_busy and (basis != self._basis or monotonic() >= self._due):
            self._basis, self._due = basis, monotonic() + _AGAIN_S
            self._task = create_task(self._compute(names))
        return self._found if names else None

    async def _compute(self, names: list[str]) -> None:
        reader = ReadingProcess(reading.MODULE)  # not the one for which entrants wait
        try:
            answer = await reader.ask("expect_final", str(self._contest.folder), names)
        finally:
            await reader.close()
        found = answer.get("forecast")
        self._found = found and {**found, "entries": len(names)}
