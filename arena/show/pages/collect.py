"""Reads all records in several processes; each game is replayed once, for its page and for the counts."""

import gc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.document import ConfigError
from arena.config.text import cause, quote
from arena.models.spec import is_model
from arena.referee.record import Record
from arena.rules import seat_name
from arena.show.pages.featured import Drama, closest_ending, longest_bluff
from arena.show.pages.game_data import game_script
from arena.tournament.runs.account import Answered, Faulted, game_of
from arena.tournament.runs.asks import stderr
from arena.tournament.runs.behaviour import Tallies, add_game, log_of, merge
from arena.tournament.runs.game_list import PlayedGame, shown_record
from arena.tournament.runs.model_answers import CallsOf, model_calls
from arena.tournament.runs.moments import Moment, moments_of
from arena.tournament.runs.store import Store

MAX_EXAMPLES = 3  # for each bot and kind of fault
_MAX_QUOTE = 300  # characters of stderr


class Task(NamedTuple):
    """A game to read, its index `at` in the list of all games, and the facts for its page or None."""

    at: int
    played: PlayedGame
    facts: Mapping[str, Any] | None


class Chunk(NamedTuple):
    """Games of one run, the folder for their data, and whether pages show the stderr of bots."""

    run: Path
    out: Path
    tasks: Sequence[Task]
    shows_stderr: bool


class FaultExample(NamedTuple):
    """A fault that a page shows in detail. `cause` is the error that a crashed bot wrote to stderr, or ""."""

    at: int  # the index of its game
    seat: int
    detail: str
    cause: str
    moment: int | None  # counted from 0; None if the game has no page


@dataclass
class Faults:
    """Faults of one kind of one bot: how many, in how many games, and examples.

    An example is the first fault of a game; there are at most `MAX_EXAMPLES`.
    """

    count: int = 0
    games: int = 0
    examples: list[FaultExample] = field(default_factory=list)

    def merge(self, other: "Faults") -> None:
        self.count += other.count
        self.games += other.games
        found = self.examples + other.examples
        found.sort(key=lambda example: (example.moment is None, example.at, example.moment or 0))
        self.examples = found[:MAX_EXAMPLES]


class Measured(NamedTuple):
    """The numbers of a game for the list: answers of all bots, seconds, and faults by seat."""

    answers: int
    seconds: float | None
    faults: tuple[int, ...]


class Slowest(NamedTuple):
    """The slowest answer of a bot, with its game and moment as in `FaultExample`; 0 for `ready`."""

    microseconds: int
    at: int
    moment: int | None


@dataclass
class Collected:
    """The counts from some games. `merge` adds the counts of other games."""

    tallies: dict[str, Tallies] = field(default_factory=dict)  # by game and bot
    faults: dict[tuple[str, str], Faults] = field(default_factory=dict)  # by bot and kind
    slowest: dict[str, Slowest] = field(default_factory=dict)  # by bot
    measured: dict[int, Measured] = field(default_factory=dict)  # by index, of the games with a page
    bluffs: dict[int, Drama] = field(default_factory=dict)  # by index, like `endings`, of games with a page
    endings: dict[int, Drama] = field(default_factory=dict)
    unshown: dict[int, str] = field(default_factory=dict)  # by index, why a game cannot be replayed

    def merge(self, other: "Collected") -> None:
        for game, tallies in other.tallies.items():
            merge(self.tallies.setdefault(game, {}), tallies)
        for key, faults in other.faults.items():
            self.faults.setdefault(key, Faults()).merge(faults)
        for bot, slowest in other.slowest.items():
            known = self.slowest.get(bot, slowest)
            self.slowest[bot] = max(known, slowest, key=lambda each: (each.microseconds, -each.at))
        self.measured |= other.measured
        self.unshown |= other.unshown
        self.bluffs |= other.bluffs
        self.endings |= other.endings


