"""Checks whether a bot starts and answers hello, and if not, why."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from arena.config.document import ConfigError
from arena.config.text import cause, one_line
from arena.programs.bot import Bot, BotError
from arena.programs.check.diagnosis import FLUSH, LOOP, MEANING, after_crash
from arena.programs.check.excerpt import stderr_lines
from arena.programs.check.explain import AFTER_S, QUIET_S
from arena.programs.check.finding import Finding
from arena.programs.check.table import CheckTable
from arena.programs.executables import beginning
from arena.programs.play.stderr import join_parts
from arena.programs.play.table import silence
from arena.referee.handshake import NO_ANSWER
from arena.referee.protocol import hello_line, read_answer

_MAX_LINES = 15  # of a compiler's output
_HELLO = "answer `ask 1 hello ...` with `1 ok`; a bot that answers every ask with its first option does that"
_STDERR = "write debug output to stderr"


def build_failure(bot: Bot, error: BotError) -> Finding:
    """The finding on a failed build, with one screen of the compiler's output."""
    command, lines = " ".join(bot.build), error.said.splitlines()
    words = f"{command} failed" if lines else f"{command} failed: {error.unbuilt[bot.name]}"
    more = [f"... and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
    output = tuple(f"  {line.expandtabs(4)}" for line in [*lines[:_MAX_LINES], *more])
    return Finding("builds", "fault", words, output, f"fix what the compiler names; it runs in {bot.folder}")


def check_start(table: CheckTable, bot: Bot, limit: float) -> Iterator[Finding]:
    """Start the bot, which has `limit` seconds to answer hello, and yield the findings on its start."""
    began = monotonic()
    player = table.start(limit)
    took = monotonic() - began
    if not player.fault:
        time, tier = f"{took * 1000:.0f} ms of {limit * 1000:.0f}", table.sandbox.tier
        words = f"{one_line(bot.title)} answers hello after {time}, sandbox: {tier}"
        yield Finding("starts", "ok", words)
        early = [
            line for line in player.log if not line.sent and not read_answer(line.text)[1].startswith("ok")
        ]
        if early:
            words = f"wrote to stdout before its answer to hello, which is ignored: {early[0].text[:200]}"
            yield Finding("starts", "note", words, advice=_STDERR)
        return
    words, said = player.fault + silence(player), join_parts(player.take_stderr())
    wrote = [line.text for line in player.log if not line.sent]
    player.end()
    advice = _program_problem(bot)
    if not advice and NO_ANSWER in words and not wrote:
        late = table.at_end_of_input(hello_line(1, limit) + "\n", QUIET_S, AFTER_S)
        if any(read_answer(line)[1].startswith("ok") for line in late):
            words = (
                f"{words.partition(',')[0].partition(';')[0]}; its answer came only when its stdin was closed"
            )
            advice = f"{FLUSH}; and read line by line, not all of stdin"
    advice = advice or _what_to_change(words, said)
    words += f": {why}" if (why := cause(said)) else ""
    details = (f"  started with: {' '.join(bot.command)}", *stderr_lines(said))
    yield Finding("starts", "fault", words, details, advice)


def _what_to_change(fault: str, stderr: str) -> str:
    if "exited with status 0" in fault:
        return LOOP
    if "still computing" in fault:
        return "look for an endless loop, or answer hello before slow work"
    if NO_ANSWER in fault:
        return _HELLO
    if "lines, but not" in fault:
        return MEANING["flood"].advice
    return after_crash(stderr) if stderr.strip() else ""


def _program_problem(bot: Bot) -> str:
    """The advice on a program in the bot's folder; "" if it needs none."""
    program = Path(bot.command[0])
    if not program.is_relative_to(bot.folder) or not program.is_file():
        return ""
    if not os.access(program, os.X_OK):
        return f"make it executable: chmod +x {program.name}"
    try:
        first = beginning(program, 256)
    except ConfigError:
        return ""
    if first and not first.startswith(b"#!") and b"\0" not in first:
        return "a script has to name its interpreter in its first line, such as #!/usr/bin/env python3"
    return ""
