"""Chance is a pure function: the seed decides which outcome the k-th pick of a purpose gets (ruling A8)."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

__all__ = ("Chance", "ScriptError")


class ScriptError(ValueError):
    """Raised if a script names an outcome that is impossible at this point."""


class Chance:
    """Picks outcomes; `script` maps a purpose to its first outcomes, after which the seed decides."""

    # The seed goes on as if it had made the scripted picks as well. A pick depends only on SHA-256: a program
    # in any language can check it, and no Python version changes it.

    def __init__(self, seed: str, script: Mapping[str, Sequence[str]] | None = None):
        self.seed = seed
        self.script = script or {}
        self._picked: dict[str, int] = {}

    def pick(self, purpose: str, outcomes: Sequence[str]) -> str:
        """Pick one of `outcomes`: the next pick of this purpose.

        Raises:
            ScriptError: The script names an outcome that is not among them.
        """
        k = self._picked.get(purpose, 0)
        self._picked[purpose] = k + 1
        scripted = self.script.get(purpose, ())
        if k < len(scripted):
            if scripted[k] not in outcomes:
                possible = ", ".join(outcomes)
                raise ScriptError(f"draws: {purpose}: {scripted[k]} is impossible here; possible: {possible}")
            return scripted[k]
        return outcomes[_digest_number(f"{self.seed}/{purpose}/{k}") % len(outcomes)]

    def copy(self) -> "Chance":
        """A copy that will pick the same outcomes as this one."""
        copied = Chance(self.seed, self.script)
        copied._picked = self._picked.copy()
        return copied


def _digest_number(text: str) -> int:
    """The first eight bytes of a text's SHA-256, read as a big-endian number."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")
