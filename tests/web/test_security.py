"""Requests that a hostile page, a hostile client or a careless proxy may send, and what becomes of each.

The tables are read line by line: what is sent, and the status that it gets.
"""

import asyncio
import json
from dataclasses import replace
from time import monotonic

import pytest
from asgi import HOST, ORIGIN, app_for, post, request, scope_of, server_for

from arena.web import limits, security
from arena.web.address import address_of
from arena.web.app import create_app
from arena.web.limits import MAX_BODY, Rates
from arena.web.server import Server
from arena.web.sessions import OPERATOR, revoke
from arena.web.tokens import Holder

JSON = b'{"token": "x"}'
CROSS = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}

READS = [
    ({}, 200, "a browser's address bar"),
    ({"host": "localhost:8080"}, 200, "another name of this machine"),
    ({"host": "LOCALHOST:8080"}, 200, "names have no case"),
    ({"host": "[::1]:8080"}, 200, "IPv6"),
    ({"host": "evil.example:8080"}, 421, "DNS rebinding"),
    ({"host": "127.0.0.1"}, 421, "another port"),
    ({"host": "127.0.0.1:8080.evil.example"}, 421, "a name that begins as ours"),
    ({"host": "127.0.0.1:8080@evil.example"}, 421, "a user in the name"),
    ({"host": ""}, 421, "no name"),
    ({"x-forwarded-host": HOST, "host": "evil.example"}, 421, "the name that a proxy adds is not believed"),
    ({"origin": ORIGIN}, 200, "a script of ours"),
    ({"origin": "http://evil.example"}, 403, "a script of another site, that reads"),
    ({"origin": "null"}, 403, "a sandboxed frame, or a file"),
    ({"origin": "https://127.0.0.1:8080"}, 403, "the same host by another scheme is another origin"),
    ({"sec-fetch-site": "same-origin"}, 200, "Chromium, our page"),
    ({"sec-fetch-site": "none"}, 200, "Chromium, the address bar"),
    (LINK, 200, "a link on another page leads here"),
    ({**LINK, "sec-fetch-dest": "iframe"}, 403, "a frame of another site"),
    (CROSS, 403, "an image of another site"),
    ({"sec-fetch-site": "same-site"}, 403, "another port of this host, or another subdomain"),
]


@pytest.mark.parametrize("headers, status, what", READS, ids=[row[2] for row in READS])
def test_who_may_read(tmp_path, headers, status, what):
    assert request(app_for(tmp_path), "GET", "/healthz", headers=headers).status == status


WRITES = [
    ({"origin": ORIGIN}, 403, b"not valid", "a script of ours, with a wrong token"),
    ({}, 403, b"Origin is missing", "no browser posts without an origin"),
    ({"origin": "http://evil.example"}, 403, b"another site", "a form of another site"),
    ({"origin": "null"}, 403, b"another site", "a sandboxed frame"),
    ({"origin": ORIGIN, **LINK}, 403, b"another site", "a form that another site submits by navigation"),
    ({"origin": ORIGIN, "content-type": "text/plain"}, 415, b"json", "what a form can send"),
    ({"origin": ORIGIN, "content-length": "99999999"}, 413, b"65536", "too long, and says so"),
    ({"origin": ORIGIN, "content-length": "9" * 5000}, 413, b"65536", "a number of 5000 digits"),
    ({"origin": ORIGIN, "content-length": "-1"}, 400, b"number", "a negative length"),
    (
        {"origin": ORIGIN, "content-length": "14", "transfer-encoding": "chunked"},
        400,
        b"both",
        "two lengths: a proxy may believe the other one",
    ),
]


@pytest.mark.parametrize("headers, status, text, what", WRITES, ids=[row[3] for row in WRITES])
def test_who_may_write(tmp_path, headers, status, text, what):
    headers = {"content-length": str(len(JSON))} | headers
    found = request(app_for(tmp_path), "POST", "/operator/open", JSON, headers)
    assert (found.status, text in found.body) == (status, True), found


def test_a_body_without_a_length_is_counted_while_it_is_read(tmp_path):
    headers = {"origin": ORIGIN, "transfer-encoding": "chunked"}
    large, fitting = b"x" * (MAX_BODY + 1), b"x" * MAX_BODY
    assert request(app_for(tmp_path), "POST", "/operator/open", large, headers).status == 413
    assert request(app_for(tmp_path), "POST", "/operator/open", fitting, headers).status == 400  # no JSON


