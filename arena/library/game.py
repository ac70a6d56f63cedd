"""One game between players of this process, as fast as the rules: no referee, no lines, no clocks.

If the answers are the same, the same seed gives the same digest as with programs at a referee: the rules and
their chance are the same. Programs, and games that go on after faults, need a referee (`refereed`).
"""

from collections.abc import Callable, Sequence
from typing import Any

from arena.library.answers import check_answer
from arena.library.errors import PlayerError
from arena.library.players import answer_of, call
from arena.library.tables import Table
from arena.library.views import MatchView, told_to
from arena.referee.fixture import Fixture
from arena.rules import Choice
from arena.rules.chance import Chance
from arena.rules.match import Match

__all__ = ("SeatedPlayer",)


class SeatedPlayer:
    """A player of this process on a seat; it gets the news since its last ask."""

    def __init__(self, table: Table, seat: int, player: Any):
        self.table, self.seat, self.player = table, seat, player
        # `check_answer` checks what a player returns. Compiled code would raise for another type.
        self.answer: Callable[[MatchView], Any] = answer_of(player)
        self.since = self.asks = 0  # entries of the log before its last ask; asks so far
        self.hears = hasattr(player, "heard")

    @classmethod
    def made(cls, table: Table, seat: int, make: Callable[[], Any]) -> "SeatedPlayer":
        """The player that a factory makes for a seat.

        Raises:
            PlayerError: The factory raised an exception.
        """
        return cls(table, seat, make_player(make, seat))

    def ask(self, match: Match, choice: Choice) -> str:
        view = MatchView(self.table, match, self.seat, choice, self.since, self.asks)
        try:
            if self.hears:
                self.player.heard(view.news)
            word = self.answer(view)
        except Exception as error:
            raise self.error(error) from error
        self.since = view.until
        self.asks += 1
        # This test saves `check_answer` on the path of every answer.
        return word if word in choice.options else check_answer(match, self.seat, choice, word)

    def news_since_ask(self, match: Match) -> tuple[str, ...]:
        """The `event` and `secret` lines that the seat was told since its last ask."""
        return tuple(told_to(self.seat, match.log[self.since :]))

    def error(self, error: Exception) -> PlayerError:
        return PlayerError(self.seat, f"the player has raised {type(error).__name__}: {error}")

    def tell(self, name: str, *values: Any) -> None:
        try:
            call(self.player, name, *values)
        except Exception as error:
            raise self.error(error) from error


def make_player(make: Callable[[], Any], seat: int) -> Any:
    """The player that a factory makes for a seat.

    Raises:
        PlayerError: The factory raised an exception.
    """
    try:
        return make()
    except Exception as error:
        why = f"making the player has raised {type(error).__name__}: {error}"
        raise PlayerError(seat, why) from error


def play_here(
    table: Table, match: Match, seed: str, players: Sequence[Any], made: Callable[[], Fixture]
) -> Match:
    """Play a match to its end, and return it. All chance follows from `seed`.

    `made` makes the fixture; it is called only if a player has a method `begin`.

    Raises:
        IllegalAnswer: An answer is not legal.
        PlayerError: A player raised an exception.
    """
    seats = [SeatedPlayer(table, seat, player) for seat, player in enumerate(players)]
    chance = Chance(seed)
    for each in seats:
        if hasattr(each.player, "begin"):
            each.tell("begin", table, each.seat, made().bot_seeds[each.seat])
    match.drive(
        chance.pick,
        answer=lambda step: {seat: seats[seat].ask(match, choice) for seat, choice in step.choices.items()},
    )
    assert match.result, "the rules are done"
    for seat in seats:
        if seat.hears:
            seat.tell("heard", seat.news_since_ask(match))
        seat.tell("end", match.result[0])
    return match
