"""All checks of a game, in random games with each option at its listed values, or at a few numbers."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from arena.referee.game_check import checks, secrets
from arena.referee.game_check.random_games import Options, configurations, line_ups
from arena.rules import SEAT_NAMES, Game

_MAX_PROBLEMS = 3  # of one check, which then ends

Check = Callable[[Game, Options, int, str], Iterator[str]]

CHECKS: dict[str, tuple[Check, str]] = {
    "ends": (checks.ends, "games end, also if no seat ever answers"),
    "repeats": (checks.repeats, "the same replies give the same game"),
    "copies": (checks.copies, "a copy goes on like the original, which it does not change"),
    "windows": (checks.windows, "answers given at once are sealed: their order makes no difference"),
    "lines": (checks.lines, "news, states and asks are lines that the protocol allows"),
    "answers": (checks.answers, "options are different words; each is accepted, and nothing else"),
    "places": (checks.places, "places fit each other and the forfeits"),
    "figures": (checks.figures, "figures count what there was"),
    "prose": (checks.prose, "whatever happens has words for a person"),
    "draws": (secrets.draws, "what chance gives to one seat shows nothing to the others and to spectators"),
    "secrets": (secrets.equal_news, "seats that have heard the same see and are asked the same"),
}
"""Each check by name, with the line that says what a sound game does."""


class CheckResult(NamedTuple):
    """The result of one check: its line for a `sound` game, and the first few problems of this game."""

    check: str
    sound: str
    problems: list[str]


def examine(game: Game, games_each: int) -> Iterator[CheckResult]:
    """Yield the result of each check, after `games_each` games for each configuration of the options.

    Nothing follows if the declaration is wrong, or if games do not end.
    """
    declared = CheckResult(
        "declares", "its name, version, seats and options make sense", list(declaration(game))
    )
    yield declared
    if declared.problems:  # games cannot be made of it
        return
    for name, (check, sound) in CHECKS.items():
        problems = list(_run_check(game, check, games_each))
        yield CheckResult(name, sound, problems)
        if problems and check is checks.ends:
            return  # other checks might never end


def declaration(game: Game) -> Iterator[str]:
    """What is wrong with the name, the version, the seats or the defaults of options that a game declares."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", game.name):
        yield f"name {game.name!r} should be one word of small letters, digits, - and _"
    if type(game.version) is not int or game.version < 1:
        yield f"version {game.version!r} should be a whole number from 1"
    if not game.seats or game.seats[0] < 1 or game.seats[-1] > len(SEAT_NAMES):
        yield f"seats {game.seats} should be from 1 to {len(SEAT_NAMES)}"
        return
    for name, option in game.options.items():
        if not option.allows(option.default):
            yield f"option {name}: its default {option.default!r} is not among its values"
        elif not any(option.applies(option.default, seats) for seats in game.seats):
            yield f"option {name}: its default {option.default!r} fits no number of seats"


def _run_check(game: Game, check: Check, games_each: int) -> Iterator[str]:
    count = 0
    for changes in configurations(game):
        for options, seats, seed in line_ups(game, changes, games_each):
            where = ", ".join([f"{seats} seats", *(f"{key}={value}" for key, value in changes.items())])
            for problem in _attempt(check, game, options, seats, seed):
                yield f"{problem} [{where}]"
                count += 1
                if count == _MAX_PROBLEMS:
                    return


def _attempt(check: Check, game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    try:
        yield from check(game, options, seats, seed)
    except checks.Wrong as problem:
        yield str(problem)
    except Exception as error:  # rules of another package may raise anything
        yield f"{type(error).__name__}: {error}"
