"""The command line: parses, calls, prints, and turns errors into exit codes."""

import os

import click

import arena
from arena.cli.game import games, play, replay
from arena.cli.machine import bench, check, doctor
from arena.cli.plan import plan, schema
from arena.cli.run import compare, run
from arena.cli.table import exclude, export, table


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(arena.__version__)
def main() -> None:
    """Games of bluff and bargaining between programs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small; the cores are for the games


for each in (run, plan, table, compare, check, play, replay, games, exclude, export, schema, doctor, bench):
    main.add_command(each)
