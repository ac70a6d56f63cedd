"""Compares the library with the bare rules and with its peers: `python benchmarks/library.py`.

It measures each game in turns, by CPU time: the bare rules, games between functions that answer at random,
the PettingZoo environment, the game in OpenSpiel, and worlds. It also measures games of PettingZoo, RLCard,
TextArena and OpenSpiel, if an interpreter has them (`--peers`).
"""

import argparse
import json
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib import import_module, util
from itertools import islice
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen
from typing import Any

from library_peers import Steps, environment, openspiel, rate

import arena
from arena.library.tables import Table
from arena.rules import Ask, Draw
from arena.rules.match import Match

TABLES = {"complots": (2, 4), "local": (4,), "intrigue": (3,)}
TURNS = 5
Rate = tuple[float, float]
"""Steps and games a second."""
Measure = Callable[[float, int], Rate]
"""Takes the seconds and the first seed."""


def bare(table: Table, seed: int) -> Steps:
    """A game with only the rules."""
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


def contestants() -> Iterator[tuple[str, Measure]]:
    """The measurements in this process, by name."""
    for name, sizes in TABLES.items():
        for seats in sizes:
            table, title = arena.table(name, seats=seats), f"{name} {seats}"
            yield f"{title} rules", partial(rate, partial(bare, table))
            yield f"{title} functions", partial(rate, partial(functions, table))
            if util.find_spec("pettingzoo"):
                yield f"{title} AEC", partial(rate, partial(environment, aec(table)))
            if util.find_spec("pyspiel"):
                yield f"{title} OpenSpiel", partial(rate, partial(openspiel, in_openspiel(name, seats)))
            yield f"{title} worlds", partial(rate, partial(worlds, table))


def aec(table: Table) -> Any:
    return import_module("arena.pettingzoo").Arena(table)


def in_openspiel(name: str, seats: int) -> Any:
    import_module("arena.openspiel")
    return import_module("pyspiel").load_game(f"python_arena_{name}", {"players": seats})


class Peers:
    """Another interpreter, which plays games of other libraries (`library_peers.py`)."""

    def __init__(self, python: str):
        command = [python, str(Path(__file__).with_name("library_peers.py"))]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, text=True)
        self.names: list[str] = self._read()

    def measure(self, name: str, seconds: float, first: int) -> Rate:
        assert self._process.stdin
        print(json.dumps([name, seconds, first]), file=self._process.stdin, flush=True)
        steps, games = self._read()
        return steps, games

    def _read(self) -> Any:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each, in each of five turns")
    parser.add_argument("--peers", default=sys.executable, help="an interpreter that has the other libraries")
    given = parser.parse_args()
    rules = import_module("arena.rules.match").__file__ or ""
    print(f"the rules run {'as Python' if rules.endswith('.py') else 'compiled'}; by CPU time on one core")
    with closing(Peers(given.peers)) as peers:
        everything = [*contestants(), *((name, partial(peers.measure, name)) for name in peers.names)]
        measured: dict[str, list[Rate]] = {name: [] for name, _ in everything}
        for turn in range(TURNS):
            for name, measure in everything:
                measured[name].append(measure(given.seconds, 1000 * turn))
    print(f"{'':34}{'steps/s':>10}{'games/s':>10}{'times the rules':>18}")
    rules_rate = 0.0
    for name, rates in measured.items():
        steps, games = (median(values) for values in zip(*rates, strict=True))
        rules_rate = steps if name.endswith(" rules") else rules_rate
        ratio = f"{rules_rate / steps:.2f}" if name.endswith((" functions", " AEC", " OpenSpiel")) else ""
        print(f"{name:34}{steps:10,.0f}{games:10,.0f}{ratio:>18}")


if __name__ == "__main__":
    main()
