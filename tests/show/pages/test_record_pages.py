"""The pages of games, bots, times, faults and behaviour, in a browser."""

import csv
import io
import re
import subprocess
import sys
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from samples import CHECKOUT
from stored_runs import KINDS, stored_run

from arena.programs.check.diagnosis import MEANING
from arena.show.pages.records import GamePages
from arena.show.pages.write import write_site
from arena.tournament.runs.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.browser]

AWKWARD = ("..", "index", "a.b+c-d_e", "Ünï", "n" * 60, "-")  # more a run file cannot have
HOSTILE = {
    "author": "<script>alert(1)</script>\"'><img/src=x/onerror=alert(1)>",
    "version": "\u202eevil\u2066",
}
MISBEHAVE = ("late", "illegal", "garbled", "long", "early", "crashed")
PAGES = ("games", "times", "faults", "behaviour")

MISBEHAVING = """
import os, sys, time
kind, moves = os.path.basename(sys.argv[0])[:-3], 0
for line in sys.stdin:
    words = line.split()
    moves = 0 if words[0] == "game" else moves
    if words[0] != "ask":
        continue
    answer = words[1] + " " + words[words.index(":") + 1]
    moves += words[2] not in ("hello", "ready")
    if moves == 3:
        if kind == "late":
            time.sleep(1.5)
        elif kind == "illegal":
            answer = words[1] + " <script>alert(1)</script>"
        elif kind == "garbled":
            answer = "\\u202eevil \\x1b[31m"
        elif kind == "long":
            answer = "x" * 10000
        elif kind == "early":
            print("hello", flush=True)
        elif kind == "crashed":
            raise ValueError("<img src=x onerror=alert(1)> is no card")
    print(answer, flush=True)
"""
PLAN = """
game: complots
seats: 2
groups: 1
seed: 1
clock: {{move: 1s}}
bots:
{}
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A run of real bots with faults, and its pages."""
    folder = tmp_path_factory.mktemp("faulty")
    for name in MISBEHAVE:
        (folder / f"{name}.py").write_text(MISBEHAVING)
    bots = [f"  {name}: {name}.py" for name in MISBEHAVE] + [f"  honest: {CHECKOUT}/bots/python/honest.py"]
    (folder / "plan.yaml").write_text(PLAN.format("\n".join(bots)))
    for command in (("run", "plan.yaml", "--out", "run.db"), ("report", "run.db", "--out", "pages")):
        subprocess.run([sys.executable, "-m", "arena", *command], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The pages of a run with awkward names and hostile authors, with pages of 40 of its 60 games."""
    folder = tmp_path_factory.mktemp("hostile")
    run = stored_run(folder / "run.db", AWKWARD, games=60, seats=4)
    with Store(run, writer=True) as store:
        store.write_facts(replace(store.facts, authors=dict.fromkeys(AWKWARD, HOSTILE)))
    write_site([run], folder / "pages", wanted=GamePages(40))
    return folder / "pages"


def test_the_list_has_a_column_for_runs_if_it_has_games_of_several(page, tmp_path):
    """Runs in two folders may have the same name."""
    runs = [
        stored_run(tmp_path / name / "run.db", bots, games=6)
        for name, bots in (("one", ("ann", "bob", "cat")), ("two", ("ann", "bob", "dan")))
    ]
    for most, columns in (12, 6), (1, 5):
        write_site(runs, tmp_path / "pages", wanted=GamePages(most))
        visit(page, tmp_path / "pages" / "games.html")
        assert page.locator("#games th").count() == columns
        assert page.locator("#games tbody tr").first.locator("td").count() == columns


def visit(page, path):
    page.goto(path.as_uri())


def links(folder):
    """Each link of each page, with its page."""
    for path in folder.rglob("*.html"):
        for found in re.findall(r'(?:href|src)="([^"]*)"', path.read_text(encoding="utf-8")):
            yield path, found


# Links


@pytest.mark.parametrize("which", ["faulty", "hostile"])
def test_every_link_leads_somewhere(which, request):
    folder = request.getfixturevalue(which)
    folder = folder / "pages" if which == "faulty" else folder
    games = {path.stem for path in (folder / "games").glob("*.js")}
    seen = set()
    for path, link in links(folder):
        parts = urlsplit(link)
        if parts.scheme:  # the sources on the page of definitions
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        assert target.is_file() and target.is_relative_to(folder.resolve()), f"{path.name}: {link}"
        if target.name == "game.html" and parts.fragment:
            assert parts.fragment.split("/")[0] in games, f"{path.name}: {link}"
            seen.add(parts.fragment)
    assert seen


def test_each_kind_of_fault_has_its_story_and_a_link_to_its_moment(page, faulty):
    visit(page, faulty / "pages" / "faults.html")
    counts = [row.split("\t") for row in page.locator("tbody tr").all_inner_texts()]
    with Store(faulty / "run.db") as store:
        assert sum(int(count.replace(",", "")) for _, _, count, _ in counts) == store.faults()
    assert {(name, name) for name in MISBEHAVE} <= {(bot, kind) for bot, kind, _, _ in counts}
    example = page.locator("section, ol").filter(has_text="is no card").first
    assert "ValueError: <img src=x onerror=alert(1)> is no card" in example.inner_text()
    assert re.search(r"arena replay run\.db [0-9a-f]{16} --seat p[12]", example.inner_text())
    example.locator("a").first.click()
    page.wait_for_function("document.body.innerText.includes('crashed')")
    assert re.search(r"game\.html#[0-9a-f]{16}/\d+$", page.url)


def test_hostile_authors_are_only_text(page, hostile):
    """The fixture fails the test if a page loads anything, or if a script of theirs fails."""
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    paths = [*(hostile / f"{name}.html" for name in (*PAGES, "index")), *sorted((hostile / "bots").iterdir())]
    assert len(paths) == len(PAGES) + 1 + len(AWKWARD)
    for path in paths:
        visit(page, path)
        assert page.locator("img").count() == 0
        assert "\u202e" not in page.content() and "\u2066" not in page.content()
        if path.parent.name == "bots":
            assert "<script>alert(1)</script>" in page.inner_text("main")
            assert "\\u202eevil\\u2066" in page.inner_text("main")


# The list of games


def rows(page):
    return page.locator("#games tbody tr").count()


def test_the_list_is_filtered_while_one_types(page, faulty):
    with Store(faulty / "run.db") as store:
        games = list(store.games())
    visit(page, faulty / "pages" / "games.html")
    assert rows(page) == len(games) == 42
    page.get_by_label("Bot").fill("HON")
    honest = [game for game in games if "honest" in game.bots]
    assert rows(page) == len(honest)
    assert page.get_by_role("status").inner_text() == f"{len(honest)} games"
    won = [game for game in honest if game.places[game.bots.index("honest")] == 1]
    page.get_by_label("Result").select_option("won")
    assert rows(page) == len(won)
    page.get_by_label("Result").select_option("lost")
    assert rows(page) == len(honest) - len(won)
    page.get_by_label("with faults").check()
    assert rows(page) == 0 and page.locator("#games").is_hidden()
    page.get_by_label("Bot").fill("crashed")
    page.get_by_label("Result").select_option("")
    assert rows(page) == sum(game.faults > 0 for game in games if "crashed" in game.bots)
    page.get_by_label("Result").select_option("won")
    page.get_by_label("Bot").fill("")
    page.get_by_label("Bot").fill("hon")
    assert rows(page) == 0 and page.url.endswith("#bot=hon&result=won&faults=1")
    page.get_by_label("Bot").fill("crashed")
    page.get_by_label("Result").select_option("")
    page.reload()  # the filter is in the address
    assert (
        page.get_by_label("Bot").input_value() == "crashed" and page.get_by_label("with faults").is_checked()
    )


def test_a_page_of_a_bot_leads_to_its_games(page, hostile):
    for path in sorted((hostile / "bots").iterdir()):
        visit(page, path)
        name = page.locator("h1").inner_text()
        page.get_by_text("The games of this bot").click()
        page.wait_for_function("!document.getElementById('games').hidden")
        assert page.get_by_label("Bot").input_value() == name
        assert (
            rows(page) == sum(name in text for text in page.locator("#games tbody tr").all_inner_texts()) > 0
        )


def test_the_list_has_the_games_with_a_page_and_shows_a_part_at_a_time(page, tmp_path):
    write_site([stored_run(tmp_path / "run.db", games=250)], tmp_path / "pages", wanted=GamePages(130))
    visit(page, tmp_path / "pages" / "games.html")
    assert "130 games of 250" in page.locator("main").inner_text()
    assert rows(page) == 100
    page.get_by_role("button", name="Show more").click()
    assert rows(page) == 130 and page.get_by_role("button", name="Show more").is_hidden()
    page.get_by_label("Order").select_option("long")
    answers = [int(text) for text in page.locator("#games tbody td:nth-child(4)").all_inner_texts()]
    assert answers == sorted(answers, reverse=True)


# What there is no data for


def test_pages_without_times_without_games_and_without_records(tmp_path):
    bare = tmp_path / "bare"
    write_site([stored_run(tmp_path / "run.db", traced=False)], bare, wanted=GamePages(0))
    found = {path.name for path in bare.glob("*.html")}
    assert {"faults.html", "behaviour.html"} <= found
    assert not {"games.html", "game.html", "times.html"} & found
    assert not [link for _, link in links(bare) if "game.html" in link or "games.html" in link]
    (tmp_path / "games.csv").write_text("game,group,seat,bot,place,status\n1,1,1,a,1,ok\n1,1,2,b,2,ok\n")
    write_site([tmp_path / "games.csv"], tmp_path / "plain")
    assert not {path.name for path in (tmp_path / "plain").iterdir()} & {"bots", "games", "faults.html"}


# Numbers


def test_behaviour_is_that_of_the_table(page, faulty, arena):
    visit(page, faulty / "pages" / "behaviour.html")
    shown = {row.split("\t")[0]: row.split("\t")[1:] for row in page.locator("tbody tr").all_inner_texts()}
    done = arena("table", "behaviour", faulty / "run.db", "--format", "csv")
    for row in csv.DictReader(io.StringIO(done.stdout)):
        wanted = [row[name] for name in ("bluffs", "caught", "challenges", "right", "blocks")]
        assert shown[row["bot"]] == [f"{float(each):.1%}" if each else "-" for each in wanted]


def test_the_data_of_each_chart_is_beside_it(faulty):
    charts = faulty / "pages" / "charts"
    assert {path.stem for path in charts.glob("*.svg")} == {path.stem for path in charts.glob("*.csv")}
    for name in ("times", "behaviour-complots", "bot-honest-opponents"):
        assert (charts / f"{name}.csv").read_text().count("\n") > 1
        assert (charts / f"{name}.svg").stat().st_size > 1000


def test_a_lost_game_links_to_the_moment_that_cost_the_bot_most(faulty):
    text = (faulty / "pages" / "bots" / "crashed.html").read_text(encoding="utf-8")
    lost = text.partition("<h3>Worse than expected</h3>")[2].partition("</table>")[0]
    assert "what cost it most" in lost
    assert re.search(r'game\.html#[0-9a-f]{16}/[1-9][0-9]*"[^>]*>p\d loses a card: ', lost), lost


# Accessibility


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [*(f"{name}.html" for name in PAGES), "bots/crashed.html"])
def test_axe_finds_no_serious_violation(chromium, faulty, path, scheme):
    page = chromium.new_page(color_scheme=scheme)
    visit(page, faulty / "pages" / path)
    found = Axe().run(page).response["violations"]
    page.close()
    assert [each for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_no_page_is_wider_than_the_screen(chromium, hostile, width):
    page = chromium.new_page(viewport={"width": width, "height": 800})
    for path in [*(hostile / f"{name}.html" for name in PAGES), *(hostile / "bots").iterdir()]:
        visit(page, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
    page.close()


def test_the_kinds_of_faults_are_explained():
    assert {*MEANING} == {*KINDS}
