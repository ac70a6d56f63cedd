"""Freezes pools for `arena score`: copies their bots, and measures the Elo. Freezes the quickstart's games.

    python benchmarks/freeze.py house-2027
    python benchmarks/freeze.py quickstart

`quickstart` plays the house bots of the quickstart, for two minutes, and writes their games beside its plan
(`arena.tournament.frozen`).

`POOLS` lists the bots and games. The bots are copied to `runs/NAME`, and each pool is played as a round robin
of these copies. This takes an hour or two, and resumes after Ctrl-C. `pools.json` keeps the fingerprints and
the Elo. Both become the archive `bots/pools/NAME.zip`, with its SHA-256 beside it. An archive is never
overwritten.
"""

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from operator import eq
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arena.programs.bot import Bot
from arena.programs.files import copy_folder, files_of
from arena.programs.game_options import check_options, find_game
from arena.programs.house import HOUSE_BOTS
from arena.programs.kits import quickstart
from arena.programs.machine import usable_cores
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import choose
from arena.rating.outcomes import Outcome
from arena.rating.rows import standings
from arena.rating.settings import Anchor, RatingSettings
from arena.rating.standings import Standing, rate_all
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.record import Record, Summary
from arena.tournament import formats
from arena.tournament import run as tournament
from arena.tournament.engine.local import Local
from arena.tournament.formats.plan import Plan
from arena.tournament.frozen import FROZEN_GAMES, write_frozen_games
from arena.tournament.plan.load import load_plan
from arena.tournament.pools import FILE
from arena.tournament.runs.store import Store

SOLID_ELO = 1500.0
MOVE_S = 2.0


class PoolPlan(NamedTuple):
    """The games of a pool: the groups of a score, of a quick one, and of the measurement.

    The `solid` bot fixes the scale: it has `SOLID_ELO`.
    """

    game: str
    seats: int
    solid: str
    bots: tuple[str, ...]
    groups: int
    quick: int
    measured: int


COMPLOTS = ("random", "honest", "bluffer", "counting", "learned", "adaptive", "searching")
LOCAL = ("random", "local_honest", "local_bluffer", "local_reader", "local_adaptive", "local_searching")
INTRIGUE = ("random", "intrigue_miser", "intrigue_buyer", "negotiator", "deviator", "sanctioner")
PLAYOUTS = ("--playouts", "400")  # A searching bot needs about 10 ms an answer for these, and no clock.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    **{name: (bot.role,) for name, bot in HOUSE_BOTS.items() if bot.role},
    **dict.fromkeys(("searching", "local_searching"), PLAYOUTS),
}
"""Arguments after a bot's command in the pool: its role in a folder of several, or a number of playouts."""
POOLS = (
    PoolPlan("complots", 4, "counting", COMPLOTS, groups=20, quick=2, measured=6),
    PoolPlan("complots", 2, "counting", COMPLOTS, groups=150, quick=20, measured=40),
    PoolPlan("local", 4, "local_reader", LOCAL, groups=35, quick=4, measured=10),
    PoolPlan("local", 2, "local_reader", LOCAL, groups=175, quick=25, measured=40),
    PoolPlan("intrigue", 4, "intrigue_buyer", INTRIGUE, groups=35, quick=4, measured=10),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="of the new pools, such as house-2027; or quickstart")
    name = parser.parse_args().name
    if name == "quickstart":
        write_frozen_games(FROZEN_GAMES, quickstart_games(load_plan(quickstart())))
        return
    archive = Path("bots", "pools") / f"{name}.zip"
    if archive.exists():
        parser.error(f"{archive} is frozen; choose another name")
    folder = Path("runs", archive.stem)
    folder.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(name for pool in POOLS for name in pool.bots):
        copy_bot(name, folder)
    text = json.dumps([measured(pool, folder) for pool in POOLS], indent=1)
    (folder / FILE).write_text(f"{text}\n", encoding="utf-8")
    pack(folder, archive)


