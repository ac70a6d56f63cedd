"""The configurations of every game of the arena, for the tests of games, figures and behaviour.

Run as a program, this file writes the stored games of `tests/replays` anew.
"""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from intrigue_table import play_talking

from arena.games import GAMES
from arena.referee.game_check.random_games import MIXTURES, configurations, line_ups, play
from arena.rules import Game
from arena.rules.match import reply_to_json

GAMES_EACH = int(os.environ.get("ARENA_GAMES", "2"))  # random games per configuration

REPLAYS = Path(__file__).parent.parent / "replays"

CASES = [(game, changes) for game in GAMES.values() for changes in configurations(game)]


def case_name(value: Any) -> str:
    if isinstance(value, Game):
        return value.name
    return (
        ",".join(f"{key}={value[key]}" for key in value)
        if len(value) < 2
        else f"mixture-{hash_of(value)[:4]}"
    )


def hash_of(value: Any) -> str:
    return sha256(repr(value).encode()).hexdigest()


def write_stored_games() -> None:
    """Play a few games of every kind and store them for `test_stored_games_replay`, one on each line."""
    REPLAYS.mkdir(exist_ok=True)
    for game in GAMES.values():
        games = []
        for number, changes in enumerate([{}, {}, *list(configurations(game))[-MIXTURES:]]):
            *_, (options, seats, seed) = line_ups(game, changes, 2 * number + 1)
            if game.name == "intrigue" and number % 2:
                match = play_talking(options, seats, seed)
            else:
                match = play(game, options, seats, seed, forfeits=0.01, calm=0.5)
            games.append(
                {
                    "options": options,
                    "seats": seats,
                    "seed": seed,
                    "replies": [reply_to_json(reply) for reply in match.replies],
                    "digest": match.digest(),
                }
            )
        lines = ",\n".join(json.dumps(stored) for stored in games)
        (REPLAYS / f"{game.name}-{game.version}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    write_stored_games()
