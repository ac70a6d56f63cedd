"""Charts, drawn by matplotlib as SVG: in fixed colours for papers, and in its own colours for a page."""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from cycler import cycler
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from arena.config.text import printable
from arena.show.tables.page import style

# The colours of charts on paper are the first ones of the style sheet. A page replaces each by the CSS
# variable of its name.
COLOURS = dict(re.findall(r"--(ink|muted|rule|c\d): (#\w+)", style().partition("}")[0]))
SERIES = tuple(value for name, value in COLOURS.items() if re.fullmatch(r"c\d", name))
INK, MUTED, RULE = COLOURS["ink"], COLOURS["muted"], COLOURS["rule"]
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # Text stays text, which can be searched and read aloud.
    "svg.hashsalt": "arena",  # Ids are the same each time.
    "text.parse_math": False,  # The name of a bot may contain a $.
    "font.size": 11,
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "axes.edgecolor": RULE,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=SERIES),
    "grid.color": RULE,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "ytick.major.size": 0,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}
_WIDTH = 5.6  # inches
_UNUSED = r"<metadata>.*?</metadata>|<style.*?</style>"  # A style sheet would apply to the whole page.
_MAX_NAME = 24  # characters
_STEP, _STEPS = 36, 40  # points in half an inch, and the widest chart of charts.css in this unit


@dataclass(frozen=True)
class Chart:
    """A chart with its data as CSV. `name` is the name of its files, `alt` a description in words."""

    name: str
    alt: str
    svg: str
    csv: str

    @property
    def inline(self) -> Markup:
        """The SVG element for a page, with ids of its own and the colours of the page."""
        body = self.svg[self.svg.index("<svg") :]
        points = float(re.search(r'width="([\d.]+)pt"', body)[1])  # type: ignore[index]  # always there
        body = re.sub(r' (?:width|height)="[\d.]+pt"', "", body, count=2)
        body = re.sub(r" font-family: [^;]*;", "", body)  # The page has its own font.
        body = re.sub(r' transform="rotate\(-0 [^"]*"', "", body)
        for name, colour in COLOURS.items():
            body = body.replace(colour, f"var(--{name})")
        body = re.sub(r'\bid="', f'id="{self.name}-', body)
        body = re.sub(r'(url\(|href=")#', rf"\1#{self.name}-", body)
        body = re.sub(r'\bstyle="([^"]*)"', _as_attributes, body)
        wide = f"wide-{min(_STEPS, round(points / _STEP))}"  # This class is in charts.css.
        head = f'<svg role="img" aria-label="{escape(self.alt)}" class="chart {wide}"'
        return Markup(re.sub(_UNUSED, "", body.replace("<svg", head, 1), flags=re.S))


def _as_attributes(style: re.Match[str]) -> str:
    """The declarations of an inline style as attributes of SVG: a server may forbid inline styles."""
    pairs = (each.split(":", 1) for each in style[1].split(";") if each.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


@contextmanager
def figure(height: float, width: float = _WIDTH) -> Iterator[tuple[Figure, Axes]]:
    """A context with a figure of this size, in inches, and its axes, in the style of all charts."""
    with mpl.rc_context(_STYLE):
        found = Figure(figsize=(width, height), layout="constrained")
        yield found, found.add_subplot()


def short(name: str) -> str:
    """A name for charts. A long one is cut in the middle, because names often differ at the end."""
    name = printable(name)
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME // 2]}…{name[-(_MAX_NAME // 2 - 1) :]}"


def draw_intervals(
    axes: Axes, labels: Sequence[str], values: Sequence[float], errors: Sequence[float]
) -> None:
    """Draw a row for each value, from the top: a point, and ± its error. Labels are not shortened."""
    heights = range(len(labels))
    axes.errorbar(values, heights, xerr=errors, fmt="o", markersize=5, color=SERIES[0], capsize=3)
    axes.set_yticks(heights, labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="x")


def svg_of(drawn: Figure) -> str:
    """The SVG of a figure, in the same bytes each time. Call it within `figure`."""
    file = io.StringIO()
    canvas = FigureCanvasSVG(drawn)  # `savefig` would write the same, but draw twice.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # A browser has other fonts.
        canvas.print_svg(file, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    return file.getvalue()
