"""The options that both variants of Complots have."""

from arena.games.complots.actions import COUP_COST
from arena.games.shared import starter_option
from arena.rules import Option


def shared_options(seats: int) -> dict[str, Option]:
    """The options of both variants, for at most this number of seats."""
    return {
        "starter": starter_option(seats, "C6, C7"),
        "priority": Option(
            "clockwise",
            "which of several challenges or blocks counts (C30)",
            ("clockwise", "random", "fastest"),
        ),
        "block_after_own_failed_challenge": Option(
            True, "the target may block after challenging in vain (C36)", (True, False)
        ),
        "block_attempts": Option(
            "one", "blocks of one aid that may be tried: one, or one by each opponent (C33)", ("one", "each")
        ),
        "captain_min_target": Option(1, "coins a captain's target must have (C20)", (0, 1)),
        "steal_from_dead": Option(
            False, "a captain still robs a target that went out meanwhile (C45)", (True, False)
        ),
        "must_coup_at": Option(10, "coins that force the Assassinat (C15)", minimum=COUP_COST),
        "treasury": Option(54, "coins in the game (C4, C5)", ("unlimited",), minimum=16),
        "max_turns": Option(300, "turns after which the survivors share the win (C50)", minimum=1),
        "scoring": Option(
            "ranking",
            "places by order of elimination, or winner: all losers tie (C51)",
            ("ranking", "winner"),
        ),
    }
