"""What a bot process and all its descendants may use."""

import re
from dataclasses import dataclass

MB = 2**20
UNITS = {"K": 2**10, "M": MB, "G": 2**30}


@dataclass(frozen=True)
class Limits:
    """Limits of a process and all its descendants together; sizes in bytes.

    `memory` is their PSS, `processes` their number, `cpu` the seconds of CPU time that each may use while it
    lives, `disk` the size of $TMPDIR, `output` what may be written to stdout in a game.
    """

    memory: int = 256 * MB
    processes: int = 32
    cpu: float = 1200.0
    disk: int = 16 * MB
    output: int = 16 * MB


def size_of(value: object) -> int:
    """A size such as `256M`, in bytes."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG])", value) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be a size such as 512K, 256M or 1G, not {value!r}")
    return int(min(float(found[1]), 2.0**60) * UNITS[found[2]])  # an absurd size must not overflow