def test_a_body_that_comes_slowly_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(security, "BODY_TIMEOUT_S", 0.01)
    scope = scope_of("POST", "/operator/open", {"origin": ORIGIN, "content-length": "14"})
    assert asyncio.run(status_of(app_for(tmp_path), scope)) == 408


def test_the_name_of_the_server_comes_once(tmp_path):
    scope = scope_of("GET", "/healthz")
    twice = [*scope["headers"], (b"host", b"evil.example")]
    assert asyncio.run(status_of(app_for(tmp_path), {**scope, "headers": twice})) == 400
    assert asyncio.run(status_of(app_for(tmp_path), {**scope, "headers": []})) == 421


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "TRACE", "PATCH", "CONNECT", "FOO"])
def test_other_methods_are_refused_and_no_other_origin_is_allowed(tmp_path, method):
    headers = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    found = request(app_for(tmp_path), method, "/", headers=headers)
    assert found.status == 405 and not [name for name in found.headers if name.startswith("access-control")]


def test_head_is_get_without_a_body(tmp_path):
    found = request(app_for(tmp_path), "HEAD", "/")
    assert found.status == 200 and int(found.headers["content-length"]) > 0


@pytest.mark.parametrize(
    "path, accept", [("/", ""), ("/nothing", "text/html"), ("/nothing", ""), ("/static/style.css", "")]
)
def test_each_answer_keeps_foreign_content_out(tmp_path, path, accept):
    headers = request(app_for(tmp_path), "GET", path, headers={"accept": accept}).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == ("no-cache" if path.startswith("/static") else "no-store")


def test_an_error_of_our_own_has_the_headers_and_no_traceback(tmp_path, monkeypatch):
    server = server_for(tmp_path)
    app = create_app(server)
    cookie = server.tokens.issue(OPERATOR, "cookie")
    server.__dict__["database"] = None
    scope = scope_of("GET", "/operator", {"cookie": f"operator-8080={cookie}"})
    messages: list[dict] = []
    with pytest.raises(AttributeError):  # for the log of the server
        asyncio.run(app(scope, never, collect(messages)))
    assert messages[0]["status"] == 500 and b"Traceback" not in messages[1]["body"]
    assert b"content-security-policy" in dict(messages[0]["headers"])


SOCKETS = [
    ({"origin": "http://evil.example"}, "another site"),
    ({}, "no origin, and no token"),
    ({"origin": ORIGIN, "host": "evil.example"}, "DNS rebinding"),
    ({"origin": ORIGIN, "sec-fetch-site": "cross-site"}, "Chromium, from another site"),
]


@pytest.mark.parametrize("headers, what", SOCKETS, ids=[row[1] for row in SOCKETS])
def test_a_websocket_of_another_site_is_closed_before_the_application_sees_it(tmp_path, headers, what):
    scope = {**scope_of("GET", "/connect", headers), "type": "websocket"}
    messages: list[dict] = []
    asyncio.run(app_for(tmp_path)(scope, never, collect(messages)))
    assert [message["type"] for message in messages] == ["websocket.close"]


def test_a_websocket_is_refused_with_the_same_headers_checked(tmp_path):
    server = server_for(tmp_path)
    asyncio.run(create_app(server)({**scope_of("GET", "/connect"), "type": "websocket"}, never, collect([])))
    assert server.counts == {"refused 403": 1}


def test_only_who_sends_wrong_tokens_has_to_wait(tmp_path):
    """Others at the same address, such as a school's, are served, and so is a valid token."""
    server = server_for(tmp_path)
    app = create_app(server)
    link, bearer = server.tokens.issue(OPERATOR, "link"), server.tokens.issue(Holder("bot", "ann"), "bearer")
    found = [request(app, "POST", "/operator/open", JSON, {"origin": ORIGIN}).status for _ in range(25)]
    assert found == [403] * 20 + [429] * 5
    assert connect_status(app, "wrong") == 429
    assert connect_status(app, bearer) == 101
    assert request(app, "GET", "/").status == 200
    assert post(app, "/operator/open", {"token": link}).status == 200


