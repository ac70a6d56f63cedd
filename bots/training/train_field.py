"""Trains the network of 3 to 6 seats for `learned`: `python bots/training/train_field.py NETWORK`.

Proximal policy optimisation (PPO) in numpy. In a quarter of the games all seats have the current policy, in
the others about half of them have an earlier one, or are house bots. A critic, which sees all cards, says
what a seat may expect; answers after which it may expect more than before become more probable. field.c has
the games.
"""

import argparse
import ctypes
import time
from dataclasses import dataclass, field
from pathlib import Path

import native
import numpy as np
from network import Adam, Network, backward, forward, new_network, probabilities

BOARDS, STEPS = 256, 128  # games side by side, answers of each between two changes of the policy
HIDDEN, CRITIC = (96, 64), (96, 64)
PASSES, BATCH = 2, 2048
CLIP = 0.2  # how far the probability of an answer may change at once
FADING = 0.95  # lambda of the generalised advantage estimate
ENTROPY = (0.02, 0.005)  # what keeps the policy from being too sure, at first and at last
RATE = (1e-3, 1e-4)
NOBODY, OLD = (
    255,
    254,
)  # who plays a seat, beside the numbers of house bots: the current policy, an earlier one
LEAGUE = 20  # earlier policies that are kept


class Boards:
    """Games side by side, which the C library plays; a board begins another game when one has ended."""

    def __init__(self, count: int, seed: int):
        self.count, self._library = count, native.load()
        self.seats = np.resize(np.array([4, 3, 4, 5, 6, 4, 3, 2], np.uint8), count)
        self._boards = (native.Board * count)()
        self._field = native.Field(seed, count, self._boards, _pointer(self.seats))
        self._library.open_all(ctypes.byref(self._field))

    def see(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """By board: what the seat that is asked sees, its legal words, the hands of the others, the seat."""
        seen = np.empty((self.count, native.FEATURES), np.float32)
        masks = np.empty((self.count, native.WORDS), np.float32)
        secrets = np.empty((self.count, native.SECRETS), np.float32)
        asked = np.empty(self.count, np.uint8)
        self._library.see_all(ctypes.byref(self._field), *map(_pointer, (seen, masks, secrets, asked)))
        return seen, masks, secrets, asked

    def house_words(self, bots: np.ndarray, words: np.ndarray) -> None:
        """Replace the words of seats that house bots have; `bots` has their numbers, or NOBODY, by seat."""
        self._library.house_words(ctypes.byref(self._field), *map(_pointer, (bots, words)))

    def step(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Answer on all boards. Returns where a game has ended, and its points by seat."""
        ended, ends = np.zeros(self.count, np.uint8), np.zeros((self.count, native.SEATS), np.float32)
        self._library.step_all(ctypes.byref(self._field), *map(_pointer, (words, ended, ends)))
        return ended > 0, ends


def _pointer(array: np.ndarray):
    kinds = {"float32": ctypes.c_float, "uint8": ctypes.c_uint8}
    return array.ctypes.data_as(ctypes.POINTER(kinds[array.dtype.name]))


@dataclass
class Rollout:
    """The answers of some steps on all boards, step by step."""

    seen: list = field(default_factory=list)
    masks: list = field(default_factory=list)
    all_cards: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    words: list = field(default_factory=list)
    odds: list = field(default_factory=list)  # of the words
    ended: list = field(default_factory=list)
    ends: list = field(default_factory=list)
    learns: list = field(default_factory=list)  # whether the current policy answered


class Trainer:
    """A training: the policy, the critic, the league, and the games."""

    def __init__(self, seed: int, boards: int = BOARDS):
        self.dice = np.random.default_rng(seed)
        self.boards = Boards(boards, seed)
        self.policy = new_network(self.dice, native.FEATURES, *HIDDEN, native.WORDS)
        self.critic = new_network(self.dice, native.FEATURES + native.SECRETS, *CRITIC, 1)
        self.adams = Adam(self.policy), Adam(self.critic)
        self.league: list[Network] = []

    # Games

    def play(self, steps: int = STEPS) -> Rollout:
        rollout, rival, bots = Rollout(), self._rival(), self._seated()
        rows = np.arange(self.boards.count)
        for _ in range(steps):
            seen, masks, secrets, asked = self.boards.see()
            odds = probabilities(forward(self.policy, seen)[-1], masks)
            player = bots[rows, asked]
            is_old = player == OLD
            if is_old.any():
                odds[is_old] = probabilities(forward(rival, seen[is_old])[-1], masks[is_old])
            words = self.picked(odds)
            self.boards.house_words(np.where(bots == OLD, NOBODY, bots), words)
            ended, ends = self.boards.step(words)
            rollout.seen.append(seen)
            rollout.masks.append(masks)
            rollout.all_cards.append(np.hstack([seen, secrets]))
            rollout.asked.append(asked)
            rollout.words.append(words)
            rollout.odds.append(odds[rows, words])
            rollout.ended.append(ended)
            rollout.ends.append(ends)
            rollout.learns.append(player == NOBODY)
        return rollout

    def _rival(self) -> Network:
        return self.league[self.dice.integers(len(self.league))] if self.league else self.policy

    def _seated(self) -> np.ndarray:
        """Who plays, by board and seat: on three boards of four about half of the seats are opponents."""
        kinds = np.array([OLD, OLD, *range(native.HOUSE_BOTS), native.HOUSE.index("counting")], np.uint8)
        seats = kinds[self.dice.integers(len(kinds), size=(self.boards.count, native.SEATS))]
        seats[self.dice.random(seats.shape) < 0.5] = NOBODY
        seats[: self.boards.count // 4] = NOBODY
        return seats

    def picked(self, odds: np.ndarray) -> np.ndarray:
        sums = odds.cumsum(axis=1)
        return (sums > self.dice.random((len(odds), 1)) * sums[:, -1:]).argmax(axis=1).astype(np.uint8)

    # Learning

    def learn(self, rollout: Rollout, share: float) -> None:
        """Change policy and critic by a rollout; `share` of the training is over."""
        gains, targets, known = self._gains(rollout)
        keep = known & np.array(rollout.learns)
        names = ("seen", "masks", "all_cards", "words", "odds")
        data = [np.array(getattr(rollout, name))[keep] for name in names] + [gains[keep], targets[keep]]
        entropy, rate = (first + (last - first) * share for first, last in (ENTROPY, RATE))
        for _ in range(PASSES):
            for rows in np.array_split(self.dice.permutation(len(data[0])), -(-len(data[0]) // BATCH)):
                self._step([each[rows] for each in data], entropy, rate)

    def _step(self, data: list[np.ndarray], entropy: float, rate: float) -> None:
        seen, masks, all_cards, words, before, gains, targets = data
        gains = (gains - gains.mean()) / (gains.std() + 1e-6)
        out = forward(self.policy, seen)
        odds = probabilities(out[-1], masks)
        own = odds[np.arange(len(words)), words]
        ratio = own / before
        moves = np.where(gains > 0, ratio < 1 + CLIP, ratio > 1 - CLIP) * ratio * gains
        logs = np.log(np.maximum(odds, 1e-9))
        change = odds * (moves[:, None] + entropy * (logs - (odds * logs).sum(axis=1, keepdims=True)))
        change[np.arange(len(words)), words] -= moves
        self.adams[0].step(backward(self.policy, out, (change / len(words)).astype(np.float32)), rate)
        out = forward(self.critic, all_cards)
        error = (out[-1][:, 0] - targets)[:, None] * np.float32(2 / len(words))
        self.adams[1].step(backward(self.critic, out, error), rate)

    def _gains(self, rollout: Rollout) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By step and board: advantage, target of the critic, and whether they are known.

        They are not if the rollout has neither the seat's next answer nor the end of its game.
        """
        all_cards = np.array(rollout.all_cards)
        steps, boards, _ = all_cards.shape
        values = forward(self.critic, all_cards.reshape(steps * boards, -1))[-1].reshape(steps, boards)
        gains, known = np.zeros((steps, boards), np.float32), np.zeros((steps, boards), bool)
        ahead, later = np.full((2, boards, native.SEATS), np.nan, np.float32)
        rows = np.arange(boards)
        for at in reversed(range(steps)):
            ended = rollout.ended[at]
            ahead[ended], later[ended] = rollout.ends[at][ended], 0
            seats = rollout.asked[at]
            gain = ahead[rows, seats] - values[at] + FADING * later[rows, seats]
            known[at] = ~np.isnan(gain)
            gains[at] = np.where(known[at], gain, 0)
            ahead[rows, seats], later[rows, seats] = values[at], gains[at]
        return gains, gains + values, known


def write(path: Path, network: Network) -> None:
    """The weights as floats of 16 bits, behind the sizes of the layers."""
    sizes = [network[0][0].shape[0], *(len(bias) for _, bias in network)]
    header = np.array([len(sizes), *sizes], "<u2").tobytes()
    path.write_bytes(header + b"".join(each.astype("<f2").tobytes() for layer in network for each in layer))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("network", type=Path, help="the file to write")
    parser.add_argument("--rounds", type=int, default=500, help="of 32768 answers (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides everything (%(default)s)")
    given = parser.parse_args()
    trainer = Trainer(given.seed)
    for number in range(given.rounds):
        rollout = trainer.play()
        trainer.learn(rollout, number / given.rounds)
        if number % max(1, given.rounds // LEAGUE) == 0:
            trainer.league.append([(weights.copy(), bias.copy()) for weights, bias in trainer.policy])
            report(number, trainer)
            write(given.network, trainer.policy)
    write(given.network, trainer.policy)
    print(f"{given.network}: {given.network.stat().st_size:,} bytes")


def report(number: int, trainer: Trainer) -> None:
    """Print what share of the points one seat of the policy gets against each house bot on the others."""
    shares = [f"{name} {against(trainer, bot):.1%}" for bot, name in enumerate(native.HOUSE)]
    print(f"round {number}, {time.process_time():.0f} s; against {', '.join(shares)}", flush=True)


def against(trainer: Trainer, bot: int) -> float:
    boards, points = Boards(BOARDS, bot), []
    bots = np.full((BOARDS, native.SEATS), bot, np.uint8)
    seat = np.arange(BOARDS) % boards.seats
    bots[np.arange(BOARDS), seat] = NOBODY
    for _ in range(STEPS):
        seen, masks, _, _ = boards.see()
        words = trainer.picked(probabilities(forward(trainer.policy, seen)[-1], masks))
        boards.house_words(bots, words)
        ended, ends = boards.step(words)
        points += ends[np.arange(BOARDS), seat][ended].tolist()
    return float(np.mean(points))


if __name__ == "__main__":
    main()