def pack(folder: Path, archive: Path) -> None:
    """Write the archive of a folder, and its SHA-256; times and modes of the files do not matter."""
    with ZipFile(archive, "x") as packed:
        for path in files_of(folder, builds=False):
            entry = ZipInfo(path.relative_to(folder).as_posix())
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes(), ZIP_DEFLATED, 9)
    line = f"{sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"  # in the format of sha256sum
    archive.with_suffix(".sha256").write_text(line, encoding="ascii")


def quickstart_games(plan: Plan) -> list[Record]:
    """The games of the quickstart's plan, or of a part of it, played now, in fixture order."""
    with TemporaryDirectory() as folder, Store(Path(folder, "run.db"), writer=True) as store:
        play(plan, store)
        return [store.record(game.id) for game in store.summaries()]


def play(plan: Plan, store: Store) -> None:
    engine = partial(Local, jobs=usable_cores(), sandbox=choose(plan.conditions.limits))
    tournament.run(plan, store, engine, lambda progress: None, print)
    assert not store.faults(), f"{store.path}: a bot had faults"


def copy_bot(name: str, folder: Path) -> None:
    """Copy the present version of a house bot, a file or a folder."""
    source = read_bot(Path(f"house:{name}")).files[0]
    if source.is_dir():
        shutil.rmtree(folder / source.name, ignore_errors=True)
        copy_folder(source, folder / source.name, builds=True)
    else:
        shutil.copy(source, folder)


def measured(pool: PoolPlan, folder: Path) -> dict[str, Any]:
    """The entry of a pool in `pools.json`, after its round robin."""
    plan = plan_of(pool, folder)
    with Store(Path("runs") / f"{folder.name}-{pool.game}-{pool.seats}.db", writer=True) as store:
        play(plan, store)
        games = of_plan(plan, store.games())
    outcomes = [Outcome(game.bots, game.places, game.seed_group, game.forfeits) for game in games]
    settings = RatingSettings(anchor=Anchor(pool.solid, SOLID_ELO))
    rows = {row.bot: row for row in standings(rate_all(outcomes, settings))}
    print(pool.game, pool.seats, {name: f"{row.elo:.0f} ± {row.error:.0f}" for name, row in rows.items()})
    bots = {name: measured_bot(plan.bots[name], rows[name]) for name in pool.bots}
    about = {"game": pool.game, "version": plan.game.version, "seats": pool.seats}
    sizes = {"groups": pool.groups, "quick": pool.quick, "games": len(games)}
    return about | {"options": {**plan.options}, "move": MOVE_S} | sizes | {"bots": bots}


def of_plan(plan: Plan, games: Iterable[Summary]) -> list[Summary]:
    """The games of whole seed groups by the bots of the plan, which may have changed since the run began."""
    made = {name: bot.fingerprint for name, bot in plan.bots.items()}
    found = [game for game in games if all(map(eq, map(made.get, game.bots), game.fingerprints))]
    sizes = Counter(game.seed_group for game in found)
    return [game for game in found if sizes[game.seed_group] == len(game.bots)]


def measured_bot(bot: Bot, row: Standing) -> dict[str, Any]:
    about = {
        "path": bot.files[0].name,
        "arguments": ARGUMENTS.get(bot.name, ()),
        "fingerprint": bot.fingerprint,
    }
    return about | {"elo": round(row.elo, 1), "error": round(row.error or 0, 1)}


def pool_bot(name: str, folder: Path) -> Bot:
    copy = folder / read_bot(Path(f"house:{name}")).files[0].name
    return read_bot(copy, name=name, arguments=ARGUMENTS.get(name, ()))


def plan_of(pool: PoolPlan, folder: Path) -> Plan:
    game, form = find_game(pool.game), formats.find("round-robin")
    return Plan(
        name=folder.name,
        game=game,
        seats=(pool.seats,),
        options=check_options(game, {}, (pool.seats,)),
        bots={name: pool_bot(name, folder) for name in pool.bots},
        format=form,
        config=form.config(groups=pool.measured),
        conditions=Conditions(clock=TimeControl(move=MOVE_S)),
        seed=folder.name,
    )


if __name__ == "__main__":
    main()
