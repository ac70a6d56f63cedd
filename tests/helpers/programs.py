"""Bots that are one-line programs, well-behaved and misbehaving, and tables to play them at.

`misbehaving_bot(move="time.sleep(100)")` is a Python program that plays like any other, except that it sleeps
when it is asked for its first move.
"""

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from driving import duel, game_of, relay

from arena import games
from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.play.meter import has_schedstat
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.rules import ALL, Ask, Choice, Game, Result, Tell
from arena.tournament.runs.store import Store
from arena.tournament.runs.verify import replay_problem

MARK = "ARENA_TEST_MARK"  # in the environment of every program here, and of all that it starts
FOLDER = Path("/")

PLAIN = 'while read -r verb id rest; do case $verb in ask) set -- ${rest#*: }; echo "$id $1";; esac; done'
"""A shell program that always takes the first option; it costs next to nothing to start."""

READY = "read -r hello; echo ok; read -r game; read -r ready; echo ok; "
"""The beginning of a shell program: what follows is the game."""

needs_figures = pytest.mark.skipif(not has_schedstat(), reason="the system does not tell what a process uses")

MISBEHAVING_BOT = """
import os, signal, sys, time
{start}
for line in sys.stdin:
    words = line.split()
    if words[0] == "game":
        moves = 0
    answer = words[1] + " " + words[words.index(":") + 1] if words[0] == "ask" else ""
    if words[0] == "ask":
        {each}
        if words[2] == {when!r}:
            moves = 1 if words[2] == "hello" else moves + 1
            {move}
        print(answer, flush=True)
    elif words[0] == "end":
        {end}
    else:
        {news}
"""


PRELUDE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static void rest(void) { for (;;) pause(); }
static void at_start(void);
static void at_move(void);
static void *play(void *none)
{
    static char line[9000], id[20], kind[40], option[100];
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "ask %19s %39s", id, kind) == 2 && sscanf(strstr(line, " : ") + 3, "%99s", option)) {
            if (strcmp(kind, "move") == 0)
                at_move();
            printf("%s %s\\n", id, option);
            fflush(stdout);
        }
    _exit(0);
}
int main(void) { at_start(); play(NULL); }
"""
"""A bot in C that plays like any other, between what it does at its start and at each move."""


async def gossip(ring: object, options: dict[str, object]) -> Result:
    """All seats hear 80 kB a round: more than fits into a pipe."""
    for _ in range(options["rounds"]):
        for _ in range(80):
            await Tell(ALL, "x" * 1000)
        await Ask({seat: Choice("move", ("stay", "go")) for seat in range(ring.seats)})
    return ring.result()


GAMES: dict[str, Game] = {game.name: game for game in (game_of(relay), game_of(duel), game_of(gossip))}


def add_little_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games of these tests stand in the registry, where a table and `verify` look for them."""
    for name, game in GAMES.items():
        monkeypatch.setitem(games.INSTALLED, name, game)


def marked(*command: str) -> tuple[str, ...]:
    """The command with a mark of this process in its environment, so that `survivors` finds it."""
    return (shutil.which("env"), f"{MARK}={os.getpid()}", *command)


def shell(name: str, script: str) -> Bot:
    return Bot(name, marked("/bin/sh", "-c", script), FOLDER, "0" * 16)


def python(name: str, code: str) -> Bot:
    command = marked(sys.executable, "-I", "-S", "-c", code)
    return Bot(name, command, FOLDER, "0" * 16, installed=(Path(sys.executable),))


def misbehaving_bot(
    start: str = "pass",
    each: str = "pass",
    move: str = "pass",
    news: str = "pass",
    end: str = "pass",
    when: str = "move",
) -> Bot:
    """A program that does these things at its start, each ask, each move (or `when`), other line, each end.

    `words` are those of the line just read, `answer` what it will say, `moves` counts in each game.
    """
    return python(
        "misbehaving",
        MISBEHAVING_BOT.format(start=start, each=each, move=move, news=news, end=end, when=when),
    )


def in_c(at_start: str, at_move: str, folder: Path) -> Bot:
    """A program in C that plays like any other, and does these things at its start and at each move.

    Its test is marked `compiler`.
    """
    source, program = folder / "bot.c", folder / "bot"
    source.write_text(
        f"{PRELUDE}static void at_start(void) {{{at_start}}}\nstatic void at_move(void) {{{at_move}}}\n"
    )
    subprocess.run(["cc", "-w", "-pthread", "-o", program, source], check=True)
    return replace(shell("misbehaving", f"exec {program}"), files=(program,))


def built_by(folder: Path, script: str) -> Bot:
    """A bot that a shell script makes."""
    (folder / "bot.yaml").write_text("build: [sh, make.sh]\nrun: [build/bot]\n")
    (folder / "make.sh").write_text(script)
    return read_bot(folder, name="built")


