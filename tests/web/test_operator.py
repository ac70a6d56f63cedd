"""What the operator does: sets tables, makes links, revokes."""

from time import monotonic

import pytest
from asgi import get, post, server_for

from arena.web.app import create_app
from arena.web.sessions import OPERATOR, seat
from arena.web.tokens import Holder

TABLE = {"game": "complots", "seats": ["person", "person", "house:honest"], "options": {"cast": "inquisitor"}}


class Browser:
    """The operator's browser, and those of others."""

    def __init__(self, folder):
        self.server = server_for(folder)
        self.app = create_app(self.server)
        self.cookie = f"operator-8080={self.server.tokens.issue(OPERATOR, 'cookie')}"

    def get(self, path: str):
        return get(self.app, path, cookie=self.cookie)

    def post(self, path: str, data: object):
        return post(self.app, path, data, cookie=self.cookie)

    def open(self, link: str) -> tuple[str, str]:
        """Where a link leads, and the cookie of the seat."""
        answer = post(self.app, "/seat/open", {"token": link.partition("#")[2]})
        return answer.json().get("to", ""), answer.headers.get("set-cookie", "").partition(";")[0]


@pytest.fixture
def browser(tmp_path):
    return Browser(tmp_path)


def test_the_form_offers_the_bots_and_the_options_of_each_game(browser):
    page = browser.get("/operator").body.decode()
    complots, _, rest = page.partition('data-game="local"')
    assert "house:counting" in complots and 'data-option="cast"' in complots and "house:random" in rest
    assert '<option value="true" selected data-default>True</option>' in complots
    assert 'href="/operator"' in browser.get("/").body.decode()


def test_a_new_link_of_a_seat_takes_the_place_of_what_was_opened_before(browser):
    table = browser.post("/tables", TABLE).json()
    first = table["seats"][1]["link"]
    to, cookie = browser.open(first)
    assert to == f"/tables/{table['table']}/1"
    assert get(browser.app, f"{to}/views", cookie=cookie).status == 200
    link = browser.post("/operator/link", {"table": table["table"], "seat": 1}).json()["link"]
    assert get(browser.app, f"{to}/views", cookie=cookie).status == 403
    assert browser.open(link)[0] == to and browser.open(link)[0] == browser.open(first)[0] == ""


def test_who_was_revoked_has_to_ask_for_a_new_link(browser):
    tokens = browser.server.tokens
    bearer = tokens.issue(Holder("bot", "alice"), "bearer")
    link, cookie = (tokens.issue(OPERATOR, kind) for kind in ("link", "cookie"))
    browser.post("/operator/revoke", {"role": "bot", "subject": "alice"})
    assert tokens.holder(bearer, "bearer") is None and tokens.holder(cookie, "cookie")
    browser.post("/operator/revoke", {"role": "operator", "subject": ""})
    assert tokens.holder(cookie, "cookie") is None and tokens.holder(link, "link"), "the printed link stays"


def test_a_visitor_begins_no_more_games_than_people_play(browser):
    """Each game starts a few processes."""
    browser.server.rates._buckets["127.0.0.1", "game"] = (1.0, monotonic())
    assert post(browser.app, "/guest", {"game": "complots"}).status == 200
    assert post(browser.app, "/guest", {"game": "complots"}).status == 429


WRONG = [
    ("/operator/link", {"table": "none", "seat": 0}, 404),
    ("/operator/link", {"table": "none"}, 404),
    ("/operator/link", {"table": 1, "seat": 0}, 400),
    ("/operator/revoke", {"role": "king", "subject": ""}, 400),
    ("/operator/revoke", {"role": "seat"}, 400),
    ("/operator/revoke", ["seat"], 400),
]


@pytest.mark.parametrize("path, data, status", WRONG)
def test_what_makes_no_sense_is_refused(browser, path, data, status):
    assert browser.post(path, data).status == status


@pytest.mark.parametrize("path", ["/operator/link", "/operator/revoke", "/tables"])
def test_others_may_do_nothing_of_this(browser, path):
    holder = seat("t1", 0)
    cookie = browser.server.tokens.issue(holder, "cookie")
    for known in (
        {},
        {"cookie": f"seat-t1-0-8080={cookie}; operator-8080=x"},
        {"cookie": f"operator-8080={cookie}"},
    ):
        assert post(browser.app, path, {**TABLE, "table": "t1", "seat": 0}, **known).status == 403
