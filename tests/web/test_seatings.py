"""New tables of people, and their rematches."""

import asyncio

import pytest
from asgi import server_for

from arena.web.requests import Refusal
from arena.web.seatings import due_seatings, end_seating, find_seating
from arena.web.tables import guest_table, open_guest, open_table, rematch

OVER = {"places": [1, 2], "scores": None, "record": "0" * 16}


@pytest.fixture
def server(tmp_path):
    return server_for(tmp_path, guests=2)


class Request:
    """A visitor with a browser that has no cookies."""

    cookies: dict[str, str] = {}
    scope: dict[str, object] = {}


def made(server, *seats, game="complots", **keys):
    """The table that these seats make."""
    options = keys.pop("options", {})
    return find_seating(server.database, asyncio.run(open_table(server, game, options, seats, **keys)))


def test_a_table_has_people_and_house_bots_with_different_names(server):
    table = made(server, "person", "person:ann", "person", "house:counting", "house:counting")
    assert table.names == ["person", "ann", "person-2", "counting", "counting-2"]
    assert table.shown_names[3:] == ["counting", "counting"], "pages add the seat"
    assert table.people == [0, 1, 2]
    assert (table.state, table.move, table.is_guest) == ("new", None, False)


@pytest.mark.parametrize(
    "why, seats, keys",
    [
        ("complots has 2 to 8 seats, not 1", ["person"], {}),
        ("one of the seats should be person", ["house:first"] * 2, {}),
        ("seat './bot.py' should be person, person:NAME or house:NAME", ["person", "./bot.py"], {}),
        ("no house bot 'couting'; did you mean counting?", ["person", "house:couting"], {}),
        ("'person:<b>': a name has only letters", ["person:<b>", "person"], {}),
        ("no game 'chess'", ["person", "person"], {"game": "chess"}),
        ("option cast: should be", ["person", "person"], {"options": {"cast": 3}}),
        ("option casts: unknown option", ["person", "person"], {"options": {"casts": 3}}),
        ("the fastest answer counts", ["person", "person"], {"options": {"priority": "fastest"}}),
        ("move should be from 1 to 604800 seconds", ["person", "person"], {"move": 0.1}),
        ("bank needs move: people have no clock without it", ["person", "person"], {"bank": 60.0}),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(server, why, seats, keys):
    with pytest.raises(Refusal) as refusal:
        made(server, *seats, **keys)
    assert why in refusal.value.detail and refusal.value.status_code == 400


def test_a_game_begins_when_all_people_have_opened_their_seats(server):
    table = made(server, "person", "person", "house:first")
    assert due_seatings(server.database) == []
    server.gate.seat(table.id, 0)
    assert due_seatings(server.database) == []
    server.gate.seat(table.id, 1)
    assert [each.id for each in due_seatings(server.database)] == [table.id]


def test_guests_have_a_table_with_house_bots_and_there_are_not_more_than_allowed(server):
    for _ in range(2):
        table = find_seating(server.database, asyncio.run(open_guest(server, Request(), "complots", "hard")))
        assert table.seats == ["person", "house:searching", "house:learned", "house:adaptive"]
        assert table.id in [each.id for each in due_seatings(server.database)], "it begins at once"
    assert guest_table(server, Request()) is None, "another browser"
    with pytest.raises(Refusal, match="All 2 tables for guests are taken"):
        asyncio.run(open_guest(server, Request(), "complots", "hard"))
    end_seating(server.database, table.id, {"closed": "idle"}, {})
    assert asyncio.run(open_guest(server, Request(), "local", "easy"))


def test_a_rematch_needs_all_people_and_all_move_on_by_one_seat(server):
    table = made(server, "person:ann", "person:bob", "house:first")
    with pytest.raises(Refusal, match="The game is not over"):
        asyncio.run(rematch(server, Request(), table.id, 0))
    end_seating(server.database, table.id, OVER, {})
    assert asyncio.run(rematch(server, Request(), table.id, 0)) is None, "bob has not asked"
    successor, seat = asyncio.run(rematch(server, Request(), table.id, 1))
    assert seat == 2
    assert asyncio.run(rematch(server, Request(), table.id, 0)) == (successor, 1)
    again = find_seating(server.database, successor)
    assert again.names == ["first", "ann", "bob"] and again.people == [1, 2]
    assert again.state == "new" and again.over is None
