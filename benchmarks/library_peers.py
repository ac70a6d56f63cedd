"""Plays games of other libraries at random, for `library.py`, with an interpreter that has these libraries.

It does not need the arena. It writes the names of the installed games, in one line of JSON. Then for each
line `[NAME, SECONDS, FIRST SEED]` it plays that game for this CPU time, and writes steps and games a second.
"""

import json
import random
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import process_time
from typing import Any

Steps = int
"""Answers."""
Play = Callable[[int], Steps]
"""Plays a game with this seed."""

PETTINGZOO = ("leduc_holdem_v4", "tictactoe_v3", "connect_four_v3")
RLCARD = ("leduc-holdem", "uno", "doudizhu")
TEXTARENA = ("LiarsDice-v0", "LiarsDice-v0-raw")  # with the texts that models get, and without
OPENSPIEL = ("python_kuhn_poker", "python_liars_poker", "leduc_poker", "liars_dice")  # in Python; in C++
SEATS = 4


def rate(play: Play, seconds: float, first: int) -> tuple[float, float]:
    """Steps and games a second of CPU time, over about so many seconds."""
    begin, steps, games = process_time(), 0, 0
    while process_time() - begin < seconds:
        steps += play(first + games)
        games += 1
    spent = process_time() - begin
    return steps / spent, games / spent


def environment(env: Any, seed: int) -> Steps:
    """A game of an AEC environment."""
    dice, steps = random.Random(seed), 0
    env.reset(seed=seed)
    for _ in env.agent_iter():
        observation, _, ended, cut, info = env.last()
        if ended or cut:
            env.step(None)
            continue
        mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
        env.step(int(dice.choice(mask.nonzero()[0])))
        steps += 1
    return steps


def rlcard(env: Any, seed: int) -> Steps:
    dice, steps = random.Random(seed), 0
    env.seed(seed)
    state, _ = env.reset()
    while not env.is_over():
        state, _ = env.step(dice.choice(list(state["legal_actions"])))
        steps += 1
    return steps


def liars_dice(env: Any, seed: int) -> Steps:
    """TextArena's own game of bluff for several players; its Coup cannot be imported in 0.7.4."""
    dice, steps, done = random.Random(seed), 0, False
    env.reset(num_players=SEATS, seed=seed)
    while not done:
        env.get_observation()
        bid = env.state.game_state["current_bid"]
        number, face = bid["quantity"], max(1, bid["face_value"])
        calls = number and dice.random() < 0.5
        done, _ = env.step("[Call]" if calls else f"[Bid: {number + 1}, {face}]")
        steps += 1
    return steps


def openspiel(game: Any, seed: int) -> Steps:
    """A step is an action of a player, not of chance."""
    dice, steps, state = random.Random(seed), 0, game.new_initial_state()
    while not state.is_terminal():
        steps += not state.is_chance_node()
        state.apply_action(dice.choice(state.legal_actions()))
    return steps


def installed() -> dict[str, Play]:
    """The games that can be played here, by name. Missing ones are reported on stderr."""
    makers: dict[str, Callable[[], Play]] = {}
    for name in PETTINGZOO:
        makers[f"PettingZoo {name}"] = partial(_pettingzoo, name)
    for name in RLCARD:
        makers[f"RLCard {name}"] = partial(_rlcard, name)
    for name in TEXTARENA:
        makers[f"TextArena {name} {SEATS}"] = partial(_textarena, name)
    for name in OPENSPIEL:
        makers[f"OpenSpiel {name}"] = partial(_openspiel, name)
    found = {}
    for title, make in makers.items():
        try:
            found[title] = make()
            found[title](1)
        except Exception as error:  # The library, or something that it needs, is missing.
            found.pop(title, None)
            print(f"{title}: skipped, {type(error).__name__}: {error}", file=sys.stderr)
    return found


def _pettingzoo(name: str) -> Play:
    return partial(environment, import_module(f"pettingzoo.classic.{name}").env())


def _rlcard(name: str) -> Play:
    return partial(rlcard, import_module("rlcard").make(name))


def _textarena(name: str) -> Play:
    return partial(liars_dice, import_module("textarena").make(name))


def _openspiel(name: str) -> Play:
    import_module("open_spiel.python.games")
    return partial(openspiel, import_module("pyspiel").load_game(name))


def main() -> None:
    warnings.simplefilter("ignore")
    games = installed()
    print(json.dumps(list(games)), flush=True)
    for line in sys.stdin:
        name, seconds, first = json.loads(line)
        print(json.dumps(rate(games[name], seconds, first)), flush=True)


if __name__ == "__main__":
    main()
