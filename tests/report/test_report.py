"""The tables as people and programs see them: every format, every width, every odd field of bots."""

import csv
import io
import json
import re
from dataclasses import replace
from itertools import permutations

import pytest
from outcomes import duel, luck, tcec
from shown_tables import ODD_NAMES, Page, cells, even, widths

from arena.rating import logit
from arena.rating.outcome import Outcome
from arena.rating.settings import Anchor, Settings
from arena.report import FORMATS, MATRICES, page
from arena.report.columns import COLUMNS, FLAGS, counted
from arena.report.columns import page as explanation
from arena.report.grid import WIDTH, csv_text, markdown, width
from arena.report.matrices import matrix, seat_table
from arena.report.nash import MEANINGS, averages
from arena.report.nash import table as nash_table
from arena.report.notes import WINS
from arena.report.report import Report
from arena.report.standings import text
from arena.report.standings_data import csv_table, json_table
from arena.report.views import by_size
from arena.results.csv import read_results, unescape_formula
from arena.results.sources import Source

EXPLAINED = " ".join(explanation().split())


def report(outcomes, bots=(), **settings) -> Report:
    return Report(Source(list(outcomes)), Settings(**settings), bots)


# --- the page that explains


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_the_page_has_the_meaning_of_every_column_word_for_word(column):
    assert column.meaning in EXPLAINED
    assert f"- `{column.heading}` " in explanation() or not column.heading


@pytest.mark.parametrize("flag", FLAGS)
def test_the_page_has_every_flag_word_for_word(flag):
    assert f"- `{flag}`: {FLAGS[flag]}" in EXPLAINED


def keys_of(value) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list | tuple) else set()


def test_the_page_names_every_key_of_the_json():
    found = json_table(report(luck()), nash=averages(report(luck())))
    names = {key for key in keys_of(found) if key not in "abcdef" and key != "late"}
    assert len(names) > 30
    assert [name for name in sorted(names) if f"`{name}`" not in explanation()] == []


@pytest.mark.parametrize("heading", MEANINGS)
def test_the_page_has_every_column_of_the_nash_averages_word_for_word(heading):
    assert re.search(
        rf"- `{re.escape(heading)}` \(`\w+`(, `\w+`)?\): {re.escape(MEANINGS[heading])}", EXPLAINED
    )


def test_the_page_fits_a_terminal():
    assert [line for line in explanation().splitlines() if len(line) > 100] == []


def test_the_example_of_the_page_is_what_the_table_says(tmp_path):
    example = explanation().partition("## An example")[2].partition("\n## ")[0]
    lines = [line.strip() for line in example.splitlines() if line.startswith("    ")]
    (tmp_path / "example.csv").write_text("\n".join(line for line in lines if "," in line))
    outcomes = read_results(tmp_path / "example.csv").outcomes
    table = text(report(outcomes, prior=0, average=0)).splitlines()
    assert [lines[-3], lines[-2], lines[-1]] == [table[0].rstrip(" -"), table[2], table[3]]
    ann, bob = report(outcomes, prior=0, average=0).rows
    assert (round(ann.elo - bob.elo, 2), round(ann.error, 1), round(ann.los, 3)) == (136.97, 154.0, 0.874)
    alone = [replace(outcome, group=str(number)) for number, outcome in enumerate(outcomes)]
    spread = report(alone, prior=0).field.ratings.spread[0, 1]
    assert round(float(spread), 1) == 130.9


# --- 80 columns


def aligned(shown: str) -> bool:
    """Whether no cell of the table crosses the gaps between the columns, as the dashes have them."""
    head, dashes, *rows = shown.splitlines()
    gaps = [place for place, letter in enumerate(dashes) if letter == " "]
    body = [line for line in (head, *rows) if not line.startswith(tuple(FLAGS))]
    return all(line[gap : gap + 1] in (" ", "") for line in body for gap in gaps)


