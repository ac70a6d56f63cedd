"""Feeds a recorded game to a bot, and compares its answers with the recorded ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.programs.bot import BotError
from arena.programs.play.build import Tell, build, tell_nothing
from arena.programs.play.player import Player
from arena.programs.play.table import ProgramTable
from arena.programs.sandbox.policy import choose
from arena.referee.protocol import DEATH
from arena.referee.record import Record
from arena.referee.rehearsal import Rehearsal, RehearsedAnswer, SentPart
from arena.rules import seat_name
from arena.tournament.runs.bot_input import Sender, check_has_ids
from arena.tournament.single import distinct_bots


class Compared(NamedTuple):
    """An ask with its recorded answer (`part.answer`), and the answer and the stderr of the bot `now`."""

    part: SentPart
    now: RehearsedAnswer
    stderr: str

    @property
    def differs(self) -> bool:
        """Whether the answer or its faults differ; its time does not matter."""
        return self.part.answer[:2] != self.now[:2]


def rehearse(
    record: Record, path: Path, seat: int | None = None, files: Sequence[Path] = (), tell: Tell = tell_nothing
) -> tuple[int, list[Compared]]:
    """Send the bot at `path` the input of a seat; returns the seat, and each ask with the answers to it.

    If `seat` is None, it is the seat of the bot with the same name. If the bot's process exits early, the
    asks end there.

    Raises:
        ConfigError: The bot cannot be read, built or started, not exactly one seat has its name, or the
            record has no ids of asks.
    """
    check_has_ids(record)
    (bot,) = distinct_bots([path], files).values()
    seat = _seat_of(record, bot.name) if seat is None else seat
    conditions = record.fixture.conditions
    sandbox = choose(conditions.limits)
    build([bot], sandbox, tell)
    sender = Sender(record, seat)
    rehearsal = Rehearsal(sender.parts(), sender.why_not, conditions.clock)
    with ProgramTable({bot.name: bot}, sandbox=sandbox) as table:
        if faults := table.greet(conditions.clock.start):
            raise BotError({bot.name: bot}, {}, faults)
        return seat, _compare(rehearsal, table.rehearse(bot.name, rehearsal, conditions))


def _seat_of(record: Record, name: str) -> int:
    bots = record.fixture.bots
    if bots.count(name) != 1:
        seats = ", ".join(f"{seat_name(seat)} {bot}" for seat, bot in enumerate(bots))
        many = "several seats are" if name in bots else "no seat is"
        raise ConfigError(f"{many} called {name}; choose one with --seat: {seats}")
    return bots.index(name)


def _compare(rehearsal: Rehearsal, player: Player) -> list[Compared]:
    answers = list(rehearsal.answers)
    if not answers:  # The recorded bot was asked nothing, because its process did not start.
        return []
    faults = answers[-1].faults
    if any(DEATH in detail for _, detail in faults):
        how = player.reap()
        told = tuple((kind, detail.replace(DEATH, how)) for kind, detail in faults)
        answers[-1] = answers[-1]._replace(faults=told)
    stderr = [""] * len(answers)
    for ask, text in player.take_stderr():
        stderr[min(ask, len(answers) - 1)] += text
    return [*map(Compared, rehearsal.parts, answers, stderr)]
