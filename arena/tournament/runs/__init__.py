"""Results of games: run files, CSV and PGN files, transcripts, behaviour, verification.

The path of a result:

1. A worker packs the record (`stored_game`); the coordinator appends it to the run file in one commit
   (`store`, with the tables of `layouts`). A kill costs at most the games in flight.
   `arena.config.sqlite` and `facts` check a file from a stranger, and a record is checked when it is
   read.
2. The formats see a `Summary` of each played game, and decide what is due next. The games stay in the
   file: `PlayedGames` is a mapping that reads them.
3. `sources` reads runs, CSV and PGN files as `Outcome`s, and decides which games count.
   `arena.rating.estimate` fits strengths, `arena.rating.standings` ranks the bots, and `arena.show`
   presents them.
"""

from os import PathLike
from typing import TYPE_CHECKING

from arena.programs.machine import install_command

if TYPE_CHECKING:
    from arena.tournament.runs.dataframes import RunFrames


def load_run(*runs: "str | PathLike[str]") -> "RunFrames":
    """A `RunFrames` of one or several runs: its properties are pandas data frames (docs/notebooks.md).

    Raises:
        ImportError: The package pandas is not installed.
        ConfigError: A file is not a run.
    """
    try:
        import pandas  # noqa: F401  # a notebook should fail at its first line
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise ImportError(f"load_run needs pandas: {install_command('pandas')}") from None
    from arena.tournament.runs.dataframes import RunFrames
    from arena.tournament.runs.game_list import shown_records

    frames = RunFrames(runs)
    next(shown_records(frames.runs), None)  # This opens all of them.
    return frames
