"""What the library costs beside the bare rules: `python benchmarks/library.py [--seconds S]`.

For each game the rules alone, games between functions that answer at random, the PettingZoo environment, the
game in OpenSpiel, and worlds; all in one process, in turns, by CPU time. Peers that are installed are timed
in the same run.
"""

import argparse
import random
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module, util
from itertools import islice
from statistics import median
from time import process_time
from typing import Any

import arena
from arena.library.tables import Table
from arena.rules import Ask, Draw
from arena.rules.match import Match

TABLES = {"complots": (2, 4), "local": (4,), "intrigue": (3,)}
TURNS = 5
Steps = int
"""Answers."""


def bare(table: Table, seed: int) -> Steps:
    """A game on the rules alone."""
    dice, steps = random.Random(seed), 0
    match = Match(table.game, table.options, table.seats)
    while (step := match.step) is not None:
        if type(step) is Ask:
            match.reply({seat: dice.choice(choice.options) for seat, choice in step.choices.items()})
            steps += len(step.choices)
        elif type(step) is Draw:
            match.reply(dice.choice(step.outcomes))
        else:
            match.reply(())
    return steps


def functions(table: Table, seed: int) -> Steps:
    """A game between functions."""
    dice, steps = random.Random(seed), 0

    def guess(view: arena.View) -> str:
        nonlocal steps
        steps += 1
        return dice.choice(view.options)

    arena.play(table, [guess] * table.seats, seed=seed)
    return steps


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


def spiel(game: Any, seed: int) -> Steps:
    """A game in OpenSpiel: a step is an action of a player, not of chance."""
    dice, steps, state = random.Random(seed), 0, game.new_initial_state()
    while not state.is_terminal():
        steps += not state.is_chance_node()
        state.apply_action(dice.choice(state.legal_actions()))
    return steps


def worlds(table: Table, seed: int) -> Steps:
    """Worlds for the seat that is asked in the middle of a game: a step is one world."""
    dice, state = random.Random(seed), arena.new(table, seed=str(seed))
    for _ in range(15):
        if not state.over:
            state.answer({seat: dice.choice(state.legal(seat)) for seat in state.to_act})
    if state.over:
        return 0
    heard = state.information(state.to_act[0])
    return len(list(islice(arena.worlds(table, heard, dice), 20)))


def peers() -> Iterator[tuple[str, Callable[[int], Steps]]]:
    """The classic games of PettingZoo that are installed, and games of OpenSpiel in Python and in C++."""
    for name in ("leduc_holdem_v4", "tictactoe_v3", "connect_four_v3"):
        try:
            env = import_module(f"pettingzoo.classic.{name}").env()
        except Exception:  # its own requirements are not installed
            continue
        yield f"PettingZoo {name}", partial(environment, env)
    if util.find_spec("pyspiel"):
        import_module("open_spiel.python.games")
        for name in ("python_kuhn_poker", "python_liars_poker", "leduc_poker", "liars_dice"):
            yield f"OpenSpiel {name}", partial(spiel, import_module("pyspiel").load_game(name))


def contestants() -> Iterator[tuple[str, Callable[[int], Steps]]]:
    """What is measured, by name."""
    for name, sizes in TABLES.items():
        for seats in sizes:
            table, title = arena.table(name, seats=seats), f"{name} {seats}"
            yield f"{title} rules", partial(bare, table)
            yield f"{title} functions", partial(functions, table)
            if util.find_spec("pettingzoo"):
                yield f"{title} AEC", partial(environment, aec(table))
            if util.find_spec("pyspiel"):
                yield f"{title} OpenSpiel", partial(spiel, in_spiel(name, seats))
            yield f"{title} worlds", partial(worlds, table)
    yield from peers()


def aec(table: Table) -> Any:
    return import_module("arena.pettingzoo").Arena(table)


def in_spiel(name: str, seats: int) -> Any:
    import_module("arena.openspiel")
    return import_module("pyspiel").load_game(f"python_arena_{name}", {"players": seats})


def rate(play: Callable[[int], Steps], seconds: float, first: int) -> tuple[float, float]:
    """Steps and games a second of CPU time, over about so many seconds."""
    begin, steps, games = process_time(), 0, 0
    while process_time() - begin < seconds:
        steps += play(first + games)
        games += 1
    spent = process_time() - begin
    return steps / spent, games / spent


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each, in each of five turns")
    seconds = parser.parse_args().seconds
    rules = import_module("arena.rules.match").__file__ or ""
    print(f"the rules run {'as Python' if rules.endswith('.py') else 'compiled'}; by CPU time on one core")
    everything = list(contestants())
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in everything}
    for turn in range(TURNS):
        for name, play in everything:
            measured[name].append(rate(play, seconds, 1000 * turn))
    print(f"{'':32}{'steps/s':>10}{'games/s':>10}{'times the rules':>18}")
    rules_rate = 0.0
    for name, rates in measured.items():
        steps, games = (median(values) for values in zip(*rates, strict=True))
        rules_rate = steps if name.endswith(" rules") else rules_rate
        ratio = f"{rules_rate / steps:.2f}" if name.endswith((" functions", " AEC", " OpenSpiel")) else ""
        print(f"{name:32}{steps:10,.0f}{games:10,.0f}{ratio:>18}")


if __name__ == "__main__":
    main()
