"""Plays games with one bot and collects its problems, for its author.

First it plays the games that count: one for each number of seats and each supported value of an option, and
more until there are enough answers to each usual kind of ask. If the bot has no faults there, it plays three
kinds of further games: a repeated one, one with words of a later protocol, and one for each option that its
bot.yaml does not mention.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import cycle
from time import monotonic

from arena.config.text import yaml_word
from arena.programs.bot import Bot
from arena.programs.check.diagnosis import LATER, Diagnosis
from arena.programs.check.explain import changed_options, explain, illegally_answered
from arena.programs.check.finding import Finding
from arena.programs.check.start import check_start
from arena.programs.check.table import BOT, CheckedGame, CheckTable, house_bots
from arena.programs.check.trials import Terms, Trials, usual_kinds
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.referee.fixture import Fixture
from arena.referee.protocol import FaultKind
from arena.referee.seat import Fault

_MAX_S = 60.0  # no due game starts after this time
_ENOUGH_ANSWERS, _ENOUGH_S = 300, 20.0  # no further game starts after both of the first, or the second
_EXTRA_S = 8.0  # for games with missing kinds of asks, and again for other options
_MAX_EXTRA = 16  # games for missing kinds of asks
_MAX_FAULTY = 3  # no game starts after this many games with faults

_REPEAT = (
    "if games should repeat, seed random numbers with seed= of the game line, and keep nothing from "
    "earlier games"
)
Notify = Callable[[str], None]


def _silent(message: str) -> None:
    pass


def check_games(
    bot: Bot,
    terms: Sequence[Terms],
    sandbox: Sandbox = LIMITS_ONLY,
    notify: Notify = _silent,
    now: Callable[[], float] = monotonic,
) -> list[Finding]:
    """Play games on each of the `terms` with a built bot; returns all findings.

    `notify` gets a line for each game. If the bot does not start, no game is played.
    """
    notify("starts the bot")
    findings: list[Finding] = []
    for each in terms:
        with closing(CheckTable(bot, house_bots(each.game.name), sandbox, each.reuse)) as table:
            started = list(check_start(table, bot, each.conditions.clock.start))
            if any(found.verdict == "fault" for found in started):
                return findings + started
            findings += started if not findings else []
            found = _GameCheck(table, bot, each, notify, now).run()
            findings += [replace(finding, game=each.game.name) for finding in found]
    return findings


class _GameCheck:
    def __init__(self, table: CheckTable, bot: Bot, terms: Terms, notify: Notify, now: Callable[[], float]):
        self._table, self._terms, self._notify, self._now = table, terms, notify, now
        self._trials = Trials(terms, bot, [name for name in table.bots if name != BOT])
        self._due, self._usual_kinds = self._trials.due(), usual_kinds(terms)
        self._limit = terms.conditions.clock.move
        self._began = now()
        self._number = 0

    def run(self) -> Iterator[Finding]:
        due, played = self._due, list[CheckedGame]()
        for fixture in due:
            if self._seconds > _MAX_S or _is_faulty_enough(played):
                break
            played.append(self._play(fixture))
        skipped, sizes = len(due) - len(played), cycle(self._terms.seats)
        missing = self._usual_kinds - _kinds_of(played)
        while not (skipped or self._seconds > _ENOUGH_S or _is_faulty_enough(played)):
            wants_kinds = missing and len(played) < len(due) + _MAX_EXTRA and self._seconds < _EXTRA_S
            if _answers_of(played) >= _ENOUGH_ANSWERS and (_is_faulty(played) or not wants_kinds):
                break
            played.append(self._play(self._trials.fixture(next(sizes))))
            missing -= _kinds_of(played)
        yield self._games(played, skipped)
        yield from self._faults(played)
        yield self._times(played)
        if _is_faulty(played):
            return
        if missing:
            yield Finding("kinds", "note", f"no game came to these: {', '.join(sorted(missing))}")
        else:
            kinds = ", ".join(sorted(_kinds_of(played)))
            yield Finding("kinds", "ok", f"was asked every usual kind: {kinds}")
        yield from self._again(played)
        yield self._later()
        yield from self._options()

    def _explain(self, played: CheckedGame, fault: Fault) -> tuple[Diagnosis, tuple[str, ...]]:
        return explain(self._table, self._terms.game, played, fault)

    @property
    def _seconds(self) -> float:
        return self._now() - self._began

    def _play(self, fixture: Fixture, what: str = "", later: bool = False) -> CheckedGame:
        self._number += 1
        words = [f"{len(fixture.bots)} seats", *changed_options(self._terms.game, fixture.options)]
        self._notify(f"{fixture.game}: game {self._number}, {', '.join(filter(None, [*words, what]))}")
        return self._table.play_checked(fixture, later)

    def _games(self, played: Sequence[CheckedGame], skipped: int) -> Finding:
        """The finding on the numbers of games and answers, and why there were no more."""
        sizes, answers = sorted({len(each.record.fixture.bots) for each in played}), _answers_of(played)
        seats = ", ".join(map(str, sizes))
        words = f"{_counted(len(played), 'game')} of {self._terms.game.name} with {seats} seats"
        words += f", {_counted(answers, 'answer')}"
        if _is_faulty_enough(played):
            return Finding("plays", "note", f"{words}; ended after {_MAX_FAULTY} games with faults")
        if skipped:
            return Finding("plays", "note", f"{words}; no time for {skipped} more")
        if answers < _ENOUGH_ANSWERS:
            return Finding(
                "plays", "note", f"{words}; ended after {_ENOUGH_S:g} s, before {_ENOUGH_ANSWERS} answers"
            )
        return Finding("plays", "ok", f"{words} ({_ENOUGH_ANSWERS} are enough)")

    def _faults(self, played: Sequence[CheckedGame]) -> list[Finding]:
        """A finding for each kind of fault, with details of its first case; an "ok" without faults.

        Illegal answers have a finding for each kind of ask.
        """
        found: dict[tuple[FaultKind, str], list[tuple[CheckedGame, Fault]]] = {}
        for each in played:
            for fault in each.faults:
                found.setdefault((fault.kind, illegally_answered(each, fault)), []).append((each, fault))
        if not found:
            return [Finding("answers", "ok", "no faults")]
        findings: list[Finding] = []
        for (kind, ask), cases in found.items():
            games = len({id(each) for each, _ in cases})
            diagnosis, details = self._explain(*cases[0])
            words = f"{diagnosis.words}, to {ask}" if ask else diagnosis.words
            count = f"({len(cases)} in {games} of {len(played)} games)"
            if not ask and any(finding.advice == diagnosis.advice for finding in findings):
                findings.append(
                    Finding(kind, "fault", f"{words}, as above {count}")
                )  # one mistake can cause two faults
            else:
                findings.append(Finding(kind, "fault", f"{words} {count}", details, diagnosis.advice))
        return findings

    def _times(self, played: Sequence[CheckedGame]) -> Finding:
        times = sorted(each / 1000 for one in played for each in one.answers)
        if not times:
            return Finding("time", "note", "no answers to measure")
        p50, p99, worst = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99, 1))
        limit = self._limit * 1000
        words = f"half within {p50:.1f} ms, 99 % within {p99:.1f}, all within {worst:.1f}; limit {limit:.0f}"
        figures = {"p50_ms": p50, "p99_ms": p99, "worst_ms": worst, "limit_ms": limit}
        return Finding("time", "note" if worst > limit / 2 else "ok", words, figures=figures)

    def _again(self, played: Sequence[CheckedGame]) -> Iterator[Finding]:
        again = self._play(played[0].record.fixture, "again")
        exits = [how for each in (*played, again) for how in each.exits]
        if exits:
            words = f"its process does not play a second game: it {exits[0]}; the arena started it again"
            advice = (
                "after `end` read on: the next `game` line follows in the same process, and `bye` at the end"
            )
            yield Finding("process", "fault", words, advice=advice)
        if again.faults:
            yield self._fault_in(again, "in a repeated game")
        elif again.record.replies == played[0].record.replies:
            yield Finding("repeats", "ok", "a repeated game had the same answers")
        else:
            yield Finding("repeats", "note", "a repeated game went differently", advice=_REPEAT)

    def _fault_in(self, played: CheckedGame, where: str) -> Finding:
        fault = played.faults[0]
        diagnosis, details = self._explain(played, fault)
        return Finding(fault.kind, "fault", f"{where}: {diagnosis.words}", details, diagnosis.advice)

    def _later(self) -> Finding:
        """Play a game with words unknown to this version of the protocol; returns the finding."""
        fixture = self._trials.fixture(self._terms.middle)
        upset = self._play(fixture, "with unknown words", later=True)
        if not upset.faults:
            return Finding("words", "ok", "ignores words, keys and verbs that it does not know")
        # They are to blame only if the same game without them has no fault. A bot with random faults may pass
        # it by chance, so they must upset it once more.
        control = self._play(fixture, "without them")
        if control.faults or not self._play(fixture, "with them again", later=True).faults:
            return self._fault_in(control if control.faults else upset, f"in one of {self._number} games")
        fault = upset.faults[0]
        _, details = self._explain(upset, fault)
        return Finding("words", "fault", f"{fault.kind}: {LATER.words}", details, LATER.advice)

    def _options(self) -> Iterator[Finding]:
        others, tried, end = self._terms.others, 0, self._now() + _EXTRA_S
        upset: dict[str, tuple[CheckedGame, Fault]] = {}
        for name, value in others.items():
            if self._now() < end:
                tried += 1
                played = self._play(self._trials.fixture(self._terms.middle, {name: value}))
                if played.faults:
                    upset[f"{name}={yaml_word(value)}"] = played, played.faults[0]
        some = f"; tried {tried} of {len(others)}, for lack of time" if tried < len(others) else ""
        if upset:
            played, fault = next(iter(upset.values()))
            diagnosis, details = self._explain(played, fault)
            words = f"does not play well with {', '.join(upset)}: {diagnosis.words}{some}"
            advice = "fix it; or name the values that it supports in bot.yaml (games: NAME: options:)"
            yield Finding("options", "note", words, details, advice)
        elif tried:
            yield Finding("options", "ok", f"plays with other values of its options{some}")


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _is_faulty(played: Sequence[CheckedGame]) -> bool:
    return any(each.faults for each in played)


def _is_faulty_enough(played: Sequence[CheckedGame]) -> bool:
    return sum(bool(each.faults) for each in played) >= _MAX_FAULTY


def _answers_of(played: Sequence[CheckedGame]) -> int:
    return sum(len(each.answers) for each in played)


def _kinds_of(played: Sequence[CheckedGame]) -> set[str]:
    lines = (line.text for each in played for log in each.logs.values() for line in log if line.sent)
    return {line.split(" ")[2] for line in lines if line.startswith("ask ")} - {"hello", "ready"}
