"""The ratings of a source, each part computed when it is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from arena.config.document import ConfigError, MachineError
from arena.config.text import list_words, suggestion
from arena.programs.machine import free_memory
from arena.rating.outcomes import Outcomes
from arena.rating.settings import RatingSettings
from arena.rating.standings import Field, Standing, rate_all
from arena.tournament.runs.model_answers import ModelAnswers, model_answers
from arena.tournament.runs.sources import Source, is_results

_MATRICES_OF_RATINGS = 14  # matrices of all pairs of bots that are in memory at once
_MAX_NAMED = 6  # bots that may be first
FEW_BOTS = 1000  # Any machine has the memory for so many bots.


@dataclass(frozen=True, eq=False)
class Report:
    """The standings of a source under these settings.

    Attributes:
        source: The games. The last three attributes say how they were selected.
        settings: The settings of the rating.
        bots: The bots whose rows are shown; empty for all.
        runs: The files of the source.
        size: The number of seats of the games; None for any.
        together: Whether all versions of a bot count as one.
        kind: A key of `Source.by_kind`; "" for all games.
    """

    source: Source
    settings: RatingSettings
    bots: Sequence[str] = ()
    runs: Sequence[Path] = ()
    size: int | None = None
    together: bool = False
    kind: str = ""

    def check_bots(self, where: str, wanted: Sequence[str]) -> None:
        """Check that all `wanted` bots have games.

        Raises:
            ConfigError: One has none. The message begins with `where`.
        """
        known = sorted({bot for line_up, _ in self.outcomes.seats for bot in line_up}) if wanted else []
        for bot in wanted:
            if bot not in known:
                near = suggestion(bot, known) if known else "; there are no games"
                raise ConfigError(f"{where}: no bot {bot!r}{near}")

    def has(self, bot: str) -> bool:
        """Whether a bot has games."""
        return any(bot in line_up for line_up, _ in self.outcomes.seats)

    @cached_property
    def outcomes(self) -> Outcomes:
        return Outcomes.of(self.source.outcomes)

    @cached_property
    def field(self) -> Field:
        return rate_all(self.outcomes, self.settings, self.source.widenings)

    @cached_property
    def contenders(self) -> tuple[list[str], list[str]]:
        """The bots of the main pool that may be first, and the bots that may be among the first three.

        Both are empty if points or rounds decide the places.
        """
        field = self.field
        if not field.names or self.settings.order == "points" or self.source.placings.ranking:
            return [], []
        main = field.ratings.pool == field.main
        best = np.maximum(field.best_ranks, 1 + field.surely.sum(axis=0))
        first, podium = (
            [name for name, here in zip(field.names, main & (best <= most), strict=True) if here]
            for most in (1, 3)
        )
        return first, podium

    @property
    def prize_line(self) -> str:
        """The bots that may be first or among the first three; "" if points or rounds decide the places."""
        first, podium = ([row.bot for row in self.rows if row.bot in names] for names in self.contenders)
        if not first:
            return ""
        if len(first) == 1:
            words = f"Surely first: {first[0]}."
        elif len(first) == len(self.rows):
            return "Any bot may be first."
        else:
            words = f"May be first: {_few(first)}."
        more = f" May be among the first three: {_few(podium)}." if len(podium) < len(self.rows) else ""
        return words + more

    @property
    def unknown_seats(self) -> list[int]:
        """The sizes of tables at which the games do not separate the effects of seats from the bots."""
        return sorted({seat.size for seat in self.field.seat_effects if seat.elo is None})

    @cached_property
    def answers(self) -> ModelAnswers:
        """The counts of the language models' own answers, in games of `runs` of any size and kind."""
        if not self.source.models:
            return ModelAnswers()
        return model_answers([run for run in self.runs if not is_results(run)], self.together)

    @cached_property
    def rows(self) -> list[Standing]:
        rows = self.field.standings(cycles=True)
        return self._chosen(rows) if self.bots else rows

    def _chosen(self, rows: Iterable[Standing]) -> list[Standing]:
        """The rows of `bots`, each with its likelihood of superiority over the next row shown.

        With `order: points` it is None.
        """
        chosen = [row for row in rows if row.bot in self.bots]
        if self.settings.order == "points":
            return chosen
        better = self.field.superiorities([row.bot for row in chosen])
        unrated = (one.unrated or two.unrated for one, two in pairwise(chosen))
        likelihoods = [None if each else los for each, los in zip(unrated, better, strict=True)]
        likelihoods.append(None)  # There is no row after the last.
        return [replace(row, los=los) for row, los in zip(chosen, likelihoods, strict=False)]


def _few(names: Sequence[str]) -> str:
    if len(names) <= _MAX_NAMED:
        return list_words(names)
    return f"{', '.join(names[:_MAX_NAMED])} and {len(names) - _MAX_NAMED} more"


def rate_now(report: Report) -> None:
    """Compute the ratings now instead of at their first use. The report keeps them.

    Raises:
        ConfigError: These settings do not fit these games.
        MachineError: The ratings take too much memory.
    """
    bots = len({bot for line_up, _ in report.outcomes.seats for bot in line_up})
    needed = _MATRICES_OF_RATINGS * 8 * bots**2
    if bots > FEW_BOTS and needed > (free := free_memory()):
        raise MachineError(
            f"the ratings of {bots} bots take about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB "
            "are free: rate the games of fewer bots, or use a machine with more memory"
        )
    try:
        report.field.seat_effects  # noqa: B018  # cached
    except ValueError as error:
        raise ConfigError(f"these games cannot be rated with these settings: {error}") from None
