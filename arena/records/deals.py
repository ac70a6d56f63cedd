"""The deals of a run: everything random in it follows from one text, its secret.

The secret is the `seed:` of the plan, or 256 random bits that are drawn when the run begins. Every use has
an HMAC-SHA256 (RFC 2104) under the secret, of a label of its own. So a bot learns nothing of the deal from
the `seed=` that it is told, no bot can compute the seed of another, and without the secret no deal can be
computed from other deals. `fair-deals.md` has the labels, so that any language can check a run.

A run publishes its *commitment* before the first game: the SHA-256 of the plan, the fingerprints of the
bots and the secret. When the secret is revealed, anyone can check that no card was changed since.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from arena.core.config import ConfigError
from arena.records.fixture import Fixture, in_order, to_json

RANDOM = re.compile(r"[0-9a-fA-F]{32,}")  # such as `openssl rand -hex 16` prints
FEWEST_DIGITS = 8  # different ones: 32 random hexadecimal digits have fewer once in 100,000 times


def derive(secret: str, label: str) -> bytes:
    """The 32 bytes for one use of the secret; both texts are taken in UTF-8."""
    return hmac.digest(secret.encode(), label.encode(), "sha256")


@lru_cache(16)
def run_name(secret: str) -> str:
    """Sixteen hex digits that tell runs with different secrets apart, and nothing else of the secret."""
    return derive(secret, "run").hex()[:16]


def deal(fixture: Fixture, secret: str, attempt: int) -> Fixture:
    """The fixture with what chance gives it, when its seed group is played for the `attempt`-th time from 0.

    All games of a seed group share the seed of the deal. Each bot in each of them has a seed of its own. With
    another version of a bot both are others: the cards of the games before may be known by then.
    """
    return replace(
        fixture,
        attempt=attempt,
        seed=derive(secret, f"deal/{fixture.game}/{attempt}/{fixture.lineup}/{fixture.group}").hex()[:32],
        bot_seeds=bot_seeds(secret, fixture, attempt),
    )


def deal_alone(fixture: Fixture, seed: str) -> Fixture:
    """The fixture of a game outside of any run: this seed is that of the deal itself."""
    return replace(fixture, seed=seed, bot_seeds=bot_seeds(seed, fixture))


def bot_seeds(secret: str, fixture: Fixture, attempt: int = 0) -> tuple[int, ...]:
    """The `seed=` of each seat: the first eight bytes as a big-endian number, modulo 2^31."""
    head = f"bot/{fixture.game}/{attempt}/{fixture.rotation}"
    tail = f"{fixture.lineup}/{fixture.group}"
    return tuple(
        int.from_bytes(derive(secret, f"{head}/{seat}/{tail}")[:8], "big") % 2**31
        for seat in range(len(fixture.bots))
    )


def check_seed(seed: str) -> str:
    """The seed. ConfigError: UTF-8 has no bytes for it."""
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise ConfigError("seed: should be text in UTF-8") from None
    return seed


def is_guessable(seed: str) -> bool:
    """Whether a seed may have less than 64 random bits. A bot could test guesses against its own hand."""
    return not RANDOM.fullmatch(seed) or len(set(seed.lower())) < FEWEST_DIGITS


WARNING = "the seed can be guessed, and all deals computed from it (README: Fair deals)"


def commitment_text(plan: Mapping[str, Any], secret: str) -> str:
    """What a run commits itself to: one line of JSON. `plan` is `Plan.identity` as the run began."""
    return to_json(in_order({"plan": plan, "secret": secret})) + "\n"


def commitment(plan: Mapping[str, Any], secret: str) -> str:
    """The SHA-256 of `commitment_text`, as 64 hex digits."""
    return sha256(commitment_text(plan, secret).encode()).hexdigest()
