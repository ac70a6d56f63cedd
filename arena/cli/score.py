"""`arena score`: measures the Elo of a bot against a frozen pool, for a README or a paper."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, command, format_option
from arena.cli.completion import BOTS, POOLS

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.tournament.run import Progress


@click.command()
@click.argument("bot", type=FILE, shell_complete=BOTS)
@click.option(
    "--pool", default="house-2026/complots-4", shell_complete=POOLS, help="The pool: FOLDER/GAME-SEATS."
)
@click.option("--quick", is_flag=True, help="Play few games, in about a minute.")
@click.option("--seed", default="0", help="Determines the deals, with the pool and the files of the bot.")
@format_option("text", "json", "markdown", "svg")
@command
def score(bot: Path, pool: str, quick: bool, seed: str, form: str) -> int:
    """Measure the Elo of a BOT against a frozen pool of house bots.

    The same files score the same everywhere, if the bot's answers depend only on its input in a game.
    `--format markdown` prints a line for a README, `--format svg` a badge. The games are kept in runs/, so a
    second call plays none of them again.

    Exit status: 0, 1 if the arena or a bot of the pool failed, 130 interrupted.
    """
    from arena.cli.list import print_faults
    from arena.cli.live import Panel
    from arena.cli.play_out import Venue, play_out, say
    from arena.programs.reading import read_bot
    from arena.referee.deals import run_name
    from arena.show.scores import render_score
    from arena.show.tables.commands import command_line
    from arena.tournament.pools import find_pool
    from arena.tournament.runs.store import Store
    from arena.tournament.score import performance, score_of, score_plan

    against, program = find_pool(pool), read_bot(bot)
    plan = score_plan(against, program, seed, quick)
    out = Path("runs") / f"{plan.name}-{run_name(plan.secret)[:8]}{'-quick' * quick}.db"
    again = command_line("score", bot, "--pool", pool, "--seed", seed, *["--quick"] * quick)

    def picture(progress: "Progress", in_log: bool) -> Panel:
        """The Elo of the bot so far."""
        found = performance(against, progress.played)
        return Panel(f"{found} Elo" if found else "")

    status = play_out(plan, out, Venue(), again, set(), lambda _: picture)
    if status:
        return status
    with Store(out) as store:
        found = score_of(against, program, seed, store)
    click.echo(render_score(found, form))
    print_faults(out)
    if found.broken:
        say(f"arena: {', '.join(found.broken)} had faults, so another machine may get another number")
    return 1 if found.broken else 0
