"""The bot that learn.py writes: it plays by the policy in policy.json, with the standard library alone.

What it sees is computed by arena_numbering.py, as it was in training.
"""

import json
import random
from math import exp, tanh
from pathlib import Path

from arena_numbering import Numbering
from arena_reader import Reader


class Learned:
    def __init__(self, policy):
        self.policy = policy
        self.seats = [
            Numbering(columns, words)
            for columns, words in zip(policy["columns"], policy["words"], strict=True)
        ]

    def begin(self, table, seat, seed):
        self.numbering, self.dice = self.seats[seat], random.Random(seed)

    def answer(self, view):
        legal = self.numbering.number(view.options)  # words by number
        seen = self.numbering.observe(view.state_lines, view.kind, view.context)
        odds = self.odds(
            list(legal), [value * scale for value, scale in zip(seen, self.policy["scale"], strict=True)]
        )
        return self.dice.choices(list(legal.values()), odds)[0]

    def odds(self, actions, seen):
        """How probable each of these actions is, up to a factor."""
        hidden = self.policy["hidden_bias"][:]
        for value, weights in zip(seen, self.policy["hidden"], strict=True):
            if value:
                hidden = [each + value * weight for each, weight in zip(hidden, weights, strict=True)]
        hidden = [tanh(each) for each in hidden]
        bias, weights = self.policy["action_bias"], self.policy["action"]
        logits = [
            bias[at] + sum(each * row[at] for each, row in zip(hidden, weights, strict=True))
            for at in actions
        ]
        return [exp(each - max(logits)) for each in logits]


if __name__ == "__main__":
    policy = json.loads(Path(__file__).with_name("policy.json").read_text())
    Reader().run(Learned(policy))
