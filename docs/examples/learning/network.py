"""A policy with numpy alone: a network with one hidden layer, its gradient, and Adam, which changes it."""

import numpy as np

HIDDEN = 64
BATCH = 512  # answers for one step
ENTROPY = 0.01  # what keeps the policy from being too sure too early


def new_network(dice, inputs, actions):
    return {
        "hidden": dice.normal(0, inputs**-0.5, (inputs, HIDDEN)),
        "hidden_bias": np.zeros(HIDDEN),
        "action": dice.normal(0, 0.01, (HIDDEN, actions)),
        "action_bias": np.zeros(actions),
        "value": dice.normal(0, 0.01, HIDDEN),
    }


def forward(network, seen, masks):
    """The hidden layer, the probabilities of the actions, and the expected rewards."""
    hidden = np.tanh(seen @ network["hidden"] + network["hidden_bias"])
    logits = np.where(masks, hidden @ network["action"] + network["action_bias"], -np.inf)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return hidden, odds / odds.sum(axis=1, keepdims=True), hidden @ network["value"]


def gradient(network, seen, masks, actions, rewards, gains):
    """The gradient of the loss: -gain * log(probability) less some entropy, and the error of the value."""
    hidden, odds, value = forward(network, seen, masks)
    logs = np.log(np.where(odds > 0, odds, 1.0))
    entropy = -(odds * logs).sum(axis=1, keepdims=True)
    d_logits = odds * (gains[:, None] + ENTROPY * (logs + entropy))
    d_logits[np.arange(len(seen)), actions] -= gains
    d_value = value - rewards
    d_hidden = (d_logits @ network["action"].T + np.outer(d_value, network["value"])) * (1 - hidden**2)
    found = {
        "hidden": seen.T @ d_hidden,
        "hidden_bias": d_hidden.sum(axis=0),
        "action": hidden.T @ d_logits,
        "action_bias": d_logits.sum(axis=0),
        "value": hidden.T @ d_value,
    }
    return {name: each / len(seen) for name, each in found.items()}


class Adam:
    """Changes a network by gradients, each weight at its own pace."""

    def __init__(self, network):
        self.network, self.steps = network, 0
        self.mean = {name: np.zeros_like(each) for name, each in network.items()}
        self.square = {name: np.zeros_like(each) for name, each in network.items()}

    def learn(self, dice, answers, gains, rate):
        """Take a step for each batch of these answers, in random order."""
        for rows in np.array_split(dice.permutation(len(gains)), -(-len(gains) // BATCH)):
            self.step(gradient(self.network, *(each[rows] for each in (*answers, gains))), rate)

    def step(self, gradients, rate):
        self.steps += 1
        for name, each in gradients.items():
            self.mean[name] += 0.1 * (each - self.mean[name])
            self.square[name] += 0.001 * (each**2 - self.square[name])
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.999**self.steps)
            self.network[name] -= rate * mean / (np.sqrt(square) + 1e-8)
