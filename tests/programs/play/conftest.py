"""The little games, for all tests at a real table."""

import pytest
from programs import add_little_games


@pytest.fixture(autouse=True)
def the_little_games(monkeypatch):
    add_little_games(monkeypatch)
