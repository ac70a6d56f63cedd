"""The endpoints of seats: whose they are, and what is refused."""

import asyncio
import json

import pytest
from asgi import ORIGIN, app_for, get, post, server_for

from arena.web.app import create_app
from arena.web.seatings import SeatView
from arena.web.sessions import seat
from arena.web.tables import open_table


@pytest.fixture
def table(tmp_path):
    """A table of two people and a bot: the application, its address, and the cookie of the first person."""
    server = server_for(tmp_path)
    id = asyncio.run(open_table(server, "complots", {}, ["person:ann", "person:bob", "house:first"]))
    app = create_app(server)
    opened = post(app, "/seat/open", {"token": server.tokens.issue(seat(id, 0), "link")})
    assert opened.json() == {"to": f"/tables/{id}/0"}
    return server, app, f"/tables/{id}", opened.headers["set-cookie"].partition(";")[0]


def test_a_link_is_exchanged_once_and_opens_one_seat_alone(table, tmp_path):
    server, app, address, cookie = table
    page = get(app, f"{address}/0", cookie=cookie)
    assert page.status == 200 and b"ann" in page.body and b'data-seat="0"' in page.body
    assert get(app, f"{address}/1", cookie=cookie).status == 403
    assert get(app, f"{address}/0").status == 403
    token = server.tokens.issue(seat(address.split("/")[-1], 1), "link")
    assert post(app, "/seat/open", {"token": token}).status == 200
    assert post(app, "/seat/open", {"token": token}).status == 403


def test_views_are_sent_from_the_first_that_is_missing(table):
    server, app, address, cookie = table
    of = server.gate.seat(address.split("/")[-1], 0)
    of.views += map(SeatView, range(3))
    for after, numbers in (("", [0, 1, 2]), ("?after=-1", [0, 1, 2]), ("?after=1", [2]), ("?after=2", [])):
        found = get(app, f"{address}/0/views{after}", cookie=cookie).json()
        assert [view["n"] for view in found] == numbers


WRONG = [
    ({}, 400),
    ({"ask": 1}, 400),
    ({"ask": "1", "word": "pass"}, 400),
    ({"ask": True, "word": "pass"}, 400),
    ({"ask": 1, "word": "pass\n2 coup:p2"}, 400),
    ({"ask": 1, "word": "x" * 1001}, 400),
    ({"ask": 1, "word": 7}, 400),
    ({"ask": 1, "word": "pass"}, 200),
]


@pytest.mark.parametrize(("values", "status"), WRONG)
def test_an_answer_is_a_number_and_a_line(table, values, status):
    _, app, address, cookie = table
    assert post(app, f"{address}/0/answer", values, cookie=cookie).status == status
    assert post(app, f"{address}/1/answer", values, cookie=cookie).status == 403


@pytest.mark.parametrize("number", ["x", "-1", "100", "9" * 5000, "%D9%A3"])
def test_a_seat_that_cannot_be_is_not_found(table, number):
    _, app, address, cookie = table
    assert get(app, f"{address}/{number}/views", cookie=cookie).status == 404


def test_tables_are_for_the_operator_and_a_visitor_gets_a_game_against_the_house(tmp_path):
    app = app_for(tmp_path)
    seats = {"game": "complots", "seats": ["person", "person"]}
    assert post(app, "/tables", seats).status == 403
    found = post(app, "/guest", {"game": "local", "level": "hard"})
    assert found.status == 200 and found.json()["seat"].startswith("/seat#")
    assert post(app, "/guest", {"game": "chess"}).status == 400
    assert post(app, "/guest", {"game": "local", "level": "divine"}).status == 400


def test_a_visitor_who_has_a_game_gets_back_to_it_until_it_is_left(tmp_path):
    server = server_for(tmp_path)
    app = create_app(server)
    token = post(app, "/guest", {"game": "complots"}).json()["seat"].partition("#")[2]
    opened = post(app, "/seat/open", {"token": token})
    cookie = opened.headers["set-cookie"].partition(";")[0]
    again = post(app, "/guest", {"game": "local"}, cookie=cookie).json()["seat"]
    assert again == opened.json()["to"]
    server.gate.seat(again.split("/")[2], 0).views.append(SeatView(0, over={"left": True}))
    assert post(app, "/guest", {"game": "local"}, cookie=cookie).json()["seat"].startswith("/seat#")


def test_the_page_of_a_seat_escapes_names_and_has_no_script_of_its_own(table):
    _, app, address, cookie = table
    body = get(app, f"{address}/0", cookie=cookie).body
    assert b"<script>" not in body and b" style=" not in body
    names = body.partition(b"data-names='")[2].partition(b"'")[0]
    assert json.loads(names) == ["ann", "bob", "first"]
    assert ORIGIN.encode() not in body
