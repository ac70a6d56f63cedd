"""The pages of ratings in a browser: hostile names, narrow screens, both colour schemes, accessibility."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from outcomes import luck
from shown_tables import even
from sites import HOSTILE, csv_of

from arena.rating.outcomes import Outcome
from arena.show.pages.write import write_site
from arena.show.tables.standings import COLUMNS

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SERIOUS = ("serious", "critical")
NAME = "<img src=x onerror=alert(1)> %"  # of the file


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The pages of bots with all kinds of names, in games of two to four."""
    folder = tmp_path_factory.mktemp("site")
    names = [name for name in HOSTILE if name.isprintable()]  # a CSV file may have no others
    named = dict(zip("abcdef", names, strict=False))
    renamed = [Outcome(tuple(named[bot] for bot in each.bots), each.places, each.group) for each in luck()]
    write_site([csv_of([*renamed, *even(names, 4)], folder / f"{NAME}.csv")], folder / "pages")
    return folder / "pages"


def visit(page, folder, scheme):
    """Each page at the width of a phone, in this colour scheme."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    for path in sorted(folder.glob("*.html")):
        page.goto(path.as_uri())
        yield path.name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(page, hostile, scheme):
    seen = []
    for name in visit(page, hostile, scheme):
        found = Axe().run(page, options={"preload": False}).response["violations"]
        wrong = [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in SERIOUS]
        assert wrong == [], name
        seen.append(name)
    assert {"index.html", "pairs.html", "course.html", "seats.html", "definitions.html"} <= set(seen)


def test_no_page_is_wider_than_a_phone(page, hostile):
    for name in visit(page, hostile, "light"):
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_names_are_seen_as_they_are(page, hostile):
    """Nothing of a name runs, hides, or turns the text around it; the fixture fails on any error."""
    page.goto((hostile / "index.html").as_uri())
    names = page.locator("table").first.locator("td.words bdi").all_inner_texts()
    assert {"<script>alert(1)</script>", "$x^2$ %s {{ x }}", "王王王", "a" * 60} <= set(names)
    assert page.locator("script").count() == 0
    assert page.title().endswith(NAME) and page.locator("header .site").inner_text() == NAME


def test_headings_lead_to_definitions_and_back(page, hostile):
    page.goto((hostile / "index.html").as_uri())
    page.get_by_role("link", name="LOS").first.click()
    assert page.url.endswith(f"definitions.html#{COLUMNS['los'].anchor}")
    assert "likelihood that the bot is better" in page.locator(":target").inner_text()
    page.get_by_role("link", name="Standings").click()
    assert page.locator("figure svg").count() == 1


def test_charts_are_seen_in_the_colours_of_the_page(page, hostile):
    page.goto((hostile / "index.html").as_uri())
    colour = "getComputedStyle(document.querySelector('svg.chart text')).fill"
    seen = set()
    for scheme in "light", "dark":
        page.emulate_media(color_scheme=scheme)
        seen.add(page.evaluate(colour))
    assert len(seen) == 2
