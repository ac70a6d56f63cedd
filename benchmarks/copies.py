"""Measures the cost of `Match.copy` beside a bare game: on average, by quarter, and for the first copy.

A bare game is a game of four seats with random replies and the defaults, without any bot or referee. Bare
games and copies are measured in turns. The fastest turn of each step counts, because other programs only add
time.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean
from typing import NamedTuple

from arena.games import GAMES
from arena.referee.game_check.random_games import play, random_reply
from arena.rules import Game
from arena.rules.match import Match

SEATS = 4
TURNS = 5


class Cost(NamedTuple):
    """Costs of one game; the costs of copies are relative to a bare game of Complots."""

    bare_us: float
    copy: float  # of a match that is copied at every step
    quarters: list[float]  # the same for each quarter of the game
    first_copy: float  # of a match that was never copied before


class Step(NamedTuple):
    """Seconds of copies at one step of a game."""

    copy: float
    first: float


def costs(games: int) -> dict[str, Cost]:
    """The costs of each game, from this number of games of Intrigue, and more of the others."""
    found = {}
    for game in GAMES.values():
        number = games if game.name == "intrigue" else 4 * games
        played, bare = [], []
        for seed in range(number):
            played.append(fastest_steps(game, str(seed)))
            bare.append(bare_game(GAMES["complots"], 20))
        base = min(bare)
        quarters = [
            mean(step.copy for steps in played for step in quarter(steps, k)) / base for k in range(4)
        ]
        copy = mean(step.copy for steps in played for step in steps) / base
        first = mean(step.first for steps in played for step in steps) / base
        found[game.name] = Cost(1e6 * bare_game(game, number), copy, quarters, first)
    return found


def bare_game(game: Game, games: int) -> float:
    """Seconds of CPU time of a game with random replies."""
    before = time.process_time()
    for seed in range(games):
        match, dice = Match(game, game.defaults(), SEATS), Random(seed)
        while match.step is not None:
            match.reply(random_reply(match, dice))
    return (time.process_time() - before) / games


def fastest_steps(game: Game, seed: str) -> list[Step]:
    whole = play(game, game.defaults(), SEATS, seed, calm=0.0)
    turns = zip(*[steps_of(game, whole) for _ in range(TURNS)], strict=True)
    return [Step(min(each.copy for each in same), min(each.first for each in same)) for same in turns]


def steps_of(game: Game, whole: Match) -> Iterator[Step]:
    live, first = Match(game, game.defaults(), SEATS), 0.0
    for number, reply in enumerate(whole.replies):
        if number % 8 == 0:  # A new match for every step would take minutes.
            first = seconds_of_copy(Match(game, game.defaults(), SEATS, whole.replies[:number]))
        yield Step(seconds_of_copy(live), first)
        live.reply(reply)


def seconds_of_copy(match: Match) -> float:
    before = time.perf_counter()
    match.copy()
    return time.perf_counter() - before


def quarter(steps: Sequence[Step], number: int) -> Sequence[Step]:
    return steps[number * len(steps) // 4 : (number + 1) * len(steps) // 4]


def table(found: dict[str, Cost]) -> Iterator[str]:
    yield "| game | bare game, µs | copy / bare Complots | by quarter of the game | first copy |"
    yield "|---|---|---|---|---|"
    for name, cost in found.items():
        quarters = " ".join(f"{each:.2f}" for each in cost.quarters)
        yield f"| {name} | {cost.bare_us:.0f} | {cost.copy:.2f} | {quarters} | {cost.first_copy:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--games", type=int, default=10, help="games of Intrigue; of others four times as many"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = costs(options.games)
    if options.json:
        print(json.dumps({name: cost._asdict() for name, cost in found.items()}, indent=2))
    else:
        print("\n".join(table(found)))


if __name__ == "__main__":
    main()
