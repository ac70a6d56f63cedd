"""`arena verify`: check the commitment, the deals and the results of a run."""

from pathlib import Path

import click

from arena.cli.base import FILE, FORMAT, command, print_result
from arena.cli.completion import RUNS
from arena.config.text import one_line


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@FORMAT
@command
def verify(run: Path, form: str) -> int:
    """Verify the commitment, all deals and all results of a RUN.

    Every game is played again from its record. Exit status: 0 if nothing is wrong, else 1.
    """
    from arena.tournament.runs import verify
    from arena.tournament.runs.store import Store

    with Store(run) as store:
        verdict = verify.verify(store)
    lines = [*verdict.run, *(f"{id}: {problem}" for id, problem in verdict.games.items())]
    lines += [f"commitment: {verdict.commitment or 'none'}"]
    lines += [f"secret of the contest: SHA-256 {verdict.contest}"] if verdict.contest else []
    lines += [f"list of the final: SHA-256 {verdict.listed}"] if verdict.listed else []
    lines += [f"deals: {verdict.deals}"] if verdict.deals else []
    lines += verdict.remarks
    lines += [f"incomplete seed groups: {verdict.incomplete}"] if verdict.incomplete else []
    lines += [f"void games: {verdict.void}"] if verdict.void else []
    lines += [f"{verdict.checked} games replayed, {len(verdict.games)} with problems"]
    print_result(form, vars(verdict), map(one_line, lines))
    return int(bool(verdict.run or verdict.games))
