"""The charts as SVG, for papers and in pages, and their data."""

import csv
import io
import re
from xml.etree import ElementTree

import pytest
from outcomes import duel, luck
from shown_tables import even
from sites import HOSTILE, site_of

from arena.config.text import printable
from arena.rating.course import course
from arena.rating.outcomes import Outcome
from arena.rating.pairs import pair_tests, third_tests
from arena.rating.seats import places_by_seat
from arena.show.pages.chart import COLOURS, short
from arena.show.pages.course import apart, course_chart
from arena.show.pages.index import standings_chart
from arena.show.pages.pairs import pairs_chart
from arena.show.pages.seats import effects_chart, places_chart

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def data(chart):
    return list(csv.DictReader(io.StringIO(chart.csv)))


def pairs_of(site):
    return {(test.one, test.two): test for test in pair_tests(site.report.field)}


def test_a_chart_is_the_same_bytes_each_time_and_text_stays_text(tmp_path):
    one, two = (standings_chart(site_of(luck(), tmp_path).report) for _ in range(2))
    assert one == two
    assert set("abcdef") <= set(texts(one.svg))
    assert [row["bot"] for row in data(one)] == ["f", "e", "d", "c", "b", "a"]


def test_in_a_page_a_chart_has_its_colours_and_ids_of_its_own(tmp_path):
    chart = standings_chart(site_of(luck(), tmp_path).report)
    inline = str(chart.inline)
    assert not any(colour in inline for colour in COLOURS.values()) and "var(--c1)" in inline
    ids = re.findall(r'\bid="([^"]*)"', inline)
    assert len(ids) == len(set(ids)) and all(each.startswith("standings-") for each in ids)
    assert set(re.findall(r'(?:href="|url\()#([^")]*)', inline)) <= set(ids)
    assert ElementTree.fromstring(inline).get("aria-label") == chart.alt


def test_hostile_names_are_text_in_every_chart(tmp_path):
    report = site_of(even(HOSTILE, 4), tmp_path).report
    points = list(course(report.source.outcomes, report.settings, 3))
    for chart in standings_chart(report), pairs_chart(report, pairs_of(site_of(even(HOSTILE, 4), tmp_path))):
        written = " ".join(texts(chart.svg))
        assert all(short(name) in written for name in HOSTILE)
        assert not re.search("[\x1b\u202e\u2066]", chart.svg)
    ended = texts(course_chart(report, points).svg)
    assert {short(name) for name in HOSTILE} <= set(ended)


def test_a_long_name_keeps_its_end():
    assert short("a" * 40 + "-v2").endswith("-v2") and len(short("a" * 60)) == 24
    assert short("\x1b") == printable("\x1b") and short("short") == "short"


@pytest.mark.slow
def test_more_than_forty_bots_are_all_in_the_data(tmp_path):
    games = [duel(f"b{n + k % 2}", f"b{n + 1 - k % 2}", f"{n} {k}") for n in range(60) for k in range(30)]
    site = site_of(games, tmp_path)
    chart = standings_chart(site.report)
    assert len(data(chart)) == 61 and len([text for text in texts(chart.svg) if text.startswith("b")]) == 40
    pairs = pairs_chart(site.report, pairs_of(site))
    assert len(data(pairs)) == 60


def test_significant_pairs_stand_out(tmp_path):
    """Each beats the next in a circle, so that the Elo expects one half of all."""
    games = [duel(*pair, f"{pair} {n}") for pair in ("ab", "bc", "ca") for n in range(20)]
    site = site_of(games, tmp_path)
    chart = pairs_chart(site.report, pairs_of(site))
    assert [row["significant"] for row in data(chart)] == ["1"] * 3
    assert {float(row["score"]) for row in data(chart)} <= {0.0, 1.0}
    assert chart.svg.count("font-weight: 700") == 6  # each pair is in two cells
    plain = site_of(even("abc", 20), tmp_path)
    assert "font-weight: 700" not in pairs_chart(plain.report, pairs_of(plain)).svg


def test_the_data_of_pairs_has_the_third_player_that_matters_most(tmp_path):
    games = []
    for number in range(60):
        for third, pair in ("c", "ab"), ("d", "ba"):
            order = pair if number % 5 else pair[::-1]
            games.append(Outcome((*order, third), (1, 2, 3), f"{third} {number}"))
    site = site_of(games, tmp_path)
    chart = pairs_chart(site.report, pairs_of(site), third_tests(site.report.field))
    found = {(row["bot"], row["opponent"]): row for row in data(chart)}
    row = found["a", "b"]
    assert (row["third"], float(row["with_third"]), float(row["without_third"])) == ("c", 0.8, 0.2)
    assert float(row["third_p"]) < 1e-6 and row["third_significant"] == "1"
    assert found["a", "c"]["third"] == ""


def test_places_by_seat_count_every_game(tmp_path):
    games = [Outcome(("a", "b", "c"), (1, 2, 2), "1"), Outcome(("b", "c", "a"), (3, 1, 2), "2")]
    (counts,) = places_by_seat(site_of(games, tmp_path).report.field.arrays).values()
    assert counts.tolist() == [[1, 0, 1], [1, 1, 0], [0, 2, 0]]
    chart = places_chart(3, counts)
    assert data(chart)[0] == {"seat": "p1", "place_1": "1", "place_2": "0", "place_3": "1"}


def test_the_effects_of_seats_are_those_of_the_table(tmp_path):
    report = site_of(luck(), tmp_path).report
    rows = [row for row in report.field.seat_effects if row.elo is not None]
    for row, line in zip(rows, data(effects_chart(report, rows)), strict=True):
        assert float(line["elo"]) == pytest.approx(row.elo, abs=1e-4)


def test_labels_keep_their_order_and_a_distance():
    heights = {"a": 0.0, "b": 0.1, "c": 0.2, "d": 5.0}
    moved = apart(heights, 1.0)
    assert moved == pytest.approx({"a": -0.9, "b": 0.1, "c": 1.1, "d": 5.0})
    assert apart({}, 1.0) == {}
