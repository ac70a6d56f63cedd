"""A run as pandas data frames, for notebooks and papers (docs/notebooks.md)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.referee.fixture import NO_CLOCK
from arena.referee.protocol import option_words
from arena.referee.record import Record
from arena.rules import seat_name
from arena.tournament.runs.account import Answered, Told, account
from arena.tournament.runs.asks import time_usage, traced_asks
from arena.tournament.runs.game_list import PlayedGame, shown_records

if TYPE_CHECKING:
    import pandas as pd

_COLUMN = re.compile(r"\| `(\w+)` \| (\w+) \|")  # name and dtype of a column, in the docstring of its frame

Row = tuple[Any, ...]


class RunFrames:
    """The games of one or several runs, each once. A frame is computed when it is first used, and kept.

    Frames join on `game`, `seat` and `ask`. Times are in milliseconds; unknown values are missing (NA). The
    games of each run are in fixture order, as in `arena export`: by seed group and rotation. Void games are
    left out.
    """

    def __init__(self, runs: Sequence[str | PathLike[str]]):
        self.runs = [Path(run) for run in runs]

    @cached_property
    def games(self) -> "pd.DataFrame":
        """A row for each game.

        | `run` | string | the run file, as given |
        | `number` | int64 | the number of the game in that run, for `arena replay RUN NUMBER` |
        | `game` | string | the id of the game, the same in all frames |
        | `rules` | string | the name of its rules: complots, local, intrigue, … |
        | `seats` | int64 | the number of seats |
        | `group` | string | the seed group: its games share a deal |
        | `rotation` | int64 | the number of the game in its group, from 0 |
        | `options` | string | all options as KEY=VALUE, separated by spaces |
        | `seed` | string | the seed of the deal; missing until the run is closed |
        | `replies` | int64 | the length: asks, draws of chance and roll calls |
        | `faults` | int64 | of all its bots |
        | `seconds` | Float64 | wall time of the whole game |
        """
        return self._frame("games", _game_rows)

    @cached_property
    def seats(self) -> "pd.DataFrame":
        """A row for each seat of each game: its bot and result.

        | `game` | string | as in `games` |
        | `seat` | string | p1, p2, … |
        | `bot` | string | its name in the standings; an old version is NAME@FINGERPRINT |
        | `version` | string | the fingerprint of its files and command |
        | `place` | int64 | 1 is first; ties share a place: 1, 2, 2, 4 |
        | `score` | Int64 | at the end, in games that have scores |
        | `forfeit` | string | the kind of fault that cost the game; else missing |
        | `faults` | int64 | of this seat |
        | `answers` | int64 | rows in `answers`, including the first options that stand in after a forfeit |
        | `thought_ms` | Float64 | time charged for all answers together, without the start of the game |
        """
        return self._frame("seats", _seat_rows)

    @cached_property
    def answers(self) -> "pd.DataFrame":
        """A row for each answer, in the order of play. It takes some time to replay all games.

        | `game` | string | as in `games` |
        | `seat` | string | p1, p2, … |
        | `bot` | string | as in `seats` |
        | `ask` | Int64 | as in `times`; missing if the seat forfeited at this ask or before |
        | `turn` | int64 | of the game, from 1; 0 before the first |
        | `moment` | int64 | for `arena replay RUN NUMBER --at MOMENT` and the pages of `arena report` |
        | `kind` | string | the kind of the ask: action, challenge, … |
        | `word` | string | the answer that the rules got |
        | `options` | int64 | the number of options; free words are not counted |
        | `fault` | string | the kind of fault for which the first option was taken; else missing |
        | `ms` | Float64 | the time that was charged |
        | `limit_ms` | Float64 | the time for an answer, without the bank; missing if there is no clock |
        """
        return self._frame("answers", _answer_rows)

    @cached_property
    def times(self) -> "pd.DataFrame":
        """A row for each ask whose time was charged. This is quicker than `answers`: nothing is replayed.

        | `game` | string | as in `games` |
        | `seat` | string | p1, p2, … |
        | `bot` | string | as in `seats` |
        | `ask` | int64 | the number of the ask to this seat; 0 is the `ready` before the game |
        | `ms` | Float64 | the time that was charged |
        | `wall_ms` | Float64 | from the ask to the answer; measured only for slow answers |
        | `cpu_ms` | Float64 | the CPU time of the bot, where measured |
        | `wait_ms` | Float64 | the time that the bot waited for a core, where measured |
        | `limit_ms` | Float64 | as in `answers`; for ask 0 the time limit of the start |
        | `stderr` | int64 | the number of characters on stderr after this ask and before the next |
        """
        return self._frame("times", _time_rows)

    @cached_property
    def faults(self) -> "pd.DataFrame":
        """A row for each fault.

        | `game` | string | as in `games` |
        | `seat` | string | p1, p2, … |
        | `bot` | string | as in `seats` |
        | `kind` | string | late, illegal, early, crashed, … |
        | `reply` | int64 | the number of replies before it, counted as in `replies` of `games` |
        | `detail` | string | what happened; it may quote the bot |
        """
        return self._frame("faults", _fault_rows)

    def _frame(self, name: str, rows_of: Callable[[PlayedGame, Record], Iterable[Row]]) -> "pd.DataFrame":
        """The frame with the columns that the docstring of the property `name` lists."""
        import pandas as pd

        dtypes = dict(_COLUMN.findall(getattr(RunFrames, name).__doc__))
        rows = [row for played, record in shown_records(self.runs) for row in rows_of(played, record)]
        columns = zip(*rows, strict=True) if rows else [()] * len(dtypes)
        return pd.DataFrame(dict(zip(dtypes, columns, strict=True))).astype(dtypes)


def _game_rows(played: PlayedGame, record: Record) -> Iterator[Row]:
    fixture = record.fixture
    yield (
        *(str(played.run), played.number, fixture.id, fixture.game, len(fixture.bots)),
        *(fixture.group, fixture.rotation, option_words(fixture.options.items()), fixture.seed or None),
        *(len(record.replies), len(record.faults), record.trace.get("seconds")),
    )


def _seat_rows(played: PlayedGame, record: Record) -> Iterator[Row]:
    places, scores = record.result
    last = record.last_faults
    forfeits = {seat: last[seat].kind for seat in record.forfeits}
    charged = record.trace.get("microseconds")
    for seat, key in enumerate(_keys(played, record)):
        yield (
            *(*key, record.fixture.fingerprints[seat], places[seat], scores and scores[seat]),
            *(forfeits.get(seat), sum(fault.seat == seat for fault in record.faults)),
            sum(isinstance(reply, dict) and seat in reply for reply in record.replies),
            charged and sum(charged[seat][1:]) / 1000,
        )


def _answer_rows(played: PlayedGame, record: Record) -> Iterator[Row]:
    key, limit, turn = _keys(played, record), _limits(record), 0
    for event in account(record):
        match event:
            case Told() if event.begins_turn:
                turn += 1
            case Answered(moment, seat, choice, word):
                ms = event.milliseconds
                yield (
                    *(*key[seat], None if ms is None else event.number, turn, moment, choice.kind, word),
                    *(len(choice.options), event.fault, ms, limit[seat]),
                )


def _time_rows(played: PlayedGame, record: Record) -> Iterator[Row]:
    start = record.fixture.conditions.clock.start * 1000
    for seat, (key, limit) in enumerate(zip(_keys(played, record), _limits(record), strict=True)):
        for ask, (charged, stderr) in enumerate(traced_asks(record, seat)):
            if charged is not None:
                usage = time_usage(record, seat, ask)
                yield (*key, ask, charged / 1000, *usage, limit if ask else start, len(stderr))


def _fault_rows(played: PlayedGame, record: Record) -> Iterator[Row]:
    key = _keys(played, record)
    for fault in record.faults:
        yield (*key[fault.seat], fault.kind, fault.reply, fault.detail)


def _keys(played: PlayedGame, record: Record) -> list[tuple[str, str, str]]:
    """The cells that identify each seat: game, seat and bot."""
    return [(record.fixture.id, seat_name(seat), bot) for seat, bot in enumerate(played.names)]


def _limits(record: Record) -> list[float | None]:
    """The milliseconds for an answer by seat; None for a person without a clock."""
    fixture = record.fixture
    controls = [fixture.control(seat) for seat in range(len(fixture.bots))]
    return [None if control is NO_CLOCK else control.move * 1000 for control in controls]
