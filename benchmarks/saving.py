"""Measures how many games adaptive pairing saves, compared to random line-ups, in simulated tournaments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path

import numpy as np
from simulated import line_ups

from arena.games import GAMES
from arena.programs.bot import Bot
from arena.rating.adaptive import contrasts
from arena.rating.arrays import Floats, Ints
from arena.rating.estimate import ELO
from arena.referee.record import Summary
from arena.tournament.formats.adaptive import FORMAT, Config, fixtures
from arena.tournament.formats.plan import WAIT, Plan


def saving_lines() -> Iterator[str]:
    yield "games that adaptive pairing saves for the same errors, compared to random pairing"
    for bots, seats, spread in ((10, 2, 100), (10, 2, 250), (30, 2, 400), (20, 4, 250), (20, 4, 400)):
        share = np.mean([saving(bots, seats, spread, seed=seed) for seed in range(3)])
        yield f"  {bots} bots, {seats} seats, spread of {spread} Elo   {100 * share:.0f} %"
    for bots, seats, spread in ((12, 2, 300), (20, 2, 300), (12, 4, 300), (20, 4, 300)):
        share = np.mean([saving(bots, seats, spread, worst=True, seed=seed) for seed in range(6)])
        yield f"  {bots} bots, {seats} seats, spread of {spread} Elo, the worst error   {100 * share:.0f} %"
    for bots, seats, spread in ((20, 2, 250), (20, 2, 400), (20, 4, 400)):
        share = np.mean([saving(bots, seats, spread, focus=True, seed=seed) for seed in range(3)])
        yield f"  {bots} bots, {seats} seats, spread of {spread} Elo, a newcomer   {100 * share:.0f} %"


def saving(
    bots: int, seats: int, spread: float, focus: bool = False, worst: bool = False, seed: int = 1
) -> float:
    """1 - a/g, if a adaptive groups give the same mean squared error, or worst one, as g random groups.

    The strengths are spread evenly with standard deviation `spread` in Elo. With `focus` a newcomer plays in
    every random group, and the others have played 20 groups per bot before. The errors are computed from the
    true strengths, because only the choice of games is compared.
    """
    rng = np.random.default_rng(seed)
    groups = 60 if focus else 20 * bots
    error = _worst_error if worst else errors
    theta = rng.permutation(spread / ELO * sqrt(3) * np.linspace(-1, 1, bots))
    old = line_ups(rng, 20 * bots, bots - 1, seats) + 1 if focus else np.empty((0, seats), int)
    plain = line_ups(rng, groups, bots - focus, seats - focus) + focus
    if focus:
        plain = np.column_stack([np.zeros(groups, int), plain])
    aim = contrasts(bots, 0 if focus else None)
    known = information(theta, old)
    wanted = error(known + information(theta, plain), aim)
    chosen = adaptive(rng, theta, seats, groups, focus, old)
    for count in range(1, groups + 1):
        known = known + information(theta, chosen[count - 1 : count])
        if count > groups / 4 and error(known, aim) <= wanted:
            return 1 - count / groups
    return 0.0


def information(theta: Floats, lineups: Ints) -> Floats:
    """The expected curvature of the games of these groups, without the virtual opponent."""
    found, seats = np.zeros((len(theta), len(theta))), lineups.shape[1]
    for one in range(seats):
        for two in range(one):
            a, b = lineups[:, one], lineups[:, two]
            p = 1 / (1 + np.exp(theta[b] - theta[a]))
            worth = seats * 3 / (seats + 1) * p * (1 - p)
            np.add.at(found, ([*a, *b, *a, *b], [*a, *b, *b, *a]), [*worth, *worth, *-worth, *-worth])
    return found


def errors(known: Floats, aim: Floats) -> float:
    """The sum of the squared errors in `aim`, in nats; the virtual opponent keeps it finite."""
    return float(np.trace(aim @ np.linalg.inv(known + 0.25 * np.eye(len(known)))))


def _worst_error(known: Floats, aim: Floats) -> float:
    """The largest squared error of a bot against the mean."""
    return float(np.diag(aim @ np.linalg.inv(known + 0.001 * np.eye(len(known))) @ aim.T).max())


def adaptive(
    rng: np.random.Generator, theta: Floats, seats: int, groups: int, focus: bool, old: Ints
) -> Ints:
    """The line-ups (groups, seats) that the format chooses after the `old` ones; results are random."""
    names = [f"b{number:03}" for number in range(len(theta))]
    plan = plan_of(names, seats, groups * seats, names[0] if focus else None)
    played: dict[str, Summary] = {}
    for number, lineup in enumerate(old):
        group = [(f"{number}/{turn}", tuple(lineup), f"old {number}") for turn in range(seats)]
        played |= results(rng, theta, group, names)
    lineups: list[tuple[int, ...]] = []
    batch: list[tuple[str, tuple[int, ...], str]] = []
    for fixture in fixtures(plan, played):
        if fixture is not WAIT:
            batch.append((fixture.id, tuple(map(names.index, fixture.bots)), fixture.group))
            lineups += [batch[-1][1]] if fixture.rotation == 0 else []
        else:
            played |= results(rng, theta, batch, names)
            batch = []
    return np.array(lineups)


def results(
    rng: np.random.Generator,
    theta: Floats,
    games: Iterable[tuple[str, tuple[int, ...], str]],
    names: Sequence[str],
) -> Mapping[str, Summary]:
    """A random result for each game, by its id."""
    found = {}
    for id, lineup, group in games:
        utility = theta[list(lineup)] + rng.gumbel(size=len(lineup))
        places = tuple((1 + (-utility).argsort().argsort()).tolist())
        bots = tuple(names[bot] for bot in lineup)
        found[id] = Summary(id, bots, ("",) * len(bots), places, {}, 0, group, 0)
    return found


def plan_of(names: Sequence[str], seats: int, games: int, focus: str | None) -> Plan:
    return Plan(
        name="bench",
        game=GAMES["complots"],
        seats=(seats,),
        options={},
        bots={name: Bot(name, (), Path(), "") for name in names},
        format=FORMAT,
        config=Config(games=games, focus=focus),
        seed="1",
    )
