"""The width of a terminal, and texts wrapped to it."""

from textwrap import wrap

from wcwidth import wcswidth

WIDTH = 80  # characters in a line of a terminal


def width(text: str) -> int:
    return wcswidth(text)


def folded(text: str, first: str = "", margin: int | None = None) -> list[str]:
    """The lines of a text, wrapped for a terminal. The first line starts with `first`.

    The others are indented by `margin` characters, or if it is None, by two more than the width of `first`.
    """
    later = " " * (len(first) + 2 if margin is None else margin)
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
