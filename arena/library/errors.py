"""The exceptions of the library. If one is about a seat, its message begins with the name of the seat."""

from arena.rules import seat_name


class LibraryError(Exception):
    """A mistake in the use of the library; the other errors here are kinds of it."""


class SeatError(LibraryError):
    """A mistake of one seat: its number from 0 is in `seat`."""

    def __init__(self, seat: int, *details: object):
        super().__init__(seat, *details)  # pickle needs all of them
        self.seat = seat

    def __str__(self) -> str:
        return f"{seat_name(self.seat)}: {self.args[-1]}"


class IllegalAnswer(SeatError):
    """A seat gave an answer, the `word`, that its choice does not accept."""

    def __init__(self, seat: int, word: object, message: str):
        super().__init__(seat, word, message)
        self.word = word


class PlayerError(SeatError):
    """A player raised an exception. Within one process that is the `__cause__` of this one."""


class NoWorld(LibraryError):
    """No position was found that fits the lines of a seat."""


class FewWorlds(UserWarning):
    """The worlds that were drawn are worth few independent ones, so estimates from them are rough."""
