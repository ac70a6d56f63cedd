"""One request to a scripted server: what it sends, and which kind of failure each is."""

import json
import socket
import traceback
from base64 import b64encode
from time import monotonic, sleep

import pytest
from scripted_models import (
    CERTIFICATE,
    KEY,
    USAGE,
    answer,
    cut_headers,
    delta,
    events,
    raw,
    say,
    scripted,
    silence,
    status,
    ten_megabytes,
    whole,
)

from arena.models import client
from arena.models.calls import EndpointRefused, Usage
from arena.models.client import Exchange, Failure, RequestRefused
from arena.models.request import Dialect, answer_schema
from arena.models.secret import Secret
from arena.models.spec import ModelSpec

MESSAGES = (("system", "Be short."), ("user", "Answer a or b."))
AMPLE_S = 60.0


def ask(server, limit_s=AMPLE_S, clock=monotonic, **more):
    spec = ModelSpec("m", server.at, "TEST_API_KEY", **more)
    body = Dialect().body(spec, MESSAGES, answer_schema(("a", "b"), 1000))
    return Exchange(spec, Secret(KEY), body, limit_s, clock).run()


def test_the_request_has_the_messages_the_schema_and_the_key_in_its_header():
    with scripted(answer("a")) as server:
        ask(server, temperature=0.5, parameters='{"seed": 7}')
    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Answer a or b."},
    ]
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("m", 0.5, 1000, 7)
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    assert list(properties) == ["thoughts", "answer"]
    assert properties["thoughts"]["maxLength"] == 333
    assert properties["answer"]["enum"] == ["a", "b"]
    assert KEY not in json.dumps(body)


def test_a_reply_has_text_tokens_and_what_the_server_says_of_itself():
    with scripted(say("yes", reasoning_content="hm")) as server:
        reply = ask(server)
    assert (reply.text, reply.thoughts, reply.finish) == ("yes", "hm", "stop")
    assert (reply.model, reply.system_fingerprint) == ("m-2026", "fp1")
    assert reply.usage == Usage(100, 20, cached=60, reasoning=5)
    assert 0 < reply.latency_s < AMPLE_S