def test_the_worst_numbers_fit_80_columns():
    """200 bots with names of 32 letters, a million games each, Elo of five digits, forfeits, all flags."""
    names = [f"{number:03}{'n' * 29}" for number in range(200)]
    whole = report([Outcome(("x", "y"), (1, 2), "1")])
    (row, _) = whole.rows
    worst = replace(
        row, elo=-12345.6, error=None, bound=-23456.7, los=1.0, games=1_000_000, groups=250_000, score=1.0,
        first=1.0, mean_place=10.0, opponents=-12345.6, forfeits={"late": 123_456}, without=-12345.6,
        rank_range=(100, 200), flags="~?!C",
    )  # fmt: skip
    whole.__dict__["rows"] = [replace(worst, bot=name, rank=199) for name in names]
    shown = text(whole)
    assert max(widths(shown)) <= WIDTH and all(name in shown for name in names)
    assert aligned("\n".join(shown.splitlines()[:202]))
    assert "-12346" in shown and ">-23457" in shown and "123456" in shown
    assert max(widths(text(whole, wide=True))) > WIDTH


@pytest.mark.parametrize("letters", [1, 8, 20, 32, 60, 100, 300])
def test_long_names_fit_80_columns_whole(letters):
    names = [letter * letters for letter in "abc"]
    shown = text(report(even(names)))
    assert max(widths(shown)) <= WIDTH
    assert all(shown.count(letter) >= letters for letter in "abc")
    for kind in MATRICES:
        blocks = matrix(report(even(names)), kind, "text")
        assert max(widths(blocks)) <= WIDTH and blocks.count("a") >= letters


@pytest.mark.parametrize("letters", [1, 100])
def test_nash_averages_fit_80_columns(letters):
    circle = report([duel(*pair, f"{number}") for number in range(40) for pair in rounds(letters)])
    shown = nash_table(circle, averages(circle), "text")
    assert max(widths(shown)) <= WIDTH and all(shown.count(letter) >= letters for letter in "xyz")
    assert "each pair met in 40 or more" in shown


def rounds(letters) -> list[tuple[str, str]]:
    """x beats y, y beats z, z beats x."""
    return [(one * letters, two * letters) for one, two in ("xy", "yz", "zx")]


def test_letters_of_double_width_keep_the_columns_aligned():
    shown = text(report(even(["王王王", "b", "Zoë"]))).splitlines()[2:5]
    assert {width(line.rstrip()) for line in shown} == {width(shown[0].rstrip())}


def test_notes_are_wrapped():
    outcomes = even([f"bot{number}" for number in range(30)], 2) + even(["other", "pool"], 2)
    shown = text(report(outcomes, method="plackett-luce", prior=1, seats="fit", forfeits="exclude"))
    assert max(widths(shown)) <= WIDTH
    assert "not linked by any game: bot0, bot1" in shown and "other, pool" in shown


@pytest.mark.parametrize("kind", MATRICES)
def test_matrices_come_in_blocks_of_80_columns(kind):
    names = [f"a-bot-of-some-length-{number}" for number in range(40)]
    blocks = matrix(report(even(names, 2)), kind, "text").split("\n\n")
    assert len(blocks) > 1 and max(widths("\n".join(blocks))) <= WIDTH
    columns = [number for block in blocks for number in block.splitlines()[0].split()[2:]]
    assert columns == [str(number) for number in range(1, 41)]
    assert all(len(block.splitlines()) == 42 for block in blocks)


def test_the_readme_table_has_its_plain_columns():
    names = [
        "#",
        "range",
        "bot",
        "Elo",
        "±95",
        "LOS",
        "games",
        "groups",
        "score",
        "1st",
        "net",
        "place",
        "forf",
    ]
    head = text(report(luck()), "markdown").split("\n")[0]
    assert [cell.strip() for cell in head.split("|")[1:14]] == names
    assert "net" not in text(report(even("abc"))).split("\n")[0].split()
    wide = text(report(luck()), wide=True).split("\n")[0].split()
    assert wide == [column.heading for column in COLUMNS.values() if column.heading not in ("", "direct")]


def test_the_standings_by_points():
    shown = text(report(luck(), order="points", points=(10, 6, 3)))
    head, _, *rows = shown.split("\n")
    assert head.split()[:6] == ["#", "bot", "points", "direct", "SB", "Buch"]
    points = [float(row.split()[2]) for row in rows[:6]]
    assert points == sorted(points, reverse=True) and "points for places: 10 6 3" in " ".join(shown.split())
    assert max(widths(shown)) <= WIDTH


