"""What a plan asks of a bot, whichever bots it names: its game, seats, options and conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena import formats
from arena.core.conditions import Conditions
from arena.core.config import Document
from arena.core.files import Shared
from arena.formats.config import RunConfig
from arena.plan.entrants import load_bots, shared_files
from arena.plan.game import check_options, find_game
from arena.plan.keys import PlanKeys
from arena.plan.load import check_keys, part, table_sizes
from arena.rules import Game

MANY = 1000  # bots: more than any table has seats


@dataclass(frozen=True)
class PlanTerms:
    """`files` are those that all bots may read."""

    game: Game
    seats: tuple[int, ...]
    options: Mapping[str, Any]
    conditions: Conditions
    run: RunConfig
    files: Sequence[Shared]


def load_terms(path: Path) -> PlanTerms:
    """Read a plan. Its bots are not read, unless their number decides the seats. ConfigError: it is wrong."""
    document = Document(path)
    keys: Any = document.check(PlanKeys)
    form = formats.planned()[keys.format]
    check_keys(form, document)
    game = find_game(keys.game, document)
    counted = keys.seats is None and not form.folder
    bots = len(load_bots(keys, document, refuse=False).bots) if counted else MANY
    seats = table_sizes(keys, form, game, bots, document)
    options = check_options(game, keys.options, seats, document)
    files = [each.shared for each in shared_files(keys.files, document, (), document)]
    return PlanTerms(game, seats, options, part(keys, Conditions), part(keys, RunConfig), files)
