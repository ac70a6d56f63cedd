"""What a person reads while games wait for a server."""

from arena.models.calls import Wait
from arena.tournament.waits import describe_waits


def test_a_line_for_each_host_with_the_next_attempt_of_any_game():
    waits = [
        Wait("api.example.org", "status 429", 140.0),
        Wait("api.example.org", "status 503", 150.0),
        Wait("127.0.0.1:80", "Connection refused", 99.0),
    ]
    assert describe_waits(waits, 100.0).splitlines() == [
        "1 game waits for 127.0.0.1:80, trying again: Connection refused",
        "2 games wait for api.example.org, next try in 40 s: status 429",
    ]
    assert describe_waits([], 100.0) == ""
