"""Plays records again through the rules, and compares what comes of it."""

from arena.games import find
from arena.records import Record


def mistake(record: Record) -> str:
    """What is wrong with a record, in words; nothing if it replays to the same game."""
    fixture = record.fixture
    game = find(fixture.game)
    if game is None:
        return f"no game {fixture.game}"
    if game.version != fixture.version:
        return f"recorded with version {fixture.version} of {game.name}, this is version {game.version}"
    try:
        match = fixture.match(game, record.replies)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        return f"does not replay: {error}"
    if match.result != record.result:
        return f"ends with {match.result}, recorded {record.result}"
    if match.digest() != record.digest:
        return f"digest {match.digest()}, recorded {record.digest}"
    return ""
