"""`arena export`: the games of a run for other programs."""

import json
import sys
from pathlib import Path

import click

from arena.cli.base import FILE, command, format_option
from arena.cli.completion import RUNS


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@format_option("jsonl", "csv", "parquet", "calls")
@click.option(
    "--entries", is_flag=True, help="Include every line of every game, and the seat that received it."
)
@command
def export(run: Path, form: str, entries: bool) -> None:
    """Print all games of a RUN in fixture order.

    jsonl prints the game part of each record, one JSON object per line. It is the same, byte for byte, if
    the same deterministic bots play the same plan. The seeds of the deals are included after
    `arena reveal` has closed the run.

    csv prints one line per seat, for `arena table` or another program, with scores, faults, times, options
    and the length of the game.

    parquet writes one row per decision, for learners: the knowledge of a seat, its options and its answer
    (docs/notebooks.md). Games whose deal is still being played are left out. It is binary, so redirect it to
    a file.

    calls prints the calls of language models, with prompts, replies and tokens, one JSON object per line.
    `arena run --cassette` plays from them.
    """
    if form != "jsonl" and entries:
        raise click.UsageError("--entries needs --format jsonl")
    if form == "parquet":
        _write_parquet(run)
        return
    if form == "calls":
        _print_calls(run)
        return
    from arena.show.tables.games_csv import csv_games
    from arena.tournament.runs.game_list import shown_record
    from arena.tournament.runs.store import Store
    from arena.tournament.runs.transcript import to_json

    with Store(run) as store:
        if form == "csv":
            click.echo(csv_games(store))
            return
        ids = [game.id for game in store.summaries()]
        if entries:
            for id in ids:
                with store.reading(id):
                    click.echo(json.dumps(to_json(shown_record(store, id))))
        else:
            for part in store.parts(ids):
                click.echo(part)


def _print_calls(run: Path) -> None:
    from arena.tournament.runs.model_answers import calls_in_order

    for call in calls_in_order(run):
        click.echo(call.line)


def _write_parquet(run: Path) -> None:
    from arena.tournament.runs.parquet import write_parquet

    if sys.stdout.isatty():
        raise click.UsageError(
            "--format parquet is binary: redirect it to a file, such as > decisions.parquet"
        )
    write_parquet(run, sys.stdout.buffer)
