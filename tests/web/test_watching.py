"""A run that is watched in a browser while it is played and the web process is killed."""

import re

import pytest
from servers import served, wait_for

from arena.tournament.runs.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SLOW = """
import sys, time
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["ask"]:
        time.sleep(0.1)
        print(words[1], words[words.index(":") + 1], flush=True)
"""
GROUPS = 4
OFFLINE = "No connection to the server"


@pytest.fixture
def slow_plan(tmp_path):
    """A plan of two bots that take their time; returns its name."""
    (tmp_path / "slow.py").write_text(SLOW)
    keys = f"game: complots\nseats: 2\ngroups: {GROUPS}\nseed: 1\nbots:\n  ann: slow.py\n  bob: slow.py\n"
    (tmp_path / "plan.yaml").write_text(keys)
    return "plan.yaml"


@pytest.fixture
def browser_page(chromium):
    """Opens pages; the test fails if a script fails, or the security policy refuses something."""
    context, wrong = chromium.new_context(), []

    def opened(url):
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: "Security Policy" in message.text and wrong.append(message.text))
        page.goto(url)
        return page

    yield opened
    context.close()
    assert not wrong


def test_a_run_is_watched_to_its_end_while_the_web_process_is_killed(slow_plan, tmp_path, browser_page):
    run, live = tmp_path / "runs" / "plan.db", tmp_path / "runs" / "plan.db.live"
    with served(tmp_path, slow_plan) as server:
        wait_for(lambda: (live / "0.json").exists(), server.said())
        standings = browser_page(f"{server.url}/runs/plan")
        game = browser_page(f"{server.url}/runs/plan/live/0")
        game.locator("#list li").nth(3).wait_for()
        web = server.child("arena.web.process")
        for page in (standings, game):
            page.evaluate("document.body.dataset.mark = 'the same page'")
        web.kill()
        server.child("arena.web.process")
        # Nothing of what the workers have told since then is missing, and nothing is there twice.
        seen = "Array.from(document.querySelectorAll('#list li'), (each) => each.innerText)"
        wait_for(
            lambda: len(turns := numbers(game.evaluate(seen))) > 4 and is_whole(turns), "turns are missing"
        )
        standings.get_by_text(f"{2 * GROUPS} games are over").wait_for(timeout=120_000)
        standings.get_by_text(f"{2 * GROUPS} games in {GROUPS} seed groups").wait_for()
        for page in (standings, game):
            assert page.evaluate("document.body.dataset.mark") == "the same page"
            assert not page.get_by_text(OFFLINE).is_visible()
        game.get_by_text("No game is being played here now").wait_for()
        standings.get_by_role("link", name=re.compile("Charts")).wait_for(timeout=120_000)
        look_at_the_pages_of_the_report(standings)
        standings.goto(f"{server.url}/runs/plan/games")
        standings.get_by_role("link", name="1", exact=True).click()
        standings.get_by_text("The recorded result").or_(standings.locator("#controls")).first.wait_for()
        assert standings.locator("#list li").count() > 5
    with Store(run) as store:
        assert store.count() == 2 * GROUPS
    assert not live.exists()


def numbers(lines: list[str]) -> list[int]:
    return [int(found[1]) for line in lines if (found := re.match(r"Turn (\d+):", line))]


def is_whole(turns: list[int]) -> bool:
    return turns == list(range(1, len(turns) + 1))


def look_at_the_pages_of_the_report(page) -> None:
    """Their scripts and drawings are allowed by the security policy of the server."""
    page.get_by_role("link", name=re.compile("Charts")).click()
    for name in ("Times", "Games", "Behaviour"):
        page.get_by_role("link", name=name, exact=True).first.click()
        page.get_by_role("heading", level=1).wait_for()
    page.go_back()
    page.locator("table.games a").first.click()
    page.locator("#list li").nth(3).wait_for()
