"""What a bot process and all its descendants may use."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from arena.core.values import KEYS, MB, CpuTime, FileSize, MemorySize

# With eight times as many threads it stays below 2**22, the most that `pids.max` of a control group takes.
Processes = Annotated[int, Field(strict=True, ge=1, le=100_000)]


@dataclass(frozen=True)
class Limits:
    """What one bot may use, with all its processes; sizes such as 512K, 256M or 1G."""

    __pydantic_config__ = KEYS

    # In bytes and seconds. Without a control group, memory is counted as PSS.
    memory: MemorySize = 256 * MB
    """Memory; 256M by default."""
    processes: Processes = 32
    """Processes at a time, and eight times as many threads; 32 by default."""
    cpu: CpuTime = 1200.0
    """CPU time of each process while it lives; 20m by default."""
    disk: FileSize = 16 * MB
    """Files in $TMPDIR; 16M by default."""
    output: FileSize = 16 * MB
    """What may be written to stdout in a game; 16M by default."""
