"""Commands for authors and hosts: check a bot, measure the referee, look at the machine."""

import json
from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, control_of, usable_cores
from arena.core.config import ConfigError


@click.command()
@click.argument("bot", type=FILE)
@click.option("--game", "names", multiple=True, help="A game to play.  [default: those of its bot.yaml]")
@click.option("--move", default="1s", show_default=True, help="Time for an answer.")
@FORMAT
@command
def check(bot: Path, names: tuple[str, ...], move: str, form: str) -> int:
    """Play a few games with a BOT (a program file, or a folder with a bot.yaml) and say what is wrong.

    The others at the table are copies of it, and a bot that answers at random.
    """
    from arena.cli.check import check as check_bot
    from arena.cli.check import lines, unbuilt
    from arena.core.bot import MANIFEST, bot_from_path
    from arena.core.limits import Limits
    from arena.plan.game import find_game
    from arena.play.build import BuildFailed, build
    from arena.sandbox.policy import choose

    control, made = control_of(move), bot_from_path(None, bot)
    try:
        chosen = [find_game(name).name for name in names or made.games or ("complots",)]
    except ConfigError as error:
        raise ConfigError(f"--game: {error}" if names else f"{bot / MANIFEST}: games: {error}") from None
    sandbox = choose(Limits())
    try:
        build([made], sandbox)
        findings = check_bot(made, chosen, control, sandbox)
    except BuildFailed as error:
        findings = [unbuilt(made, error.why, error.said)]
    if form == "json":
        click.echo(json.dumps([vars(finding) for finding in findings], indent=1))
    else:
        click.echo("\n".join(lines(findings)))
    return int(any(finding.verdict == "fault" for finding in findings))


@click.command()
@click.argument("bot", type=FILE, default="bots/c/random")
@click.option(
    "--games", "count", type=click.IntRange(10), default=8000, show_default=True, help="Games of each kind."
)
@click.option("--ratings", is_flag=True, help="Measure the table instead, on simulated games.")
@command
def bench(bot: Path, count: int, ratings: bool) -> None:
    """Measure with a fast BOT: its start in each sandbox, the referee beside the bare pipe, games, memory;
    then what threads of a bot cost.

    With --ratings: how many intervals hold the truth, seconds for a million games, games that adaptive
    pairing saves, and wrong verdicts of the sequential test.
    """
    from itertools import chain

    from arena.bench import metering, referee
    from arena.bench import ratings as rating

    lines = chain(referee.measure(bot, count, usable_cores()), metering.measure(count // 4))
    for line in rating.measure() if ratings else lines:
        click.echo(line)


@click.command()
@FORMAT
@command
def doctor(form: str) -> None:
    """Say what this machine offers, what is missing, and how to install it."""
    from tabulate import tabulate

    from arena.cli.doctor import examine
    from arena.report.grid import folded
    from arena.sandbox import promises

    findings, kept = list(examine()), list(promises.on_this_machine())
    if form == "json":
        told = [
            {"threat": each.threat} | dict(zip(promises.COLUMNS, each.levels, strict=True)) for each in kept
        ]
        click.echo(json.dumps([*map(vars, findings), {"name": "promises", "found": told}], indent=2))
        return
    for each in findings:
        head = f"{'ok' if each.good else '--'}  {each.name:<16} "
        words = f"{each.found}  -> {each.advice}" if each.advice else each.found
        click.echo("\n".join(folded(words, head, len(head))))
    rows = [(each.threat, *each.levels) for each in kept]
    click.echo("\nWhat the sandbox promises here, if a bot tries to:")
    click.echo(tabulate(rows, ("", *promises.COLUMNS), tablefmt="plain"))
