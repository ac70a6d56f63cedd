"""Common parts of all games here: the seat that begins, and the checks of set-up files."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.rules import ALL, SEAT_NAMES, Ask, Choice, Draw, Option, Options, PositionError, Tell, seat_number

# The seat that begins


def starter_option(seats: int, rulings: str) -> Option:
    """The option `starter` of a game with at most this number of seats; its meaning cites the `rulings`."""
    return Option(
        "random",
        f"the seat that begins; winner: of the game before, in a series ({rulings})",
        ("random", "winner", *SEAT_NAMES[:seats]),
        applies=lambda value, seats: value in ("random", "winner") or value in SEAT_NAMES[:seats],
    )


async def choose_starter(seats: int, options: Options) -> int:
    """Tell all seats which one begins, and return it: the seat of the option `starter`, or a random one."""
    starter: str = options["starter"]
    if starter in ("random", "winner"):  # without an earlier game there is no winner
        starter = await Draw("starter", SEAT_NAMES[:seats], to=ALL)
    await Tell(ALL, f"starter {starter}")
    return seat_number(starter)


async def choose(seat: int, choice: Choice) -> str:
    """Return the answer of a seat; ask it only if it has several options. All seats must know these (A7)."""
    return choice.default if len(choice.options) == 1 else (await Ask({seat: choice}))[seat]


# Checks of positions in set-up files


def check_keys(given: Mapping[str, Any], keys: Sequence[str], by_seat: Sequence[str], seats: int) -> None:
    """Raise PositionError if a key is unknown, or if one in `by_seat` has no mapping by seat."""
    for key, value in given.items():
        if key not in keys:
            raise PositionError((key,), f"unknown key; known keys: {', '.join(keys)}")
        if key in by_seat:
            if not isinstance(value, dict):
                names = ", ".join(SEAT_NAMES[:seats])
                raise PositionError((key,), f"should be a mapping with keys of {names}")
            for name in value:
                seat_of(name, (key, name), seats)


def seat_of(name: object, path: tuple[str, ...], seats: int) -> int:
    """The number of the seat with this name.

    Raises:
        PositionError: There is no such seat; `path` is its place.
    """
    if not isinstance(name, str) or name not in SEAT_NAMES[:seats]:
        raise PositionError(path, f"no seat {name!r}; seats are {', '.join(SEAT_NAMES[:seats])}")
    return seat_number(name)


def list_of(value: object, path: tuple[str, ...]) -> list[Any]:
    """The value, if it is a list.

    Raises:
        PositionError: The value is not a list.
    """
    if not isinstance(value, list):
        raise PositionError(path, "should be a list of words")
    return value
