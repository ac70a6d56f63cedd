"""Makes a double of a bot, by counting its decisions in games.

Training against a bot needs millions of its answers, and a program is too slow for that. So its decisions in
some hundred real games become probabilities. For two seats of Complots they are a table like a strategy in
bots/training/duel.c, for the local variant a style of the searching bot.
"""

import importlib.util
import sys
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from arena.tournament.runs.decisions import Decision, decisions

BOTS = Path(__file__).resolve().parents[1] / "bots"
TRAINING = BOTS / "training"
sys.path.append(str(BOTS / "python" / "learned"))

import duel  # noqa: E402
import position  # noqa: E402

SIDE = (40, 6, 11, 11)  # own cards, the other's losses, the coins of both
SHAPES = {  # situations and answers of each kind of decision, as in duel.h
    "action": (*SIDE, 6, 6, 8),
    "challenge": (*SIDE, 6, 9, 2),
    "block": (*SIDE, 6, 3, 3),
    "lose": (15, 6, 9, 5, 5),
    "keep": (120, 2, 6, 9, 5),
    "exam": (40, 6, 9, 5, 2),
    "draft": (5, 2, 5),
}
LEVELS: dict[str, tuple[tuple[int, ...], ...]] = {  # more and more axes that distinguish situations
    "action": ((2,), (0, 2), (0, 2, 3, 5)),
    "challenge": ((5,), (0, 5), (0, 2, 5)),
    "block": ((5,), (0, 5), (0, 2, 5)),
    "lose": ((0,),),
    "keep": (),
    "exam": ((3,), (0, 3)),
    "draft": ((0,),),
}
PURSES = (0, 3, 7, 10)  # Similar numbers of coins begin at each of these.
WEIGHT = 4.0  # decisions; the weight of all similar situations together
KEEP = "keep"  # a chain of decisions that is copied from another table


class _Slots:
    """A table that has its own slots."""

    def __getitem__(self, slot: int) -> int:
        return slot


def slots(rows: Iterable[Decision]) -> Iterator[int]:
    """The slots, in the table for two seats, of a seat's decisions in a game."""
    seat = None
    for row in rows:
        if seat is None:
            seat = position.Position(["1", "complots", "seats=2", f"you={row.seat}"])
            double = duel.Duel(_Slots(), seat)
        for line in row.news:
            if line.startswith("event "):
                seat.event(*line.split()[1:])
        for line in row.state:
            seat.state(line.split())
        seat.ask(row.kind)
        if len(row.options) > 1 and row.kind in SHAPES and row.kind != KEEP:
            found = double.weights(row.kind, position.facts_in(row.context.split()), row.options)
            yield found[row.options.index(row.word)]


def count(runs: Sequence[Path], bot: str) -> np.ndarray:
    """Counts of a bot's decisions in games of two seats of Complots."""
    counts = np.zeros(sum(map(prod, SHAPES.values())), np.float32)
    for run in runs:
        games: dict[tuple[str, str], list[Decision]] = {}
        for row in decisions(run):
            if row.hidden_bot == bot:
                games.setdefault((row.hidden_game, row.seat), []).append(row)
        for rows in games.values():
            np.add.at(counts, list(slots(rows)), 1)
    return counts


def table(counts: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """The counted strategy; rare situations are filled in from similar ones.

    The cards to keep were not counted: `usual` is a table that has them.
    """
    parts, at = [], 0
    for kind, shape in SHAPES.items():
        part = slice(at, at + prod(shape))
        parts.append(
            usual[part] if kind == KEEP else smoothed(counts[part].reshape(shape), LEVELS[kind]).ravel()
        )
        at = part.stop
    return np.concatenate(parts)


def smoothed(counts: np.ndarray, levels: Sequence[tuple[int, ...]]) -> np.ndarray:
    odds = np.full(counts.shape[-1], 1 / counts.shape[-1], np.float32)
    for axes in (*levels, tuple(range(counts.ndim - 1))):
        known = alike(counts, axes) if axes in levels else counts
        odds = (known + WEIGHT * odds) / (known.sum(axis=-1, keepdims=True) + WEIGHT)
    return odds


def alike(counts: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """The sums of counts over the axes not in `axes`; coins that can buy the same are similar."""
    for axis in range(counts.ndim - 1):
        if axis not in axes:
            counts = counts.sum(axis=axis, keepdims=True)
        elif counts.shape[axis] == SIDE[2]:
            sizes = np.diff([*PURSES, SIDE[2]])
            counts = np.repeat(np.add.reduceat(counts, PURSES, axis=axis), sizes, axis=axis)
    return counts


def local_style(runs: Sequence[Path], bot: str) -> dict[str, Any]:
    """A bot's style in the local variant, as in `local_styles.json`."""
    training = _local_training()
    counts, watches = training.Counts(), {}
    for run in runs:
        for row in decisions(run):
            if row.hidden_bot == bot:
                watch = watches.setdefault((run, row.hidden_game, row.seat), training.Watch())
                for line in row.news:
                    watch.hear(line)
                training.count(counts, row._asdict(), watch)
    return counts.tables()


def _local_training() -> Any:
    """bots/training/local_styles.py: the searching bot has a module of this name, which it imports."""
    spec = importlib.util.spec_from_file_location("training_local_styles", TRAINING / "local_styles.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
