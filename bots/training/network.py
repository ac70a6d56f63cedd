"""Networks in numpy: layers of rectified units, their gradients, and Adam, which changes them."""

from itertools import pairwise

import numpy as np

Network = list[tuple[np.ndarray, np.ndarray]]  # the weights and the biases of each layer


def new_network(dice: np.random.Generator, *sizes: int) -> Network:
    """A network with random weights; the last layer begins near 0, so that it prefers nothing."""
    layers = []
    for number, (inputs, outputs) in enumerate(pairwise(sizes), 2):
        spread = 0.01 if number == len(sizes) else (2 / inputs) ** 0.5
        weights = dice.normal(0, spread, (inputs, outputs)).astype(np.float32)
        layers.append((weights, np.zeros(outputs, np.float32)))
    return layers


def forward(network: Network, seen: np.ndarray) -> list[np.ndarray]:
    """The outputs of all layers in order, after the inputs `seen`; a row for each position."""
    out = [seen]
    for number, (weights, bias) in enumerate(network, 1):
        last = out[-1] @ weights
        last += bias
        out.append(last if number == len(network) else np.maximum(last, 0, out=last))
    return out


def backward(network: Network, out: list[np.ndarray], change: np.ndarray) -> Network:
    """The gradients of all layers; `out` is from `forward`, `change` the gradient of the last outputs."""
    found = []
    for (weights, _), before in zip(reversed(network), reversed(out[:-1]), strict=True):
        found.append((before.T @ change, change.sum(axis=0)))
        if len(found) < len(network):
            change = change @ weights.T
            change *= before > 0
    return found[::-1]


def probabilities(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The probability of each word, by row; 0 for words that are not legal, whose mask is 0."""
    logits = np.where(masks > 0, logits, np.float32(-1e9))
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


class Adam:
    """Changes a network by gradients, each weight at its own pace."""

    def __init__(self, network: Network):
        self.network, self.steps = network, 0
        self._moments = [[np.zeros((2, *each.shape), np.float32) for each in layer] for layer in network]

    def step(self, gradients: Network, rate: float) -> None:
        """Move each weight against its gradient; all gradients are shortened to a length of at most 1."""
        self.steps += 1
        length = sum(float((each**2).sum()) for layer in gradients for each in layer) ** 0.5
        scale = min(1.0, 1 / (length + 1e-8))
        for layer, moments, changes in zip(self.network, self._moments, gradients, strict=True):
            for weights, (mean, square), change in zip(layer, moments, changes, strict=True):
                change = change * np.float32(scale)
                mean += 0.1 * (change - mean)
                square += 0.001 * (change**2 - square)
                pace = rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
                weights -= (pace * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