@pytest.mark.parametrize("wins, said", [(46, True), (26, False)])
def test_contests_of_wins_are_told_if_the_elo_has_another_order(wins, said):
    """The wild bot is first or last. The steady one is second, or shares the other wins with two more."""
    wild = [("wild", "steady", "x", "y")] * wins
    rest = [("steady", "x", "y", "wild"), ("x", "steady", "y", "wild"), ("y", "steady", "x", "wild")] * 25
    games = [Outcome(order, (1, 2, 3, 4), f"{n}") for n, order in enumerate([*wild, *rest[: 100 - wins]])]
    shown = report(games)
    assert shown.rows[0].bot == "steady" and (WINS in text(shown, "markdown")) == said
    assert WINS not in text(report(games, method="winner"))


# --- flags and notes


ROCK = [duel(*pair, f"{pair}{number}") for pair in ("rp", "ps", "sr") for number in range(30)]
PERFECT = [*even("abc"), *(duel("top", bot, f"+{bot}{group}") for bot in "abc" for group in range(12))]
ZERO = [*even("abc"), *(duel(bot, "end", f"-{bot}{group}") for bot in "abc" for group in range(12))]


@pytest.mark.parametrize(
    "outcomes, flags",
    [
        pytest.param(even("abc"), "", id="none"),
        pytest.param(PERFECT, ">~", id="perfect"),
        pytest.param(ZERO, "<~", id="zero"),
        pytest.param(even("ab", 10), "?", id="few"),
        pytest.param(even("abc") + even("xy"), "!", id="pools"),
        pytest.param(ROCK, "C", id="cycle"),
        pytest.param([duel("a", "b", f"{group}", tie=True) for group in range(40)], "~", id="all ties"),
        pytest.param([duel("a", "b", "1")], "><~?", id="one game"),
        pytest.param([Outcome(("a", "a"), (1, 2), "1")], "?", id="self-play"),
    ],
)
@pytest.mark.parametrize("form", ["text", "markdown", "html", "latex"])
def test_flags_are_explained_only_when_they_occur(outcomes, flags, form):
    shown = " ".join(text(report(outcomes), form).partition("<details>")[0].split())
    for flag, meaning in FLAGS.items():
        assert (meaning in shown) == (flag in flags)


def test_cycles_and_pools_are_named():
    shown = text(report([*ROCK, *even("xy")]))
    assert "cycles: p, r, s; test that one Elo per bot fits: p = " in shown
    assert "not linked by any game: p, r, s  |  x, y" in shown


def test_what_the_table_rests_on():
    outcomes = list(tcec())
    source = Source(outcomes, faults=9, voids=2, unfinished=3)
    last = text(Report(source, Settings())).splitlines()[-1]
    assert last == "112 games in 56 seed groups, 9 faults, 2 void games; 3 games without a result"
    settings = Settings(method="winner", prior=0, seats="fit", forfeits="exclude", anchor=Anchor("no", 1))
    shown = text(Report(source, settings), "markdown").splitlines()[-1]
    assert shown == (
        "105 games in 56 seed groups, 9 faults, 2 void games; winner; forfeits left out; seats fitted; "
        "prior 0; the anchor no has not played; 3 games without a result"
    )


def test_the_confidence_is_in_the_heading():
    assert "±99.9" in text(report(luck(), confidence=0.999))
    assert "±95" not in text(report(luck(), confidence=0.5))


def test_no_number_is_minus_nothing():
    outcomes = [duel(*pair, f"{number}") for number, pair in enumerate(["ab", "ba", "ab", "ba"] * 9)]
    whole = report([*outcomes, duel("a", "b", "more"), duel("b", "a", "more")], average=-0.2)
    assert "-0" not in text(whole).replace("-0.", "") + seat_table(whole, "text")


# --- everything never varies, or never happens


def test_where_nothing_varies_the_error_is_not_zero():
    """Forty ties are no proof that every game will be one."""
    ties = report([Outcome(("a", "b", "c"), (1, 1, 1), f"{group}") for group in range(40)])
    assert {row.flags for row in ties.rows} == {"~"} and all(row.error > 20 for row in ties.rows)
    halves = [Outcome((*pair,), (1, 2), f"{group}") for group in range(40) for pair in ("ab", "ba", "ab")]
    first, last = report(halves).rows
    assert first.flags == last.flags == "~" and first.error > 20 and 0.5 < first.los < 1
    assert {row.error for row in ties.seats} == {None}


