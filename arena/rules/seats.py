"""The words for seats: numbers from 0 inside, `p1`, `p2`, … on the wire."""

SEAT_NAMES = tuple(f"p{number}" for number in range(1, 17))


def seat_name(seat: int) -> str:
    """The word for a seat on the wire: seat 0 is `p1`."""
    return SEAT_NAMES[seat]


def seat_number(name: str) -> int:
    """The seat that a word such as `p3` names; ValueError if it names none."""
    return SEAT_NAMES.index(name)
