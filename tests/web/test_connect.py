"""The WebSocket of remote bots, without a network: tokens, and messages that no client sends."""

import asyncio
import json

import pytest
from asgi import scope_of, server_for

from arena.web.app import create_app
from arena.web.tokens import Holder

HELLO = json.dumps({"session": "one"})


def talk(tmp_path, *texts, holder=Holder("bot", "ann"), kind="bearer"):  # noqa: B008  # a named tuple
    """What a client is sent that sends these messages and then ends the connection."""
    server = server_for(tmp_path)
    token = server.tokens.issue(holder, kind)
    headers = {"authorization": f"Bearer {token}"}
    scope = scope_of("GET", "/connect", headers) | {"type": "websocket", "scheme": "ws", "subprotocols": []}
    scope["extensions"] = {"websocket.http.response": {}}
    messages = [{"type": "websocket.connect"}]
    messages += [
        {"type": "websocket.receive", **({"text": text} if isinstance(text, str) else text)} for text in texts
    ]
    sent = []

    async def receive():
        await asyncio.sleep(0)
        return messages.pop(0) if messages else {"type": "websocket.disconnect", "code": 1000}

    async def send(message):
        sent.append(message)

    asyncio.run(create_app(server)(scope, receive, send))
    server.database.close()
    return sent


@pytest.mark.parametrize(
    ("holder", "kind"),
    [(Holder("operator"), "bearer"), (Holder("seat", "t/0"), "cookie"), (Holder("bot"), "link")],
)
def test_only_the_token_of_a_bot_opens_it(tmp_path, holder, kind):
    assert talk(tmp_path, HELLO, holder=holder, kind=kind)[0]["status"] == 401


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "[" * 60_000,
        '{"link": ["l1"]}',
        '{"pong": [1]}',
        {"bytes": b"\xff"},
        '{"link": NaN}',
    ],
    ids=range(9),
)
def test_messages_that_no_client_sends_end_the_connection_at_most(tmp_path, text):
    assert talk(tmp_path, text)[0]["type"] == "websocket.accept"
    assert talk(tmp_path, HELLO, text)[0]["type"] == "websocket.accept"


def test_a_client_that_is_gone_before_its_hello_does_not_stay(tmp_path):
    """One that has given up under load, before the server has answered, would be taken for one that plays."""
    assert talk(tmp_path)[0]["type"] == "websocket.accept"


def test_too_many_messages_end_the_connection(tmp_path):
    sent = talk(tmp_path, HELLO, *['{"pong": 0}'] * 6000)
    assert sent[-1]["code"] == 4002 and sent[-1]["reason"] == "too many messages a second"
