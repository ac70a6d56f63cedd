"""A recorded game as a sequence of moments, to be watched step by step."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from arena.referee.record import Record
from arena.rules import Ask
from arena.rules.match import Match
from arena.tournament.runs.account import Answered, Ended, Faulted, Happening, Told, Waiting, Wrote, account

_Views = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]  # `table` and `views` of a moment


class Moment(NamedTuple):
    """The events of one moment (see `arena.tournament.runs.account`), and the position at this moment.

    `table` has the `state` lines of the position with all cards open, and `views` has each seat's `state`
    lines; both without the word `state`.
    """

    said: tuple[Happening, ...]
    table: tuple[str, ...]
    views: tuple[tuple[str, ...], ...]


def moments_of(record: Record, match: Match | None = None) -> Iterator[Moment]:
    """All moments of a game in order. `match` and the errors are as in `replay`.

    The position is the next one at which the rules wait for answers, or the last one: other positions may
    have no view. A bot's stderr before the game is shown with its first answer, or at the end if it has none.
    """
    said: list[Happening] = []
    views: _Views | None = None
    wrote: dict[int, str] = {}  # stderr by seat that no answer has yet
    for event in account(record, match):
        if views and isinstance(event, Told | Waiting):  # The rules have gone on.
            yield from _moments_at(said, views)
            said, views = [], None
        match event:
            case Waiting(at) if at.step is None or type(at.step) is Ask:
                view, position = at.game.view, at.position
                views = tuple(view(position, None)), tuple(tuple(view(position, s)) for s in range(at.seats))
            case Answered(seat=seat, stderr=text):
                said.append(event._replace(stderr=(wrote.pop(seat, "") + text).rstrip()))
            case Wrote(_, seat, text):
                wrote[seat] = wrote.get(seat, "") + text
            case Told() | Faulted() | Ended():
                said.append(event)
    assert views, "the game has ended"
    last = said[-1].moment
    said += [Wrote(last, seat, text.rstrip()) for seat, text in sorted(wrote.items()) if text.rstrip()]
    yield from _moments_at(said, views)


def _moments_at(said: Iterable[Happening], views: _Views) -> Iterator[Moment]:
    return (Moment(tuple(group), *views) for _, group in groupby(said, key=lambda event: event.moment))
