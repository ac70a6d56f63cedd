"""What the rules of a game are written with; a game from outside imports this package alone.

`steps` are what a game may say to the table, `choices` what a seat may answer, `game` is a game as a value.
Seats are numbers from 0; in every text they are `p1`, `p2`, … (`seat_name`). Beside them, for the arena
itself: `match` drives a game, `chance` decides its draws.
"""

from arena.rules.choices import Choice, numbers
from arena.rules.game import Figure, Game, Mark, Option, PositionError, Result
from arena.rules.seats import SEAT_NAMES, seat_name, seat_number
from arena.rules.steps import ALL, Ask, Draw, Log, RollCall, Tell, ask

__all__ = [
    "ALL",
    "SEAT_NAMES",
    "Ask",
    "Choice",
    "Draw",
    "Figure",
    "Game",
    "Log",
    "Mark",
    "Option",
    "PositionError",
    "Result",
    "RollCall",
    "Tell",
    "ask",
    "numbers",
    "seat_name",
    "seat_number",
]
