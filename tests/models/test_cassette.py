"""Calls as JSON lines, and the content by which they are found."""

import pytest
from memory_ledger import MemoryLedger

from arena.config.document import ConfigError
from arena.models.calls import CallId, Cassette, CassetteMiss, ModelCall, ModelReply, Usage
from arena.models.spec import ModelSpec, Price

SPEC = ModelSpec("m", "https://example.com/v1")
MESSAGES = (("user", "a or b?"),)
CALL = ModelCall(
    CallId("0123456789abcdef", 1, SPEC.content_key(MESSAGES), 0),
    ask=7,
    at=12,
    attempt=1,
    again="",
    first=0,
    messages=MESSAGES,
    version="v",
    reply=ModelReply("\ud800 {}", usage=Usage(3, 4)),
    answer="a",
)


def test_a_cassette_has_the_calls_of_its_file(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text(CALL.line + "\n")
    assert Cassette(path).find(CALL.id) == CALL


@pytest.mark.parametrize(
    "other", [{"n": 1}, {"game": "fedcba9876543210"}, {"seat": 0}, {"key": SPEC.content_key(())}]
)
def test_a_miss_is_an_error(tmp_path, other):
    path = tmp_path / "calls.jsonl"
    path.write_text(CALL.line + "\n")
    with pytest.raises(CassetteMiss, match=r"has no call .* of game .*, p[12]; it was recorded"):
        Cassette(path).find(CALL.id._replace(**other))


@pytest.mark.parametrize("line", ["{}", "[]", "nonsense", '{"id": 1}', "\udcff"])
def test_another_file_is_no_cassette(tmp_path, line):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(f"{CALL.line}\n{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(ConfigError, match=r"calls.jsonl(, line 2: no call|: cannot be read)"):
        Cassette(path)


def test_the_key_is_the_same_for_the_same_content_alone():
    keys = [
        SPEC.content_key(MESSAGES),
        SPEC.content_key((*MESSAGES, MESSAGES[0])),
        ModelSpec("n", SPEC.at).content_key(MESSAGES),
        ModelSpec("m", SPEC.at, temperature=0.0).content_key(MESSAGES),
        ModelSpec("m", SPEC.at, parameters='{"seed": 1}').content_key(MESSAGES),
        ModelSpec("m", "https://example.com/v2").content_key(MESSAGES),
    ]
    assert len(set(keys)) == len(keys)
    assert ModelSpec("m", "http://127.0.0.1:9/v1", "A_API_KEY", patience_s=1).content_key(MESSAGES) == keys[0]


def test_the_fingerprint_is_of_the_player_and_not_of_its_price():
    assert SPEC.fingerprint == ModelSpec("m", SPEC.at, "A_API_KEY", price=Price(1, 2)).fingerprint
    assert SPEC.fingerprint != ModelSpec("m", SPEC.at, options="hidden").fingerprint
    assert SPEC.fingerprint.startswith("model-")
    assert len(SPEC.fingerprint) == 16


def test_cached_tokens_have_a_price_of_their_own():
    assert Price(2.0, 8.0).cost(1_000_000, 500_000, 400_000) == 6.0
    assert Price(2.0, 8.0, cached=0.5).cost(1_000_000, 500_000, 400_000) == pytest.approx(5.4)


def test_a_ledger_in_memory_keeps_what_was_stored():
    ledger = MemoryLedger()
    assert ledger.find(CALL.id) is None
    ledger.store(ledger.reserve(CALL.id, 1.0), CALL)
    ledger.release(ledger.reserve(CALL.id, 1.0), billed=False)
    assert ledger.find(CALL.id) == CALL
    assert not ledger.reserved
