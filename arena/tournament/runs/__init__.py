"""Results of games: run files, CSV and PGN files, transcripts, behaviour, verification."""

from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.tournament.runs.dataframes import RunFrames


def load_run(*runs: "str | PathLike[str]") -> "RunFrames":
    """The games of one or several runs as pandas data frames (docs/notebooks.md)."""
    from arena.tournament.runs import dataframes  # only notebooks need it

    return dataframes.load_run(*runs)
