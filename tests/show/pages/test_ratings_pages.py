"""The pages of ratings: what is on them for all kinds of results."""

import re
from dataclasses import replace as replace_fields

import pytest
from outcomes import duel, luck
from shown_tables import Page as Read
from shown_tables import even
from sites import HOSTILE, csv_of, site_of

from arena.config.document import ConfigError
from arena.show.pages import course, definitions, index, pairs, rounds, seats
from arena.show.pages.page import Page, render
from arena.show.pages.write import MARK, NEW, check_folder, former_report, remove, replace, write_site
from arena.show.tables.notes import FLAGS
from arena.show.tables.standings import COLUMNS


def html(pages, site):
    (page,) = pages(site)
    assert isinstance(page, Page)
    return render(page, "site", [])


def test_the_first_page_has_the_standings_of_arena_table(tmp_path):
    found = html(index.pages, site_of(luck(), tmp_path))
    table = re.search("<table>.*?</table>", found, re.S)[0]
    assert [row[2] for row in Read(table).rows[1:]] == ["f", "e", "d", "c", "b", "a"]
    assert "180 games in 60 seed groups" in found
    assert "<b><bdi>f</bdi></b> won." in found and found.index('class="podium"') < found.index("<table>")
    assert found.count('class="interval"') == 6


def test_bots_that_are_not_told_apart_share_a_step_of_the_podium(tmp_path):
    """e wins all, d and c beat a and b but are even, and so are a and b."""
    pairs_of = [("e", other) for other in "abcd"] + [(one, other) for one in "cd" for other in "ab"]
    games = [duel(*pair, f"{pair}{number}") for number in range(12) for pair in pairs_of]
    games += [
        duel(*(pair[:: 1 - 2 * (number % 2)]), f"{pair}{number}")
        for pair in ("dc", "ab")
        for number in range(12)
    ]
    found = html(index.pages, site_of(games, tmp_path))
    podium = re.search('<ol class="podium">.*?</ol>', found, re.S)[0]
    steps = [re.sub(r"<.*?>|\s+", " ", step).split() for step in podium.split("<li>")[1:]]
    assert [step[:1] for step in steps] == [["1"], ["2"]]
    assert "surely" in steps[0] and steps[1][:6] == ["2", "to", "3", "c", ",", "d"]
    assert "apart" in steps[1]


def test_every_heading_leads_to_its_definition(tmp_path):
    site = site_of(luck(), tmp_path)
    links = set(
        re.findall(r'href="definitions\.html#([^"]*)"', html(index.pages, site) + html(pairs.pages, site))
    )
    ids = re.findall(r'id="([^"]*)"', html(definitions.pages, site))
    assert links and links <= set(ids)
    assert {column.anchor for column in COLUMNS.values() if column.heading} <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_flags_are_explained_below(tmp_path):
    found = html(index.pages, site_of([duel("a", "b", "1")], tmp_path))
    assert FLAGS["?"] in found and "beat every opponent always" in found


@pytest.mark.slow
def test_names_are_escaped_on_every_page(tmp_path):
    site = site_of(even(HOSTILE, 4), tmp_path)
    for found in (html(pages.pages, site) for pages in (index, pairs, course)):
        assert "&lt;script&gt;" in found and "{{ x }}" in found
        assert not re.search("<script|</style>|[\x1b\u202e\u2066\u2069]", found)


def test_games_with_remote_bots_are_counted_apart_on_every_page(tmp_path):
    site = site_of(luck(), tmp_path)
    source = replace_fields(site.report.source, outside=frozenset("f"))
    site = replace_fields(site, report=replace_fields(site.report, source=source))
    for pages in (pairs.pages, course.pages, seats.pages):
        assert "Games with people or remote bots are not counted here." in html(pages, site)
    assert [row.bot for row in site.kinds[0].rows] == ["e", "d", "c", "b", "a"]
    assert "f" in [row.bot for row in site.kinds[1].rows]


def test_one_game_of_two_bots_has_no_course(tmp_path):
    site = site_of([duel("a", "b", "1")], tmp_path)
    assert list(course.pages(site)) == [] and list(rounds.pages(site)) == []
    assert "0 of 1 pairs" in html(pairs.pages, site)
    assert "<h2>2 seats</h2>" in html(seats.pages, site)


def test_pools_that_never_met_have_no_likelihood(tmp_path):
    site = site_of([duel("a", "b", str(n), tie=n % 2) for n in range(4)] + [duel("c", "d", "x")], tmp_path)
    found = html(pairs.pages, site)
    rows = {row[1]: row[2:] for row in Read(re.search("<table>.*?</table>", found, re.S)[0]).rows[1:]}
    assert rows["a"][0] == "" and rows["a"][1].endswith("%") and rows["a"][2:] == ["", ""]
    assert "not linked by any game" in html(index.pages, site)


def test_a_bot_that_only_met_itself_has_no_pairs(tmp_path):
    assert list(pairs.pages(site_of([duel("a", "a", "1")], tmp_path))) == []


# --- the folder


def test_a_folder_with_other_files_is_refused(tmp_path):
    check_folder(tmp_path / "new")
    check_folder(tmp_path)
    (tmp_path / ".git").mkdir()
    check_folder(tmp_path)
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ConfigError, match=r"has other files, such as thesis\.tex"):
        check_folder(tmp_path)
    with pytest.raises(ConfigError, match="should be a folder"):
        check_folder(tmp_path / "thesis.tex")


def names(folder) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def written(out, *files):
    """A report of these files alone."""
    out.mkdir(exist_ok=True)
    with former_report(out) as mark:
        for file in files:
            path = out / NEW / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("new")
        replace(out, out / NEW, mark)
    remove(out / NEW)


def test_the_pages_of_a_former_report_go_and_other_files_stay(tmp_path):
    written(tmp_path, "index.html", "bots/gone.html", "games/1.js")
    for name in "games/run.db", "about.html", "CNAME":
        (tmp_path / name).write_text("mine")
    check_folder(tmp_path)
    written(tmp_path, "index.html", "rounds.html")
    assert names(tmp_path) == [MARK, "CNAME", "about.html", "games/run.db", "index.html", "rounds.html"]
    assert not (tmp_path / "bots").exists()


def test_two_reports_do_not_write_into_one_folder(tmp_path):
    files = [csv_of(luck(), tmp_path / "a.csv")]
    out = tmp_path / "pages"
    out.mkdir()
    with former_report(out), pytest.raises(ConfigError, match="another report is being written here"):
        write_site(files, out)
    assert names(out) == [MARK]


def test_nothing_is_removed_if_there_is_nothing_to_show(tmp_path):
    out = tmp_path / "pages"
    written(out, "index.html")
    with pytest.raises(ConfigError, match="has no games"):
        write_site([csv_of([], tmp_path / "none.csv")], out)
    assert names(out) == [MARK, "index.html"]


def test_mistakes_get_one_line(refused, tmp_path):
    assert "should be a folder" in refused("report", csv_of(luck(), tmp_path / "a.csv"), "--out", "a.csv")
    assert "has no games" in refused("report", csv_of([], tmp_path / "b.csv"), "--out", "new")
    assert not (tmp_path / "new").exists()
