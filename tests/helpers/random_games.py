"""Random games of every kind, for the tests of games, figures and behaviour.

Run as a program, this file writes the stored games of `tests/replays` anew.
"""

import json
import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from intrigue_table import play_talking

from arena.games import GAMES
from arena.rules import Ask, Draw, Game, RollCall
from arena.rules.chance import Chance
from arena.rules.match import Match, reply_to_json

GAMES_EACH = int(os.environ.get("ARENA_GAMES", "2"))  # random games per configuration

MIXTURES = 6  # configurations of each game with every option at random

REPLAYS = Path(__file__).parent.parent / "replays"

Options = dict[str, Any]


def configurations(game: Game) -> Iterator[Options]:
    """The defaults; each option at each other value; and some mixtures of everything."""
    values = {}
    for name, option in game.options.items():
        numbers = [] if option.minimum is None else [option.minimum, option.minimum + 1, 3 * option.minimum]
        values[name] = [
            option.default,
            *(value for value in (*option.values, *numbers) if value != option.default),
        ]
    yield {}
    for name, (_, *others) in values.items():
        yield from ({name: value} for value in others)
    for number in range(MIXTURES):
        dice = Random(f"{game.name}/{number}")
        yield {name: dice.choice([some[0]] * len(some) + some) for name, some in values.items()}


CASES = [(game, changes) for game in GAMES.values() for changes in configurations(game)]


def case_name(value: Any) -> str:
    if isinstance(value, Game):
        return value.name
    return (
        ",".join(f"{key}={value[key]}" for key in value)
        if len(value) < 2
        else f"mixture-{hash_of(value)[:4]}"
    )


def hash_of(value: Any) -> str:
    return sha256(repr(value).encode()).hexdigest()


def line_ups(game: Game, changes: Options, games: int) -> Iterator[tuple[Options, int, str]]:
    """Options, number of seats and seed of so many games, over all the seats that the options allow."""
    options = game.defaults() | changes
    seats = [
        number
        for number in game.seats
        if all(option.applies(options[name], number) for name, option in game.options.items())
    ]
    for number in range(games):
        yield options, seats[number % len(seats)], f"{game.name}/{changes}/{number}"


def play(
    game: Game,
    options: Options,
    seats: int,
    seed: str,
    forfeits: float = 0.0,
    calm: float | None = None,
    watch: Callable[[Match], None] = lambda match: None,
) -> Match:
    """A random game that follows from the seed.

    `calm` is how often a seat gives its first option, `forfeits` how often one that was asked is missing
    at the next roll call. `watch` is called at every step.
    """
    match, chance, dice = Match(game, options, seats), Chance(seed), Random(seed)
    calm = dice.choice((0.0, 0.5, 0.9)) if calm is None else calm
    may_be_missing, gone = set(range(seats)), set()
    while (step := match.step) is not None:
        watch(match)
        if isinstance(step, Draw):
            match.reply(chance.pick(step.purpose, step.outcomes))
        elif isinstance(step, RollCall):
            missing = [seat for seat in sorted(may_be_missing - gone) if dice.random() < forfeits]
            gone.update(missing)
            may_be_missing.clear()
            match.reply(tuple(missing))
        else:
            may_be_missing.update(step.choices)
            match.reply(random_answers(step, dice, calm))
    watch(match)
    return match


def random_answers(step: Ask, dice: Random, calm: float) -> dict[int, str]:
    """An answer from every seat asked, in any order where it is a race."""
    order = list(step.choices)
    if step.race:
        dice.shuffle(order)
    options = {seat: step.choices[seat].options for seat in order}
    return {seat: some[0] if dice.random() < calm else dice.choice(some) for seat, some in options.items()}


def digest_of_games(games: int) -> str:
    matches = []
    for number in range(games):
        game, changes = CASES[number % len(CASES)]
        *_, (options, seats, seed) = line_ups(game, changes, 1 + number % 10)
        matches.append(play(game, options, seats, seed, forfeits=0.02).digest())
    return hash_of(matches)


def write_stored_games() -> None:
    """Play a few games of every kind and store them for `test_stored_games_replay`, one on each line."""
    REPLAYS.mkdir(exist_ok=True)
    for game in GAMES.values():
        games = []
        for number, changes in enumerate([{}, {}, *list(configurations(game))[-MIXTURES:]]):
            *_, (options, seats, seed) = line_ups(game, changes, 2 * number + 1)
            if game.name == "intrigue" and number % 2:
                match = play_talking(options, seats, seed)
            else:
                match = play(game, options, seats, seed, forfeits=0.01, calm=0.5)
            games.append(
                {
                    "options": options,
                    "seats": seats,
                    "seed": seed,
                    "replies": [reply_to_json(reply) for reply in match.replies],
                    "digest": match.digest(),
                }
            )
        lines = ",\n".join(json.dumps(stored) for stored in games)
        (REPLAYS / f"{game.name}-{game.version}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    write_stored_games()
