"""The intervals of the standings, drawn for terminals of all widths and for files."""

import io
import re

import pytest
from outcomes import duel, luck
from rich.console import Console
from shown_tables import ODD_NAMES, even, widths

from arena.rating.settings import Anchor, Settings
from arena.show.tables.grid import width
from arena.show.tables.intervals import MOST, UNICODE, WIDEST, draw, terminal
from arena.show.tables.report import Report
from arena.tournament.runs.sources import Source


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
    report = Report(Source(list(outcomes)), Settings(**settings))
    return draw(report, console(columns, encoding, no_color=True, color_system=None)).splitlines()


def test_every_interval_covers_its_elo_in_proportion():
    _, ticks, *lines = picture(luck(), columns=100)
    report = Report(Source(list(luck())), Settings())
    scale = [(int(found[0]), found.start() + len(found[0]) // 2) for found in re.finditer(r"\d+", ticks)]
    (low, first), *_, (high, last) = scale
    for row, line in zip(report.rows, lines, strict=True):
        for sign, elo in (("├", row.elo - row.error), ("●", row.elo), ("┤", row.elo + row.error)):
            wanted = first + (elo - low) / (high - low) * (last - first)
            assert abs(line.index(sign) - wanted) < 1.5
        assert line.endswith(f"{round(row.elo)}±{round(row.error)}")


def test_an_anchor_has_no_error():
    lines = picture(luck(), anchor=Anchor("c", 1000.0))
    (fixed,) = [line for line in lines if line.startswith("c ")]
    assert "◆" in fixed and "├" not in fixed and "±" not in fixed and "◆ is fixed" in lines[0]
    assert not any("◆" in line for line in picture(luck()))


def test_a_perfect_score_is_open_at_one_end():
    *_, winner, loser = picture([duel("a", "b", str(number)) for number in range(40)])
    assert winner.index("├") < winner.index("▶") and re.search(r">\d+$", winner)
    assert loser.index("◀") < loser.index("┤") and re.search(r"<\d+$", loser)
    assert "●" not in winner + loser


def test_a_bot_of_too_few_groups_has_no_point():
    *_, one, other = picture([duel("a", "b", "1", True)])
    assert "too few games" in one and "too few games" in other and not set("●├┤±") & set(one + other)


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
@pytest.mark.parametrize(
    "names", [ODD_NAMES, ["王" * 20, "b" * 60, "e\u0301" * 30], ["a", "b\u202ec\x1b[31m"]]
)
def test_every_line_fits_the_terminal(columns, names):
    lines = picture(even(names, groups=4), columns)
    assert max(map(width, lines)) <= max(40, columns)
    assert not set("\x1b\u202e") & set("".join(lines))
    assert len({width(line.partition("●")[0]) for line in lines[2:]}) == 1, "the axis is straight"


def test_long_names_are_cut_and_short_ones_whole():
    lines = picture(even(["王" * 20, "short", "b" * 60]))
    assert any(line.startswith(f"{'王' * 11}… ") for line in lines)
    assert any(line.startswith(f"{'b' * 23}… ") for line in lines) and any("short " in line for line in lines)


def test_more_bots_than_fit_are_counted():
    lines = picture(even([f"bot{number:02}" for number in range(MOST + 3)], groups=1))
    assert len(lines) == MOST + 3 and "and 3 more" in lines[-1]


def test_a_terminal_without_unicode_gets_ascii():
    lines = picture(luck(), encoding="ascii", anchor=Anchor("c", 1000.0))
    assert "\n".join(lines).isascii() and "[" in lines[2] and "# is fixed" in lines[0]


def test_a_terminal_has_colours_unless_it_should_not(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    report = Report(Source(list(luck())), Settings())
    assert "\x1b[" in draw(report, console())
    monkeypatch.setenv("NO_COLOR", "1")
    plain = draw(report, console())
    assert not re.search(r"\x1b\[[0-9;]*3\d", plain) and UNICODE.point in plain


def test_a_file_has_80_columns_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", io.StringIO())
    shown = draw(Report(Source(list(luck())), Settings()), terminal())
    assert max(widths(shown)) == 80 and shown.isascii()
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.setenv("TERM", "xterm")
    assert terminal().width == WIDEST
