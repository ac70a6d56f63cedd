"""`arena reveal`: close a run for good and print its secret."""

import sys
from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, print_result
from arena.cli.completion import RUNS
from arena.config.document import ConfigError
from arena.config.text import printable


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.option("--yes", is_flag=True, help="Do not ask.")
@FORMAT
@command
def reveal(run: Path, yes: bool, form: str) -> int:
    """Close a RUN for good and print its secret, after a question.

    No more games can be played afterwards. The printed line has the plan and the secret. Its SHA-256 is the
    commitment that was published before the first game. If the run is already closed, the line is printed
    again, without a question.
    """
    from arena.referee.deals import commitment_text
    from arena.tournament.runs.closing import close, games_in_words
    from arena.tournament.runs.store import Store

    with Store(run) as store:
        facts, games = store.facts, store.count()
    if facts.secret is None or facts.committed is None:
        why = "no secret; single games show their own seeds" if games else "no game was played yet"
        raise ConfigError(f"{run}: {why}")
    missing = None
    if not facts.revealed:  # A closed run is not opened for writing: it may be a read-only copy.
        if not yes and not _is_confirmed(run):
            click.echo("nothing was changed", err=True)
            return 1
        with Store(run, writer=True) as store:
            missing = close(store)
    line = commitment_text(facts.committed, facts.secret)
    values = {"secret": facts.secret, "line": line, "commitment": facts.commitment, "unplayed": missing or 0}
    print_result(form, values, [line.rstrip("\n")])
    note = "the SHA-256 of this line is the commitment" if facts.commitment else "there was no commitment"
    early = f", {games_in_words(missing)} of its plan not played" if missing else ""
    click.echo(f"{printable(str(run))}: closed{early}, no more games can be played; {note}", err=True)
    return 0


def _is_confirmed(run: Path) -> bool:
    """The user's answer to a question on stderr, because stdout may be a file.

    Raises:
        ConfigError: There is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(
            f"{run}: reveal closes the run for good; it asks first, or needs --yes without a terminal"
        )
    try:
        return click.confirm(printable(f"Close {run} for good? No more games can be played."), err=True)
    except click.Abort:  # After Ctrl-C or the end of the input, the cursor is on the line of the question.
        click.echo(err=True)
        return False
