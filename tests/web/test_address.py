"""Where a server may listen, and the names under which it answers."""

import pytest
from asgi import HOST

from arena.web.address import address_of

MISTAKES = [
    ("--host 0.0.0.0", "other machines could reach it"),
    ("--host 192.0.2.7", "other machines could reach it"),
    ("--host 0.0.0.0 --insecure", "--host 0.0.0.0: has no name to check requests against; add --public-url"),
    ("--public-url http://arena.example", "should be https://NAME"),
    ("--public-url https://arena.example/path", "should be https://NAME"),
    ("--public-url https://user@arena.example", "should be https://NAME"),
    ("--public-url https://arena.example:port", "should be https://NAME"),
    ("--public-url arena.example", "should be https://NAME"),
    ("--host 256.1.1.1 --insecure", "256.1.1.1:8080: cannot listen"),
    ("--guests -1", "--guests"),
]


@pytest.mark.parametrize("options, why", MISTAKES, ids=[row[0] for row in MISTAKES])
def test_mistakes_get_one_line(refused, options, why):
    assert why in refused("serve", ".", *options.split())


ADDRESSES = [
    ("127.0.0.1", 8080, None, HOST, "http://127.0.0.1:8080"),
    ("::1", 8080, None, "[::1]:8080", "http://[::1]:8080"),
    ("127.0.0.1", 80, None, "localhost", "http://localhost"),
    ("192.0.2.7", 8080, None, "192.0.2.7:8080", "http://192.0.2.7:8080"),
    ("127.0.0.1", 8080, "https://arena.example", "arena.example", "https://arena.example"),
    ("0.0.0.0", 8080, "https://arena.example:8443/", "arena.example:8443", "https://arena.example:8443"),
]


@pytest.mark.parametrize("host, port, url, name, origin", ADDRESSES)
def test_the_names_under_which_it_answers(host, port, url, name, origin):
    address = address_of(host, port, url)
    assert name in address.hosts and origin in address.origins
    assert not {"0.0.0.0:8080", "*"} & {*address.hosts}
    assert address.url == origin or "localhost" in origin
