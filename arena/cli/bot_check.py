"""Plays a few games with one bot and collects its problems, for its author."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from arena.core.bot import Bot
from arena.core.clock import TimeUsage
from arena.core.conditions import Conditions
from arena.core.time_control import TimeControl
from arena.core.tracebacks import error_index
from arena.plan.game import find_game
from arena.play import opponent
from arena.play.table import Table
from arena.records.deals import deal_alone
from arena.records.fixture import Fixture
from arena.records.record import Record
from arena.referee.protocol import FaultKind, shown
from arena.referee.seat import Fault
from arena.report.grid import folded
from arena.rules import ALL, Ask, Game, Tell, seat_name
from arena.sandbox.policy import LIMITS_ONLY, Sandbox

OPPONENT = Path(opponent.__file__)
MOST_SECONDS = 60.0  # no game is started after this time
MOST_FAULTY = 3  # no game is started after this many games with faults
MOST_EXAMPLES = 1  # faults of each kind that are shown in detail
MOST_LINES = 15  # of the output of a compiler
NEWS = 4  # lines of news shown before an ask


@dataclass(frozen=True)
class Finding:
    """The result of one check. `verdict` is `ok`, `fault`, or `note` (not wrong, but worth knowing).

    `details` are further lines of text.
    """

    check: str
    verdict: str
    words: str
    details: tuple[str, ...] = ()


def silent(message: str) -> None:
    pass


def check(
    bot: Bot,
    games: Sequence[Game],
    control: TimeControl,
    sandbox: Sandbox = LIMITS_ONLY,
    notify: Callable[[str], None] = silent,
) -> list[Finding]:
    """All findings about a bot in these games; the bot has been built. `notify` is told what is played."""
    notify("starts the bot")
    started = start(bot, control.start, sandbox)
    if started.verdict == "fault":
        return [started]
    findings = [started]
    for game in games:
        findings += check_game(bot, game, control, sandbox, notify)
    return findings


def build_failure(bot: Bot, why: str, said: str) -> Finding:
    """The output of the compiler, as much as fits a screen."""
    command, lines = " ".join(bot.build), said.splitlines()
    words = f"{command} failed" if lines else f"{command} failed: {why}"
    more = [f"... and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return Finding("builds", "fault", words, tuple(f"  {line}" for line in [*lines[:MOST_LINES], *more]))


def start(bot: Bot, limit: float, sandbox: Sandbox) -> Finding:
    """Start a process and measure how long it takes to answer hello."""
    with Table({"bot": bot}, sandbox=sandbox) as table:
        began = monotonic()
        fault = table.unstarted(limit).get("bot")
        took = monotonic() - began
    if fault:
        words, stderr = fault
        words += f"; it was started with: {' '.join(bot.command)}"
        return Finding("starts", "fault", words, tuple(excerpt(stderr)))
    words = f"answers hello after {took * 1000:.0f} ms of {limit * 1000:.0f}, sandbox: {sandbox.tier}"
    return Finding("starts", "ok", words)


def check_game(
    bot: Bot, game: Game, control: TimeControl, sandbox: Sandbox, notify: Callable[[str], None]
) -> list[Finding]:
    command = (sys.executable, "-I", "-S", str(OPPONENT))
    other = Bot("random", command, OPPONENT.parent, "0" * 16, files=(OPPONENT,))
    with Table({"bot": bot, "random": other}, sandbox=sandbox) as table:
        table.greet(control.start)
        records: list[Record] = []
        end = monotonic() + MOST_SECONDS
        fixtures = list(trial_games(game, bot, control))
        for number, fixture in enumerate(fixtures, 1):
            if monotonic() < end and sum(map(has_faults, records)) < MOST_FAULTY:
                what = " ".join([f"with {len(fixture.bots)} seats", *unusual_options(game, fixture)])
                notify(f"{game.name}: plays game {number} of {len(fixtures)}, {what}")
                records.append(table.play(fixture))
        found = [
            games_played(game, records, len(fixtures)),
            *faults(records, control.move),
            answer_times(records, control),
        ]
        if not any(map(has_faults, records)):
            notify(f"{game.name}: plays game 1 again")
            found.append(repeats(records[0], table.play(fixtures[0])))
    return found


def trial_games(game: Game, bot: Bot, control: TimeControl) -> Iterator[Fixture]:
    """Games with few, some and many seats, and one for each option with a value that is not the default."""
    low, high = game.seats[0], game.seats[-1]
    middle = (low + high) // 2
    cases: list[tuple[int, Mapping[str, Any]]] = [(seats, {}) for seats in sorted({low, middle, high})]
    cases += [(middle, change) for change in changes(game, middle)]
    for number, (seats, change) in enumerate(cases):
        bots = tuple(("bot", "random")[(seat + number) % 2] for seat in range(seats))
        made = tuple(bot.fingerprint if name == "bot" else "0" * 16 for name in bots)
        options = {**game.defaults(), **change}
        seed = f"check {number}"
        conditions = Conditions(clock=control)
        fixture = Fixture(game.name, game.version, options, bots, made, group=seed, conditions=conditions)
        yield deal_alone(fixture, seed)


def with_options(game: Game, given: Mapping[str, Any]) -> Game:
    """The game with the `given` options as its defaults, and with no other values of them."""
    fixed = {name: replace(game.options[name], default=given[name], values=(given[name],)) for name in given}
    return replace(game, options={**game.options, **fixed})


def changes(game: Game, seats: int) -> Iterator[Mapping[str, Any]]:
    """For each option except `starter`, which changes anyway: the last value that is not its default."""
    for name, option in game.options.items():
        others = [
            value for value in option.values if value != option.default and option.applies(value, seats)
        ]
        if others and name != "starter":
            yield {name: others[-1]}


def unusual_options(game: Game, fixture: Fixture) -> list[str]:
    defaults = game.defaults()
    return [f"{key}={value}" for key, value in fixture.options.items() if value != defaults[key]]


def own_seats(record: Record) -> list[int]:
    return [seat for seat, name in enumerate(record.fixture.bots) if name == "bot"]


def has_faults(record: Record) -> bool:
    return any(fault.seat in own_seats(record) for fault in record.faults)


def games_played(game: Game, records: Sequence[Record], planned: int) -> Finding:
    sizes = sorted({len(record.fixture.bots) for record in records})
    asked = sum(len(answers(record)) for record in records)
    words = f"{len(records)} games of {game.name} with {', '.join(map(str, sizes))} seats, {asked} answers"
    if len(records) < planned:
        return Finding("plays", "note", f"{words}; {planned - len(records)} more games were skipped")
    return Finding("plays", "ok", words)


def answers(record: Record) -> list[int]:
    """The times of its answers in microseconds, without that of `ready`."""
    return [each for seat in own_seats(record) for each in record.trace["microseconds"][seat][1:]]


def faults(records: Sequence[Record], limit: float) -> list[Finding]:
    """A finding for each kind of fault, with details of the first."""
    found: dict[FaultKind, list[tuple[Record, Fault]]] = {}
    for record in records:
        for fault in record.faults:
            if fault.seat in own_seats(record):
                found.setdefault(fault.kind, []).append((record, fault))
    if not found:
        return [Finding("answers", "ok", "no faults")]
    findings = []
    for kind, cases in found.items():
        details = [line for record, fault in cases[:MOST_EXAMPLES] for line in fault_details(record, fault)]
        in_games = len({record.fixture.id for record, _ in cases})
        words = f"{len(cases)} in {in_games} of {len(records)} games: {meaning(kind, records, limit)}"
        findings.append(Finding(kind, "fault", words, tuple(details)))
    return findings


MEANING = {
    "late": "no answer in time",
    "illegal": "an answer that was not among the options",
    "early": "a line without an ask; write one answer to each ask, all other output to stderr",
    "long": "a line that is too long",
    "garbled": "a line that is not plain text",
    "flood": "too much output",
    "crashed": "the process exited during a game",
    "memory": "more memory than allowed",
    "processes": "more processes than allowed",
    "unstarted": "not ready at the start of a game",
}


def meaning(kind: FaultKind, records: Sequence[Record], limit: float) -> str:
    """What a kind of fault means; if answers were late, what the bot did. `limit` is in seconds."""
    if kind != "late":
        return MEANING[kind]
    late = [each for record in records for each in usage(record) if each.wall >= limit and each.cpu]
    computed = {each.cpu > (each.wall - each.wait) / 2 for each in late}
    did = {
        True: "it was computing: an endless loop, or more work than the limit allows",
        False: "it was waiting: flush after every answer",
    }
    return "; ".join([MEANING[kind], *(did[each] for each in sorted(computed))])


def usage(record: Record) -> list[TimeUsage]:
    """What the answers of its seats used, in seconds, where that was measured."""
    figures = [record.trace["figures"].get(seat + 1, {}) for seat in own_seats(record)]
    return [TimeUsage(*(each / 1e6 for each in used)) for seat in figures for used in seat.values()]


def fault_details(record: Record, fault: Fault) -> Iterator[str]:
    """The game, the last lines that the seat received (`<`), the fault, and the stderr of the bot."""
    fixture, game = record.fixture, find_game(record.fixture.game)
    options = unusual_options(game, fixture)
    yield " ".join([f"{seat_name(fault.seat)} of {len(fixture.bots)}, seed '{fixture.seed}'", *options])
    match = fixture.match(game, record.replies[: fault.reply])
    news = [step for step, _ in match.log if type(step) is Tell and step.to in (ALL, fault.seat)]
    for step in news[-NEWS:]:
        yield f"  < {'event' if step.to is ALL else 'secret'} {step.text}"
    if type(match.step) is Ask and fault.seat in match.step.choices:
        yield from (f"  < state {line}" for line in game.view(match.position, fault.seat))
        choice = match.step.choices[fault.seat]
        yield f"  < ask {choice.kind} {choice.tail}"
    yield f"  ! {fault.kind}: {fault.detail}"
    yield from excerpt(record.trace["stderr"].get(fault.seat + 1, ""))


def excerpt(stderr: str) -> Iterator[str]:
    """The first and last lines of what a bot wrote to stderr, and its error between them, if there is one."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    if lines:
        yield "  stderr:"
    if len(lines) > 8:
        error = [lines[at], "..."] if 2 <= (at := error_index(lines)) < len(lines) - 4 else []
        lines = [*lines[:2], "...", *error, *lines[-4:]]
    yield from (f"    {line}" for line in lines)


