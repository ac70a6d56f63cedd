"""`arena backup`: a copy of runs and of the state of a server."""

from pathlib import Path

import click

from arena.cli.base import FILE, command


@click.command()
@click.argument("folder", type=FILE)
@click.argument("to", type=FILE)
@command
def backup(folder: Path, to: Path) -> None:
    """Copy a FOLDER of runs, with the state of its server, to TO.

    You can make a backup while runs are played and a server is running: each database is copied as it is at
    one moment. To restore, stop the server and replace FOLDER by TO. TO must not exist before. The copy
    contains the secrets of the runs.
    """
    from arena.web.backup import copy_folder

    count = copy_folder(folder, to)
    click.echo(f"{count} files of {folder} copied to {to}")
