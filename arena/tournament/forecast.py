"""Forecasts a run before it begins: the games that are due, and the errors of its standings."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.rating.outcomes import Outcome
from arena.rating.standings import Strengths, rate_all
from arena.referee.fixture import Fixture
from arena.referee.record import Summary
from arena.tournament import schedule
from arena.tournament.formats.adaptive import BATCH_DIVISOR, MIN_GROUPS
from arena.tournament.formats.plan import WAIT, Plan
from arena.tournament.runs.sources import load

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
EXAMPLE_SEED = "trial"  # Bots in a trial must not see the deals of the run.
_MAX_BOTS = 200  # The time of a simulation grows with the third power of their number.
_MAX_FOLLOWED = 40  # With more bots, random line-ups replace those of an adaptive tournament.
_MAX_GAMES = 4000  # in a simulation; the errors of more games follow from the root of their number
_GAMES_OF_BOT = 100  # games per bot that a simulation has at least
_MAX_STEPS = 800  # games in a simulation whose games follow from the Elo
_STEPS_OF_BOT = 60  # games per bot that such a simulation has at least
_MAX_RANKED = 4000  # games if rounds decide the places: a part would say too little about the winner
_SAMPLES = 8, 48  # minimum and maximum of such simulations
_ALL_STEPS = 20_000  # games in all of them, unless this makes them too few


def first_games(plan: Plan) -> Iterator[Fixture]:
    """The games that are due before any result is known; with a fixed seed if the plan has none."""
    if len(plan.bots) >= max(plan.seats):
        seeded = replace(plan, seed=EXAMPLE_SEED if plan.seed is None else plan.seed)
        due = dropwhile(lambda game: game is WAIT, schedule.due(seeded, {}))  # A ladder starts with one.
        yield from takewhile(lambda game: game is not WAIT, due)


def forecast(plan: Plan, like: Path | None = None) -> dict[str, Any] | None:
    """The expected errors of the plan's standings, as JSON: the values of a `Prospect`. None: unknown.

    The strengths are taken from the run `like`, if that has enough games; else `like` is None in the result.
    If games follow from results, the format itself chooses them in the simulation. If that would take long,
    random line-ups replace those of an adaptive tournament, which are a little better.

    Raises:
        ConfigError: The run cannot be read.
    """
    games, settings, bots = schedule.size(plan), plan.run.rating, len(plan.bots)
    target = getattr(plan.config, "target_error", None)
    if not (games or target) or not max(plan.seats) <= bots <= _MAX_BOTS or settings.order == "points":
        return None
    focus = getattr(plan.config, "focus", None)
    if focus and bots > _MAX_FOLLOWED:
        return None
    names = sorted(plan.bots)
    anchors = {names.index(bot): elo for bot, elo in settings.anchors.items() if bot in names}
    known = _strengths_like(plan, like) if like else None
    strengths = known or Strengths.assumed(bots)
    is_ranked = plan.format.placings is not None
    lineups = [] if is_ranked else _lineups(plan, games)
    if not lineups and plan.format.name == "adaptive" and bots > _MAX_FOLLOWED:
        lineups = _random_lineups(plan, games or _GAMES_OF_BOT * bots)
    shorter, samples = plan, None
    if lineups:
        share = min(1, max(_MAX_GAMES, _GAMES_OF_BOT * bots) / (games or _GAMES_OF_BOT * bots))
    else:
        steps, shorter = _shortened(plan, games)
        share = steps / (games or steps)
        quick = 3 if is_ranked else 1  # Rounds are three times as quick, because no Elo is fitted on the way.
        samples = int(np.clip(quick * _ALL_STEPS // steps, *_SAMPLES))
    until = _until(plan, games, share)
    widenings = plan.format.widenings
    found = strengths.prospect(
        lineups or _followed(shorter), settings, anchors, widenings, share, until, samples
    )
    if not found:
        return None
    if games and not (target or is_ranked):  # Ties may prolong a knockout.
        found = replace(found, games=games)
    values = {name: value if value is None else round(value, 2) for name, value in vars(found).items()}
    return {**values, "like": str(like) if known else None}


def _strengths_like(plan: Plan, like: Path) -> Strengths | None:
    """The strengths of the bots of the plan after the games of a run; None if that has too few games."""
    outcomes = load([like], secret=False).outcomes
    if not outcomes:
        return None
    settings = replace(plan.run.rating, anchor=None)
    return rate_all(outcomes, settings).strengths(sorted(plan.bots))


def _until(plan: Plan, games: int | None, share: float) -> Callable[[_Floats, _Ints], float] | None:
    """A function that returns the factor by which to multiply the games for the target; None without one.

    If the plan also limits the `games`, of which a `share` is simulated, the factor stays within the limit.
    """
    target, focus = (getattr(plan.config, key, None) for key in ("target_error", "focus"))
    if target is None:
        return None
    counted = [number for number, name in enumerate(sorted(plan.bots)) if focus in (None, name)]

    def longer(errors: _Floats, groups: _Ints) -> float:
        largest = np.nanmax(errors[counted], initial=0)
        reached = max((largest / target) ** 2, MIN_GROUPS / max(1, groups[counted].min()))
        reached *= 1 + 1 / (2 * BATCH_DIVISOR)  # The run ends with a batch, on average half a batch late.
        return float(min(reached, 1 / share) if games else reached)

    return longer


def _lineups(plan: Plan, games: int | None) -> list[_Ints]:
    """The line-ups of all seed groups, (G, n) for each number n of seats.

    Empty if games follow from results, or if a seed group lacks rotations.
    """
    numbers = {name: number for number, name in enumerate(sorted(plan.bots))}
    groups: dict[str, tuple[int, ...]] = {}
    count = 0
    for game in first_games(plan):
        groups.setdefault(game.group, tuple(numbers[bot] for bot in game.bots))
        count += 1
    if not games == count == sum(map(len, groups.values())):
        return []
    by_size = [[lineup for lineup in groups.values() if len(lineup) == size] for size in plan.seats]
    return [np.array(lineups) for lineups in by_size if lineups]


def _random_lineups(plan: Plan, games: int) -> list[_Ints]:
    """Random line-ups, (G, n) for each number n of seats, for about so many games."""
    rng = np.random.default_rng(1)
    share = games // len(plan.seats)
    return [
        np.argsort(rng.random((max(1, share // size), len(plan.bots))), axis=1)[:, :size]
        for size in plan.seats
    ]


def _shortened(plan: Plan, games: int | None) -> tuple[int, Plan]:
    """The plan without a target and with few enough games for a quick simulation, and their number."""
    most = max(_MAX_STEPS, _STEPS_OF_BOT * len(plan.bots))
    keys = {"target_error": None} if plan.format.name == "adaptive" else {}
    if hasattr(plan.config, "games"):
        steps = min(games or most, most)
        return steps, replace(plan, config=replace(plan.config, games=steps, **keys))
    assert games
    groups = max(1, round(plan.config.groups * min(1, max(most, _MAX_RANKED) / games)))
    shorter = replace(plan, config=replace(plan.config, groups=groups))
    return schedule.size(shorter) or games, shorter


def _followed(plan: Plan) -> Callable[[np.random.Generator, _Floats], tuple[list[Outcome], int | None]]:
    """A function that plays the games of the plan's format, which follow from results."""
    names = sorted(plan.bots)
    numbers = {name: number for number, name in enumerate(names)}

    def play(rng: np.random.Generator, theta: _Floats) -> tuple[list[Outcome], int | None]:
        seeded = replace(plan, seed=f"{EXAMPLE_SEED} {rng.integers(1 << 30)}")
        played: dict[str, Summary] = {}
        for game in schedule.fixtures(seeded, played):
            if game is not WAIT:
                utility = theta[[numbers[bot] for bot in game.bots]] + rng.gumbel(size=len(game.bots))
                places = tuple((1 + (-utility).argsort().argsort()).tolist())
                seats = game.bots, game.fingerprints, places
                played[game.id] = Summary(game.id, *seats, {}, 0, game.group, game.rotation)
        outcomes = [Outcome(game.bots, game.places, game.seed_group) for game in played.values()]
        rounds = plan.format.placings
        return outcomes, numbers[rounds(seeded, played).places[0].bot] if rounds else None

    return play
