"""The intervals of the standings, drawn for terminals of all widths and for files."""

import io
import re

import pytest
from outcomes import duel, luck
from rich.console import Console
from shown_tables import ODD_NAMES, even, widths

from arena.rating.settings import Anchor, RatingSettings
from arena.show.tables.grid import width
from arena.show.tables.intervals import MAX_BOTS, WIDEST, draw, terminal
from arena.show.tables.report import Report
from arena.tournament.runs.sources import Source

BLOCKS = set("█▐▕▏▎▍▌▋▊▉")


class Screen(io.StringIO):
    """A terminal with this encoding."""

    def __init__(self, encoding="utf-8"):
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self):
        return self._encoding

    def isatty(self):
        return True


def console(columns=80, encoding="utf-8", **more) -> Console:
    return Console(file=Screen(encoding), width=columns, highlight=False, **more)


def picture(outcomes, columns=80, encoding="utf-8", **settings) -> list[str]:
    report = Report(Source(list(outcomes)), RatingSettings(**settings))
    return draw(report, console(columns, encoding, no_color=True, color_system=None)).splitlines()


def bar(line):
    """Where the bar of a line begins and ends."""
    drawn = [at for at, sign in enumerate(line) if sign in BLOCKS]
    return drawn[0], drawn[-1] + 1


def test_every_interval_is_drawn_in_proportion():
    title, *lines = picture(luck(), columns=100)
    report = Report(Source(list(luck())), RatingSettings())
    low, high = map(int, re.findall(r"\d+", title)[-2:])
    first, last = min(map(bar, lines))[0], max(bar(line)[1] for line in lines)
    for row, line in zip(report.rows, lines, strict=True):
        for at, elo in zip(bar(line), row.ends, strict=True):
            assert abs(at - (first + (elo - low) / (high - low) * (last - first))) < 2
        assert line.endswith(f"{round(row.elo)}±{round(row.error)}")


def test_an_anchor_has_no_error():
    lines = picture(luck(), anchor=Anchor("c", 1000.0))
    (fixed,) = [line for line in lines if line.startswith("c ")]
    begin, end = bar(fixed)
    assert end - begin <= 2 and fixed.endswith(" 1000")


def test_a_perfect_score_has_its_bound_as_the_number():
    *_, winner, loser = picture([duel("a", "b", str(number)) for number in range(40)])
    assert bar(winner)[0] > bar(loser)[1] and re.search(r" >\d+$", winner) and re.search(r" <\d+$", loser)


def test_a_bot_of_too_few_groups_has_no_bar():
    *_, one, other = picture([duel("a", "b", "1", True)])
    assert "too few games" in one and "too few games" in other and not BLOCKS & set(one + other)


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
@pytest.mark.parametrize(
    "names", [ODD_NAMES, ["王" * 20, "b" * 60, "e\u0301" * 30], ["a", "b\u202ec\x1b[31m"]]
)
def test_every_line_fits_the_terminal(columns, names):
    lines = picture(even(names, groups=4), columns)
    assert max(map(width, lines)) <= max(40, columns)
    assert not set("\x1b\u202e") & set("".join(lines))
    begins = {width(line[: bar(line)[0]]) for line in lines if BLOCKS & set(line)}
    assert len(begins) == 1, "equal bots have equal bars"


def test_long_names_are_cut_and_short_ones_whole():
    lines = picture(even(["王" * 20, "short", "b" * 60]))
    assert any(re.match("王{11} ?…", line) for line in lines)
    assert any(line.startswith(f"{'b' * 23}… ") for line in lines) and any("short " in line for line in lines)


def test_more_bots_than_fit_are_counted():
    lines = picture(even([f"bot{number:02}" for number in range(MAX_BOTS + 3)], groups=1))
    assert len(lines) == MAX_BOTS + 2 and "and 3 more" in lines[-1]


def test_a_terminal_has_colours_unless_it_should_not(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    report = Report(Source(list(luck())), RatingSettings())
    assert "\x1b[" in draw(report, console())
    monkeypatch.setenv("NO_COLOR", "1")
    plain = draw(report, console())
    assert not re.search(r"\x1b\[[0-9;]*3\d", plain) and BLOCKS & set(plain)


def test_a_file_has_80_columns_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", io.StringIO())
    shown = draw(Report(Source(list(luck())), RatingSettings()), terminal())
    assert max(widths(shown)) == 80
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.setenv("TERM", "xterm")
    assert terminal().width == WIDEST
