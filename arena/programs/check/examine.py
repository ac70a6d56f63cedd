"""Plays games with one bot and collects its problems, for its author.

First the games that count: each number of seats, each supported value of an option, and more of them until
each usual kind of ask has come. If the bot has no faults there, it plays a game again, one with words that
only a later protocol has, and one for each option of which its bot.yaml says nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from time import monotonic

from arena.config.text import yaml_word
from arena.programs.bot import Bot
from arena.programs.check.diagnosis import LATER, Diagnosis
from arena.programs.check.explain import changed_options, explain
from arena.programs.check.finding import Finding
from arena.programs.check.later import with_later_words
from arena.programs.check.start import check_start
from arena.programs.check.table import BOT, CheckTable, Played, house_bots
from arena.programs.check.trials import Terms, Trials, usual_kinds
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.referee.fixture import Fixture
from arena.referee.protocol import FaultKind
from arena.referee.seat import Fault

MOST_SECONDS = 60.0  # no game is started after this time
_EXTRA_SECONDS = 8.0  # none that does not count, or is only for another kind of ask
_MOST_FAULTY = 3  # no game is started after this many games with faults
_MOST_EXTRA = 16  # games for kinds of asks that have not come

_REPEAT = (
    "if games should repeat, seed random numbers with seed= of the game line, and keep nothing from "
    "earlier games"
)
Notify = Callable[[str], None]


def _silent(message: str) -> None:
    pass


def check_games(
    bot: Bot, terms: Sequence[Terms], sandbox: Sandbox = LIMITS_ONLY, notify: Notify = _silent
) -> list[Finding]:
    """All findings about a bot; it has been built. `notify` is told what is played."""
    notify("starts the bot")
    findings: list[Finding] = []
    for each in terms:
        with closing(CheckTable(bot, house_bots(each.game.name), sandbox, each.reuse)) as table:
            started = list(check_start(table, bot, each.conditions.clock.start))
            if any(found.verdict == "fault" for found in started):
                return findings + started
            findings += started if not findings else []
            found = _GameCheck(table, bot, each, notify).run()
            findings += [replace(finding, game=each.game.name) for finding in found]
    return findings


class _GameCheck:
    def __init__(self, table: CheckTable, bot: Bot, terms: Terms, notify: Notify):
        self._table, self._terms, self._notify = table, terms, notify
        self._trials = Trials(terms, bot, [name for name in table.bots if name != BOT])
        self._limit = terms.conditions.clock.move
        self._began = monotonic()
        self._number = 0

    def run(self) -> Iterator[Finding]:
        due = self._trials.due()
        played: list[Played] = []
        for fixture in due:
            if self._seconds > MOST_SECONDS or sum(bool(each.faults) for each in played) >= _MOST_FAULTY:
                break
            played.append(self._play(fixture))
        skipped = len(due) - len(played)
        missing = usual_kinds(self._terms) - _kinds_of(played)
        while missing and not skipped and len(played) < len(due) + _MOST_EXTRA and self._may_go_on(played):
            played.append(self._play(self._trials.fixture(self._terms.middle)))
            missing -= _kinds_of(played)
        yield self._games(played, skipped)
        yield from self._faults(played)
        yield self._times(played)
        if any(each.faults for each in played):
            return
        if missing:
            words = f"no game came to these: {', '.join(sorted(missing))}"
            yield Finding("kinds", "note", words)
        else:
            yield Finding(
                "kinds", "ok", f"was asked every usual kind: {', '.join(sorted(_kinds_of(played)))}"
            )
        yield from self._again(played)
        yield self._later()
        yield from self._options()

    def _explain(self, played: Played, fault: Fault) -> tuple[Diagnosis, tuple[str, ...]]:
        return explain(self._table, self._terms.game, played, fault)

    @property
    def _seconds(self) -> float:
        return monotonic() - self._began

    def _may_go_on(self, played: Sequence[Played]) -> bool:
        return self._seconds < _EXTRA_SECONDS and not any(each.faults for each in played)

    def _play(self, fixture: Fixture, what: str = "", later: bool = False) -> Played:
        self._number += 1
        words = [
            f"{len(fixture.bots)} seats",
            *changed_options(self._terms.game, fixture.options),
            *([what] if what else []),
        ]
        self._notify(f"{fixture.game}: game {self._number}, {', '.join(words)}")
        return self._table.play_checked(fixture, with_later_words if later else None)

    def _games(self, played: Sequence[Played], skipped: int) -> Finding:
        sizes = sorted({len(each.record.fixture.bots) for each in played})
        asked = sum(len(each.answers) for each in played)
        seats = ", ".join(map(str, sizes))
        words = f"{len(played)} games of {self._terms.game.name} with {seats} seats, {asked} answers"
        if skipped:
            return Finding("plays", "note", f"{words}; no time for {skipped} more")
        return Finding("plays", "ok", words)

    def _faults(self, played: Sequence[Played]) -> list[Finding]:
        """A finding for each kind of fault, with details of the first."""
        found: dict[FaultKind, list[tuple[Played, Fault]]] = {}
        for each in played:
            for fault in each.faults:
                found.setdefault(fault.kind, []).append((each, fault))
        if not found:
            return [Finding("answers", "ok", "no faults")]
        findings: list[Finding] = []
        for kind, cases in found.items():
            games = len({id(each) for each, _ in cases})
            diagnosis, details = self._explain(*cases[0])
            count = f"{len(cases)} in {games} of {len(played)} games"
            if any(finding.advice == diagnosis.advice for finding in findings):  # one mistake, two faults
                findings.append(Finding(kind, "fault", f"{diagnosis.words}, as above ({count})"))
            else:
                findings.append(
                    Finding(kind, "fault", f"{diagnosis.words} ({count})", details, diagnosis.advice)
                )
        return findings

    def _times(self, played: Sequence[Played]) -> Finding:
        times = sorted(each / 1000 for one in played for each in one.answers)
        if not times:
            return Finding("time", "note", "no answers to measure")
        p50, p99, worst = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99, 1))
        limit = self._limit * 1000
        words = f"half within {p50:.1f} ms, 99 % within {p99:.1f}, all within {worst:.1f}; limit {limit:.0f}"
        figures = {"p50_ms": p50, "p99_ms": p99, "worst_ms": worst, "limit_ms": limit}
        return Finding("time", "note" if worst > limit / 2 else "ok", words, figures=figures)

    def _again(self, played: Sequence[Played]) -> Iterator[Finding]:
        again = self._play(played[0].record.fixture, "again")
        exits = [how for each in (*played, again) for how in each.exits]
        if exits:
            words = f"its process does not play a second game: it {exits[0]}; the arena started it again"
            advice = (
                "after `end` read on: the next `game` line follows in the same process, and `bye` at the end"
            )
            yield Finding("process", "fault", words, advice=advice)
        if again.faults:
            diagnosis, details = self._explain(again, again.faults[0])
            yield Finding(
                again.faults[0].kind,
                "fault",
                f"in a repeated game: {diagnosis.words}",
                details,
                diagnosis.advice,
            )
        elif again.record.replies == played[0].record.replies:
            yield Finding("repeats", "ok", "a repeated game had the same answers")
        else:
            words = "a repeated game went differently"
            yield Finding("repeats", "note", words, advice=_REPEAT)

    def _later(self) -> Finding:
        """A game with words that this version of the protocol does not have."""
        played = self._play(self._trials.fixture(self._terms.middle), "with unknown words", later=True)
        if not played.faults:
            return Finding("words", "ok", "ignores words, keys and verbs that it does not know")
        fault = played.faults[0]
        _, details = self._explain(played, fault)
        return Finding("words", "fault", f"{fault.kind}: {LATER.words}", details, LATER.advice)

    def _options(self) -> Iterator[Finding]:
        upset: dict[str, tuple[Played, Fault]] = {}
        tried = 0
        for name, value in self._terms.others.items():
            if self._seconds < _EXTRA_SECONDS:
                tried += 1
                played = self._play(self._trials.fixture(self._terms.middle, {name: value}))
                if played.faults:
                    upset[f"{name}={yaml_word(value)}"] = played, played.faults[0]
        if upset:
            played, fault = next(iter(upset.values()))
            diagnosis, details = self._explain(played, fault)
            words = f"does not play well with {', '.join(upset)}: {diagnosis.words}"
            advice = "fix it; or name the values that it supports in bot.yaml (games: NAME: options:)"
            yield Finding("options", "note", words, details, advice)
        elif tried:
            yield Finding(
                "options", "ok", f"plays with other values of {tried} of {len(self._terms.others)} options"
            )


def _kinds_of(played: Sequence[Played]) -> set[str]:
    lines = (line.text for each in played for log in each.logs.values() for line in log if line.sent)
    return {line.split(" ")[2] for line in lines if line.startswith("ask ")} - {"hello", "ready"}
