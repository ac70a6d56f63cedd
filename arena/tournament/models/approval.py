"""Remembers which hosts may get which API keys: the user allows each pair once, in a file of the user.

A plan cannot allow a pair.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.config.document import ConfigError

_MAX_BYTES = 2**20


class HostKey(NamedTuple):
    """A host, with its port if the plan names one, and the environment variable of its key.

    `variable` is "" for a host that gets no key.
    """

    host: str
    variable: str

    def __str__(self) -> str:
        return f"{self.host} with {self.variable}" if self.variable else f"{self.host} without a key"


def approval_file() -> Path:
    """The path of the user's file with the allowed pairs; it may not exist."""
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "arena" / "model-hosts.json"


def approved() -> set[HostKey]:
    """The pairs that the user has allowed.

    Raises:
        ConfigError: The file is damaged.
    """
    path = approval_file()
    try:
        with path.open("rb") as file:
            pairs = json.loads(file.read(_MAX_BYTES))
        return {HostKey(str(host), str(variable)) for host, variable in pairs}
    except FileNotFoundError:
        return set()
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}; remove it to be asked again") from None


def remember(pairs: Iterable[HostKey]) -> None:
    """Add pairs to the user's allowed pairs.

    Raises:
        ConfigError: The file is damaged or cannot be written.
    """
    path = approval_file()
    found = sorted({*approved(), *pairs})
    new = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.write_text(json.dumps(found, indent=1) + "\n")
        new.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def is_allowed_by(pair: HostKey, hosts: Iterable[str]) -> bool:
    """Whether the host of a pair, with or without its port, is among `hosts`, the values of `--allow`."""
    return not {pair.host, pair.host.rpartition(":")[0] or pair.host}.isdisjoint(hosts)
