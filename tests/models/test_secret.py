"""The key is never seen."""

import html
import json
import pickle
import re
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest
from scripted_models import KEY

from arena.config.document import ConfigError
from arena.models.secret import Secret
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


NAMED = {"/": "sol", '"': "quot", "+": "plus", "&": "amp", "<": "LT", "=": "equals"}
WRITTEN = {
    "JSON": lambda key: json.dumps(key)[1:-1],
    "JSON of PHP": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "JSON of Go": lambda key: json.dumps(key)[1:-1].replace("<", "\\u003c").replace("&", "\\u0026"),
    "a URL": lambda key: quote(key, safe=""),
    "a URL in small letters": lambda key: re.sub("%..", lambda found: found[0].lower(), quote(key, safe="")),
    "a form": quote_plus,
    "HTML": html.escape,
    "entities of HTML": lambda key: "".join(f"&#{ord(each)};" for each in key),
    "hexadecimal entities": lambda key: "".join(f"&#x{ord(each):X};" for each in key),
    "entities without their ends": lambda key: "".join(f"&#{ord(each)}" for each in key),
    "named entities": lambda key: key.translate({ord(each): f"&{name};" for each, name in NAMED.items()}),
    "escapes of JSON": lambda key: "".join(f"\\u{ord(each):04x}" for each in key),
    "escapes of JavaScript": lambda key: "".join(f"\\u{{{ord(each):x}}}" for each in key),
    "escapes of Python": lambda key: "".join(f"\\x{ord(each):02X}" for each in key),
    "long escapes of Python": lambda key: "".join(f"\\U{ord(each):08x}" for each in key),
    "octal escapes": lambda key: "".join(f"\\{ord(each):03o}" for each in key),
    "a URL all in escapes": lambda key: "".join(f"%{ord(each):02x}" for each in key),
    "escapes of escape()": lambda key: "".join(f"%u{ord(each):04X}" for each in key),
    "a Python string": lambda key: repr(key)[1:-1],
    "JSON in JSON in HTML": lambda key: html.escape(json.dumps(json.dumps(key)[1:-1])[1:-1]),
    "escapes quoted twice": lambda key: "".join(f"\\\\\\\\x{ord(each):02x}" for each in key),
    "a URL in a URL": lambda key: quote(quote(key, safe=""), safe=""),
    "one escape after another": lambda key: "".join(
        (f"&#{code};", f"\\x{code:02x}", f"%{code:02x}", chr(code))[code % 4] for code in map(ord, key)
    ),
    "hexadecimal digits": lambda key: key.encode().hex(),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of user and key": lambda key: urlsafe_b64encode(f":{key}".encode()).decode(),
}


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("key", [KEY, 'sk"0/1<2&3>4\\5+6=7-890abcdefgh??>>~~'])
def test_it_is_replaced_however_it_is_written(key, how):
    """At each edge of base64 a digit may stay that has bits of another character, too."""
    shown = Secret(key).redact(f"before {WRITTEN[how](key)} after")
    known = {"base64 of a header": "QmVhcmVyI", "base64 of user and key": "O"}.get(how, "")  # what is no key
    left = shown.removeprefix(f"before {known}").removesuffix(" after").replace("[key]", "", 1)
    assert len(left.rstrip("=")) <= (2 if "base64" in how else 0), shown


def test_what_only_looks_like_escapes_stays():
    text = "100%25 of \\u00e9\\n &amp; &#115; \\x73 %zz & \\"
    assert Secret(KEY).redact(text) == text


def test_a_short_key_is_no_secret():
    assert Secret("EMPTY").redact("EMPTY") == "EMPTY"
    assert Secret().redact("all") == "all"


def test_it_travels_to_workers_but_is_not_shown():
    secret = pickle.loads(pickle.dumps(Secret(KEY)))
    assert secret.reveal() == KEY
    assert KEY not in f"{secret!r} {secret}"


def test_it_is_read_from_the_environment_when_it_is_needed(monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", f" {KEY}\n")
    assert Secret.from_environment("TEST_API_KEY").reveal() == KEY
    assert not Secret.from_environment("")
    monkeypatch.delenv("TEST_API_KEY")
    with pytest.raises(ConfigError, match="TEST_API_KEY is not set"):
        Secret.from_environment("TEST_API_KEY")


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_have_is_not_shown_either(monkeypatch, text):
    monkeypatch.setenv("TEST_API_KEY", text)
    with pytest.raises(ConfigError) as caught:
        Secret.from_environment("TEST_API_KEY")
    assert text not in str(caught.value)


@pytest.mark.parametrize("name", ["AWS_SECRET", "HOME", "API_KEY", "X-Y_API_KEY", ""])
def test_only_a_variable_for_a_key_is_read(name):
    assert "_API_KEY" in key_problem(name)
    assert not key_problem("OPENAI_API_KEY")
