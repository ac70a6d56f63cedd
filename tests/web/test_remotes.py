"""The web process between links and clients: paths, sessions, and messages that no client sends."""

import asyncio

import pytest

from arena.web.remotes import Client, Link, Misbehaved, Remotes


class Table:
    """Links and clients as lists of what they were sent, and a clock that a test moves on."""

    def __init__(self):
        self.now = 0.0
        self.remotes = Remotes(first=1)
        self.sent = {}

    def client(self, name="ann", session="one", answers=True):
        client = None

        def send(message):
            self.sent.setdefault(client, []).append(message)
            if answers and "ping" in message:
                asyncio.get_running_loop().call_soon(client.answer_ping, message["ping"])

        client = Client(name, session, send, lambda: self.now)
        return client

    def link(self, id="l1", name="ann"):
        link = Link(id, name, lambda message: self.sent.setdefault(link, []).append(message))
        self.remotes.add(link)
        return link


def played(story):
    asyncio.run(story(Table()))


def test_lines_pass_once_the_client_has_said_what_it_has_got():
    async def story(table):
        link = table.link()
        assert table.sent[link] == [{"here": 0, "got": 0, "rtt": 0.0}]
        client = table.client()
        assert not await table.remotes.join(client)
        assert table.sent[client] == [{"link": "l1", "open": 1}]
        table.remotes.take_from_link(link, {"path": 1, "n": 7, "lines": "too early"})
        table.remotes.take_from_client(client, {"link": "l1", "m": 1, "line": "too early"})
        table.remotes.take_from_client(client, {"link": "l1", "path": 1, "got": 6})
        assert table.sent[link][1:] == [{"here": 1, "got": 6, "rtt": 0.0}]
        table.remotes.take_from_link(link, {"path": 1, "n": 7, "lines": "ask 8 ...\n", "heard": 3})
        table.remotes.take_from_client(client, {"link": "l1", "m": 4, "line": "8 income"})
        assert table.sent[client][1:] == [{"link": "l1", "n": 7, "lines": "ask 8 ...\n", "heard": 3}]
        assert table.sent[link][2:] == [{"m": 4, "line": "8 income", "rtt": 0.0}]
        table.remotes.leave(client)
        assert table.sent[link][3:] == [{"here": 0, "got": 0, "rtt": 0.0}]

    played(story)


def test_what_was_sent_on_an_earlier_path_is_dropped():
    """Else it could come before what was lost, which is sent again."""

    async def story(table):
        link, first, second = table.link(), table.client(), table.client()
        await table.remotes.join(first)
        await table.remotes.join(second)
        table.remotes.take_from_client(second, {"link": "l1", "path": 2, "got": 0})
        table.remotes.take_from_link(link, {"path": 1, "n": 3, "lines": "of the first path"})
        table.remotes.take_from_client(first, {"link": "l1", "m": 1, "line": "from the old connection"})
        assert table.sent[second][-1] == {"link": "l1", "open": 2}
        assert table.sent[link][-1] == {"here": 2, "got": 0, "rtt": 0.0}

    played(story)


def test_a_session_takes_the_place_of_its_own_old_connection_at_once():
    async def story(table):
        old, new = table.client(answers=False), table.client()
        assert await table.remotes.join(old) == await table.remotes.join(new) == ""
        assert old.over.done() and not new.over.done()

    played(story)


def test_another_session_is_refused_while_the_old_one_answers(monkeypatch):
    monkeypatch.setattr("arena.web.remotes._ANSWERS_WITHIN_S", 0.01)

    async def story(table):
        old, new = table.client(), table.client(session="two")
        await table.remotes.join(old)
        assert "another client plays as ann, and answers" in await table.remotes.join(new)
        assert not old.over.done()
        silent, new = table.client("bob", answers=False), table.client("bob", session="two")
        await table.remotes.join(silent)
        assert await table.remotes.join(new) == "" and silent.over.done()

    played(story)


def test_the_clock_of_a_client_that_delays_its_pongs():
    async def story(table):
        client = table.client(answers=False)
        for delay, allowed in ((0.05, 0.05), (9.0, 0.05), *[(9.0, 0.05)] * 18, (9.0, 0.25)):
            pinging = asyncio.create_task(client.ping(60))
            await asyncio.sleep(0)
            table.now += delay
            client.answer_ping(table.sent[client][-1]["ping"])
            client.answer_ping(0)  # no ping has this number
            assert await pinging and client.trips.allowance == pytest.approx(allowed)

    played(story)


def test_a_client_cannot_have_a_game_sent_again_and_again_or_fill_a_worker_that_does_not_read():
    async def story(table):
        link, client = table.link(), table.client()
        await table.remotes.join(client)
        for _ in range(3):
            table.remotes.take_from_client(client, {"link": "l1", "path": 1, "got": 0})
        assert len(table.sent[link]) == 2
        link.backlog = lambda: 2**21
        with pytest.raises(Misbehaved, match="too many lines that nothing asked for"):
            table.remotes.take_from_client(client, {"link": "l1", "m": 1, "line": "8 income"})

    played(story)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ([], "a message should be an object"),
        ({}, "link should be text"),
        ({"link": 7}, "link should be text"),
        ({"link": "l1", "path": "1", "got": 0}, "path should be a whole number"),
        ({"link": "l1", "path": 1, "got": True}, "got should be a whole number"),
        ({"link": "l1", "m": -1, "line": "x"}, "m should be a whole number"),
        ({"link": "l1", "m": 10**40, "line": "x"}, "m should be a whole number"),
        ({"link": "l1", "m": 1, "line": None}, "line should be text"),
        ({"link": "l1", "m": 1, "exit": 3}, "exit should be text"),
    ],
)
def test_messages_that_no_client_sends(message, problem):
    async def story(table):
        table.link()
        client = table.client()
        await table.remotes.join(client)
        table.remotes.take_from_client(client, {"link": "l1", "path": 1, "got": 0})
        with pytest.raises(Misbehaved, match=problem):
            table.remotes.take_from_client(client, message)

    played(story)


def test_a_client_reaches_the_links_of_its_own_bot_alone():
    async def story(table):
        link = table.link(name="bob")
        client = table.client("ann")
        await table.remotes.join(client)
        table.remotes.take_from_client(client, {"link": "l1", "path": 0, "got": 0})
        table.remotes.take_from_client(client, {"link": "l1", "m": 1, "line": "8 income"})
        assert len(table.sent[link]) == 1 and client not in table.sent

    played(story)
