"""What a bot costs in each language: its start, and a round trip of a minimal bot."""

from pathlib import Path
from typing import NamedTuple

from arena.bench.bots import LANGUAGES, minimal_bot
from arena.bench.starts import Cost, costs
from arena.core.config import ConfigError

STARTS, ROUNDS = 9, 2000


class LanguageCost(NamedTuple):
    """`skipped` says why a language was not measured, else it is empty."""

    language: str
    skipped: str
    costs: list[Cost]


def language_cost(language: str, folder: Path) -> LanguageCost:
    try:
        return LanguageCost(language, "", list(costs(minimal_bot(language, folder), STARTS, ROUNDS)))
    except ConfigError as error:
        why = str(error.args[0]) if error.args else "does not work here"
        return LanguageCost(language, why.partition(" (needed")[0].rpartition("run: ")[2], [])


def language_costs(folder: Path) -> list[LanguageCost]:
    return [language_cost(language, folder) for language in LANGUAGES]
