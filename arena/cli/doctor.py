"""`arena doctor`: what this machine offers to sandbox bots, and what is missing."""

import json

import click

from arena.cli.base import FORMAT, command


@click.command()
@FORMAT
@command
def doctor(form: str) -> None:
    """Show what this machine offers to sandbox bots.

    For what is missing, the command that installs it is shown.
    """
    from tabulate import tabulate

    from arena.cli.machine import examine
    from arena.programs.sandbox import promises
    from arena.show.tables.grid import folded

    features, levels = list(examine()), list(promises.on_this_machine())
    if form == "json":
        found = [
            {"threat": each.threat} | dict(zip(promises.COLUMNS, each.levels, strict=True)) for each in levels
        ]
        click.echo(json.dumps([*map(vars, features), {"name": "promises", "found": found}], indent=2))
        return
    for each in features:
        head = f"{'ok' if each.good else '--'}  {each.name:<16} "
        text = f"{each.found}  -> {each.advice}" if each.advice else each.found
        click.echo("\n".join(folded(text, head, len(head))))
    lines = [(each.threat, *each.levels) for each in levels]
    click.echo("\nWhat the sandbox promises here, if a bot tries to:")
    click.echo(tabulate(lines, ("", *promises.COLUMNS), tablefmt="plain"))
