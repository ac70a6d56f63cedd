"""Each format of a table, with cells that it could get wrong: escapes, wide letters, NaN, None, formulas."""

import csv
import io
import json
import re
from math import nan

import pytest
from shown_tables import ODD_NAMES, Page, cells, report, show, widths

from arena.rating.outcomes import Outcome
from arena.show.tables import FORMATS
from arena.show.tables.grid import WIDTH, width
from arena.show.tables.render import csv_text, escape_markdown, render
from arena.show.tables.table import CellLink, Column, Table, likelihood, plain, share, whole, with_error
from arena.show.tables.views import VIEWS
from arena.tournament.runs.csv import unescape_formula

COLUMNS = (
    Column("#", "number", meaning="a number"),
    Column("bot", "bot", meaning="a <name>", is_bot=True),
    Column("Elo", "elo error", with_error, digits=2),
    Column("by", "forfeits", lambda kinds: " ".join(kinds), is_left=True),
    Column("", "range", str),
)
ROWS = [
    {"number": number, "bot": name, "elo": -1.23456, "error": nan, "forfeits": {"late": 2}, "range": (1, 3)}
    for number, name in enumerate(ODD_NAMES, 1)
]
NASTY = Table("odd", COLUMNS, ROWS, above=["<b>above</b>"], notes=["*note* <b>"], about={"games": 3})
EMPTY = Table("odd", COLUMNS, [], empty="nothing yet")


def test_text_keeps_its_columns_aligned_below_letters_of_double_width():
    above, _, head, dashes, *body = render([NASTY], "text").splitlines()
    assert above == "<b>above</b>" and body[-1] == "*note* <b>"
    assert head.split() == ["#", "bot", "Elo", "by"]
    place = dashes.index(" ", dashes.index(" ") + 2)  # behind the names
    for line in body[:-1]:
        before = next(part for part in range(len(line), 0, -1) if width(line[:part]) <= place)
        assert width(line[:before]) == place
    assert all(line.endswith(" -1  late  (1, 3)") for line in body[:-1])


def test_text_leaves_columns_out_and_then_wraps_names():
    rows = [{"bot": "n" * 70, "wide": "w" * 30, "more": "m" * 9}]
    columns = [Column("bot", "bot", is_bot=True), Column("wide", "wide"), Column("more", "more")]
    shown = render([Table("x", columns, rows, drops=("wide",))], "text")
    assert "www" not in shown and max(widths(shown)) <= WIDTH and shown.count("n") == 70
    assert max(widths(render([Table("x", columns, rows, fits=False)], "text"))) > WIDTH


def test_text_cuts_wide_matrices_into_blocks_that_repeat_the_names():
    columns = [Column("bot", "bot", is_bot=True), *(Column(str(n), str(n)) for n in range(30))]
    row = {"bot": "王" * 30, **{str(n): "12345" for n in range(30)}}
    blocks = render([Table("x", columns, [row], stub=1)], "text").split("\n\n")
    assert [word for block in blocks for word in block.split("\n")[0].split()[1:]] == [*map(str, range(30))]
    assert all(max(widths(block)) <= WIDTH and block.count("王") == 30 for block in blocks)


def test_text_has_an_empty_line_between_groups_and_a_legend():
    table = Table("odd", COLUMNS, ROWS[:3], gaps=(2,), legend=True)
    lines = render([table], "text").splitlines()
    assert lines[4].strip() == "" and lines[-1] == "bot  a <name>"
    assert render([EMPTY], "text") == "nothing yet"


def test_markdown_escapes_its_signs():
    above, table, note = render([NASTY], "markdown").split("\n\n")
    assert above == "```text\n<b>above</b>\n```" and note == "\\*note\\* \\<b>"
    head, _, *body = map(cells, table.splitlines())
    assert [row[1] for row in body] == [*ODD_NAMES]
    assert {len(row) for row in body} == {len(head)}
    assert escape_markdown(">  all") == "\\>  all" and escape_markdown("# 1") == "\\# 1"
    assert escape_markdown("a > b") == "a > b"


def test_html_is_one_page_whose_headings_lead_to_their_meanings():
    shown = Page(render([NASTY], "html", "<odd>"))
    head, *body = shown.rows
    assert [row[1] for row in body] == [*ODD_NAMES] and {len(row) for row in body} == {len(head)}
    assert not {"b", "script", "img", "link", "iframe"} & set(shown.tags)
    assert [link.removeprefix("#") for link in shown.links] == shown.ids and len(shown.ids) == 2
    assert shown.titles == ["a number", "a <name>"]


def test_html_links_to_pages_where_a_cell_is_a_link():
    columns = [Column("bot", "bot", lambda bot: CellLink("bots/a.html", bot), is_bot=True)]
    linked = Table("x", columns, [{"bot": "<a>"}])
    assert '<a href="bots/a.html">&lt;a&gt;</a>' in render([linked], "html")
    assert "<a>" in render([linked], "text") and json.loads(render([linked], "json"))["x"] == [{"bot": "<a>"}]


PLAIN_LATEX = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\^{}": "^", r"\ensuremath{<}": "<",
    r"\ensuremath{>}": ">", r"\_": "_", r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"\{": "{",
    r"\}": "}",
}  # fmt: skip


