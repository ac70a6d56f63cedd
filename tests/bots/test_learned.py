"""`learned`: its files are those that training wrote, its table knows what is obvious, training runs."""

import hashlib
import random
import re
from itertools import product
from pathlib import Path

import duel
import field
import native
import numpy as np
import pytest
import train_duel
import train_field
from learned import RARE_IN_TABLE, pick
from position import VERBS
from samples import CHECKOUT

BOT = CHECKOUT / "bots" / "python" / "learned"
TRAINED = CHECKOUT / "bots" / "training" / "README.md"


def test_the_files_are_those_whose_training_is_described():
    listed = dict(re.findall(r"^\| `([\w.]+)` \| `([0-9a-f]{64})` \|", TRAINED.read_text(), re.M))
    assert listed == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in BOT.glob("*.bin")}
    assert sum(path.stat().st_size for path in BOT.glob("*.bin")) < 3e6


def known(table: duel.Table, first: int, width: int) -> list[list[int]]:
    """The weights of decisions that training has met, of both seats with one card each."""
    sides = [
        ((own * 6 + lost) * 11 + coins) * 11 + theirs
        for own, lost, coins, theirs in product(range(15, 40), range(1, 6), (7, 8, 9), range(11))
    ]
    slots = [[table[first + side * width + slot] for slot in range(8)] for side in sides]
    return [weights for weights in slots if any(weights)]


@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
def test_the_table_wins_at_once_where_it_can(cast):
    decisions = known(duel.Table(BOT / f"duel_{cast}.bin"), 0, 6 * 6 * 8)
    coups = [weights[VERBS.index("coup")] / sum(weights) for weights in decisions]
    assert len(coups) > 300 and sum(coups) / len(coups) > 0.75


@pytest.mark.parametrize(
    ("weights", "played"),
    [
        ([10, 80, 10], "b"),
        ([20, 80, 0], "ab"),
        ([1, 1, 1, 1, 1, 1, 1], "abcdefg"),
        ([2, 1, 2, 1, 1, 2, 1], "acf"),
    ],
)
def test_rare_options_are_left_out_unless_all_are_rare(weights, played):
    dice, options = random.Random(1), "abcdefg"[: len(weights)]
    assert {pick(dice, options, weights, RARE_IN_TABLE) for _ in range(200)} == set(played)


@pytest.mark.compiler
def test_a_training_of_two_seats_runs_and_repeats_itself():
    one, two = (train_duel.Duel("inquisitor", 7, train_duel.HOUSE) for _ in range(2))
    for training in (one, two):
        training.train(1000, 0, 1000)
    assert np.array_equal(one.average, two.average)
    assert one.score("first", 200) > 0.75


@pytest.mark.compiler
def test_a_table_is_read_as_it_was_written(tmp_path):
    numbers = np.random.default_rng(1).integers(16, size=train_duel.CHUNK + 5).astype(np.uint8)
    path = tmp_path / "table.bin"
    path.write_bytes(train_duel.packed(numbers))
    table = duel.Table(path)
    assert [table[slot] for slot in (0, train_duel.CHUNK - 1, train_duel.CHUNK + 4)] == [
        numbers[slot] for slot in (0, train_duel.CHUNK - 1, train_duel.CHUNK + 4)
    ]


@pytest.mark.compiler
def test_a_training_of_the_network_runs_and_the_bot_computes_the_same(tmp_path: Path):
    trainer = train_field.Trainer(3, boards=16)
    trainer.learn(trainer.play(steps=8), 0.0)
    path = tmp_path / "field.bin"
    train_field.write(path, trainer.policy)
    seen, *_ = trainer.boards.see()
    logits = train_field.forward(trainer.policy, seen[:3])[-1]
    bot = field.Network(path)
    assert len(logits[0]) == native.WORDS
    for each, row in zip(seen, logits, strict=False):
        assert bot.logits(each.tolist()) == pytest.approx(row.tolist(), abs=0.02)