def answer_times(records: Sequence[Record], control: TimeControl) -> Finding:
    """The charged times of all answers, compared to the limit."""
    times = sorted(each / 1000 for record in records for each in answers(record))
    if not times:
        return Finding("time", "note", "no answers to measure")
    middle, high = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99))
    most, limit = times[-1], control.move * 1000
    words = f"half within {middle:.1f} ms, 99 % within {high:.1f}, all within {most:.1f}; limit {limit:.0f}"
    return Finding("time", "note" if most > limit / 2 else "ok", words)


def repeats(record: Record, again: Record) -> Finding:
    """Whether the first game goes the same way when it is played again after all other games."""
    if record.replies == again.replies and record.faults == again.faults:
        return Finding("repeats", "ok", "a repeated game had the same answers")
    return Finding(
        "repeats",
        "note",
        "a repeated game went differently; if games should repeat, seed random numbers with seed= of the "
        "game line, and keep nothing from earlier games",
    )


def lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The findings in 80 columns; output of the bot is escaped."""
    for finding in findings:
        verdict = "FAULT" if finding.verdict == "fault" else finding.verdict
        head = f"{verdict:<6}{finding.check:<10}"
        yield from folded(shown(finding.words), head, len(head))
        for line in finding.details:
            indent = " " * (6 + len(line) - len(line.lstrip()))
            yield from folded(shown(line.strip()), indent, len(indent) + 4)
    count = sum(finding.verdict == "fault" for finding in findings)
    yield f"{count or 'no'} {'problem' if count == 1 else 'problems'} found"
