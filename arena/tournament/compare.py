"""Makes the plan of a comparison of two bots (`arena compare`), and its result for people and as JSON."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.config.document import ConfigError
from arena.programs.game_options import check_options, find_game, options_from_text, refuse_unsupported
from arena.rating.experiments import Sprt, Trial
from arena.rating.settings import EloModel
from arena.referee.conditions import Conditions, TimeControl
from arena.tournament.formats.compare import FORMAT, Config, games_per_group, group_scores, sprt, unit
from arena.tournament.formats.plan import Plan, Played
from arena.tournament.single import distinct_bots


def comparison(
    game_name: str,
    one: Path,
    two: Path,
    against: Sequence[Path],
    seats: int | None,
    options: Mapping[str, str],
    control: TimeControl,
    limits: Mapping[str, Any],
    max_groups: int,
    seed: str | None,
    elo_model: EloModel = "logistic",
    files: Sequence[Path] = (),
) -> Plan[Config]:
    """The plan of a comparison of two bots.

    Args:
        one, two: The bots to compare.
        against: The bots of a field; if there are none, the two bots meet each other.
        seats: The size of a table; None: as many seats as the bots fill.
        limits: `elo0`, `elo1`, `alpha` and `beta` of the `Sprt`.
        seed: The seed of all deals; None: the run draws one.

    Raises:
        ConfigError: An argument is wrong.
    """
    game, bots = find_game(game_name), distinct_bots([one, two, *against], files)
    names = tuple(bots)
    try:
        Sprt(**limits, elo_model=elo_model)
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
    for bot in bots.values():
        refuse_unsupported(bot, game, (seats,), chosen)
    return Plan(
        name=f"{names[0]}-{names[1]}",
        game=game,
        seats=(seats,),
        options=chosen,
        format=FORMAT,
        config=Config(
            one=names[0],
            two=names[1],
            against=tuple(sorted(field)),
            **limits,
            max_groups=max_groups,
            elo_model=elo_model,
        ),
        seed=seed,
        seed_is_public=seed is not None,
        conditions=Conditions(clock=control),
        bots=bots,
    )


def trial_so_far(plan: Plan[Config]) -> Callable[[Played], Trial]:
    """A function that returns the sequential test after the complete seed groups among the played games.

    It returns the same `Trial` each time, and adds the groups that are new since the last call.
    """
    trial = Trial(sprt(plan))

    def update(played: Played) -> Trial:
        for score in group_scores(plan, played, trial.seen.groups):
            trial.add(score)
        return trial

    return update


def state(plan: Plan[Config], trial: Trial) -> dict[str, Any]:
    """The result of the test so far, as JSON values; an infinite difference or end of an interval is None."""
    keys, verdict, seen = plan.config, trial.verdict, trial.seen
    (elo, *interval), (nelo, *normalized) = trial.difference(), trial.normalized_difference()
    corrected, *ends = trial.corrected_difference() or (math.inf,) * 3
    return {
        "better": verdict.better,
        "llr": round(verdict.llr, 4),
        "bounds": [round(bound, 4) for bound in trial.test.bounds],
        "groups": verdict.groups,
        "games": seen.groups * games_per_group(plan),
        "elo": _finite(elo),
        "interval": [_finite(end) for end in interval],
        "normalized_elo": _finite(nelo),
        "normalized_interval": [_finite(end) for end in normalized],
        "corrected": _finite(corrected),
        "corrected_interval": [_finite(end) for end in ends],
        "elo0": keys.elo0,
        "elo1": keys.elo1,
        "elo_model": keys.elo_model,
        "pentanomial": None if keys.against else list(seen.classes),
        "group_scores": [list(each) for each in sorted(seen.counts.items())],
    }


def as_text(plan: Plan[Config], trial: Trial) -> str:
    """The result of the test in lines: the ratio, normalized Elo with the counts, the verdict.

    After a verdict, a last line has the difference without the exaggeration of early stopping.
    """
    keys, elo = plan.config, unit(plan)
    answer = {
        None: f"undecided whether {keys.one} is better than {keys.two}",
        True: f"{keys.one} is better than {keys.two}: rather {keys.elo1:+g} {elo} than {keys.elo0:+g}",
        False: f"{keys.one} is not better than {keys.two}: rather {keys.elo0:+g} {elo} than {keys.elo1:+g}",
    }[trial.verdict.better]
    name = "scores 0, <½, ½, >½, 1" if keys.against else "Ptnml(0-2)"
    counts = ", ".join(map(str, trial.seen.classes))
    nelo = _difference_text(trial.normalized_difference(), "nElo")
    lines = [ratio_line(trial), f"{nelo}, {name}: {counts}", answer]
    if corrected := trial.corrected_difference():
        lines.append(f"corrected for stopping early: {_difference_text(corrected, elo)}")
    return "\n".join(lines)


def ratio_line(trial: Trial) -> str:
    """The log-likelihood ratio with its bounds, the number of groups, and the difference in Elo."""
    (lower, upper), verdict = trial.test.bounds, trial.verdict
    ratio = f"LLR {verdict.llr:+.2f} ({lower:+.2f} to {upper:+.2f}), {verdict.groups} groups"
    return f"{ratio}, {_difference_text(trial.difference(), 'Elo')}"


def games_needed(plan: Plan[Config], trial: Trial) -> tuple[float, float]:
    """A likely range for the number of all games of the comparison; at most the games of `max_groups`."""
    most, size = plan.config.max_groups, games_per_group(plan)
    low, high = trial.groups_needed()
    if not trial.is_decided:
        low, high = min(low, most), min(high, most)
    return low * size, high * size


def _difference_text(found: tuple[float, float, float], unit: str) -> str:
    """A difference for people: +12 Elo (-3 to +27)."""
    elo, low, high = (f"{end:+.0f}".replace("inf", "∞") for end in found)
    return f"{elo} {unit} ({low} to {high})"


def _finite(number: float) -> float | None:
    return round(number, 1) if math.isfinite(number) else None
