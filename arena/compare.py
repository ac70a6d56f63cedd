"""Is one bot better than another? The plan of such a run, and its answer in words."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.clock import TimeControl
from arena.config import ConfigError
from arena.formats.compare import group_scores, sprt
from arena.formats.seating import Played
from arena.plan import Comparison, Plan, check_options, find_game
from arena.rating.sprt import Sprt, difference
from arena.single import distinct_bots


def comparison(
    game_name: str,
    one: Path,
    two: Path,
    against: Sequence[Path],
    seats: int | None,
    options: Mapping[str, Any],
    control: TimeControl,
    limits: Mapping[str, float],
    max_groups: int,
    seed: str | None,
) -> Plan:
    """The plan. `limits` are those of `Sprt`. ConfigError: something of it cannot be."""
    game, bots = find_game(game_name), distinct_bots([one, two, *against])
    names = tuple(bots)
    try:
        Sprt(**limits)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    field = names[2:]
    seats = seats or (min(len(field) + 1, game.seats[-1]) if field else 2)
    if seats not in game.seats:
        raise ConfigError(f"{game.name} has {game.seats[0]} to {game.seats[-1]} seats, not {seats}")
    if seats > 2 and len(field) < seats - 1:
        raise ConfigError(
            f"a table of {seats} needs {seats - 1} bots or more behind --against, not {len(field)}"
        )
    return Plan(
        name=f"{names[0]}-{names[1]}",
        game=game,
        seats=(seats,),
        options=check_options(game, options, (seats,)),
        format="compare",
        seed=seed,
        control=control,
        bots=bots,
        compare=Comparison(names[0], names[1], field, **limits, max_groups=max_groups),
    )


def state(plan: Plan, played: Played) -> dict[str, Any]:
    """What the test says so far, as JSON has it: None where the difference has no end."""
    keys = plan.compare
    test = sprt(plan)
    scores = group_scores(plan, played)
    verdict = test.decide(scores)
    elo, low, high = difference(scores)
    return {
        "better": verdict.better,
        "llr": round(verdict.llr, 4),
        "bounds": [round(bound, 4) for bound in test.bounds],
        "groups": verdict.groups,
        "games": len(played),
        "elo": finite(elo),
        "interval": [finite(low), finite(high)],
        "elo0": keys.elo0,
        "elo1": keys.elo1,
    }


def words(plan: Plan, played: Played) -> str:
    """The same in a line or two."""
    known, keys = state(plan, played), plan.compare
    lower, upper = known["bounds"]
    elo, low, high = difference(group_scores(plan, played))
    line = f"LLR {known['llr']:+.2f} ({lower:+.2f} to {upper:+.2f}), {known['groups']} groups"
    line += f", {elo:+.0f} Elo ({low:+.0f} to {high:+.0f})"
    answer = {
        None: f"undecided whether {keys.one} is better than {keys.two}",
        True: f"{keys.one} is better than {keys.two}: rather {keys.elo1:+g} Elo than {keys.elo0:+g}",
        False: f"{keys.one} is not better than {keys.two}: rather {keys.elo0:+g} Elo than {keys.elo1:+g}",
    }[known["better"]]
    return f"{line}\n{answer}"


def finite(number: float) -> float | None:
    return round(number, 1) if math.isfinite(number) else None
