"""A call until it is answered, with a clock that only waiting moves."""

import json
from contextlib import suppress
from threading import Event

import pytest
from scripted_models import answer, cut_headers, delta, events, raw, scripted, status, whole

from arena.models import asking
from arena.models.asking import Caller, Cancelled, MayBeBilled, Timing
from arena.models.calls import EndpointLost, EndpointRefused
from arena.models.secret import Secret
from arena.models.spec import ModelSpec

MESSAGES = (("system", "Be short."), ("user", "a or b?"))


class Waits:
    """Records how long a call waits. The server takes no time, as this clock counts it."""

    def __init__(self):
        self.delays: list[float] = []

    @property
    def timing(self) -> Timing:
        return Timing(clock=lambda: sum(self.delays), wait=self.wait, jitter=lambda: 1.0)

    def wait(self, cancelled: Event, seconds: float) -> bool:
        self.delays.append(seconds)
        return cancelled.is_set()


def call(server, waits, **more):
    spec = ModelSpec("m", server.at, **more)
    return answer_of(Caller(spec, Secret(), 180.0, waits.timing), ("a", "b"))


def answer_of(caller, schema):
    """The reply; the next attempt is made whatever the last one may have cost."""
    while True:
        with suppress(MayBeBilled):
            return caller.call(MESSAGES, schema)


@pytest.fixture
def waits():
    return Waits()


def test_a_server_that_fails_is_asked_again_later_each_time(waits):
    with scripted(*[status(500)] * 9, answer("a")) as server:
        reply = call(server, waits)
    assert json.loads(reply.text)["answer"] == "a"
    assert waits.delays == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert reply.waited_s == sum(waits.delays)
    assert reply.latency_s == 0


def test_a_server_may_say_how_long_to_wait(waits):
    with scripted(status(429, Retry_After="7"), status(429), cut_headers, answer("a")) as server:
        call(server, waits)
    assert waits.delays == [7.5, 1, 2]


def test_jitter_keeps_games_apart(waits):
    timing = Timing(waits.timing.clock, waits.wait, jitter=lambda: 0.0)
    with scripted(status(500), status(500), answer("a")) as server:
        Caller(ModelSpec("m", server.at), Secret(), 180.0, timing).call(MESSAGES, {})
    assert waits.delays == [0.25, 0.5]


def test_each_wait_is_told_and_its_end(waits):
    told = []
    steps = status(429, "Rate limit: slow down", Retry_After="7"), events(delta("a")), answer("a")
    with scripted(*steps) as server:
        spec = ModelSpec("m", server.at)
        caller = Caller(spec, Secret(), 180.0, waits.timing, lambda *words: told.append(words))
        answer_of(caller, {})
    assert {host for host, _ in told} == {spec.host}
    reasons = [wait and wait.reason for _, wait in told]
    assert reasons == ["status 429", "the connection was lost in the middle of an answer", None]
    with scripted(answer("a")) as server:
        caller = Caller(ModelSpec("m", server.at), Secret(), 180.0, on_wait=told.append)
        caller.call(MESSAGES, {})
    assert len(told) == 3, "a server that answers at once is not waited for"


def test_patience_ends(waits):
    with (
        scripted(last=status(503, "busy")) as server,
        pytest.raises(EndpointLost, match="status 503: busy; the game has waited for 10 min 4 s") as caught,
    ):
        call(server, waits, patience_s=624)
    assert not isinstance(caught.value, EndpointRefused)
    assert sum(waits.delays) <= 624


def test_nobody_waits_longer_than_patience(waits):
    with (
        scripted(status(429, Retry_After="3600")) as server,
        pytest.raises(EndpointLost, match="it asks to wait for 1 h 0 min"),
    ):
        call(server, waits)
    assert waits.delays == []


def test_each_attempt_that_may_have_to_be_paid_is_told_before_the_next(waits):
    cut = events(delta("a")), raw(b""), status(504)
    with scripted(cut[0], status(500), *cut[1:], answer("a")) as server:
        caller = Caller(ModelSpec("m", server.at), Secret(), 180.0, waits.timing)
        for sent in (1, 3, 4):
            with pytest.raises(MayBeBilled):
                caller.call(MESSAGES, {})
            assert (caller.may_be_billed, len(server.requests)) == (True, sent)
        reply = caller.call(MESSAGES, {})
    assert waits.delays == [0.5, 1, 2, 4]
    assert (reply.waited_s, caller.may_be_billed) == (7.5, False)


def test_patience_ends_after_an_attempt_that_may_have_to_be_paid(waits):
    with scripted(status(500), last=events(delta("a"))) as server:
        caller = Caller(ModelSpec("m", server.at, patience_s=0.6), Secret(), 180.0, waits.timing)
        with pytest.raises(EndpointLost):
            caller.call(MESSAGES, {})
    assert caller.may_be_billed
    with scripted(last=status(500)) as server:
        caller = Caller(ModelSpec("m", server.at, patience_s=0.6), Secret(), 180.0, waits.timing)
        with pytest.raises(EndpointLost):
            caller.call(MESSAGES, {})
    assert not caller.may_be_billed


def test_a_game_that_is_over_waits_no_more(waits):
    with scripted(status(500)) as server:
        caller = Caller(ModelSpec("m", server.at), Secret(), 180.0, waits.timing)
        caller.cancel()
        with pytest.raises(Cancelled):
            caller.call(MESSAGES, {})


COMPLAINTS = {
    "a cap": ({"error": {"message": "In context=('properties'), 'maxLength' is not permitted"}}, "maxLength"),
    "response_format": ({"detail": "response_format is not supported"}, "response_format"),
    "a grammar": ({"error": {"message": "failed to parse grammar"}}, "response_format"),
    "something": ({"error": "Bad Request"}, "response_format"),
    "stream_options": ({"message": "unknown field stream_options"}, "stream_options"),
    "a system message": ({"error": "System role not supported"}, "system"),
    "max_tokens": ({"error": {"message": "Use 'max_completion_tokens' instead."}}, "max_tokens"),
}


@pytest.mark.parametrize("name", COMPLAINTS)
def test_what_a_server_does_not_take_is_left_out_once_and_for_all(waits, name):
    said, left_out = COMPLAINTS[name]
    with scripted(whole(said, status=400), answer("a"), answer("b")) as server:
        call(server, waits)
        call(server, waits)
    first, second, third = (json.dumps(body) for _, _, body in server.requests)
    assert f'"{left_out}"' in first
    assert f'"{left_out}"' not in second
    assert second == third
    assert "Be short." in second
    assert waits.delays == []


def test_a_request_that_is_always_refused_ends(waits):
    with (
        scripted(last=status(400, "no such parameter: temperature")) as server,
        pytest.raises(EndpointRefused, match="temperature"),
    ):
        call(server, waits, temperature=9.0)
    assert len(server.requests) == 2


@pytest.fixture(autouse=True)
def forget_dialects():
    asking._dialects.clear()  # a port may be used again
    yield
    asking._dialects.clear()
