"""Chance as a pure function: the k-th outcome of a purpose follows from the seed alone (ruling A8)."""

from collections.abc import Mapping, Sequence
from hashlib import sha256


class ScriptError(ValueError):
    """Scripted chance asks for an outcome that cannot come."""


class Chance:
    """Picks outcomes, from a script first and then from the seed.

    `script` maps a purpose to the outcomes it gives, in order; when they are used up, the seed goes
    on where it would have been. Any language can check a pick, and no Python version changes it.
    """

    def __init__(self, seed: str, script: Mapping[str, Sequence[str]] | None = None):
        self.seed = seed
        self.script = script or {}
        self._picked: dict[str, int] = {}

    def pick(self, purpose: str, outcomes: Sequence[str]) -> str:
        """The next outcome of this purpose. ScriptError: the script wants an impossible one."""
        k = self._picked.get(purpose, 0)
        self._picked[purpose] = k + 1
        scripted = self.script.get(purpose, ())
        if k < len(scripted):
            if scripted[k] not in outcomes:
                possible = ", ".join(outcomes)
                raise ScriptError(f"draws: {purpose}: {scripted[k]} cannot come here, only {possible}")
            return scripted[k]
        return outcomes[digest_number(f"{self.seed}/{purpose}/{k}") % len(outcomes)]


def digest_number(text: str) -> int:
    """The first eight bytes of the SHA-256 of a text, as a big-endian number."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")
