"""The words that the asks of a game may offer to a seat, so that a person can be told why one is missing."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from arena import games
from arena.referee.fixture import to_json
from arena.referee.game_check.random_games import play
from arena.rules import Ask
from arena.rules.match import Match

_GAMES = 24  # a word that is offered in none of these is rare

_Vocabulary = Mapping[str, Sequence[str]]


def vocabulary(match: Match, seat: int) -> _Vocabulary:
    """By kind of ask, the words that random games with the options of this match have offered to the seat."""
    return _sample(match.game.name, to_json(dict(match.options)), match.seats, seat)


@lru_cache(64)
def _sample(name: str, options: str, seats: int, seat: int) -> _Vocabulary:
    # The rules give no list of all words: what they offer follows from the position. The games are always
    # the same, and have nothing of the game that is played, so the words tell nothing of it.
    found: dict[str, dict[str, None]] = {}

    def watch(match: Match[Any]) -> None:
        if isinstance(match.step, Ask) and (choice := match.step.choices.get(seat)):
            found.setdefault(choice.kind, {}).update(dict.fromkeys(choice.options))

    game = games.find(name)
    assert game, "it is being played"
    for number in range(_GAMES):
        play(game, json.loads(options), seats, f"vocabulary/{number}", watch=watch)
    return {kind: tuple(words) for kind, words in found.items()}
