"""The view of a seat in a match: the same as a bot reads, but each part is made only when it is used."""

from collections.abc import Sequence
from functools import cached_property

from arena.library.errors import LibraryError
from arena.library.reader import State, View, read_states
from arena.library.tables import Table
from arena.referee.conditions import TimeControl
from arena.referee.protocol import ask_line, option_words
from arena.rules import Ask, Choice, Log, Tell, seat_name
from arena.rules.match import Match

_FIRST_ASK = 3  # after `hello` and `ready`
_MOVE = TimeControl().move


class MatchView(View):
    """A `View` of a match in this process.

    Raises:
        LibraryError: The state is read after the match has gone on.
    """

    # A bot that needs only the options costs little more than the rules: the rest is made when it is used.

    def __init__(self, table: Table, match: Match, seat: int, choice: Choice, since: int, asks: int):
        self.table, self.seat, self.kind, self.options = table, seat, choice.kind, choice.options
        self._match, self.choice, self._since, self._asks = match, choice, since, asks
        self.until = len(match.log)  # entries of the log before this view

    @cached_property
    def context(self) -> dict[str, str]:  # type: ignore[override]
        found = {key: str(value) for key, value in self.choice.context.items()}
        return {**found, "open": ",".join(self.choice.open)} if self.choice.open else found

    @cached_property
    def line(self) -> str:  # type: ignore[override]
        return ask_line(_FIRST_ASK + self._asks, self.choice, _MOVE, _MOVE, 0.0)

    @cached_property
    def news(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(told_to(self.seat, self._match.log[self._since : self.until]))

    @property
    def state(self) -> State:
        return read_states(self.state_lines)

    @property
    def state_lines(self) -> Sequence[str]:
        match = self._match
        if len(match.log) != self.until:
            raise LibraryError(f"{self.name}: the state of a view can be read until its answer is played")
        return match.game.view(match.position, self.seat)

    @property
    def information(self) -> tuple[str, ...]:
        heard = information(self.table, self.seat, self._match.log[: self.until])
        return (*heard, asked_text(self.choice))


def told_to(seat: int, log: Log) -> list[str]:
    """The `event` and `secret` lines that a seat is told in this log."""
    return [step.line for step, _ in log if type(step) is Tell and step.reaches(seat)]


def information(table: Table, seat: int, log: Log) -> list[str]:
    """The line of the game, and the news, asks and answers of a seat in it."""
    lines = [_opening(table, seat)]
    for step, reply in log:
        if type(step) is Tell:
            if step.reaches(seat):
                lines.append(step.line)
        elif type(step) is Ask and seat in step.choices and isinstance(reply, dict):
            lines += [asked_text(step.choices[seat]), f"answer {reply[seat]}"]
    return lines


def _opening(table: Table, seat: int) -> str:
    """The `game` line for a seat, without its number and its seed, which differ between games of a table."""
    options = option_words(table.options.items())
    return " ".join(["game", table.name, f"seats={table.seats}", f"you={seat_name(seat)}", options]).strip()


def opening_seat(table: Table, lines: Sequence[str]) -> int:
    """The seat whose `game` line is the first of these.

    Raises:
        LibraryError: The line is missing, or of another table.
    """
    given = lines[0].split(" ") if lines else []
    for seat in range(table.seats):
        words = _opening(table, seat).split(" ")
        if given[: len(words)] == words:
            return seat
    raise LibraryError(
        f"these lines are not of a {_opening(table, 0)}: {' '.join(given) or 'there are none'}"
    )


def asked_text(choice: Choice) -> str:
    """An ask without its id and its times, in the form of `View.information`."""
    return f"ask {choice.kind} {choice.tail}"
