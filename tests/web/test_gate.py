"""The gate between the pages of a seat and the process that plays its game; either of them may be killed."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress

import pytest
from asgi import server_for
from seats import WAIT_S

from arena.web.seatings import Seating, SeatView, add_seating, end_seating

SEATS = ["person", "house:honest"]
TABLE = Seating("t1", "new", False, "complots", {}, SEATS, ["ann", "honest"], None, None)


@pytest.fixture
def server(tmp_path):
    server = server_for(tmp_path)
    add_seating(server.database, TABLE)
    return server


def view(n, ask=None, **keys):
    asked = ask and {"id": ask}
    return {"n": n, "news": [], "state": [], "ask": asked, "refused": None, "over": None, "turn": [], **keys}


@asynccontextmanager
async def link(server, *views):
    """A link that has sent these views; yields what reads and what writes its messages."""
    reader, writer = await asyncio.open_unix_connection(server.settings.gate_path)

    async def read():
        return json.loads(await asyncio.wait_for(reader.readline(), WAIT_S))

    def write(message):
        writer.write(json.dumps(message).encode() + b"\n")

    write({"link": 1, "kind": "person", "table": "t1", "seat": 0})
    for each in views:
        write({"view": each})
    try:
        yield read, write
    finally:
        writer.close()
        await writer.wait_closed()


async def until(condition):
    async with asyncio.timeout(WAIT_S):
        while not condition():
            await asyncio.sleep(0.005)


def run(server, scenario):
    async def main():
        async with server.gate.listen(server.settings.gate_path):
            await scenario(server.gate.seat("t1", 0))

    asyncio.run(main())


def test_views_are_kept_and_only_the_latest_asks(server):
    async def scenario(seat):
        assert seat.seating.game == "complots" and seat.views == [] and not seat.is_linked
        async with link(server, view(0), view(1, ask=3), view(2, ask=4)):
            await until(lambda: len(seat.views) == 3)
            assert seat.is_linked
            assert [each.ask for each in seat.views] == [None, None, {"id": 4}]
        await until(lambda: not seat.is_linked)
        assert len(seat.views) == 3

    run(server, scenario)


def test_an_answer_waits_for_a_process_and_is_sent_until_a_view_shows_that_it_has_come(server):
    async def scenario(seat):
        async with link(server, view(0, ask=3)) as (read, _):
            await until(lambda: seat.views)
            seat.answer(3, "income")
            assert await read() == {"answer": 3, "word": "income"}
        await until(lambda: not seat.is_linked)  # killed before it was in the journal
        async with link(server, view(0, ask=3)) as (read, write):
            assert await read() == {"answer": 3, "word": "income"}
            write({"view": view(1)})
            await until(lambda: len(seat.views) == 2)
        async with link(server, view(0), view(1), view(2, ask=4)) as (read, write):
            await until(lambda: len(seat.views) == 3)
            seat.leave()
            assert await read() == {"leave": True}

    run(server, scenario)


def test_pages_are_told_only_what_is_new(server):
    async def scenario(seat):
        told = []
        seat.channel.publish = told.append
        async with link(server, view(0), view(1, ask=3)):
            await until(lambda: len(told) == 2)
        async with link(server, view(0), view(1, ask=3), view(2)):
            await until(lambda: len(told) == 3)
        assert [event.split(b"\n")[1] for event in told] == [b"id: 0", b"id: 1", b"id: 2"]

    run(server, scenario)


def test_a_person_without_the_seat_has_none(server):
    gate = server.gate
    assert gate.seat("t1", 1) is None, "a bot has this seat"
    assert gate.seat("t2", 0) is None, "there is no such table"


def test_a_new_web_process_shows_how_a_game_has_ended(server):
    over = {"places": [1, 2], "scores": None, "record": "0" * 16}
    end_seating(server.database, "t1", over, {0: view(7, over=over)})
    assert server.gate.seat("t1", 0).views[7].over == over


def test_the_end_is_found_though_its_view_was_lost(server):
    async def scenario(seat):
        async with link(server, view(0), view(1, ask=3)):
            await until(lambda: len(seat.views) == 2)
        over = {"closed": "Nobody has played."}
        end_seating(server.database, "t1", over, {})
        await until(lambda: seat.is_over)
        assert seat.views[2] == SeatView(2, over=over)

    run(server, scenario)


def test_what_is_no_message_ends_the_link_alone(server):
    texts = [b"\n", b"{}\n", b"[1]\n", b"no json\n", b'{"table": "t2", "seat": 0}\n', b"x" * 5_000_000]

    async def scenario(seat):
        for text in texts:
            reader, writer = await asyncio.open_unix_connection(server.settings.gate_path)
            with suppress(ConnectionError):
                writer.write(text)
                writer.write_eof()
                assert await asyncio.wait_for(reader.read(), WAIT_S) == b""
            writer.close()
        async with link(server, view(0)):
            await until(lambda: seat.views)

    run(server, scenario)
