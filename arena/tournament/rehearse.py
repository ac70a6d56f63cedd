"""Feeds a recorded game to a bot, and compares its answers with those that were recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.programs.bot import BotError
from arena.programs.play.build import build
from arena.programs.play.player import Player
from arena.programs.play.table import Table
from arena.programs.sandbox.policy import choose
from arena.referee.protocol import DEATH
from arena.referee.record import Record
from arena.referee.rehearsal import Answer, Part, Rehearsal
from arena.rules import seat_name
from arena.tournament.runs.bot_input import Sender, check_has_ids
from arena.tournament.single import distinct_bots


class Compared(NamedTuple):
    """An ask with the recorded answer (`part.answer`), the one now, and the stderr that came with it now."""

    part: Part
    now: Answer
    stderr: str

    @property
    def differs(self) -> bool:
        """Whether the answer or its faults are others; its time does not matter."""
        return self.part.answer[:2] != self.now[:2]


def rehearse(
    record: Record, path: Path, seat: int | None = None, files: Sequence[Path] = ()
) -> tuple[int, list[Compared]]:
    """Feed a bot what a seat was sent; returns the seat, and all asks that the bot has lived to see.

    The seat is that of the bot with the same name, unless one is given. ConfigError: the bot cannot be read,
    built or started, no such seat can be found, or the record is too old.
    """
    check_has_ids(record)
    (bot,) = distinct_bots([path], files).values()
    seat = _seat_of(record, bot.name) if seat is None else seat
    conditions = record.fixture.conditions
    sandbox = choose(conditions.limits)
    build([bot], sandbox)
    sender = Sender(record, seat)
    rehearsal = Rehearsal(sender.parts(), sender.why_not, conditions.clock)
    with Table({bot.name: bot}, sandbox=sandbox) as table:
        if faults := table.greet(conditions.clock.start):
            raise BotError({bot.name: bot}, {}, faults)
        player = table.rehearse(bot.name, rehearsal, conditions)
        return seat, _compare(rehearsal, player)


def _seat_of(record: Record, name: str) -> int:
    bots = record.fixture.bots
    if bots.count(name) != 1:
        seats = ", ".join(f"{seat_name(seat)} {bot}" for seat, bot in enumerate(bots))
        many = "several seats are" if name in bots else "no seat is"
        raise ConfigError(f"{many} called {name}; choose one with --seat: {seats}")
    return bots.index(name)


def _compare(rehearsal: Rehearsal, player: Player) -> list[Compared]:
    """What was asked, with the recorded answers and those of the player."""
    answers = list(rehearsal.answers)
    last = answers[-1]
    if any(DEATH in detail for _, detail in last.faults):
        how = player.reap()
        faults = tuple((kind, detail.replace(DEATH, how)) for kind, detail in last.faults)
        answers[-1] = last._replace(faults=faults)
    said: dict[int, str] = {}
    for ask, text in player.take_stderr():
        ask = min(ask, len(answers) - 1)
        said[ask] = said.get(ask, "") + text
    return [
        Compared(part, answer, said.get(ask, ""))
        for ask, (part, answer) in enumerate(zip(rehearsal.parts, answers, strict=True))
    ]
