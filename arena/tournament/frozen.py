"""The games of the quickstart between house bots, which are part of the arena.

At tables of three and more, the Elo of a bot depends on the company, even on the scores of the others against
each other. So a run of `arena run quickstart BOT` has the games of the house bots even if `arena run
quickstart` has not played them.

Each line of the file is the game part of a record. After a change of a house bot, the rules or the plan,
`python benchmarks/freeze.py quickstart` plays the games again.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.config.document import ConfigError
from arena.programs.kits import quickstart
from arena.referee.record import Record, reading, record_from_json
from arena.tournament import schedule
from arena.tournament.formats.plan import Plan
from arena.tournament.run import commit
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack

FROZEN_GAMES = quickstart().with_suffix(".jsonl.gz")
_SANDBOX = "of the games that come with the arena"


def write_frozen_games(path: Path, records: Iterable[Record]) -> None:
    lines = "".join(f"{record.game_part()}\n" for record in records)
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))


def read_frozen_games(path: Path) -> Iterator[Record]:
    """The games in the order of the file, without traces.

    Raises:
        ConfigError: The file is missing or damaged.
    """
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise ConfigError(f"{path}: {error}; install the arena again") from None
    for number, line in enumerate(lines, 1):
        with reading(f"{path}: line {number}"):
            yield record_from_json(line)


def add_frozen_games(house: Plan, store: Store) -> str:
    """Add the games of the house bots to a run, as if it had begun with the plan `house`.

    Returns a line for the user, or "" if the run has all of them. Only games of the plan are added, so a
    changed bot gets none.

    Raises:
        ConfigError: The games cannot be read, or the run cannot be written.
    """
    played = store.played()
    missing = {fixture.id for fixture in schedule.due(house, played) if fixture}
    if not missing or store.facts.revealed:
        return ""
    found = [pack(record) for record in read_frozen_games(FROZEN_GAMES) if record.fixture.id in missing]
    if found and not played:
        commit(house, store, _SANDBOX)
    store.append(found)
    said = f"{len(found)} games of the house bots come with the arena"
    lacking = len(missing) - len(found)
    return (
        f"{said}, {lacking} do not, because house bots have changed: --full plays them" if lacking else said
    )
