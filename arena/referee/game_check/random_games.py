"""Random games of a game, in many configurations of its options; each game follows from its seed."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from random import Random
from typing import Any

from arena.rules import Answers, Ask, Draw, Game, Reply
from arena.rules.chance import Chance
from arena.rules.match import Match

MIXTURES = 6  # configurations of each game with every option at random

Options = dict[str, Any]


def configurations(game: Game) -> Iterator[Options]:
    """Options to change: none; each by itself, to each listed value or a few numbers; and random mixtures."""
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
    for number in range(MIXTURES if values else 0):
        dice = Random(f"{game.name}/{number}")
        yield {name: dice.choice([some[0]] * len(some) + some) for name, some in values.items()}


def line_ups(game: Game, changes: Options, games: int) -> Iterator[tuple[Options, int, str]]:
    """Options, number of seats and seed of each of `games` games; the numbers of seats take turns."""
    options = game.defaults() | changes
    seats = [
        number
        for number in game.seats
        if all(option.applies(options[name], number) for name, option in game.options.items())
    ]
    for number in range(games if seats else 0):
        yield options, seats[number % len(seats)], f"{game.name}/{changes}/{number}"


def play(
    game: Game,
    options: Options,
    seats: int,
    seed: str,
    forfeits: float = 0.0,  # how often a seat that was asked is missing at the next roll call
    calm: float | None = None,  # how often a seat gives its first option; None: it depends on the seed
    watch: Callable[[Match], None] = lambda match: None,
) -> Match:
    """Play and return a random game that follows from the seed; call `watch` at every step and at the end."""
    match, chance, dice = Match(game, options, seats), Chance(seed), Random(seed)
    # Calm seats make long games, in which late events happen; wild ones try every option.
    calm = dice.choice((0.0, 0.5, 0.9)) if calm is None else calm
    may_be_missing, gone = set(range(seats)), set[int]()

    def absent() -> tuple[int, ...]:
        # A forfeit is noticed at an ask: only seats asked since the last roll call can be missing.
        missing = [seat for seat in sorted(may_be_missing - gone) if dice.random() < forfeits]
        gone.update(missing)
        may_be_missing.clear()
        return tuple(missing)

    def answer(step: Ask) -> Answers:
        may_be_missing.update(step.choices)
        return _random_answers(step, dice, calm)

    watch(match)
    while match.go_on(chance.pick, absent, answer):
        watch(match)
    return match


def random_reply(match: Match, dice: Random) -> Reply:
    """A random reply to the step that a match waits for; to a roll call or after the end `()`."""
    step = match.step
    if isinstance(step, Draw):
        return dice.choice(step.outcomes)
    return _random_answers(step, dice, 0.0) if isinstance(step, Ask) else ()


def _random_answers(step: Ask, dice: Random, calm: float) -> Answers:
    order = list(step.choices)
    if step.race:
        dice.shuffle(order)
    options = {seat: step.choices[seat].options for seat in order}
    return {seat: some[0] if dice.random() < calm else dice.choice(some) for seat, some in options.items()}


def digest_of_games(games: list[Game], number: int) -> str:
    """The SHA-256 of `number` random games, as 64 hex digits; the configurations of all games take turns."""
    cases = [(game, changes) for game in games for changes in configurations(game)]
    matches = []
    for which in range(number):
        game, changes = cases[which % len(cases)]
        for options, seats, seed in list(line_ups(game, changes, 1 + which % 10))[-1:]:
            matches.append(play(game, options, seats, seed, forfeits=0.02).digest())
    return sha256(repr(matches).encode()).hexdigest()
