"""Is one bot better than another? The plan of a comparison, and its result for people and as JSON."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.core.clock import TimeControl
from arena.core.conditions import Conditions
from arena.core.config import ConfigError
from arena.formats.compare import FORMAT, Config, group, group_scores, sprt
from arena.formats.plan import Plan, Played
from arena.plan.game import check_options, find_game, options_from_text
from arena.rating.sprt import Sprt, difference
from arena.tournament.single import distinct_bots


def comparison(
    game_name: str,
    one: Path,
    two: Path,
    against: Sequence[Path],
    seats: int | None,
    options: Mapping[str, str],
    control: TimeControl,
    limits: Mapping[str, float],
    max_groups: int,
    seed: str | None,
    files: Sequence[Path] = (),
) -> Plan[Config]:
    """The plan of a comparison. `limits` are the arguments of `Sprt`. ConfigError: an argument is wrong."""
    game, bots = find_game(game_name), distinct_bots([one, two, *against], files)
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
            f"a table of {seats} needs {seats - 1} bots or more after --against, not {len(field)}"
        )
    chosen = check_options(game, options_from_text(options), (seats,))
    if chosen.get("starter") == "winner":
        raise ConfigError("option starter: winner needs format: series")
    return Plan(
        name=f"{names[0]}-{names[1]}",
        game=game,
        seats=(seats,),
        options=chosen,
        format=FORMAT,
        config=Config(
            one=names[0], two=names[1], against=tuple(sorted(field)), **limits, max_groups=max_groups
        ),
        seed=seed,
        seed_is_public=seed is not None,
        conditions=Conditions(clock=control),
        bots=bots,
    )


def scores_so_far(plan: Plan[Config]) -> Callable[[Played], list[float]]:
    """Returns a function that gives the scores of the groups played so far; it computes only new ones."""
    scores: list[float] = []

    def update(played: Played) -> list[float]:
        scores.extend(group_scores(plan, played, len(scores)))
        return scores

    return update


def state(plan: Plan[Config], scores: Sequence[float]) -> dict[str, Any]:
    """The result of the test after these groups, as JSON values. An infinite difference is None."""
    keys, test = plan.config, sprt(plan)
    verdict = test.decide(scores)
    elo, low, high = difference(scores)
    return {
        "better": verdict.better,
        "llr": round(verdict.llr, 4),
        "bounds": [round(bound, 4) for bound in test.bounds],
        "groups": verdict.groups,
        "games": len(scores) * len(group(plan, 0)),
        "elo": finite(elo),
        "interval": [finite(low), finite(high)],
        "elo0": keys.elo0,
        "elo1": keys.elo1,
    }


def as_text(plan: Plan[Config], scores: Sequence[float]) -> str:
    """The same for people, in two lines."""
    found, keys = state(plan, scores), plan.config
    lower, upper = found["bounds"]
    elo, low, high = map(signed, difference(scores))
    line = f"LLR {found['llr']:+.2f} ({lower:+.2f} to {upper:+.2f}), {found['groups']} groups"
    line += f", {elo} Elo ({low} to {high})"
    answer = {
        None: f"undecided whether {keys.one} is better than {keys.two}",
        True: f"{keys.one} is better than {keys.two}: rather {keys.elo1:+g} Elo than {keys.elo0:+g}",
        False: f"{keys.one} is not better than {keys.two}: rather {keys.elo0:+g} Elo than {keys.elo1:+g}",
    }[found["better"]]
    return f"{line}\n{answer}"


def signed(elo: float) -> str:
    return f"{elo:+.0f}".replace("inf", "∞")


def finite(number: float) -> float | None:
    return round(number, 1) if math.isfinite(number) else None