def test_latex_escapes_its_signs():
    shown = render([NASTY], "latex")
    table, below = shown.partition(r"\end{tabular}")[::2]
    rows = [re.split(r"(?<!\\)&", line) for line in table.splitlines()[5:-1]]
    signs = re.compile("|".join(map(re.escape, PLAIN_LATEX)))
    names = [signs.sub(lambda found: PLAIN_LATEX[found[0]], row[1].strip()) for row in rows]
    assert names == [*ODD_NAMES]
    assert shown.startswith("% <b>above</b>\n") and below.strip() == "% *note* <b>"


def test_csv_has_all_values_and_no_formula():
    """A spreadsheet would run `=cmd()`; our own reader removes the sign that CSV puts before it."""
    read = list(csv.DictReader(io.StringIO(render([NASTY], "csv"))))
    assert not any(row["bot"].startswith(("=", "+", "-", "@")) for row in read)
    assert [unescape_formula(row["bot"]) for row in read] == [*ODD_NAMES]
    first = read[0]
    assert (first["elo"], first["error"], first["forfeits"], first["range"]) == ("-1.23", "", "late:2", "1-3")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *(("=1+1", "'=1+1"), ("+a", "'+a"), ("-a", "'-a"), ("@a", "'@a"), ("'=a", "''=a")),
        *(("'a", "'a"), ("''", "''"), ("'", "'"), ("a", "a"), ("", ""), ("-1.5", "'-1.5"), (-1.5, "-1.5")),
        *(("-", "'-"), ("-1 OR", "'-1 OR"), ("'-1", "''-1"), ("=", "'=")),
    ],
)
def test_every_text_comes_back_from_csv_and_none_is_a_formula(text, cell):
    assert csv_text([Table("", [Column("", "bot n")], [{"bot": text, "n": 0}])]) == f"bot,n\n{cell},0"
    assert unescape_formula(cell) == text or not isinstance(text, str)


def test_json_has_names_as_they_are_and_null_for_what_is_not_known():
    found = json.loads(render([NASTY], "json"))
    assert [row["bot"] for row in found["odd"]] == [*ODD_NAMES]
    assert found["odd"][0] == {
        "number": 1, "bot": "a|b", "elo": -1.23, "error": None, "forfeits": {"late": 2}, "range": [1, 3],
    }  # fmt: skip
    assert (found["games"], found["notes"]) == (3, ["*note* <b>"])


def test_parts_are_told_apart_in_every_format():
    parts = [Table("odd", COLUMNS, ROWS[12:14], f"size {size}", {"size": size}) for size in (2, 3)]
    assert render(parts, "text").count("size ") == 2 and "## size 2\n" in render(parts, "markdown")
    assert "% size 3\n" in render(parts, "latex") and "<h2>size 2</h2>" in render(parts, "html")
    rows = list(csv.DictReader(io.StringIO(render(parts, "csv"))))
    assert [row["size"] for row in rows] == ["2", "2", "3", "3"]
    assert [row["bot"] for row in rows] == ["'=cmd()", "'+1"] * 2, "the sign is there once"
    assert [part["size"] for part in json.loads(render(parts, "json"))] == [2, 3]
    assert isinstance(json.loads(render(parts[:1], "json")), list)


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_without_rows_has_its_columns(form):
    shown = render([EMPTY], form)
    assert form not in ("markdown", "latex", "html", "csv") or "bot" in shown
    assert form != "json" or json.loads(shown) == {"odd": [], "notes": []}


def test_numbers_have_their_signs_and_no_minus_zero():
    assert (whole(-0.4), share(None), likelihood(-0.001), likelihood(nan)) == ("0", "", "0%", "")
    assert (plain(2.50), plain(3.0), with_error(-0.4, 20.2), with_error(None)) == ("2.5", "3", "+0±20", "")
    assert json.loads(render([Table("x", [Column("n", "n")], [{"n": -1e-9}])], "json"))["x"] == [{"n": 0.0}]


VIEW_NAMES = [
    pytest.param(name, marks=pytest.mark.slow) if name == "nash" else name  # a bootstrap takes a second
    for name in VIEWS
    if name != "behaviour"  # of runs alone
]


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_every_view_comes_in_every_format(view):
    view += {"opponents": ":b", "course": ":3"}.get(view, "")
    games = [Outcome(tuple(pair), (1, 2), f"{pair}{n}") for n in range(2) for pair in ("ab", "bc", "ca")]
    whole = report([*games, Outcome(("<b>x", "=b", "b"), (1, 1, 3), "g")], bots=("a", "b", "c"))
    one = report([Outcome(("a", "b"), (1, 1), "g")])
    for each in (whole, one):
        shown = {form: show(each, view, form) for form in FORMATS}
        assert all(shown.values()) and Page(shown["html"]).rows
        assert "NaN" not in shown["json"] and "Infinity" not in shown["json"]
        (key, *_), rows = json.loads(shown["json"]), list(csv.DictReader(io.StringIO(shown["csv"])))
        assert [list(row) for row in json.loads(shown["json"])[key]] == [list(row) for row in rows]
        assert view == "wide" or max(widths(shown["text"])) <= WIDTH
