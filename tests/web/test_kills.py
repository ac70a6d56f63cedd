"""Games of people go on when a process of the server is killed: nothing is lost, nothing counts twice."""

from random import Random

import pytest
from browsers import Browser
from servers import Served, served

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


class Players:
    """Two people who answer at random. After some answers a process is killed, each of `MODULES` in turn."""

    def __init__(self, browsers: list[Browser]):
        self.browsers = browsers
        self.said: dict[tuple[int, int], str] = {}  # by seat and ask
        self.kills = 0
        self._dice = Random("kills")

    def play(self, server: Served, kills: int) -> bool:
        """Play until so many processes were killed, or to the end; returns whether this is the end."""
        for browser in self.browsers:
            browser.server = server
        while not all(browser.is_over for browser in self.browsers):
            for seat, browser in enumerate(self.browsers):
                browser.look()
                if ask := browser.due():
                    word = self._dice.choice([word for word, _ in ask["options"]])
                    browser.answer(ask["id"], self.said.setdefault((seat, ask["id"]), word))
                    if self._dice.random() < 0.4:
                        if self.kills == kills:
                            return False
                        server.child(MODULES[self.kills % 3]).kill()
                        self.kills += 1
        return True


def test_two_people_play_to_the_end_though_processes_are_killed(tmp_path):
    with served(tmp_path, ".") as server:
        players = Players(open_seats(server))
        assert not players.play(server, 3)
        server.process.kill()
    with served(tmp_path, ".", "--port", str(server.port)) as server:  # cookies are named by the port
        while not players.play(server, 5):
            pass
    over = players.browsers[0].views[-1]["over"]
    for browser in players.browsers:
        assert [view["n"] for view in browser.views] == list(range(len(browser.views)))
        assert browser.views[-1]["over"] == over
    with Store(tmp_path / "server" / "people.db") as store:
        record = store.record(over["record"])
    assert not record.faults
    replies = [reply for reply in record.replies if isinstance(reply, dict)]
    for seat in (0, 1):
        words = [reply[seat] for reply in replies if seat in reply]
        assert words == [word for (at, _), word in players.said.items() if at == seat]
