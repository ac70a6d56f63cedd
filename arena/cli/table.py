"""`arena table`: the standings, and other views of runs and result files."""

import gc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import TABLE_FORMAT, command
from arena.cli.completion import RATINGS, VIEWS_OR_RUNS
from arena.config.document import ConfigError

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.show.tables.report import Report


class _TableCommand(click.Command):
    """A command whose help ends with the list of views, which are imported only for the help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from arena.show.tables.views import VIEWS

        with formatter.section("Views"):
            formatter.write_dl([(f"{name}{view.argument}", view.summary) for name, view in VIEWS.items()])


@click.command(cls=_TableCommand)
@click.argument("words", nargs=-1, required=True, metavar="[VIEW] RUN...", shell_complete=VIEWS_OR_RUNS)
@TABLE_FORMAT
@click.option(
    "--rating",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=RATINGS,
    help="Override a key of `rating:` in the plan, such as method=winner, anchor=BOT=ELO or points=10,6,3,1; "
    "or versions=together (of a changed bot). May be repeated, also with several anchors.",
)
@click.option("--bots", help="Show only the rows of these bots, separated by commas.")
@click.option("--merge-anyway", is_flag=True, help="Rate runs of different games or options together.")
@click.option("--by-size", is_flag=True, help="Rate the games of each number of seats separately.")
@command
def table(
    words: tuple[str, ...],
    form: str,
    rating: tuple[str, ...],
    bots: str | None,
    merge_anyway: bool,
    by_size: bool,
) -> None:
    """Show the standings (Elo table) of RUNS, or another VIEW of them.

    RUNS are run files, or CSV and PGN files with results; several are merged. For a run file that is named
    like a view, write ./NAME.
    """
    view, runs = _split_view(words)
    if not runs:
        raise click.UsageError("Missing argument 'RUN...'.")
    show_table(view, runs, form, rating, None if bots is None else bots.split(","), merge_anyway, by_size)


def _split_view(words: Sequence[str]) -> tuple[str, list[Path]]:
    """The view, which the first word may name, and the runs. By default the view is the standings.

    Raises:
        ConfigError: The first word is neither a view nor a file.
    """
    from arena.show.tables.views import VIEWS, check_view

    first, *files = words
    if first.partition(":")[0] in VIEWS or not ({".", "/"} & {*first} or Path(first).exists()):
        check_view(first)
        return first, [*map(Path, files)]
    return "standings", [*map(Path, words)]


def show_table(
    view: str,
    runs: Sequence[Path],
    form: str,
    rating: Sequence[str] = (),
    bots: Sequence[str] | None = None,
    merge: bool = False,
    by_size: bool = False,
    skipped_is_told: bool = False,
) -> None:
    """Print a view of runs.

    Args:
        view: The name of the view, with its argument.
        runs: The run files and result files.
        form: The format.
        rating: The values of `--rating`.
        bots: The bots whose rows are shown; None for all.
        merge: Whether runs of different games or options may be rated together.
        by_size: Whether the games of each number of seats are rated separately.
        skipped_is_told: Whether the text leaves out why bots sit out, because it was printed before.

    Raises:
        ConfigError: A run cannot be read, or an argument does not fit the runs.
    """
    from arena.cli.live import seconds
    from arena.config.text import printable
    from arena.show.tables.notes import left_out
    from arena.show.tables.render import render
    from arena.show.tables.report import Report, rate_now
    from arena.show.tables.views import tables_of
    from arena.tournament.formats.config import rating_settings, read_rating
    from arena.tournament.runs.sources import load

    gc.disable()  # All objects live until the end, so a collection would find nothing.
    chosen = read_rating(rating)
    together = chosen.get("versions") == "together"
    with seconds() as next_is:
        next_is("reading the games")
        source = load(runs, together, merge)
        if skipped_is_told and form == "text":
            source = replace(source, skipped={})
        settings = rating_settings(source.settings, chosen)
        reports = [
            Report(part, settings, bots or (), runs, size, together, kind)
            for kind, games in source.by_kind().items()
            for size, part in (games.by_size().items() if by_size else [(None, games)])
        ]
        whole = reports[0] if len(reports) == 1 else Report(source, settings)
        whole.check_bots("--bots", bots or ())
        if "anchor" in chosen:
            whole.check_bots("--rating anchor", [*settings.anchors])
        next_is("rating the bots")
        for report in reports:
            rate_now(report)
            _check_seats(report, chosen.get("seats"))
        next_is("making the table")
        click.echo(render(tables_of(view, reports), form, " ".join(path.name for path in runs)))
    for note in left_out(source) if form == "csv" else ():  # CSV has no place for notes.
        click.echo(printable(note), err=True)


def _check_seats(report: "Report", wanted: str | None) -> None:
    from arena.show.tables.notes import UNKNOWN_SEATS, sizes_of

    if wanted == "fit" and report.unknown_seats:
        raise ConfigError(f"--rating seats=fit: {sizes_of(report.unknown_seats)}: {UNKNOWN_SEATS}")
