"""Explains a fault: its meaning, what to change, and the lines of the game that led to it."""

from collections.abc import Mapping
from typing import Any

from arena.config.text import cause, yaml_word
from arena.programs.check.diagnosis import UNFLUSHED, WAITING, Diagnosis, diagnose, wrong_line
from arena.programs.check.excerpt import Excerpt, excerpt_of, stderr_lines
from arena.programs.check.table import CheckedGame, CheckTable
from arena.referee.clock import TimeUsage
from arena.referee.protocol import read_answer
from arena.referee.seat import Fault
from arena.rules import Game, seat_name

QUIET_S = 1.0  # and twice the limit: a bot that only slept has written by then
_MAX_QUIET_S = 10.0
AFTER_S = 1.0  # for a bot that does not flush to end, once its stdin is closed


def explain(
    table: CheckTable, game: Game, played: CheckedGame, fault: Fault
) -> tuple[Diagnosis, tuple[str, ...]]:
    """The meaning of a bot's fault, and lines that explain it.

    If the bot was silent, `table` starts a new process to find out whether its answer was not flushed.
    """
    record, log = played.record, played.logs[fault.seat]
    fixture, excerpt = record.fixture, _excerpt_of(played, fault)
    limit = fixture.conditions.clock.move
    stderr = record.trace["stderr"].get(fault.seat + 1, "")
    figures = [record.trace["figures"].get(seat + 1, {}) for seat in played.logs]
    usage = [TimeUsage(*(each / 1e6 for each in used)) for seat in figures for used in seat.values()]
    diagnosis = diagnose(fault, excerpt, stderr, usage, limit)
    if diagnosis is WAITING and excerpt.ask is not None:
        sent = [line.text for line in log if line.sent]
        text = "\n".join([*sent[: sent.index(excerpt.ask.text) + 1], ""])
        late = table.at_end_of_input(text, min(QUIET_S + 2 * limit, _MAX_QUIET_S), AFTER_S)
        if any(read_answer(line)[0] == excerpt.id for line in late):
            diagnosis = UNFLUSHED
    if fault.kind == "crashed" and (why := cause(stderr)):
        diagnosis = diagnosis._replace(words=f"{diagnosis.words}: {why}")
    where = f"{seat_name(fault.seat)} of {len(fixture.bots)}, seed '{fixture.seed}'"
    nothing = {"late": f"nothing for {excerpt.limit} ms", "crashed": "nothing"}.get(fault.kind, "")
    return diagnosis, (
        " ".join([where, *changed_options(game, fixture.options)]),
        *excerpt.lines(nothing),
        f"! {fault.kind}: {fault.detail}",
        *stderr_lines(stderr),
    )


def illegally_answered(played: CheckedGame, fault: Fault) -> str:
    """The kind of the ask if the answer was not among its options; "" for other mistakes."""
    excerpt = _excerpt_of(played, fault)
    return excerpt.kind if fault.kind == "illegal" and not wrong_line(excerpt) else ""


def _excerpt_of(played: CheckedGame, fault: Fault) -> Excerpt:
    same = [each for each in played.faults if (each.seat, each.kind) == (fault.seat, fault.kind)]
    number = next(index for index, each in enumerate(same) if each is fault)
    return excerpt_of(played.logs[fault.seat], fault, number)


def changed_options(game: Game, options: Mapping[str, Any]) -> list[str]:
    """The options that differ from the game's defaults, as `key=value`."""
    defaults = game.defaults()
    return [f"{key}={yaml_word(value)}" for key, value in options.items() if value != defaults[key]]
