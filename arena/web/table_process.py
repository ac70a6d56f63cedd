"""The table process plays one game of people: `python -m arena.web.table_process`, started by the host.

It keeps a journal. If this process is killed, another one goes on from the journal. The deal is drawn here
and is only in the journal, until the game is over and its record is in people.db.
"""

import json
import os
import secrets
import signal
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.game_options import find_game
from arena.programs.play.build import build, tell_nothing
from arena.programs.play.journal import Journal
from arena.programs.play.link import start_player
from arena.programs.play.room import Room, TableClosed
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import choose
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture, version_problem
from arena.referee.record import Record, fixture_from_json
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack
from arena.tournament.single import person
from arena.web.database import Database
from arena.web.seatings import PERSON, Seating, begin_seating, end_seating, find_seating
from arena.web.settings import ServerSettings, read_settings, when_parent_ends

# Ample, because a busy machine should not cause faults of house bots.
_BOT_CLOCK = TimeControl(move=10.0, start=60.0)
_IDLE = "The table was closed, because nobody has played for some time."
_LOCKED_S = 30.0  # the time for which other processes may lock a journal or people.db


def journal_path(folder: Path, table: str) -> Path:
    return folder / "tables" / f"{table}.jsonl"


def play(settings: ServerSettings, database: Database, seating: Seating) -> None:
    """Begin or continue the game of a table, play it to its end, and put its record into people.db."""
    path = journal_path(settings.folder, seating.id)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with closing(_open_journal(path)) as journal:
        room = Room(seating.id, journal, settings.runtime / "gate")
        signal.signal(signal.SIGTERM, lambda *_: room.close_table())
        try:
            bots = bots_of(seating)
            fixture = _fixture(seating, journal, bots)
            begin_seating(database, seating.id)
            record = _play(fixture, bots, room)
        except TableClosed:
            closed = find_seating(database, seating.id)  # the operator closed it, or it was idle
            over: dict[str, Any] = (closed and closed.over) or {"closed": _IDLE}
        except ConfigError as error:
            over = {"closed": str(error)}
        else:
            over = _store(record, settings.folder / "people.db")
        end_seating(database, seating.id, over, room.finish(over))
        room.close()
        path.unlink()


def _fixture(seating: Seating, journal: Journal, bots: Mapping[str, Bot]) -> Fixture:
    """The game in the journal, or a new one, which is written to it.

    Raises:
        ConfigError: The game cannot be played.
    """
    if journal.first is None:
        if seating.state == "playing":
            raise ConfigError("The journal of this game is gone: it was begun before a backup was restored.")
        journal.begin({"fixture": json.loads(_new_fixture(seating, bots).json())})
    assert journal.first, "it has begun"
    fixture = fixture_from_json(journal.first["fixture"])
    if problem := version_problem(find_game(fixture.game), fixture.version):
        raise ConfigError(problem)
    return fixture


def _play(fixture: Fixture, bots: Mapping[str, Bot], room: Room) -> Record:
    sandbox = choose(fixture.conditions.limits)
    build(bots.values(), sandbox, tell_nothing)
    with ProgramTable(bots, sandbox=sandbox, player=partial(start_player, room)) as table:
        return table.play(fixture)


def bots_of(seating: Seating) -> dict[str, Bot]:
    """The players of a table by name: people, and house bots."""
    found = {}
    for name, seat in zip(seating.names, seating.seats, strict=True):
        bot = person(seating.move is not None) if seat == PERSON else read_bot(Path(seat))
        found[name] = replace(bot, name=name)
    return found


def _new_fixture(seating: Seating, bots: Mapping[str, Bot]) -> Fixture:
    game, seed = find_game(seating.game), secrets.token_hex(16)
    clock = _BOT_CLOCK
    if seating.move is not None:
        clock = TimeControl(move=seating.move, bank=seating.bank or 0.0, start=_BOT_CLOCK.start)
    fixture = Fixture(
        game=game.name,
        version=game.version,
        options=game.defaults() | seating.options,
        bots=tuple(bots),
        fingerprints=tuple(bot.fingerprint for bot in bots.values()),
        group=f"{' '.join(sorted(bots))} /{seed}",
        seed=seed,
        conditions=Conditions(clock=clock, ponder=False),
    )
    return deal_alone(fixture, seed)


def _open_journal(path: Path) -> Journal:
    """Open the journal, once no other process has it: one that was killed may take a moment to end.

    Raises:
        BlockingIOError: Another process still has it after `_LOCKED_S`.
    """
    end = monotonic() + _LOCKED_S
    while True:
        try:
            return Journal(path)
        except BlockingIOError:
            if monotonic() > end:
                raise
            sleep(0.05)


def _store(record: Record, path: Path) -> dict[str, Any]:
    """Put the record into people.db; returns the end of the game, for the last view of its people.

    Raises:
        ConfigError: The file people.db cannot be written, or other tables write to it for longer than
            `_LOCKED_S`.
    """
    end = monotonic() + _LOCKED_S
    while True:
        try:
            with Store(path, writer=True) as store:
                store.append([pack(record)])
            places, scores = record.result
            return {"places": places, "scores": scores, "record": record.fixture.id}
        except ConfigError:  # another table writes it
            if monotonic() > end:
                raise
            sleep(0.05)


def _exit() -> None:
    os._exit(1)  # supervisor and bots end with this process


def _main() -> None:
    settings = read_settings()
    table = sys.stdin.readline().strip()
    when_parent_ends(_exit)
    database = Database(settings.folder / "server.db")
    seating = find_seating(database, table)
    if seating and seating.state in ("new", "playing"):
        play(settings, database, seating)
    database.close()
    os._exit(0)  # the usual end would wait for the thread that reads stdin


if __name__ == "__main__":
    _main()