def test_the_anchor_has_no_bound():
    top, *others = report(PERFECT, anchor=Anchor("top", 1000)).rows
    assert (top.elo, top.error, top.bound) == (1000, 0, None)
    assert {row.flags for row in others} == {"~"}
    far = report(PERFECT, anchor=Anchor("a", 1e6)).rows[0]
    near = report(PERFECT, anchor=Anchor("a", 0)).rows[0]
    assert far.bound - near.bound == pytest.approx(1e6, abs=1e-3)


@pytest.mark.parametrize("outcomes", [[], [Outcome(("a", "a"), (1, 2), "1")], [duel("a", "b", "1")]])
@pytest.mark.parametrize("form", FORMATS)
def test_the_smallest_fields_have_every_table(outcomes, form):
    whole = report(outcomes)
    if form == "json":
        json.dumps(json_table(whole), allow_nan=False)
    elif form == "csv":
        assert len(list(csv.reader(io.StringIO(csv_table(whole))))) == 1 + len(whole.rows)
    else:
        both = counted(len(outcomes), "game"), counted(len(outcomes), "seed group")
        assert " in ".join(both) in text(whole, form)
    if form != "json":
        assert all(matrix(whole, kind, form) for kind in MATRICES) and seat_table(whole, form)


def test_two_hundred_bots(tmp_path):
    names = [f"bot-{number}" for number in range(200)]
    outcomes = [
        Outcome(
            tuple(names[(start + step * turn) % 200] for turn in range(4)), (1, 2, 3, 4), f"{start} {step}"
        )
        for start in range(200)
        for step in (1, 7, 51)
    ]
    whole = report(outcomes)
    assert len(text(whole).splitlines()) > 202 and max(widths(text(whole))) <= WIDTH
    assert len(json_table(whole)["los"]) == 200
    assert len(matrix(whole, "los", "csv").splitlines()) == 1 + 200 * 199


def test_a_race_of_forty_seats():
    names = tuple(f"car {number}" for number in range(40))
    grid = [(number * 7) % 40 for number in range(40)]
    outcomes = [
        Outcome(names[start:] + names[:start], tuple(1 + place for place in grid), str(start))
        for start in range(0, 40, 3)
    ]
    assert "p40" in seat_table(report(outcomes), "text") and len(text(report(outcomes)).splitlines()) > 42


# --- names that mean something to a format


@pytest.fixture(scope="module")
def odd() -> Report:
    return report(even(ODD_NAMES, 2))


def test_odd_names_in_markdown(odd):
    lines = text(odd, "markdown").splitlines()
    table = [cells(line) for line in lines[2 : 2 + len(ODD_NAMES)]]
    assert sorted(row[2] for row in table) == sorted(ODD_NAMES)
    assert {len(row) for row in table} == {len(cells(lines[0]))}
    for kind in MATRICES:
        rows = [cells(line) for line in matrix(odd, kind, "markdown").splitlines()[2:]]
        assert sorted(row[1] for row in rows) == sorted(ODD_NAMES)
        assert {len(row) for row in rows} == {2 + len(ODD_NAMES)}


def test_a_line_of_markdown_is_no_quotation_and_no_heading():
    assert markdown(">  all") == "\\>  all" and markdown("# 1") == "\\# 1" and markdown("a > b") == "a > b"


@pytest.mark.parametrize("wide", [False, True])
def test_odd_names_in_html(odd, wide):
    shown = Page(page.document("<odd>", text(odd, "html", wide)))
    head, *rows = shown.rows
    assert sorted(row[2] for row in rows) == sorted(ODD_NAMES)
    assert {len(row) for row in rows} == {len(head)}
    assert not {"b", "script", "img", "link", "iframe"} & set(shown.tags)
    for kind in MATRICES:
        names = [row[1] for row in Page(matrix(odd, kind, "html")).rows[1:]]
        assert sorted(names) == sorted(ODD_NAMES)


def test_every_heading_of_the_page_leads_to_its_meaning():
    shown = Page(page.document("table", text(report(luck()), "html", wide=True)))
    assert len(shown.ids) == len(set(shown.ids)) == len(COLUMNS) - 2
    assert [link.removeprefix("#") for link in shown.links] == shown.ids
    found = [column.meaning for column in COLUMNS.values() if column.heading not in ("", "direct")]
    assert shown.titles == found


def test_the_page_needs_nothing_from_elsewhere():
    shown = page.document("table", text(report(luck()), "html"))
    assert shown.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?:|//|src=|@import|url\(", shown.partition("<pre")[0])


