"""The little games, for all tests in a sandbox, and a tier that keeps its promises."""

import pytest
from programs import add_little_games

from arena.programs.sandbox import promises
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox


@pytest.fixture(autouse=True)
def the_little_games(monkeypatch):
    add_little_games(monkeypatch)


@pytest.fixture
def closed(tier) -> Sandbox:
    """A tier that keeps all that it promises, which `limits` does not on each kernel."""
    if tier is LIMITS_ONLY and list(promises.on_this_machine()) != list(promises.PROMISES):
        pytest.skip(f"not promised here: {', '.join(promises.not_promised('limits'))}")
    return tier
