"""Measures the cost of own deals: the errors of Elo differences with `deals: per-group` and `per-game`.

    python benchmarks/own_deals.py --games 3000 --out runs/own-deals

House bots play the same line-ups on the same seats twice: once the games of a seed group have the same deal,
once each game has a deal of its own. *Cost* is the factor by which the second needs more games for the same
errors. It is the ratio of the squared error of an Elo difference with `per-game` to the one with `per-group`:
a geometric mean over all pairs of bots. *Saved* is the percentage that `arena table deals` shows for each
run.

To check the errors of both, the seed groups are divided into 20 parts, and each part is rated by itself.
*Spread* is the ratio of a difference's variance between the parts to the variance that their errors claim: a
mean over all pairs. It is below 1 if a bot's results depend on the other bots at the table and their order.
The errors count this, but all parts have the same line-ups in nearly the same seatings. The run files stay in
the folder, so the script continues after Ctrl-C, or with more games.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from arena.programs.game_options import check_options, find_game
from arena.programs.machine import usable_cores
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import choose
from arena.rating.arrays import Floats
from arena.rating.deals import deal_effects
from arena.rating.outcomes import Outcome
from arena.rating.settings import RatingSettings
from arena.rating.standings import rate_all
from arena.referee.conditions import Conditions, TimeControl
from arena.tournament import formats
from arena.tournament import run as tournament
from arena.tournament.engine.local import Local
from arena.tournament.formats.plan import Plan
from arena.tournament.runs.store import Store

PARTS = 20
SEED = "what deals of their own cost"
COMPLOTS = ("random", "honest", "bluffer", "counting", "miser", "learned")
LOCAL = ("random", "first", "local_honest", "local_bluffer", "local_reader")
INTRIGUE = ("intrigue_miser", "intrigue_buyer", "negotiator", "deviator", "sanctioner")
HEADING = (
    "| game | seats | games of each | cost | saved, per-group | per-game | spread, per-group | per-game |"
)
Deals = Literal["per-group", "per-game"]


class Pool(NamedTuple):
    game: str
    seats: int
    bots: tuple[str, ...]


POOLS = (
    Pool("complots", 2, COMPLOTS),
    Pool("complots", 4, COMPLOTS),
    Pool("local", 2, LOCAL),
    Pool("local", 4, LOCAL),
    Pool("intrigue", 3, INTRIGUE),
    Pool("intrigue", 4, INTRIGUE),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=3000, help="of each kind, about")
    parser.add_argument("--out", type=Path, default=Path("runs/own-deals"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    print(f"{HEADING}\n|{'---|' * 8}", flush=True)
    for pool in POOLS:
        equal = play(plan_of(pool, "per-group", given.games), given.out)
        own = play(plan_of(pool, "per-game", given.games), given.out)
        mean, margin = cost(equal, own)
        row = (pool.game, pool.seats, f"{len(own):,}", f"{mean:.2f} ± {margin:.2f}")
        checks = (saved(equal), saved(own), f"{spread(equal):.2f}", f"{spread(own):.2f}")
        print(f"| {' | '.join(map(str, (*row, *checks)))} |", flush=True)


def plan_of(pool: Pool, deals: Deals, games: int) -> Plan:
    """A round robin of the pool with about so many games, and at least three seed groups for each part."""
    game, form = find_game(pool.game), formats.find("round-robin")
    plan = Plan(
        name=f"{pool.game}-{pool.seats}-{deals}",
        game=game,
        seats=(pool.seats,),
        options=check_options(game, {}, (pool.seats,)),
        bots={name: read_bot(Path(f"house:{name}")) for name in pool.bots},
        format=form,
        config=form.config(groups=1),
        conditions=Conditions(clock=TimeControl(move=2.0), deals=deals),
        seed=SEED,
    )
    once = form.size(plan) or 1
    return plan.in_format(form, groups=max(3 * PARTS, round(games / once)))


def play(plan: Plan, folder: Path) -> list[Outcome]:
    """The games of the plan; plays the ones that its run file lacks."""
    with Store(folder / f"{plan.name}.db", writer=True) as store:
        plan = tournament.prepare(plan, store)
        engine = partial(Local, jobs=usable_cores(), sandbox=choose(plan.conditions.limits))
        tournament.run(plan, store, engine, lambda progress: None, lambda line: None)
        assert not store.faults(), f"{store.path}: a house bot had faults, so the machine is too busy"
        games = [
            Outcome(each.bots, each.places, each.seed_group, each.forfeits)
            for each in store.games()
            if number_of(each.seed_group) < plan.config.groups
        ]
    assert len(games) == plan.format.size(plan)
    return games


def number_of(group: str) -> int:
    return int(group.rpartition(" ")[2])


def differences(outcomes: Sequence[Outcome]) -> tuple[Floats, Floats]:
    """The Elo differences of all pairs of bots (P,), and the squares of their standard errors."""
    ratings = rate_all(outcomes, RatingSettings()).ratings
    one, two = np.triu_indices(len(ratings.elo), 1)
    return ratings.elo[one] - ratings.elo[two], ratings.spread[one, two] ** 2


def parts_of(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    parts: dict[int, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        parts[number_of(outcome.group) % PARTS].append(outcome)
    return [*parts.values()]


def cost(equal: Sequence[Outcome], own: Sequence[Outcome]) -> tuple[float, float]:
    """The factor of games that own deals need, and half its 95 % interval, by a jackknife over the parts."""
    logs, variance = [], 0.0
    for outcomes in (equal, own):
        parts = parts_of(outcomes)
        left = [_log_error([each for part in parts if part is not one for each in part]) for one in parts]
        variance += (PARTS - 1) / PARTS * float(((np.array(left) - np.mean(left)) ** 2).sum())
        logs.append(_log_error(outcomes))
    ratio = float(np.exp(logs[1] - logs[0]))
    return ratio, 1.96 * ratio * float(np.sqrt(variance))


def _log_error(outcomes: Sequence[Outcome]) -> float:
    """The mean logarithm of the squared error of a difference in one game."""
    return float(np.log(differences(outcomes)[1] * len(outcomes)).mean())


def saved(outcomes: Sequence[Outcome]) -> str:
    (effect,) = deal_effects(rate_all(outcomes, RatingSettings()))
    assert effect.saved is not None and effect.saved_error is not None
    return f"{100 * effect.saved:.0f} ± {100 * effect.saved_error:.0f}"


def spread(outcomes: Sequence[Outcome]) -> float:
    found = [differences(part) for part in parts_of(outcomes)]
    measured = np.var([elo for elo, _ in found], axis=0, ddof=1)
    said = np.mean([variance for _, variance in found], axis=0)
    return float(np.mean(measured / said))


if __name__ == "__main__":
    main()
