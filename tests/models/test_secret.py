"""The key is never seen."""

import pickle

import pytest
from scripted_models import KEY

from arena.config.document import ConfigError
from arena.models.secret import Secret, key_from_environment
from arena.models.spec import key_problem


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nothing of it", "nothing of it"),
        (f"a {KEY} b {KEY}", "a [key] b [key]"),
        (f"{KEY}{KEY}", "[key]"),
        (f"begins {KEY[:8]}, ends {KEY[-8:]}", "begins [key], ends [key]"),
        (f"too short {KEY[:7]}", f"too short {KEY[:7]}"),
    ],
)
def test_the_key_is_replaced(text, shown):
    assert Secret(KEY).redact(text) == shown


def test_a_short_key_is_no_secret():
    assert Secret("EMPTY").redact("EMPTY") == "EMPTY"
    assert Secret().redact("all") == "all"


def test_it_travels_to_workers_but_is_not_shown():
    secret = pickle.loads(pickle.dumps(Secret(KEY)))
    assert secret.reveal() == KEY
    assert KEY not in f"{secret!r} {secret}"


def test_it_is_read_from_the_environment_when_it_is_needed(monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", f" {KEY}\n")
    assert key_from_environment("TEST_API_KEY").reveal() == KEY
    assert not key_from_environment("")
    monkeypatch.delenv("TEST_API_KEY")
    with pytest.raises(ConfigError, match="TEST_API_KEY is not set"):
        key_from_environment("TEST_API_KEY")


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_have_is_not_shown_either(monkeypatch, text):
    monkeypatch.setenv("TEST_API_KEY", text)
    with pytest.raises(ConfigError) as caught:
        key_from_environment("TEST_API_KEY")
    assert text not in str(caught.value)


@pytest.mark.parametrize("name", ["AWS_SECRET", "HOME", "API_KEY", "X-Y_API_KEY", ""])
def test_only_a_variable_for_a_key_is_read(name):
    assert "_API_KEY" in key_problem(name)
    assert not key_problem("OPENAI_API_KEY")
