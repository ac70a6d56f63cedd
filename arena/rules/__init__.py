"""The parts of which rules of games are made. A game in another package imports only these of the arena.

`steps` has the steps of rules, `choices` the answers that a seat may give, and `game` describes a game as a
value. Seats are numbers from 0; in every text they are `p1`, `p2`, … (`seat_name`). Two modules are for the
arena itself: `match` drives a game, and `chance` decides its draws.
"""

from arena.rules.choices import Choice, RulesError, numbers
from arena.rules.game import Figure, Game, Mark, Option, Options, PositionError, Prose, Result
from arena.rules.seats import SEAT_NAMES, seat_name, seat_number
from arena.rules.steps import ALL, Answers, Ask, Checkpoint, Draw, Log, Reply, RollCall, Step, Tell, ask

PUBLIC = "chance match"  # the modules for other packages, besides these names

__all__ = [
    "ALL",
    "SEAT_NAMES",
    "Answers",
    "Ask",
    "Checkpoint",
    "Choice",
    "Draw",
    "Figure",
    "Game",
    "Log",
    "Mark",
    "Option",
    "Options",
    "PositionError",
    "Prose",
    "Reply",
    "Result",
    "RollCall",
    "RulesError",
    "Step",
    "Tell",
    "ask",
    "numbers",
    "seat_name",
    "seat_number",
]
