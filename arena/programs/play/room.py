"""A room: the shared state of the players at one table of the server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from arena.programs.play.journal import Journal
from arena.rules import Ask
from arena.rules.match import Match


class TableClosed(Exception):
    """Raised if a table is closed before the end of its game."""


class _PersonLink(Protocol):
    """The interface that a room uses of a person's link."""

    seat: int

    def wake(self) -> None: ...
    def stir(self) -> None: ...
    def finish(self, over: Mapping[str, Any]) -> dict[str, Any]: ...
    def close(self) -> None: ...


class Room:
    """The shared state of the players at one table."""

    def __init__(self, table: str, journal: Journal, gate: Path):
        self.table, self.journal, self.gate = table, journal, gate
        self.links: list[_PersonLink] = []  # of its people
        self.is_closing = False

    def close_table(self) -> None:
        """Make the loop raise TableClosed at a consistent moment. A signal handler may call it."""
        self.is_closing = True
        for link in self.links:
            link.wake()

    def is_person_asked(self, match: Match) -> bool:
        """Whether a person has to answer now, while the others wait."""
        return isinstance(match.step, Ask) and any(link.seat in match.step.choices for link in self.links)

    def stir(self) -> None:
        """Show the people their news: a seat was asked, so the game may have gone on."""
        for link in self.links:
            link.stir()

    def finish(self, over: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
        """Show the people how the game ended; returns the last view of each, by seat."""
        return {link.seat: link.finish(over) for link in self.links}

    def close(self) -> None:
        """Close the connections to the gate."""
        for link in self.links:
            link.close()
