"""The rounds and places of a tournament, as values for reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Seated:
    """A bot at a table."""

    bot: str
    score: float  # the share of the points that it could get there
    advanced: bool | None = None  # None in a format without eliminations


@dataclass(frozen=True)
class PlayedTable:
    """The bots of a table, best first, and the ids of its games in the order of the plan.

    `decided` names the tie-break, if a tie mattered, such as `better seed`; "" if there was none.
    """

    bots: tuple[Seated, ...]
    games: tuple[str, ...]
    decided: str = ""
    title: str = ""
    """The prize of the table if that is not a place in the next round, such as `third place`."""


@dataclass(frozen=True)
class PlayedRound:
    """A round whose games were all played; `number` is from 1 on, and the bots in `byes` sat out.

    The `title` is `round 2` or, at the end of a knockout, `quarter-finals`, `semi-finals` or `final`.
    """

    number: int
    title: str
    tables: tuple[PlayedTable, ...]
    byes: tuple[str, ...]


@dataclass(frozen=True)
class Placing:
    """A bot in the ranking. Except in a swiss, `score` and `opponents` are None, and `byes` is 0.

    In a swiss they are its share of the possible points, the mean share of its opponents, and its byes.
    """

    bot: str
    score: float | None = None
    opponents: float | None = None
    byes: int = 0


@dataclass(frozen=True)
class Placings:
    """The bots by their places so far, and the rounds that have ended; both empty without rounds."""

    places: tuple[Placing, ...] = ()
    rounds: tuple[PlayedRound, ...] = ()
    due: int = 0  # rounds in all; 0 if the bots that are left decide how many

    @property
    def ranking(self) -> list[str]:
        return [place.bot for place in self.places]