PLAIN_LATEX = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\^{}": "^", r"\ensuremath{<}": "<",
    r"\ensuremath{>}": ">", r"\_": "_", r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"\{": "{",
    r"\}": "}",
}  # fmt: skip


def test_odd_names_in_latex(odd):
    shown = text(odd, "latex")
    table, below = shown.partition(r"\end{tabular}")[::2]
    rows = [re.split(r"(?<!\\)&", line) for line in table.splitlines()[4:-1]]
    signs = re.compile("|".join(map(re.escape, PLAIN_LATEX)))
    names = [signs.sub(lambda found: PLAIN_LATEX[found[0]], row[2].strip()) for row in rows]
    assert sorted(names) == sorted(ODD_NAMES)
    assert all(line.startswith("% ") for line in below.strip().splitlines())
    assert "<b>" not in matrix(odd, "los", "latex")


def test_json_has_names_as_they_are_and_csv_those_that_are_no_formula(odd):
    """A spreadsheet would run `=cmd()`; our own reader removes the sign that CSV puts before it."""
    read = list(csv.DictReader(io.StringIO(csv_table(odd))))
    assert not any(row["bot"].startswith(("=", "+", "-", "@")) for row in read)
    assert sorted(unescape_formula(row["bot"]) for row in read) == sorted(ODD_NAMES)
    assert sorted(row["bot"] for row in json_table(odd)["standings"]) == sorted(ODD_NAMES)
    rows = list(csv.reader(io.StringIO(matrix(odd, "los", "csv"))))
    names = [{unescape_formula(row[column]) for row in rows[1:]} for column in (0, 1)]
    assert sorted(names[0]) == sorted(names[1]) == sorted(ODD_NAMES)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *(("=1+1", "'=1+1"), ("+a", "'+a"), ("-a", "'-a"), ("@a", "'@a"), ("'=a", "''=a")),
        *(("'a", "'a"), ("''", "''"), ("'", "'"), ("a", "a"), ("", ""), ("-1.5", "'-1.5"), (-1.5, "-1.5")),
        *(("-", "'-"), ("-1 OR", "'-1 OR"), ("'-1", "''-1"), ("=", "'=")),
    ],
)
def test_every_text_comes_back_from_csv_and_none_is_a_formula(text, cell):
    assert csv_text([(text, 0)], ("bot", "n")) == f"bot,n\n{cell},0"
    assert unescape_formula(cell) == text or not isinstance(text, str)


def test_tables_by_size_have_the_sign_before_a_formula_once():
    games = [Outcome(bots, (1, 2, 3)[: len(bots)], "g") for bots in (("+a", "b"), ("+a", "b", "c"))]
    both = [report([game]) for game in games]
    assert by_size(both, csv_table, "csv").count("'+a") == 2
    assert "''" not in by_size(both, csv_table, "csv")


# --- the same numbers everywhere


def test_csv_and_json_agree():
    whole = report(luck())
    plain = json_table(whole)["standings"]
    for row, words in zip(plain, csv.DictReader(io.StringIO(csv_table(whole))), strict=True):
        assert list(row) == list(words)
        for key, word in words.items():
            value = row[key]
            if value is None:
                assert word == ""
            elif isinstance(value, int | float):
                assert float(word) == value
        assert words["rank_range"] == "-".join(map(str, row["rank_range"]))
        assert words["forfeits"] == " ".join(f"{kind}:{count}" for kind, count in row["forfeits"].items())


def test_json_keeps_a_hundredth_of_an_elo():
    for row, exact in zip(json_table(report(luck()))["standings"], report(luck()).rows, strict=True):
        assert row["elo"] == pytest.approx(exact.elo, abs=1e-4)
        assert row["error"] == pytest.approx(exact.error, abs=1e-4)


def test_matrices_agree_with_the_json():
    whole = report(luck())
    found = json_table(whole)
    names = [row["bot"] for row in found["standings"]]
    keys = {
        "los": {"los": "los"},
        "head-to-head": {"points": "points", "meetings": "meetings"},
        "difference": {"difference": "differences", "error": "difference_errors"},
        "expected": {"expected": "expected"},
    }
    assert set(keys) == set(MATRICES)
    for kind, columns in keys.items():
        lines = list(csv.DictReader(io.StringIO(matrix(whole, kind, "csv"))))
        assert [(line["bot"], line["opponent"]) for line in lines] == list(permutations(names, 2))
        for line in lines:
            one, two = names.index(line["bot"]), names.index(line["opponent"])
            assert all(float(line[column]) == found[key][one][two] for column, key in columns.items())
    for one, two in permutations(range(6), 2):
        assert found["los"][one][two] + found["los"][two][one] == pytest.approx(1, abs=2e-6)
        assert found["points"][one][two] + found["points"][two][one] == found["meetings"][one][two]
    assert {found[key][one][one] for key in ("differences", "expected") for one in range(6)} == {None}