MESSAGE = {"model": "m", "choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "usage": USAGE}
REPLIES = {
    "one body instead of a stream": (whole(MESSAGE), "text", "a"),
    "a stream that ends without DONE": (events(delta("a", "stop")), "text", "a"),
    "thoughts in the text": (say("<think>so\n</think>a"), "thoughts", "so\n"),
    "thoughts that never end": (say("<think>so", finish="length"), "text", ""),
    "content as a list of parts": (
        events(delta(), {"choices": [{"delta": {"content": [{"type": "text", "text": "a"}]}}]}, "[DONE]"),
        "text",
        "a",
    ),
    "the limit of tokens": (say("{", finish="length"), "finish", "length"),
    "a refusal": (say("", refusal="I will not"), "refusal", "I will not"),
    "a filter": (whole({"error": {"code": "content_filter"}}, status=400), "finish", "content_filter"),
    "a tool call": (say("", tool_calls=[{"id": "1"}]), "has_tool_call", True),
    "no choices": (whole({"choices": [], "usage": USAGE}), "text", ""),
    "nothing but DONE": (events("[DONE]"), "text", ""),
    "10 MB": (ten_megabytes, "finish", "too long"),
    "10 MB in one body": (whole("[" * 10 * 2**20), "finish", "too long"),
    "numbers that are none": (
        say("a", usage={"prompt_tokens": "9", "completion_tokens": -1}),
        "usage",
        Usage(0, 0),
    ),
}


@pytest.mark.parametrize("name", REPLIES)
def test_what_a_server_has_answered_is_a_reply_however_bad(name):
    step, field, value = REPLIES[name]
    with scripted(step) as server:
        assert getattr(ask(server), field) == value


def drip(*parts):
    """Sends these bytes, then one each 20 ms without end: no read ever times out."""

    def step(handler):
        handler.wfile.write(b"".join(parts))
        while True:
            handler.wfile.write(b"x")
            sleep(0.02)

    return step


EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
SLOW = {
    "silence": silence,
    "a status line that does not end": drip(b"HTTP/1.1 2"),
    "headers that do not end": drip(EVENTS),
    "an answer that is not whole": events(delta("a"), waits=True),
    "a line that does not end": drip(EVENTS, b"\r\ndata: "),
    "the size of a chunk that does not end": drip(EVENTS, b"Transfer-Encoding: chunked\r\n\r\n0"),
    "half a body": drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"),
}


@pytest.mark.parametrize("name", SLOW)
def test_after_the_whole_request_all_time_is_the_models(name, monkeypatch):
    monkeypatch.setattr(client, "_GUARD_S", 0.0)
    with scripted(SLOW[name]) as server:
        reply = ask(server, limit_s=0.2)
    assert reply.is_late
    assert reply.usage is None
    assert len(server.requests) == 1


def test_a_server_that_does_not_take_the_whole_request_fails(monkeypatch):
    """The kernel takes what fits into its buffers, and no more: the server never reads."""
    monkeypatch.setattr(client, "_SEND_S", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as server:
        spec = ModelSpec("m", f"http://127.0.0.1:{server.getsockname()[1]}/v1")
        with pytest.raises(Failure, match="did not read the request in time") as caught:
            Exchange(spec, Secret(), b" " * 2**26, AMPLE_S).run()
    assert not caught.value.may_be_billed


def test_what_a_late_model_had_said_is_kept():
    readings = iter(
        [0.0] * 3
    )  # when it was sent, before the headers and the first bytes; then it is too late
    with scripted(events(delta("a"), waits=True)) as server:
        reply = ask(server, clock=lambda: next(readings, 2 * AMPLE_S))
    assert reply.is_late
    assert (reply.text, reply.latency_s) == ("a", 2 * AMPLE_S)


FAILURES = {
    "a connection that is closed": (raw(b""), "sent no HTTP .RemoteDisconnected.", None),
    "cut headers": (cut_headers, "not a chat completion", None),
    "500": (status(500, "boom"), "status 500: boom", None),
    "429": (status(429, "slow down"), "status 429: slow down", None),
    "429 with Retry-After": (status(429, Retry_After="7"), "status 429", 7.0),
    "503 with a date": (status(503, Retry_After="Mon, 01 Jan 2001 00:00:00 GMT"), "status 503", 0.0),
    "429 with nonsense": (status(429, Retry_After="soon"), "status 429", None),
    "half a stream": (events(delta("a")), "connection was lost", None),
    "no HTTP": (raw(b"220 smtp.example.com ready\r\n"), "sent no HTTP .BadStatusLine.", None),
    "a bad chunk": (
        raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
        ),
        "sent no HTTP .IncompleteRead.",
        None,
    ),
    "a bad chunk of an error": (
        raw(b"HTTP/1.1 500 no\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc"),
        "status 500",
        None,
    ),
    "half a body": (whole("{", Content_Length="100"), "connection was lost", None),
    "an empty stream": (events(), "connection was lost", None),
    "broken JSON": (events("{nonsense"), "broken JSON", None),
    "JSON of another kind": (whole([1]), "not a chat completion", None),
    "deep JSON": (whole("[" * 10**5), "broken JSON", None),
    "an error in the stream": (events(delta("a"), {"error": {"message": "overloaded"}}), "overloaded", None),
    "an HTML page": (whole("<html>", "text/html"), "sent text/html", None),
    "a page of 500": (whole("<html>" * 10**6, "text/html", 503), "status 503", None),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_of_the_server_is_none_of_the_model(name):
    step, reason, retry_after = FAILURES[name]
    with scripted(step) as server, pytest.raises(Failure, match=reason) as caught:
        ask(server)
    assert caught.value.retry_after == retry_after
    assert caught.value.may_be_billed == ("status" not in reason)


@pytest.mark.parametrize("code", [502, 504, 520, 524])
def test_a_gateway_that_gave_up_on_the_model_may_have_to_be_paid(code):
    with scripted(status(code)) as server, pytest.raises(Failure) as caught:
        ask(server)
    assert caught.value.may_be_billed


def test_a_server_that_is_not_there_is_a_failure():
    with scripted() as server:
        pass
    with pytest.raises(Failure, match=r"127.0.0.1:[0-9]+: Connection refused"):
        ask(server)


REFUSALS = {
    "a redirect": (status(307, Location="http://127.0.0.1:1/elsewhere"), "redirects .307."),
    "another key": (status(401, "bad key"), "status 401: bad key"),
    "no such model": (status(404, "no model m"), "status 404: no model m"),
    "no money": (whole({"error": {"code": "insufficient_quota", "message": "pay"}}, status=429), "429: pay"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_waiting_cannot_help_ends_at_once(name):
    step, reason = REFUSALS[name]
    with scripted(step) as server, pytest.raises(EndpointRefused, match=reason):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("at", "problem"),
    [
        ("http://192.0.2.1/v1", "is not encrypted"),
        ("http://localhost.example/v1", "is not encrypted"),
        ("ftp://127.0.0.1/", "is not an address"),
        ("https://me:secret@example.com/v1", "has a user"),
        ("https://example.com/v1?x=1", "has a [?]"),
        ("https://example.com:99999/v1", "is not an address"),
    ],
)
def test_the_key_goes_to_no_such_address(at, problem):
    with pytest.raises(EndpointRefused, match=problem):
        Exchange(ModelSpec("m", at), Secret(KEY), b"{}", AMPLE_S).run()


# The certificate


def test_a_server_with_an_unknown_certificate_gets_no_request():
    with scripted(tls=True) as server, pytest.raises(EndpointRefused, match="bad certificate: self-signed"):
        ask(server)
    assert server.requests == []


def test_a_certificate_that_the_system_knows_is_good(monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with scripted(answer("a"), tls=True) as server:
        assert json.loads(ask(server).text)["answer"] == "a"


def test_no_proxy_gets_the_key(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with scripted(answer("a")) as server:
        ask(server)
    assert len(server.requests) == 1


# The key

IN_JSON = json.dumps(KEY)[1:-1]
IN_ESCAPES = "".join(f"\\u{ord(each):04x}" for each in KEY)
ECHOES = {
    "in the text": say(f"your key is {KEY}!"),
    "in thoughts": say("a", reasoning_content=KEY),
    "a part of it": say(f"the key {KEY[:14]}..."),
    "in a refusal": say("", refusal=KEY),
    "as the model": events({"model": KEY, "system_fingerprint": KEY, "choices": []}, "[DONE]"),
    "as the finish": say("a", finish=KEY),
    "in an error": status(401, f"Incorrect API key provided: {KEY}"),
    "in an error that is tried again": status(500, KEY),
    "in a complaint": status(400, f"bad header {KEY}"),
    "in JSON in a page": whole(f"oops {IN_JSON}", "text/html", 400),
    "in a URL": status(403, "GET /?key=sk-canary%2F%220123456789%2Babcdef"),
    "in the stream's error": events({"error": {"message": KEY}}),
    "as its type": whole("x", f"text/{KEY[:9]}"),
    "in a header": status(429, Retry_After=KEY),
    "in pieces": events(*map(delta, KEY), delta(finish="stop"), "[DONE]"),
    "in pieces of thoughts": events(*(delta(reasoning=each) for each in KEY), delta(finish="stop"), "[DONE]"),
    "half in thoughts": events(delta(KEY[:12], reasoning=KEY[12:]), delta(finish="stop"), "[DONE]"),
    "in base64": say(b64encode(f"Bearer {KEY}".encode()).decode()),
    "in an error all in escapes": whole('{"error": "' + IN_ESCAPES + '"}', status=401),
    "as the reason of a status": raw(f"HTTP/1.1 500 {KEY}\r\nConnection: close\r\n\r\n".encode()),
    "as the status": raw(f"HTTP/1.1 {KEY}\r\n\r\n".encode()),
    "as the protocol": raw(f"{KEY}\r\n\r\n".encode()),
    "as the size of a chunk": raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        + KEY.encode()
    ),
    "as a length": raw(f"HTTP/1.1 200 OK\r\nContent-Length: {KEY}\r\n\r\n".encode()),
    "as an address": status(302, Location=f"https://example.com/{KEY}"),
}


@pytest.mark.parametrize("name", ECHOES)
def test_the_key_is_nowhere_in_what_comes_back(name):
    with scripted(ECHOES[name]) as server:
        try:
            shown = repr(ask(server))
        except (Failure, RequestRefused, EndpointRefused) as error:
            found = traceback.TracebackException.from_exception(error, capture_locals=True)
            shown = "".join(found.format())
    assert shown
    in_base64 = ("c2stY2FuYXJ5", "stY2FuYX", "zay1jYW5h", "rLWNhbmFy")  # its begin, in any place
    for part in (KEY[:9], KEY[10:18], IN_JSON[8:18], "0123456789", "%220123456", *in_base64):
        assert part not in shown
