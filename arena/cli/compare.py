"""`arena compare`: a sequential test whether one bot is better than another."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import (
    ENGINE,
    FILE,
    FILES,
    FORMAT,
    JOBS,
    OPTION,
    command,
    control_of,
    move_option,
    pairs,
    print_result,
)
from arena.cli.completion import BOTS, GAMES, RUNS, completer
from arena.config.document import ConfigError
from arena.config.text import nearest, suggestion
from arena.config.values import MAX_COUNT

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.rating.settings import EloModel

_SPRT = {"elo0": "0", "elo1": "20", "alpha": "0.05", "beta": "0.05", "model": "logistic"}
_MODELS: "tuple[EloModel, ...]" = ("logistic", "normalized")


@click.command()
@click.argument("one", type=FILE, shell_complete=BOTS)
@click.argument("two", type=FILE, shell_complete=BOTS)
@click.option(
    "--against", type=FILE, multiple=True, shell_complete=BOTS, help="An opponent of both; may be repeated."
)
@click.option("--game", default="complots", shell_complete=GAMES, help="The game to play.")
@click.option("--seats", type=int, help="Seats in each game.  [default: 2, or opponents + 1]")
@OPTION
@FILES
@move_option("1s")
@click.option(
    "--sprt",
    "terms",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=completer(lambda context, incomplete: map("=".join, _SPRT.items())),
    help="A key of the test, see above; may be repeated.",
)
@click.option("--max-groups", type=click.IntRange(1, MAX_COUNT), default=10_000, help="Seed groups at most.")
@click.option("--seed", help="Determines the deals.  [default: random, kept in the run]")
@click.option("--out", type=FILE, shell_complete=RUNS, help="The run file.  [default: runs/<one>-<two>.db]")
@JOBS
@ENGINE
@FORMAT
@command
def compare(
    one: Path,
    two: Path,
    against: tuple[Path, ...],
    game: str,
    seats: int | None,
    options: tuple[str, ...],
    files: tuple[Path, ...],
    move: str,
    terms: tuple[str, ...],
    max_groups: int,
    seed: str | None,
    out: Path | None,
    jobs: int | None,
    engine: str,
    form: str,
) -> int:
    """Test whether bot ONE is better than bot TWO.

    Seed groups are played until a sequential test decides. Ctrl-C prints the test so far, and the same
    command resumes it. The keys of --sprt:

    \b
    elo0   the difference in Elo under H0: not better (0)
    elo1   the difference in Elo under H1: better (20)
    alpha  the probability of accepting H1 if H0 is true (0.05)
    beta   the probability of accepting H0 if H1 is true (0.05)
    model  logistic, or normalized: the scale of elo0 and elo1

    Exit status: 0 better, 1 not better, 3 undecided after --max-groups, 4 the arena failed, 130 interrupted.
    """
    from arena.cli.live import picture_of_test
    from arena.cli.play_out import Venue, play_out, print_voids
    from arena.rating.experiments import Trial
    from arena.tournament.compare import as_text, comparison, state, trial_so_far
    from arena.tournament.formats.compare import sprt
    from arena.tournament.runs.store import Store

    place, (limits, elo_model) = Venue(jobs, engine), _test_of(pairs(terms, "--sprt"))
    given, clock = pairs(options), control_of(move)
    plan = comparison(
        game, one, two, against, seats, given, clock, limits, max_groups, seed, elo_model, files
    )
    out = out or Path("runs") / f"{plan.name}.db"
    status = play_out(plan, out, place, f"the same command, and --out {out}", set(), picture_of_test)
    with Store(out) as store:
        secret = store.facts.secret  # It is None after a Ctrl-C before the first game.
        trial = trial_so_far(replace(plan, seed=secret))(store.played()) if secret else Trial(sprt(plan))
    print_result(form, state(plan, trial), [as_text(plan, trial)])
    if status := status or print_voids(out):
        return 4 if status == 1 else status
    return {True: 0, False: 1, None: 3}[trial.verdict.better]


def _test_of(given: dict[str, str]) -> tuple[dict[str, float], "EloModel"]:
    """The numbers of the test by key, such as `elo0`, and its `model`.

    Raises:
        ConfigError: A key or a value is wrong.
    """
    for key in given.keys() - _SPRT.keys():
        raise ConfigError(f"--sprt {key}: unknown key{suggestion(key, list(_SPRT))}")
    words = _SPRT | given
    model = words.pop("model")
    if model not in _MODELS:
        expected = f"should be {' or '.join(_MODELS)}, not {model!r}"
        raise ConfigError(f"--sprt model: {expected}{nearest(model, _MODELS)}")
    numbers = {}
    for key, value in words.items():
        try:
            numbers[key] = float(value)
        except ValueError:
            raise ConfigError(f"--sprt {key}: should be a number, not {value!r}") from None
    return numbers, model
