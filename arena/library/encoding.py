"""The view and the answers of a seat as numbers, for learners.

An observation is made only of the `state` lines and the ask of a seat, so it cannot have more than a bot may
read (`Numbering`). Columns and words are built once for each seat, with the names of the seats in order from
its own. So a column means the same for every seat, seen from there.
"""

from array import array

from arena.games.encodings import ENCODINGS, Encoding
from arena.library.errors import LibraryError
from arena.library.numbering import Numbering, keep
from arena.library.tables import Table
from arena.rules import SEAT_NAMES, Choice
from arena.rules.match import Match

__all__ = ("Encoder", "encoders")


class Encoder:
    """Turns the view of one seat into an observation, and its answers into numbers."""

    def __init__(self, encoding: Encoding, table: Table, seat: int):
        names = [SEAT_NAMES[(seat + step) % table.seats] for step in range(table.seats)]
        self.seat = seat
        self.numbering = Numbering(
            encoding.columns(names, table.options), encoding.words(names, table.options)
        )
        self._spoken = self._numbers(encoding.spoken(names, table.options))
        self._spoken_by = encoding.spoken_by
        self._spoken_now: dict[tuple[str, ...], dict[int, str]] = {}

    @property
    def words(self) -> list[str]:
        return self.numbering.words

    @property
    def columns(self) -> list[str]:
        return self.numbering.columns

    @property
    def highs(self) -> list[int]:
        return self.numbering.highs

    def observe(self, match: Match, choice: Choice | None) -> "array[float]":
        """The view of the seat, a number for each column; without a `choice`, columns of the ask are 0."""
        lines = match.game.view(match.position, self.seat)
        if choice is None:
            return self.numbering.observe(lines)
        return self.numbering.observe(lines, choice.kind, choice.context)

    def legal(self, choice: Choice) -> dict[int, str]:
        """The legal answers to an ask, by their numbers; answers without a number are left out."""
        found = self.numbering.number(choice.options)
        return found | self._number_spoken(choice) if choice.open else found

    def _number_spoken(self, choice: Choice) -> dict[int, str]:
        key = (*choice.open, *[str(choice.context.get(name)) for name in self._spoken_by])
        found = self._spoken_now.get(key)
        if found is None:
            found = {number: word for number, word in self._spoken if choice.accepts(word)}
            keep(self._spoken_now, key, found)
        return found

    def _numbers(self, words: list[str]) -> list[tuple[int, str]]:
        wanted = set(words)
        return [(number, word) for number, word in enumerate(self.words) if word in wanted]


def encoders(table: Table, encoding: Encoding | None = None) -> list[Encoder]:
    """The encoders of all seats.

    Raises:
        LibraryError: The game has no encoding, and none is given.
    """
    found = encoding or ENCODINGS.get(table.name)
    if found is None:
        raise LibraryError(f"{table.name} has no encoding; give one like those in arena.games.encodings")
    return [Encoder(found, table, seat) for seat in range(table.seats)]