def connect_status(app, token: str) -> int:
    """The status with which `/connect` answers; 101: the connection is accepted."""
    headers = {"authorization": f"Bearer {token}"}
    scope = {**scope_of("GET", "/connect", headers), "type": "websocket", "scheme": "ws", "subprotocols": []}
    scope["extensions"] = {"websocket.http.response": {}}
    messages: list[dict] = []
    coming = [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}]

    async def receive() -> dict:
        return coming.pop(0) if coming else await never()

    asyncio.run(app(scope, receive, collect(messages)))
    return messages[0].get("status", 101)


FOREIGN = [
    ("GET", "/", CROSS, "an image"),
    ("GET", "/tables/t1/0", LINK, "a link to the page of a seat"),
    ("GET", "/", {"origin": "http://evil.example"}, "a script that reads"),
    ("POST", "/operator/open", {"origin": "http://evil.example"}, "a form"),
    ("GET", "/", {"host": "evil.example"}, "DNS rebinding"),
]


@pytest.mark.parametrize("method, path, headers, what", FOREIGN, ids=[row[3] for row in FOREIGN])
def test_a_foreign_page_locks_no_visitor_out_and_fills_no_log(tmp_path, capsys, method, path, headers, what):
    app = app_for(tmp_path)
    found = {request(app, method, path, JSON, headers).status for _ in range(250)}
    assert len(found) == 1 and found < {403, 404, 421}
    assert len(capsys.readouterr().err.splitlines()) <= 110
    assert request(app, "GET", "/").status == 200
    assert request(app, "POST", "/operator/open", JSON, {"origin": ORIGIN}).status == 403, "not 429"


def test_a_request_with_a_valid_token_counts_for_its_holder(tmp_path):
    server = server_for(tmp_path)
    app = create_app(server)
    cookie = {"cookie": f"operator-8080={server.tokens.issue(OPERATOR, 'cookie')}"}
    server.rates._buckets["127.0.0.1", "read"] = (0.0, monotonic() + 3600)
    assert request(app, "GET", "/").status == 429
    assert request(app, "GET", "/", headers={"cookie": "operator-8080=wrong"}).status == 429
    assert request(app, "GET", "/", headers=cookie).status == 200
    server.rates._buckets[OPERATOR, "read"] = (0.0, monotonic() + 3600)
    assert request(app, "GET", "/", headers=cookie).status == 429


def test_two_servers_on_one_host_take_no_cookie_of_each_other(tmp_path):
    """A browser sends the cookies of a host to all of its ports."""
    one = server_for(tmp_path / "one")
    two = Server(replace(server_for(tmp_path / "two").settings, address=address_of("127.0.0.1", 8081, None)))
    cookies, hosts = {}, {one: "127.0.0.1:8080", two: "127.0.0.1:8081"}
    for server, host in hosts.items():
        body = json.dumps({"token": server.tokens.issue(OPERATOR, "link")}).encode()
        headers = {"origin": f"http://{host}", "host": host}
        answer = request(create_app(server), "POST", "/operator/open", body, headers)
        name, _, rest = answer.headers["set-cookie"].partition("=")
        cookies[name] = rest.partition(";")[0]
    both = "; ".join(f"{name}={value}" for name, value in cookies.items())
    assert len(cookies) == 2
    for server, host in hosts.items():
        page = request(create_app(server), "GET", "/operator", headers={"host": host, "cookie": both})
        assert b"New table" in page.body, "the page of the operator, not the one that asks for a link"


def test_a_rate_allows_a_burst_and_then_so_many_a_second():
    now = 0.0
    rates = Rates(lambda: now)
    assert all(rates.take("a", "write") for _ in range(200)) and not rates.take("a", "write")
    assert rates.take("b", "write") and rates.take("a", "read"), "others, and other rates, have their own"
    now = 1.0
    assert sum(rates.take("a", "write") for _ in range(50)) == 20