def collect(chunk: Chunk) -> Collected:
    """Read the games of a chunk, and write the data of games with pages.

    Raises:
        ConfigError: A record is damaged.
    """
    found = Collected()
    gc.disable()  # A game has many small objects, and the collector would take a fifth of the time.
    try:
        with Store(chunk.run) as store, model_calls(chunk.run) as calls:
            for task in chunk.tasks:
                record = shown_record(store, task.played.game.id)
                record = record if chunk.shows_stderr else record.without_stderr()
                with store.reading(task.played.game.id):
                    _add_record(found, task, record, chunk.out, calls)
    finally:
        gc.enable()
        gc.collect()
    return found


def _add_record(found: Collected, task: Task, record: Record, out: Path, calls: CallsOf) -> None:
    """Add a game, and write its data if it gets a page.

    If it cannot be replayed, only its faults count. If the record belongs to another game, nothing counts.
    """
    if record.fixture.id != task.played.game.id:  # Someone edited the file.
        found.unshown[task.at] = f"the record is that of game {record.fixture.id}"
        return
    moments: list[Moment] = []
    try:
        game = game_of(record)
        if task.facts is None:
            log = log_of(game, record) if game.figures else []
        else:
            match = record.fixture.match(game)
            moments, log = list(moments_of(record, match)), match.log
            if drama := longest_bluff(game, log, moments):
                found.bluffs[task.at] = drama
            if not task.played.game.forfeits and (drama := closest_ending(record, moments)):
                found.endings[task.at] = drama
        add_game(found.tallies.setdefault(game.name, {}), game, task.played.names, record, log)
        _add_slowest(found, task, record, moments)
    except ConfigError as error:
        found.unshown[task.at] = str(error)
    if record.faults:
        _add_faults(found, task, record, moments)
    if task.facts is not None and task.at not in found.unshown:
        answers = sum(len(reply) for reply in record.replies if isinstance(reply, dict))
        faults = Counter(fault.seat for fault in record.faults)
        by_seat = tuple(faults[seat] for seat in range(len(record.fixture.bots)))
        found.measured[task.at] = Measured(answers, record.trace.get("seconds"), by_seat)
        asked = calls(record.fixture.id) if any(map(is_model, record.fixture.fingerprints)) else ()
        script = game_script(record, task.played.names, task.facts, moments, asked)
        (out / f"{record.fixture.id}.js").write_text(script, encoding="utf-8")


def _add_faults(found: Collected, task: Task, record: Record, moments: Sequence[Moment]) -> None:
    """Add the faults of a game; the first of each bot and kind is an example."""
    # Each fault is a moment of its own, in the same order.
    at = [number for number, moment in enumerate(moments) if isinstance(moment.said[0], Faulted)]
    wrote = stderr(record)
    seen = set()
    for number, (seat, kind, _, detail) in enumerate(record.faults):
        key = task.played.names[seat], kind
        error = cause(wrote.get(seat_name(seat), "")) if kind in ("crashed", "unstarted") else ""
        moment = at[number] if at else None
        example = FaultExample(task.at, seat, detail, quote(error, _MAX_QUOTE) if error else "", moment)
        one = Faults(1) if key in seen else Faults(1, 1, [example])
        found.faults.setdefault(key, Faults()).merge(one)
        seen.add(key)


def _add_slowest(found: Collected, task: Task, record: Record, moments: Sequence[Moment]) -> None:
    """Keep the slowest answer of each bot; if several are equally slow, the one in the first game."""
    for seat, spent in enumerate(record.trace.get("microseconds", ())):
        bot, worst = task.played.names[seat], max(spent, default=0)
        known = found.slowest.get(bot)
        if worst > (known.microseconds if known else 0):
            moment = _moment_of(moments, seat, spent.index(worst)) if moments else None
            found.slowest[bot] = Slowest(worst, task.at, moment)


def _moment_of(moments: Sequence[Moment], seat: int, ask: int) -> int:
    """The moment, from 0, of a seat's answer to this ask. Ask 0 is `ready`, before all moments."""
    answers = [
        number
        for number, moment in enumerate(moments)
        for said in moment.said
        if isinstance(said, Answered) and said.seat == seat
    ]
    return answers[ask - 1] if 0 < ask <= len(answers) else 0
