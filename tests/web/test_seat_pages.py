"""People at tables, in a browser: clicks, keys, a phone, a reload; all pages for accessibility."""

import json
import re
import time

import pytest
from servers import served

pytestmark = [pytest.mark.slow, pytest.mark.browser]

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
ASKED = "#seat.asked"
OVER = "#over:not([hidden])"
PLAIN = "#choices .rows button:not([aria-disabled]):not(.back)"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), ".", "--guests", "30") as found:
        yield found


@pytest.fixture
def browser(chromium):
    """Makes pages, each in a profile of its own unless one is given. The test fails if one logs an error."""
    contexts, wrong = [], []

    def note(error):
        if "ERR_INTERNET_DISCONNECTED" not in error:  # of a test that takes the network away
            wrong.append(error)

    def open_page(address, size=DESKTOP, beside=None, **how):
        if not beside:
            contexts.append(chromium.new_context(viewport=size, reduced_motion="reduce", **how))
        page = (beside.context if beside else contexts[-1]).new_page()
        page.on("console", lambda message: note(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: note(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def sit_down(page, game):
    page.click(f"[data-play={game}]")
    page.wait_for_selector(f"{ASKED}, {OVER}")


def answer(page):
    """Choose the first option, or pay the least; False once the game is over."""
    page.wait_for_selector(f"{ASKED}, {OVER}")
    if page.locator(OVER).count():
        return False
    before = page.locator("#choices > *").first.element_handle()
    options = page.locator(PLAIN)
    (options.first if options.count() else page.locator("#choices button.main")).click()
    before.wait_for_element_state("hidden")  # it is gone once the server has sent what is next
    return True


def play_on(page, most=10**6):
    while most and answer(page):
        most -= 1


def is_wider_than_the_window(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.parametrize("game", ["complots", "local"])
def test_one_click_begins_a_game_against_the_house_which_is_played_to_its_end(server, browser, game):
    page = browser(server.url)
    sit_down(page, game)
    assert re.fullmatch(rf"{server.url}/tables/[0-9a-f]+/0", page.url)
    play_on(page)
    assert page.locator("#over .places li").count() == 4
    assert "null" not in page.inner_text("#over")
    assert page.locator("#leave").is_hidden()
    page.click("#over a >> text=open cards")
    page.wait_for_selector("#viewer:not([hidden])")


def test_intrigue_on_a_phone_with_a_reload_in_the_middle(server, browser):
    page = browser(server.url, PHONE, has_touch=True)
    sit_down(page, "intrigue")
    play_on(page, 25)
    page.wait_for_selector(ASKED)
    told = page.locator("#log p").all_inner_texts()
    question, height = page.inner_text("#question"), PHONE["height"]
    page.reload()
    page.wait_for_selector(ASKED)
    assert page.locator("#log p").all_inner_texts() == told
    assert page.inner_text("#question") == question
    assert not is_wider_than_the_window(page)
    button = page.locator("#choices button").first.bounding_box()
    assert button["y"] > height / 3 and button["y"] + button["height"] <= height, "a thumb reaches it"
    play_on(page)
    assert page.locator("#over .places li").count() == 4


def test_two_people_and_two_bots_at_one_table_in_one_browser(server, browser):
    """Each seat has its cards alone. Then both want a rematch, and have other seats."""
    operator = browser(server.operator)
    operator.wait_for_selector("button[data-role]")
    seats = ["person:ann", "house:honest", "person:bob", "house:first"]
    opened = operator.evaluate(
        """seats => fetch("/tables", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({game: "complots", options: {}, seats})}).then((answer) => answer.json())""",
        seats,
    )
    table, links = opened["table"], opened["seats"]
    assert [each["seat"] for each in links] == [0, 2]
    pages = [browser(server.url + each["link"], beside=operator) for each in links]
    for page in pages:
        page.wait_for_url("**/tables/*/*")
    end = time.monotonic() + 120
    while time.monotonic() < end and not all(page.locator(OVER).count() for page in pages):
        for page in pages:
            if page.locator(ASKED).count() and not page.locator(OVER).count():
                page.bring_to_front()  # a click in a page behind another one takes seconds
                answer(page)
        pages[0].wait_for_timeout(20)
    for number, page in enumerate(pages):
        hidden = page.locator("#log .secret >> text=Your hand").count()
        assert hidden and page.inner_text("#you").endswith(("ann", "bob")[number])
        page.click("#rematch")
    for page, seat in zip(pages, (1, 3), strict=True):
        page.wait_for_url(re.compile(rf"/tables/(?!{table})[0-9a-f]+/{seat}$"))
        page.wait_for_selector("#log p")


def test_a_game_by_keys_alone_with_a_reason_for_what_is_not_possible(server, browser):
    page = browser(server.url)
    page.focus("[data-play=complots]")
    page.keyboard.press("Enter")
    while page.wait_for_selector(ASKED) and "What do you do?" not in page.inner_text("#question"):
        page.keyboard.press("1")
        page.wait_for_timeout(100)
    assert "coup costs 7 coins" in " ".join(page.locator("#choices .grey").all_inner_texts())
    captain = page.locator(".choice.group[aria-label=captain]")
    page.keyboard.press(captain.get_attribute("data-number"))
    assert page.locator("#choices .choice b").first.inner_text().startswith("captain →")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('#choices') !== null")
    page.keyboard.press("?")
    page.wait_for_selector("#rules:not([hidden]) h2:text('A turn')")
    page.keyboard.press("Escape")
    page.click("#leave")
    page.click("#leaving button[value=leave]")
    page.wait_for_url(f"{server.url}/")


def test_a_thousand_views_at_once_do_not_freeze_the_page(server, browser):
    """As of a game that goes on for long after the player is out."""
    page = browser(server.url)
    sit_down(page, "complots")
    news = [["event", "turn 9 p2", "Turn 9: p2 is to act."]]
    view = {"news": news, "state": None, "ask": None, "refused": None, "over": None, "turn": [1]}
    views = [view | {"n": number} for number in range(1000)]
    event = f"event: view\ndata: {json.dumps(views[-1])}\n\n"
    page.route("**/views?after=*", lambda route: route.fulfill(json=views))
    page.route("**/events", lambda route: route.fulfill(body=event, content_type="text/event-stream"))
    page.reload()
    page.wait_for_selector("#log p:nth-child(1000)")
    assert page.locator("#latest").inner_text().count("Turn 9") < 20


def test_a_message_of_intrigue_is_put_together_from_controls(server, browser):
    page = browser(server.url)
    sit_down(page, "intrigue")
    while "talk about the bribe" not in page.inner_text("#question"):
        assert answer(page)
        page.wait_for_selector(ASKED)
    page.click("details.message summary")
    page.click(".verbs >> text=Promise")
    page.select_option("select[aria-label='Term 1']", "p1/send")
    page.select_option("select[aria-label='Type']", "writer")
    to = page.input_value("select[aria-label='To']")
    assert page.inner_text(".made") == f"promise:{to}:p1/send=writer@{to}"
    page.click(".composer .send")
    page.wait_for_selector("#log p >> text=sends writer to")


def test_a_server_that_is_away_loses_nothing(server, browser):
    page = browser(server.url)
    sit_down(page, "complots")
    page.context.set_offline(True)
    page.locator(PLAIN).first.click()
    page.wait_for_selector("#banner:not([hidden])")
    page.context.set_offline(False)
    page.wait_for_selector("#banner", state="hidden")
    play_on(page)


@pytest.mark.parametrize("game", ["complots", "local", "intrigue"])
def test_a_lesson_leads_to_a_game(server, browser, game):
    page = browser(f"{server.url}/games/{game}/lesson", PHONE)
    while page.locator("#end").is_hidden():
        if (right := page.locator(".step:not([hidden]) .choice[data-right='1']")).count():
            right.first.click()
        assert not is_wider_than_the_window(page)
        page.click("#next")
    sit_down(page, game)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(server, browser, scheme):
    from axe_playwright_python.sync_playwright import Axe

    pages = ["/", "/games/intrigue/rules", "/games/local/lesson#3"]
    page = browser(server.url, color_scheme=scheme)
    found = []
    for path in pages:
        page.goto(server.url + path)
        found += Axe().run(page).response["violations"]
    for game in ("complots", "intrigue"):
        page.goto(server.url)
        sit_down(page, game)
        for summary in page.locator("details.message summary").all():
            summary.click()
        found += Axe().run(page).response["violations"]
        page.click("#leave")
        page.click("#leaving button[value=leave]")
        page.wait_for_url(f"{server.url}/")
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], node["html"]) for each in serious for node in each["nodes"]] == []
