"""What deals of their own cost: the errors of Elo differences with `deals: per-group` and with `per-game`.

    python benchmarks/own_deals.py --games 4000 --out /tmp/own-deals

House bots play the same line-ups on the same seats twice: once the games of a seed group have the same deal,
once each game has a deal of its own. *Cost* is how many times the games the second needs for the same error:
the ratio of the mean squared errors of all Elo differences. To see whether the errors are right, the seed
groups are dealt into parts, and each part is rated by itself: *per-group ok* and *per-game ok* are the
variance of the differences between the parts, over the one that the parts' errors say. The run files stay in
the folder, so that it goes on after Ctrl-C.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from arena.programs.game_options import check_options, find_game
from arena.programs.house import find_bot
from arena.programs.machine import usable_cores
from arena.programs.sandbox.policy import choose
from arena.rating.arrays import Floats
from arena.rating.outcome import Outcome
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
LOCAL = ("random", "local_honest", "local_bluffer", "local_reader")
INTRIGUE = ("intrigue_miser", "intrigue_buyer", "negotiator", "deviator", "sanctioner")
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


@dataclass(frozen=True)
class Errors:
    """The mean squared error of a difference, in Elo² times games: from all groups, from all but each of the
    parts (PARTS,), and how much of the variance between the parts the errors of the parts explain."""

    all: float
    without: Floats
    measured: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4000, help="of each kind, about")
    parser.add_argument("--out", type=Path, default=Path("runs/own-deals"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    print(
        "| game | seats | games of each kind | cost | per-group ok | per-game ok |\n|---|---|---|---|---|---|"
    )
    for pool in POOLS:
        equal, own = (
            errors(play(pool, deals, given.games, given.out)) for deals in ("per-group", "per-game")
        )
        cost, margin = ratio(own, equal)
        games = f"{size(pool, given.games):,}"
        shown = f"{cost:.2f} ± {margin:.2f} | {equal.measured:.2f} | {own.measured:.2f}"
        print(f"| {pool.game} | {pool.seats} | {games} | {shown} |", flush=True)


def size(pool: Pool, games: int) -> int:
    return formats.find("round-robin").size(plan_of(pool, "per-group", games)) or 0


def plan_of(pool: Pool, deals: Deals, games: int) -> Plan:
    game, form = find_game(pool.game), formats.find("round-robin")
    plan = Plan(
        name=f"{pool.game}-{pool.seats}-{deals}",
        game=game,
        seats=(pool.seats,),
        options=check_options(game, {}, (pool.seats,)),
        bots={name: find_bot(None, Path(f"house:{name}")) for name in pool.bots},
        format=form,
        config=form.config(groups=1),
        conditions=Conditions(clock=TimeControl(move=2.0), deals=deals),
        seed=SEED,
    )
    once = form.size(plan) or 1
    return plan.in_format(form, groups=max(PARTS * 2, round(games / once)))


def play(pool: Pool, deals: Deals, games: int, folder: Path) -> list[Outcome]:
    """The games of the plan, which is played as far as its run file lacks games."""
    plan = plan_of(pool, deals, games)
    with Store(folder / f"{plan.name}.db", writer=True) as store:
        plan = tournament.prepare(plan, store)
        engine = partial(Local, jobs=usable_cores(), sandbox=choose(plan.conditions.limits))
        tournament.run(plan, store, engine, lambda progress: None, lambda line: None)
        return [
            Outcome(each.bots, each.places, each.seed_group, each.forfeits)
            for each in store.games()
            if int(each.seed_group.rpartition(" ")[2]) < plan.config.groups
        ]


def errors(outcomes: Sequence[Outcome]) -> Errors:
    parts: dict[int, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        parts[int(outcome.group.rpartition(" ")[2]) % PARTS].append(outcome)
    found = [differences(part) for part in parts.values()]
    measured = np.array([elo for elo, _ in found]).var(axis=0, ddof=1).mean()
    said = np.array([variance for _, variance in found]).mean()
    without = [[each for part in parts if part != left for each in parts[part]] for left in parts]
    return Errors(
        per_game(outcomes), np.array([per_game(others) for others in without]), float(measured / said)
    )


def per_game(outcomes: Sequence[Outcome]) -> float:
    return float(differences(outcomes)[1].mean() * len(outcomes))


def differences(outcomes: Sequence[Outcome]) -> tuple[Floats, Floats]:
    """The Elo differences of all pairs of bots (P,), and the squares of their standard errors."""
    ratings = rate_all(outcomes, RatingSettings()).ratings
    one, two = np.triu_indices(len(ratings.elo), 1)
    return ratings.elo[one] - ratings.elo[two], ratings.spread[one, two] ** 2


def ratio(own: Errors, equal: Errors) -> tuple[float, float]:
    """How many times the games own deals need, and half its 95 % interval, by the jackknife over the parts."""
    variances = [
        (len(each) - 1) / len(each) * ((each - each.mean()) ** 2).sum()
        for each in (np.log(own.without), np.log(equal.without))
    ]
    cost = own.all / equal.all
    return cost, 1.96 * cost * float(np.sqrt(sum(variances)))


if __name__ == "__main__":
    main()
