"""`arena bench`: measure what the arena costs on this machine."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from arena.cli.base import FILE, FORMAT, command, usable_cores
from arena.cli.completion import BOTS

SECTIONS = ("asks", "starts", "runs", "time-limit")


@click.command()
@click.argument("bot", type=FILE, shell_complete=BOTS, required=False)
@click.option(
    "--games", "count", type=click.IntRange(20), default=2000, show_default=True, help="Games of each kind."
)
@click.option(
    "--only", type=click.Choice(SECTIONS), multiple=True, help="Measure only this; may be repeated."
)
@FORMAT
@command
def bench(bot: Path | None, count: int, only: tuple[str, ...], form: str) -> None:
    """Measure the speed of this machine with a fast BOT.

    The BOT is by default a minimal one in C or Python. Measured are the cost of an ask compared to a bare
    pipe, the start of a bot in each sandbox, games per second, and the shortest honest time limit.
    benchmarks/README.md says what each number means.
    """
    from arena.bench.bots import fast_bot
    from arena.bench.report import SECTIONS, Subject, as_json, machine_lines
    from arena.programs.bot import bot_from_path
    from arena.programs.play.build import build
    from arena.programs.sandbox.policy import LIMITS_ONLY

    with TemporaryDirectory() as folder:
        measured = bot_from_path(None, bot) if bot else fast_bot(Path(folder))
        build([measured], LIMITS_ONLY)
        subject, found = Subject(measured, count, usable_cores(), Path(folder)), {}
        if form == "text":
            click.echo("\n".join(machine_lines(subject)))
        for name, (measure, lines) in SECTIONS.items():
            if name in (only or SECTIONS):
                found[name] = measure(subject)
                if form == "text":
                    click.echo("\n".join(lines(found[name])))
        if form == "json":
            click.echo(json.dumps(as_json(subject, found), indent=2))
