"""The names of seats: numbers from 0 in the code, `p1`, `p2`, … on the wire."""

SEAT_NAMES = tuple(f"p{number}" for number in range(1, 17))


def seat_name(seat: int) -> str:
    """The name of a seat on the wire: seat 0 is `p1`. Results from elsewhere may have more seats."""
    return SEAT_NAMES[seat] if seat < len(SEAT_NAMES) else f"p{seat + 1}"


def seat_number(name: object) -> int:
    """The number of the seat with a name such as `p3`, here 2.

    Raises:
        ValueError: There is no such seat.
    """
    return SEAT_NAMES.index(name)