def raw(*command: str, files: Sequence[Path] = ()) -> Bot:
    """A command as it is."""
    return Bot(
        "misbehaving", command, FOLDER, "0" * 16, files=tuple(files), installed=(Path(sys.executable),)
    )


AMPLE = {"move": 10.0, "start": 30.0}
"""So much time that a busy machine is no fault of a bot: for all but tests of time, which are slow."""


def fixture(*bots: str, game: str = "relay", strikes: int = 3, seed: str = "", **more: float) -> Fixture:
    """A short game between these bots, with 0.2 s for an answer; `more` are times and options."""
    times = {"move": 0.2, "bank": 0.0, "start": 2.0}
    options = {name: value for name, value in more.items() if name not in times}
    made = Fixture(
        game=game,
        version=games.find(game).version,
        options=games.find(game).defaults() | ({"rounds": 4} if game in GAMES else {}) | options,
        bots=bots,
        fingerprints=("0" * 16,) * len(bots),
        conditions=Conditions(
            clock=TimeControl(**times | {name: more[name] for name in more.keys() & times}), strikes=strikes
        ),
    )
    return deal_alone(made, seed or uuid.uuid4().hex)


@contextmanager
def table_with(bot: Bot, reuse: bool = True, sandbox: Sandbox = LIMITS_ONLY) -> Iterator[ProgramTable]:
    """A table with this bot and two good bots. After it is closed, nothing that they started is alive."""
    bots = [bot, shell("one", PLAIN), shell("two", PLAIN)]
    with ProgramTable({each.name: each for each in bots}, reuse, sandbox) as table:
        yield table
    assert survivors(within=5) == []


def play(
    bot: Bot, reuse: bool = True, same: bool = True, sandbox: Sandbox = LIMITS_ONLY, **more: object
) -> Record:
    """Play this bot between two good bots, then once more, and check what must always be so.

    The game ends; its record replays; the good bots have no faults; the next games at the same table
    work. With `same` the bot has the same faults both times. Returns the record of the first game.
    """
    with table_with(bot, reuse, sandbox) as table:
        record = table.play(fixture("one", "misbehaving", "two", **more))
        check(record)
        without = table.play(fixture("two", "one", **AMPLE))
        assert without.faults == ()
        again = table.play(fixture("one", "misbehaving", "two", **more))
        check(again)
        assert kinds(again) == kinds(record) or not same
    return record


def trying(code: str) -> Bot:
    """A bot that writes to stderr what it gets for an expression: its value, or the error."""
    attempt = f"try:\n    said = repr({code})\nexcept Exception as error:\n    said = repr(error)"
    modules = "ctypes, fcntl, resource, socket, struct, subprocess"
    return misbehaving_bot(start=f"import {modules}\n{attempt}\nprint(said, file=sys.stderr)")


def tried(sandbox: Sandbox, code: str, **files: Path) -> str:
    """What a bot with these files gets for an expression."""
    record = play(replace(trying(code), files=tuple(files.values())), sandbox=sandbox)
    assert record.faults == ()
    return heard(record, 1).strip()


def play_leisurely(
    table: ProgramTable, bots: Sequence[str], game: str, seed: str, options: Mapping[str, object]
) -> Record:
    """One game between bots of a table, with ample time."""
    fixture = Fixture(
        game=game,
        version=games.find(game).version,
        options=games.find(game).defaults() | options,
        bots=tuple(bots),
        fingerprints=tuple(table.bots[name].fingerprint for name in bots),
        conditions=Conditions(clock=TimeControl(**AMPLE)),
    )
    return table.play(deal_alone(fixture, seed))


def check(record: Record) -> None:
    """The game was played to its end, and only the misbehaving bot, p2, has faults."""
    assert replay_problem(record) == ""
    assert {fault.seat for fault in record.faults} <= {1}
    assert set(record.forfeits) <= {1}
    places = record.result[0]
    assert places[0] == places[2] == 1
    assert places[1] == (3 if 1 in record.forfeits else 1)


def kinds(record: Record) -> list[str]:
    return [fault.kind for fault in record.faults]


def words(record: Record) -> str:
    """The words of the last fault."""
    return record.faults[-1].detail


def heard(record: Record, seat: int) -> str:
    """What the bot on a seat has written to stderr."""
    return record.trace["stderr"].get(seat + 1, "")


def survivors(within: float = 0.0, mark: str = str(os.getpid())) -> list[str]:
    """Programs with this mark that are still alive after so many seconds, zombies left out."""
    deadline = time.monotonic() + within
    while True:
        left = []
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                    left.append(f"{process.pid} {' '.join(process.cmdline())[:100]}")
            except psutil.Error:
                pass  # gone meanwhile, a zombie, or of another user
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def games_in(path: Path) -> int:
    """How many games a run file has by now."""
    try:
        with Store(path) as store:
            return len(store.played())
    except ConfigError:  # not there yet, or just being made
        return 0