def test_a_client_has_so_many_requests_answered_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_OF_A_CLIENT", 2)
    app = app_for(tmp_path)
    statuses: list[int] = []

    async def stream(scope: dict, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.Event().wait()

    async def ask(client: str) -> None:
        async def send(message: dict) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await app({**scope_of("GET", "/"), "client": (client, 1)}, never, send)

    async def play() -> None:
        app._app = stream
        clients = ["192.0.2.1"] * 3 + ["192.0.2.2"] + ["127.0.0.1"] * 3
        tasks = [asyncio.create_task(ask(client)) for client in clients]
        while len(statuses) < len(clients):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()

    asyncio.run(play())
    assert statuses == [200, 200, 429, 200, 200, 200, 200]


FORWARDED = [
    ("127.0.0.1", "https://a.example", "203.0.113.9", "203.0.113.9", "a proxy on this machine"),
    ("127.0.0.1", "https://a.example", "6.6.6.6, 203.0.113.9", "203.0.113.9", "what the proxy added"),
    ("192.0.2.1", "https://a.example", "6.6.6.6", "192.0.2.1", "a proxy elsewhere is not believed"),
    ("127.0.0.1", None, "6.6.6.6", "127.0.0.1", "there is no proxy"),
]


@pytest.mark.parametrize("peer, url, header, client, what", FORWARDED, ids=[row[4] for row in FORWARDED])
def test_whose_request_a_proxy_passes_on(tmp_path, capsys, peer, url, header, client, what):
    scope = scope_of("GET", "/nothing", {"x-forwarded-for": header})
    asyncio.run(status_of(app_for(tmp_path, url=url), {**scope, "client": (peer, 1)}))
    assert f'"client": "{client}"' in capsys.readouterr().err


def test_a_proxy_that_names_no_clients_is_logged_once(tmp_path, capsys):
    app = app_for(tmp_path, url="https://a.example")
    for _ in range(3):
        request(app, "GET", "/healthz", headers={"host": "a.example"})
    assert capsys.readouterr().err.count("X-Forwarded-For") == 1
    request(app_for(tmp_path, url="https://a.example"), "GET", "/healthz")  # of this machine
    assert "X-Forwarded-For" not in capsys.readouterr().err


def test_behind_https_cookies_are_of_this_host_alone(tmp_path):
    server = server_for(tmp_path, url="https://a.example")
    link = server.tokens.issue(OPERATOR, "link")
    headers = {"host": "a.example", "origin": "https://a.example"}
    found = request(create_app(server), "POST", "/operator/open", b'{"token": "%s"}' % link.encode(), headers)
    name, *rest = found.headers["set-cookie"].split("; ")
    assert name.startswith("__Host-operator-443=") and {
        "Secure",
        "HttpOnly",
        "Path=/",
        "SameSite=strict",
    } <= {*rest}


def test_the_log_has_no_token_and_one_line_for_each_event(tmp_path, capsys):
    server = server_for(tmp_path)
    link = server.tokens.issue(OPERATOR, "link")
    body = b'{"token": "%s"}' % link.encode()
    found = request(create_app(server), "POST", "/operator/open", body, {"origin": ORIGIN})
    cookie = found.headers["set-cookie"].partition("=")[2].partition(";")[0]
    forged = '/x\n{"event": "forged"}'
    request(create_app(server), "GET", forged, headers={"cookie": f"operator-8080={cookie}"})
    text = capsys.readouterr().err
    assert link not in text and cookie not in text
    assert [json.loads(line)["path"] for line in text.splitlines()] == ["/operator/open", forged]


def test_to_revoke_a_token_ends_what_it_opened(tmp_path):
    """A stream of the operator ends in the middle, cleanly; another one goes on."""
    server = server_for(tmp_path)
    app = create_app(server)
    cookie = server.tokens.issue(OPERATOR, "cookie")
    ended: list[dict] = []

    async def stream(scope: dict, receive, send) -> None:
        server.connections.hold(scope, OPERATOR)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.Event().wait()

    async def play() -> None:
        app._app = stream
        task = asyncio.create_task(app(scope_of("GET", "/"), never, collect(ended)))
        while not ended:
            await asyncio.sleep(0)
        revoke(server, OPERATOR)
        await task

    asyncio.run(play())
    assert [message["type"] for message in ended] == ["http.response.start", "http.response.body"]
    assert server.tokens.holder(cookie, "cookie") is None


async def status_of(app, scope: dict) -> int:
    messages: list[dict] = []
    await app(scope, never, collect(messages))
    return messages[0]["status"]


async def never() -> dict:
    await asyncio.Event().wait()
    raise AssertionError


def collect(messages: list[dict]):
    async def send(message: dict) -> None:
        messages.append(message)

    return send
