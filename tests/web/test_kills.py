"""Games of people go on when a process of the server is killed: nothing is lost, nothing counts twice."""

from random import Random

import pytest
from browsers import Browser
from servers import served

from arena.tournament.runs.store import Store

pytestmark = pytest.mark.slow

MODULES = ["arena.web.process", "arena.web.host", "arena.web.table_process"]


def open_seats(server) -> list[Browser]:
    """Two people at a table with two house bots."""
    operator = Browser(server)
    status, _ = operator.call("POST", "/operator/open", {"token": server.operator.partition("#")[2]})
    assert status == 200
    seats = ["person:ann", "person:bob", "house:honest", "house:bluffer"]
    status, table = operator.call("POST", "/tables", {"game": "complots", "seats": seats})
    assert status == 200, table
    browsers = []
    for each in table["seats"]:
        browsers.append(Browser(server))
        browsers[-1].open(each["link"])
    return browsers


def test_two_people_play_to_the_end_though_processes_are_killed(tmp_path):
    dice, kills = Random("kills"), 0
    said: dict[tuple[int, int], str] = {}  # by seat and ask
    with served(tmp_path, ".") as server:
        browsers = open_seats(server)
        while not all(browser.is_over for browser in browsers):
            for seat, browser in enumerate(browsers):
                browser.look()
                if not (ask := browser.due()):
                    continue
                words = [word for word, _ in ask["options"]]
                browser.answer(ask["id"], said.setdefault((seat, ask["id"]), dice.choice(words)))
                if dice.random() < 0.4 and kills < 6:
                    server.child(MODULES[kills % 3]).kill()
                    kills += 1
        over = browsers[0].views[-1]["over"]
        for browser in browsers:
            assert [view["n"] for view in browser.views] == list(range(len(browser.views)))
            assert browser.views[-1]["over"] == over
        with Store(tmp_path / "server" / "people.db") as store:
            record = store.record(over["record"])
    assert kills >= 3
    assert not record.faults
    replies = [reply for reply in record.replies if isinstance(reply, dict)]
    for seat in (0, 1):
        words = [reply[seat] for reply in replies if seat in reply]
        assert words == [word for (at, _), word in said.items() if at == seat]
