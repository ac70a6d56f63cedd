"""The games of each bot with the most unexpected results."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.show.tables.review import SeatScore, seat_scores
from arena.tournament.runs.game_list import PlayedGame

_MAX_GAMES = 3  # as the best ones, and as the worst ones, of each bot


class NotableGames(NamedTuple):
    """The games in which the score of a bot is furthest above and below the expected one, furthest first.

    There are at most `_MAX_GAMES` of each.
    """

    best: list[SeatScore]
    worst: list[SeatScore]


def notable_games(games: Sequence[PlayedGame], elo: Mapping[str, float]) -> dict[str, NotableGames]:
    """The notable games by bot; `elo` is by bot as well. Games with a bot without an Elo are left out."""
    return {bot: _notable(seats) for bot, seats in seat_scores(games, elo).items() if seats}


def _notable(seats: Sequence[SeatScore]) -> NotableGames:
    def surprise(each: SeatScore) -> float:
        # Rounding errors differ between machines and must not decide anything.
        return round(each.score - each.expected, 9)

    order = sorted(seats, key=surprise)
    return NotableGames(
        [each for each in order[: -_MAX_GAMES - 1 : -1] if surprise(each) > 0],
        [each for each in order[:_MAX_GAMES] if surprise(each) < 0],
    )
