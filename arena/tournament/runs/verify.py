"""Verifies a run: every game belongs to the plan, every card comes from the secret, every game replays.

If the run published a commitment before its first game, no card can have been changed: that would need
another secret with the same SHA-256. It is not checked whether the bots gave the recorded answers. For
deterministic bots, a second run with the same seed shows it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.config.document import ConfigError
from arena.games import find
from arena.referee.conditions import DEFAULTS, conditions_from_json, deals_in_words
from arena.referee.deals import deal, run_name
from arena.referee.fixture import Fixture, in_order, version_problem
from arena.referee.record import ERRORS, Record, Summary
from arena.rules import Draw
from arena.rules.chance import Chance
from arena.tournament import formats
from arena.tournament.formats.round_robin import REPEAT_OFFSET
from arena.tournament.formats.seating import lineup_hash
from arena.tournament.runs.account import DoesNotReplay, replay
from arena.tournament.runs.closing import closing_problems, missing_games, remarks
from arena.tournament.runs.commitments import (
    commitment_problems,
    final_problems,
    hash_of_list,
    remarks_on_changes,
)
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import summary_of
from arena.tournament.runs.voids import VoidGroup, excess_of_voids, void_groups, void_line, void_problems


@dataclass
class Verification:
    """The result of a check: `run` has problems of the run as a whole, `games` one for each bad game, by id.

    `commitment` is the commitment of the run, or None. `contest` is the SHA-256 of the secret from which the
    final of a contest was dealt, `listed` the SHA-256 of its list; both are None for other runs. `checked`
    games were replayed, `incomplete` seed groups lack games, and `missing` games of the plan were not played
    (None: unknown). `void` games failed, or belong to a seed group in which one failed; `voids` has these
    groups and the reasons. `deals` says whether games or seed groups have their own deals; None for single
    games. `remarks` are worth knowing, but not problems.
    """

    commitment: str | None = None
    deals: str | None = None
    contest: str | None = None
    listed: str | None = None
    checked: int = 0
    incomplete: int = 0
    void: int = 0
    voids: Sequence[VoidGroup] = ()
    missing: int | None = None
    remarks: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    games: dict[str, str] = field(default_factory=dict)


def verify(store: Store) -> Verification:
    """Check a run, and replay all its games.

    Raises:
        ConfigError: The run's game is of another version, or the run cannot be read.
    """
    facts = store.facts
    rules = find(facts.plan["game"]) if facts.plan else None
    if rules and facts.plan and (problem := version_problem(rules, facts.plan["version"])):
        # One line is better than one for each game.
        raise ConfigError(f"{store.path}: {problem}, so it cannot be verified")
    verdict = Verification(facts.commitment, void=store.voids().total())
    verdict.contest = facts.origin.sha256 if facts.origin else None
    verdict.deals = deals_in_words(facts.plan) if facts.plan else None
    verdict.voids = void_groups(store.void_rows())
    verdict.run += void_problems(verdict.voids)
    verdict.run += filter(None, [excess_of_voids(store)])
    verdict.remarks += map(void_line, verdict.voids)
    check, plan, secret = None, facts.plan, facts.secret
    try:
        verdict.run += commitment_problems(facts)
        verdict.remarks += remarks_on_changes(facts)
        verdict.listed = hash_of_list(facts)
        if plan and secret and facts.committed and facts.committed.get("run") == run_name(secret):
            check = _FixtureCheck(plan, secret, store.attempts())
    except ERRORS as error:
        verdict.run.append(f"the plan of the run is damaged: {error!r}")
    games = store.summaries()
    for game in games:
        verdict.checked += 1
        try:
            record = store.record(game.id)
            problem = _contradiction(game, record) or (check.problem(record) if check else "")
            problem = problem or replay_problem(record)
        except Exception as error:  # A file that was edited by hand may contain anything.
            problem = f"the record is damaged: {error!r}"
        if problem:
            verdict.games[game.id] = problem
    if check:
        verdict.incomplete = check.incomplete()
        verdict.missing = missing_games(facts, {game.id: game for game in games})
    try:
        verdict.run += final_problems(store.path, facts, len(games), verdict.missing)
        if check:
            verdict.run += closing_problems(facts, len(games), verdict.missing)
            verdict.remarks += remarks(facts, games, verdict.missing)
    except ERRORS as error:
        verdict.run.append(f"the facts about the run are damaged: {error!r}")
    return verdict


_RULES = ("game", "version", "options", "run")  # copied from the plan to a fixture, besides the conditions


class _FixtureCheck:
    """Compares the games of a run with its plan, with its secret, and with each other."""

    def __init__(self, plan: Mapping[str, Any], secret: str, attempts: Mapping[tuple[str, str], int]):
        self._plan, self._secret, self._attempts = plan, secret, attempts
        self._format = formats.find(plan["format"])
        conditions = conditions_from_json({**self._plan, "control": self._plan["clock"]}).as_json()
        self._wanted = {name: in_order(self._plan[name]) for name in _RULES} | in_order(conditions)
        self._sizes: Counter[tuple[str, str]] = Counter()
        self._games: dict[tuple[str, str, int], str] = {}
        self._seatings: dict[tuple[str, str], tuple[str, ...]] = {}

    def problem(self, record: Record) -> str:
        """The problem with the fixture of a record; "" if it belongs to this run."""
        fixture = record.fixture
        rules = {name: in_order(getattr(fixture, name)) for name in _RULES}
        played = rules | in_order(fixture.conditions.as_json())
        for name in self._wanted | played:
            wanted, found = (each.get(name, DEFAULTS.get(name)) for each in (self._wanted, played))
            if name == "options" and self._format.successive:  # The starter may change in such a format.
                wanted, found = wanted | {"starter": ""}, found | {"starter": ""}
            if wanted != found:
                return f"{name}: {found}, in the plan {wanted}"
        if fixture.position is not None or fixture.draws:
            return "started from a position or with scripted cards"
        which = (fixture.group, fixture.lineup, fixture.rotation)
        if (other := self._games.setdefault(which, fixture.id)) != fixture.id:
            return f"is the same game of its seed group as {other}"
        self._sizes[fixture.group, fixture.lineup] += 1
        return self._wrong_group(fixture) or self._wrong_deal(fixture)

    def _wrong_group(self, fixture: Fixture) -> str:
        """The problem if the bots do not follow from the seed group and the rotation; else ""."""
        *names, number = fixture.group.split()
        made = self._plan["bots"] | dict(zip(fixture.bots, fixture.fingerprints, strict=True))
        if fixture.lineup != lineup_hash(tuple(made[name] for name in names)):
            return "its line-up is not that of its bots"
        if number.isdecimal() and int(number) % REPEAT_OFFSET >= self._format.most_groups(self._plan):
            return f"group {number} is not in the plan"
        if self._format.paired:
            known = set(fixture.bots) <= set(names) and fixture.rotation < self._size(fixture.group)
            return "" if known else "its bots are not those of its seed group"
        if sorted(fixture.bots) != names or not 0 <= fixture.rotation < len(names):
            return "its bots are not those of its seed group"
        first = fixture.bots[-fixture.rotation :] + fixture.bots[: -fixture.rotation]
        if self._seatings.setdefault((fixture.group, fixture.lineup), first) != first:
            return "its seating is not that of the other games of its seed group"
        return ""

    def _wrong_deal(self, fixture: Fixture) -> str:
        """The problem if the deal does not follow from the secret of the run; else ""."""
        attempt = self._attempts.get((fixture.group, fixture.lineup), 0)
        dealt = deal(fixture, self._secret, attempt)
        if fixture.attempt != attempt:
            return f"attempt {fixture.attempt} of its seed group, which was void {attempt} times"
        if fixture.seed != dealt.seed:
            return "its deal does not come from the secret of the run"
        if fixture.bot_seeds != dealt.bot_seeds:
            return "the seeds of its bots do not come from the secret of the run"
        return ""

    def incomplete(self) -> int:
        """The number of seed groups that lack games, among the groups that `problem` has seen."""
        return sum(count < self._size(group) for (group, _), count in self._sizes.items())

    def _size(self, group: str) -> int:
        return self._format.group_size(self._plan, len(group.split()) - 1)


def _contradiction(game: Summary, record: Record) -> str:
    """The difference between a game as standings read it and its record; "" if they agree."""
    if record.fixture.id != game.id:
        return f"the record is that of game {record.fixture.id}"
    for name, here, there in zip(Summary._fields, game, summary_of(record), strict=True):
        if here != there:
            return f"{name} in the standings: {here}, in the record: {there}"
    return ""


def replay_problem(record: Record) -> str:
    """The problem with a record by itself; "" if its replay gives the same draws, result and digest."""
    fixture = record.fixture
    game = find(fixture.game)
    if game is None:
        return f"the game {fixture.game} is not installed"
    if problem := version_problem(game, fixture.version):
        return problem
    chance = Chance(fixture.seed, fixture.draws)
    try:
        for number, (match, reply) in enumerate(replay(record)):
            step = match.step
            if type(step) is Draw and (drawn := chance.pick(step.purpose, step.outcomes)) != reply:
                return f"reply {number}, {step.purpose}: recorded {reply!r}, the seed gives {drawn!r}"
    except DoesNotReplay as error:
        return error.problem
    except ERRORS as error:  # A setup file has scripted wrong draws.
        return f"does not replay: {error}"
    if match.result != record.result:
        return f"ends with {match.result}, recorded {record.result}"
    if match.digest() != record.digest:
        return f"digest {match.digest()}, recorded {record.digest}"
    return ""
