"""Lines of text for a terminal."""

from textwrap import wrap

from wcwidth import wcswidth

WIDTH = 80  # characters in a line of a terminal


def width(text: str) -> int:
    return wcswidth(text)


def folded(text: str, first: str = "", margin: int | None = None) -> list[str]:
    """A text wrapped for a terminal: the first line starts with `first`, `margin` indents the others."""
    later = " " * (len(first) + 2 if margin is None else margin)
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
