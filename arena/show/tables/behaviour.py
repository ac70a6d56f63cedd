"""The tables of behaviour, one for each game: the figures of each bot, and its answer times."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from arena.config.document import ConfigError
from arena.games import find
from arena.referee.record import Record
from arena.rules import Figure, Game
from arena.show.tables.report import Report
from arena.show.tables.table import Column, Table
from arena.tournament.runs.behaviour import Behaviour, behaviour
from arena.tournament.runs.game_list import records


def _ratio_text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _share_text(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def figure_text(figure: Figure) -> Callable[[float | None], str]:
    """The function that writes values of a figure as text. None, a figure without chances, is `-`."""
    return _ratio_text if figure.ratio else _share_text


def time_text(milliseconds: float | None) -> str:
    """A time in milliseconds as text: 0.07, 1.3, 24, 1812; `-` for None."""
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.{2 if milliseconds < 1 else 1 if milliseconds < 10 else 0}f}"


TIMES = {
    "p50": Column("p50", "p50", time_text, "half of the answers took at most this many milliseconds"),
    "p99": Column(
        "p99", "p99", time_text, "99 % of the answers took at most this many milliseconds; both within 1 %"
    ),
    "limit": Column("limit", "limit", _share_text, "p99 as a share of the time per answer"),
}
BOT = Column("bot", "bot", is_bot=True)


def figure_columns(game: Game) -> list[Column]:
    return [Column(name, name, figure_text(figure), figure.meaning) for name, figure in game.figures.items()]


def behaviour_tables(report: Report) -> list[Table]:
    """A table for each game, or an empty one.

    Raises:
        ConfigError: A game is not installed, or a file has no records.
    """
    tables = []
    for name in sorted({record.fixture.game for _, record in _played(report)}):
        if not (game := find(name)):
            raise ConfigError(f"the game {name} is not installed")
        rows = behaviour(game, (each for each in _played(report) if each[1].fixture.game == name))
        tables.append(behaviour_table(game, rows))
    return tables or [Table("behaviour", [BOT, *TIMES.values()], [], empty="no games yet")]


def _played(report: Report) -> Iterator[tuple[Sequence[str], Record]]:
    for names, record in records(report.runs):
        if report.size in (None, len(names)):
            yield (record.fixture.bots if report.together else names), record


def behaviour_table(game: Game, rows: Iterable[Behaviour]) -> Table:
    counts = [Column("", f"{name}_count {name}_of") for name in game.figures]
    columns = [BOT, Column("games", "games"), *figure_columns(game), *TIMES.values()]
    found = []
    for row in rows:
        figures: dict[str, float | None] = {}
        for name, (count, of) in row.figures.items():
            figures |= {name: count / of if of else None, f"{name}_count": count, f"{name}_of": of}
        found.append({**vars(row), **figures})
    return Table(
        "behaviour",
        columns,
        found,
        f"Behaviour in {game.name}",
        part={"game": game.name},
        exact=Table("behaviour", [*columns, *counts], found),
        legend=True,
    )
