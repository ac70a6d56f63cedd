"""Gives workers access to language models, and keeps the API keys from the bots.

Theory of operation
-------------------
Bots run as the user of the arena, or as other users, and can see `/proc` in the tier `limits`. The first
environment of a process stays readable in `/proc/PID/environ`, even if the process changes its variables. So:

- The coordinator takes the keys out of its environment before it starts any process, and overwrites the place
  in its memory where the kernel shows them. Workers get them by the pipe of their set-up.
- On a Dask cluster the user puts the keys into the environment of the Dask workers. A Dask worker takes them
  out in the same way before it starts a bot.
- Coordinator and workers are not *dumpable* (prctl(2)): the kernel shows their memory and environment to no
  process of the same user.
- The user's shell still has the keys. Bots cannot read them there: a box has its own processes, and Landlock
  lets a bot trace, and so read, only its descendants. A machine that has neither is refused.
"""

import ctypes
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.config.document import ConfigError
from arena.models.secret import Secret
from arena.programs.sandbox.linux import landlock
from arena.programs.sandbox.policy import INSTALL, Sandbox

_PR_SET_DUMPABLE = 4


@dataclass(frozen=True)
class ModelAccess:
    """The ledger of a run, the API keys by environment variable, and a budget for all calls.

    `budget` is in the currency of the prices; None: no limit. With a `cassette` all answers are read from it,
    and no call is made. If `is_elsewhere`, the ledger is a file on the coordinator's machine, and the workers
    ask the coordinator.
    """

    ledger: Path
    keys: Mapping[str, Secret] = field(default_factory=dict)
    budget: float | None = None
    cassette: Path | None = None
    games: int = 1  # with models at a time, besides the other games; 0: they are played like the others
    is_elsewhere: bool = False


def take_keys(variables: Iterable[str]) -> dict[str, Secret]:
    """Remove these variables with API keys from the environment; returns the keys by variable.

    On Linux, other processes of the user cannot read the memory of this one from then on.

    Raises:
        ConfigError: A variable is not set, or has no valid key.
    """
    found, problems = dict[str, Secret](), list[str]()
    for name in variables:
        try:
            found[name] = Secret.from_environment(name)
        except ConfigError as error:
            problems += error.args
    if problems:
        raise ConfigError(*problems)
    for name in found:
        _wipe(name)
        del os.environ[name]
    hide_memory()
    return found


def _wipe(name: str) -> None:
    """Overwrite the value of an environment variable in memory, where `unsetenv` leaves it readable."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    if place := getenv(name.encode()):
        ctypes.memset(place, ord("x"), len(ctypes.string_at(place)))


def hide_memory() -> None:
    """On Linux, keep other processes of the same user from reading this one's memory and environment."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def refuse_exposed_keys(sandbox: Sandbox, variables: Iterable[str]) -> None:
    """Check that bots in this sandbox cannot read the keys of models.

    Raises:
        ConfigError: Bots in this sandbox could read the keys of these variables in processes of the user.
    """
    names = ", ".join(sorted(variables))
    if names and not sandbox.boxed and not landlock.version():
        why = "bots could read it in /proc on this machine, which has neither bubblewrap nor Landlock"
        raise ConfigError(f"{names}: {why}; {INSTALL}")
