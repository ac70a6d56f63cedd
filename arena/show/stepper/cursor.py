"""The current moment of a recorded game, and the moves to other moments."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from arena.tournament.runs.account import Faulted, Happening, Told
from arena.tournament.runs.moments import Moment


@dataclass
class Cursor:
    """The current moment `at` of a game, from 0, in the view of `seat`, or of all seats if it is None.

    If the seat learns nothing at a moment, the moment is skipped.
    """

    moments: Sequence[Moment]
    seat: int | None = None
    at: int = 0
    turns: list[int] = field(init=False)  # the number of the turn at each moment; 0 before the first

    def __post_init__(self) -> None:
        told = ([each for each in moment.said if isinstance(each, Told)] for moment in self.moments)
        self.turns = [*accumulate(int(any(each.begins_turn for each in news)) for news in told)]
        self.look(self.seat)

    def said(self, at: int) -> list[Happening]:
        """The events of a moment that the view shows."""
        return [each for each in self.moments[at].said if self.seat is None or each.seat in (None, self.seat)]

    @property
    def table(self) -> tuple[str, ...]:
        """The `state` lines of the current moment that the view shows."""
        moment = self.moments[self.at]
        return moment.table if self.seat is None else moment.views[self.seat]

    def look(self, seat: int | None) -> None:
        """Change to the view of a seat (None: of all); go back to the last moment that it shows."""
        self.seat = seat
        self.seen = [at for at in range(len(self.moments)) if self.said(at)]
        self.go(self.at)

    def go(self, at: int) -> None:
        """Go to a moment. If the view does not show it, go to the last one before it, or to the first."""
        self.at = max((each for each in self.seen if each <= at), default=self.seen[0])

    def step(self, by: int) -> None:
        place = self.seen.index(self.at) + by
        self.at = self.seen[max(0, min(place, len(self.seen) - 1))]

    def turn(self, number: int) -> None:
        """Go to the beginning of a turn, counted from 1; to the end if the game has fewer."""
        begun = (at for at in self.seen if self.turns[at] >= number)
        self.at = next(begun, self.seen[-1])

    def step_turn(self, by: int) -> None:
        """Go to the next turn. With -1, go to the beginning of this turn, or from there of the one before."""
        turn = self.turns[self.at]
        begins_here = all(self.turns[at] < turn for at in self.seen if at < self.at)
        self.turn(turn + 1 if by > 0 else turn - begins_here)

    def step_fault(self, by: int) -> bool:
        """Go to the next fault, or with -1 to the previous one; False if there is none."""
        faults = [at for at in self.seen if any(isinstance(each, Faulted) for each in self.said(at))]
        further = [at for at in faults if (at - self.at) * by > 0]
        if further:
            self.at = min(further, key=lambda at: abs(at - self.at))
        return bool(further)
