"""The games of each bot with the most unexpected results."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.show.tables.review import SeatScore, seat_scores
from arena.tournament.runs.game_list import PlayedGame

_MAX_GAMES = 3  # best and worst games of each bot


class NotableGames(NamedTuple):
    """The games of a bot whose score is furthest above and below the expected one, furthest first.

    There are at most three of each, all above, or below, the expected score.
    """

    best: list[SeatScore]
    worst: list[SeatScore]


def notable_games(games: Sequence[PlayedGame], elo: Mapping[str, float]) -> dict[str, NotableGames]:
    """By bot, its notable games; `elo` is by bot, too. Games with a bot that has no Elo are left out."""
    return {bot: _notable(seats) for bot, seats in seat_scores(games, elo).items() if seats}


def _notable(seats: Sequence[SeatScore]) -> NotableGames:
    def surprise(each: SeatScore) -> float:
        return round(
            each.score - each.expected, 9
        )  # rounding errors, which differ between machines, decide nothing

    order = sorted(seats, key=surprise)
    return NotableGames(
        [each for each in order[: -_MAX_GAMES - 1 : -1] if surprise(each) > 0],
        [each for each in order[:_MAX_GAMES] if surprise(each) < 0],
    )
