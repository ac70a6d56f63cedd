"""The deals of a run: everything random in a run follows from one text, its secret.

The secret is the `seed:` of the plan, or 256 random bits that are drawn when the run begins. Each use of the
secret is an HMAC-SHA256 (RFC 2104) of its own label, with the secret as key. So a bot cannot compute the deal
or another bot's seed from the `seed=` that it gets, and without the secret no deal can be computed from other
deals. `docs/fair-deals.md` lists the labels. With them a run can be checked in any language.

A run publishes its *commitment* before the first game: the SHA-256 of the plan, the fingerprints of the
bots and the secret. When the secret is revealed, anyone can check that no card was changed since then.
"""

import hmac
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from arena.config.document import ConfigError
from arena.referee.conditions import MODEL, REMEMBERING
from arena.referee.fixture import Fixture, in_order, to_json

_RANDOM = re.compile(r"[0-9a-fA-F]{32,}")  # like the output of `openssl rand -hex 16`
_MIN_DIFFERENT_DIGITS = 8  # of 28 million texts of 32 random hexadecimal digits, one has fewer


def derive(secret: str, label: str) -> bytes:
    """The HMAC-SHA256 of a label, with the secret as key: 32 bytes. Both texts are encoded as UTF-8."""
    keyed = _keyed(secret).copy()
    keyed.update(label.encode())
    return keyed.digest()


@lru_cache(16)
def _keyed(secret: str) -> hmac.HMAC:
    """The HMAC with this key, before a label. A copy takes half the time of a new one; games need several."""
    return hmac.new(secret.encode(), digestmod="sha256")


@lru_cache(16)
def run_name(secret: str) -> str:
    """The name of the run with this secret, which does not reveal it: sixteen hex digits."""
    return derive(secret, "run").hex()[:16]


def deal(fixture: Fixture, secret: str, attempt: int) -> Fixture:
    """The fixture with its deal. `attempt` says how often its seed group was void before."""
    # All games of a seed group share the seed of the deal, unless each game has a deal of its own. Each bot
    # has its own seed in each game. A new version of a bot changes all of these seeds, because its author may
    # know the cards of the earlier games. Where deals are shared, a game with a single language model has the
    # same deal for any model in its place. So models can be compared deal by deal.
    rotation = f"{fixture.rotation}/" if _has_own_deal(fixture) else ""
    label = f"deal/{fixture.game}/{attempt}/{rotation}{_group_label(fixture)}"
    return fixture.with_deal(attempt, derive(secret, label).hex()[:32], _bot_seeds(secret, fixture, attempt))


def _group_label(fixture: Fixture) -> str:
    """The part of a label that names the seed group: the versions of its bots and its name.

    If one bot is a language model, these are the versions and names of the others, and the number of the
    group. Where each game has its own deal, the model is named as well: models would share the deal
    otherwise.
    """
    bots = zip(fixture.bots, fixture.fingerprints, strict=True)
    others = sorted((bot, made) for bot, made in bots if not made.startswith(MODEL))
    if len(others) != len(fixture.bots) - 1 or _has_own_deal(fixture):
        return f"{fixture.lineup}/{fixture.group}"
    number = fixture.group.rpartition(" ")[2]
    versions = sha256(" ".join(made for _, made in others).encode()).hexdigest()[:16]
    return f"model/{versions}/{' '.join(bot for bot, _ in others)} {number}"


def _has_own_deal(fixture: Fixture) -> bool:
    """Whether no other game has this game's deal: the plan says so, or a person or a remote bot plays.

    These may remember a deal. The arena ends the processes of other bots before they could see a deal twice.
    """
    return not fixture.conditions.has_equal_deals or not REMEMBERING.isdisjoint(fixture.fingerprints)


def deal_alone(fixture: Fixture, seed: str) -> Fixture:
    """The fixture of a game outside a run, with the deal of this seed; the bots' seeds follow from it."""
    return fixture.with_deal(fixture.attempt, seed, _bot_seeds(seed, fixture))


def _bot_seeds(secret: str, fixture: Fixture, attempt: int = 0) -> tuple[int, ...]:
    """The `seed=` of each seat: the first eight bytes of its HMAC, big-endian, modulo 2^31."""
    head = f"bot/{fixture.game}/{attempt}/{fixture.rotation}"
    tail = _group_label(fixture)
    return tuple(
        int.from_bytes(derive(secret, f"{head}/{seat}/{tail}")[:8], "big") % 2**31
        for seat in range(len(fixture.bots))
    )


def check_seed(seed: str) -> str:
    """The seed itself.

    Raises:
        ConfigError: The seed cannot be encoded as UTF-8.
    """
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise ConfigError("seed: should be text in UTF-8") from None
    return seed


def is_guessable(seed: str) -> bool:
    """Whether a bot could guess a seed: it is not at least 32 hexadecimal digits that look random."""
    return not _RANDOM.fullmatch(seed) or len(set(seed.lower())) < _MIN_DIFFERENT_DIGITS


WARNING = "the seed can be guessed, and all deals computed from it (docs/fair-deals.md)"


def list_text(plan: Mapping[str, Any]) -> str:
    """The plan of a contest's final with the fingerprints of its entries, as one line of JSON.

    It is published at the deadline. `plan` is `Plan.identity`; its key `run` is left out.
    """
    return to_json(in_order({key: value for key, value in plan.items() if key != "run"}))


def final_secret(secret: str, text: str) -> str:
    """The secret of a contest's final, from the contest's secret and the `list_text`: 64 hex digits."""
    return derive(secret, text).hex()


def hash_of(text: str) -> str:
    """The SHA-256 of a text in UTF-8, as 64 hex digits."""
    return sha256(text.encode()).hexdigest()


def commitment_text(plan: Mapping[str, Any], secret: str) -> str:
    """The line of JSON whose hash is the commitment; `plan` is `Plan.identity` when the run begins."""
    return to_json(in_order({"plan": plan, "secret": secret})) + "\n"


def commitment(plan: Mapping[str, Any], secret: str) -> str:
    """The SHA-256 of `commitment_text`, as 64 hex digits."""
    return hash_of(commitment_text(plan, secret))