def test_chosen_bots_keep_their_numbers_but_look_at_the_next_one_shown():
    whole, some = report(luck()), report(luck(), bots=("f", "d", "a"))
    rows = {row.bot: row for row in whole.rows}
    assert [row.bot for row in some.rows] == [row.bot for row in whole.rows if row.bot in "fda"]
    assert [replace(row, los=None) for row in some.rows] == [
        replace(rows[row.bot], los=None) for row in some.rows
    ]
    full = json_table(whole)
    order = [row["bot"] for row in full["standings"]]
    first, second, last = (order.index(row.bot) for row in some.rows)
    assert [row.los and round(row.los, 6) for row in some.rows] == [
        full["los"][first][second], full["los"][second][last], None,
    ]  # fmt: skip
    assert json_table(some)["los"][0][1] == full["los"][first][second]


def test_a_fit_that_did_not_converge_is_said(monkeypatch):
    assert json_table(report(luck()))["converged"] and "converge" not in text(report(luck()))
    monkeypatch.setattr(logit, "STEPS", 4)
    assert not json_table(report(luck()))["converged"]
    assert "the fit of the Elo did not converge" in " ".join(text(report(luck())).split())


def test_what_ranges_and_likelihoods_assume_is_said():
    plain = text(report(luck()))
    assert "LOS assumes a flat prior" in plain and "pairwise" not in plain
    pairwise = " ".join(text(report(luck(), ranges="pairwise")).split())
    assert "ranges pairwise: each comparison holds by itself, not all together" in pairwise
    assert json_table(report(luck()))["settings"]["ranges"] == "simultaneous"


def test_a_misfit_without_a_cycle_is_said():
    """Stronger bots win less often than they should against the weakest one, but there is no cycle."""
    games = []
    for pair, wins in ("ab", 36), ("bc", 36), ("ac", 21), ("cd", 36), ("bd", 22), ("ad", 21):
        games += [duel(*(pair if number < wins else pair[::-1]), f"{pair}{number}") for number in range(40)]
    found = report(games)
    assert not found.transitivity.cycles and found.transitivity.probability < 0.01
    assert "one Elo per bot does not explain the games of two" in text(found)
    assert "one Elo" not in text(report(even("abcd")))


def test_a_prior_that_was_replaced_is_said():
    shown = report(PERFECT, prior=0)
    assert "prior 0.5 instead of 0" in text(shown) and json_table(shown)["prior_replaced"]
    possible = report(even("abc"), prior=0)
    assert "instead" not in text(possible) and "prior 0" in text(possible)
    assert not json_table(possible)["prior_replaced"]


def test_methods_that_are_not_comparable_are_named():
    assert "not comparable" in " ".join(text(report(luck(), method="winner")).split())
    assert "not comparable with Elo" not in text(report(even("abc"), method="winner"))
    assert "not comparable with Elo" not in text(report(luck()))


def test_pools_stand_in_blocks_with_ranks_of_their_own():
    shown = report([*even("xyz"), *even("abcd")])
    assert "".join(row.bot for row in shown.rows) in ("abcdxyz",)
    assert [row.rank for row in shown.rows] == [1] * 7
    assert {row.rank_range for row in shown.rows} == {(1, 4), (1, 3)}
    assert text(shown).splitlines()[6].strip() == "" and text(shown).splitlines()[7].split()[2] == "x"
    assert "" not in text(shown, "markdown").split("\n\n")[0].splitlines()


def test_a_draw_of_two_is_not_a_first_place():
    rows = report(
        [duel("a", "b", "1", tie=True), duel("a", "b", "2"), Outcome(("a", "b", "c"), (1, 1, 3), "3")]
    )
    assert {row.bot: row.first for row in rows.rows} == {"a": 2 / 3, "b": 1 / 3, "c": 0}
    assert [seat.first for seat in rows.seats] == [1 / 2, 0, 1, 1, 0]
