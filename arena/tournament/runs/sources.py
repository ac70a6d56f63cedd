"""Collects outcomes for standings from runs, CSV and PGN files, and merges them."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.config.document import ConfigError
from arena.config.text import one_line, suggestion
from arena.models.spec import is_model
from arena.programs.executables import real
from arena.rating.outcomes import Codes, Outcome, Outcomes, Result
from arena.rating.settings import RatingSettings, Widening
from arena.referee.conditions import PER_GAME, REMEMBERING
from arena.referee.placings import Placings
from arena.referee.record import Summary
from arena.tournament.formats import find
from arena.tournament.runs.csv import kind_of_results, read_results
from arena.tournament.runs.facts import RunFacts
from arena.tournament.runs.layouts import Layout, StoredSeating, full_name
from arena.tournament.runs.placings import placings
from arena.tournament.runs.repeated import NamedOutcomes, count_once
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import split_forfeits, split_numbers

_ALONE, TOGETHER = "without people and remote bots", "with people or remote bots"  # kinds of games

Namer = Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]
"""Returns the standings' names of bots with these names and fingerprints, all by seat."""


@dataclass(frozen=True)
class Source:
    """Outcomes for standings, the rating settings of their plan, and facts that outcomes do not contain.

    `faults`, `voids`, `unfinished` games (without a result) and games `repeated` in several files are counts;
    if `whole` is False, these count more games than `outcomes` has. `mixed` says how the rules of the runs
    differ; "" if they do not. Only a single run of a format with rounds has `placings`. `excluded` and
    `skipped` say, by bot, why it was taken out of the standings, or was broken and did not play. `ungrouped`
    and `repeats` are as in `FileResults`, for the CSV files. `outside` has the names of people and remote
    bots, `models` the names of language models. `own_deals` has the names of the runs in which each game has
    its own deal. `widenings` are the widenings of the runs' formats.
    """

    outcomes: Sequence[Outcome]
    settings: RatingSettings = RatingSettings()
    faults: int = 0
    voids: int = 0
    unfinished: int = 0
    excluded: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    mixed: str = ""
    placings: Placings = Placings()
    ungrouped: int = 0
    repeats: bool = False
    repeated: int = 0
    outside: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    own_deals: frozenset[str] = frozenset()
    widenings: Collection[Widening] = ()

    def by_kind(self) -> dict[str, "Source"]:
        """The games without people and remote bots, then those with them, by a heading for each kind.

        A kind without games is left out; the heading is "" if no such players have played. Faults and voids
        are still those of all games. The arena can neither confine these players nor make them forget. It
        cannot know whether the same program plays each time. So they are rated apart.
        """
        if not self.outside:
            return {"": self}
        kinds: dict[str, list[Outcome]] = {_ALONE: [], TOGETHER: []}
        for outcome in self.outcomes:
            kinds[_ALONE if self.outside.isdisjoint(outcome.bots) else TOGETHER].append(outcome)
        found = {kind: self._part(outcomes) for kind, outcomes in kinds.items() if outcomes}
        return found if len(found) > 1 else dict.fromkeys(found, self)

    def by_size(self) -> dict[int, "Source"]:
        """The games by their number of seats. Faults and voids are still those of all games."""
        sizes = sorted({outcome.table for outcome in self.outcomes})
        return {size: self._part([each for each in self.outcomes if each.table == size]) for size in sizes}

    def only(self, kind: str, size: int | None) -> "Source":
        """The games of this key of `by_kind` at tables of this size (None: of any); there may be none."""
        part = self.by_kind().get(kind, self._part([]))
        return part if size is None else part.by_size().get(size, self._part([]))

    def _part(self, outcomes: Sequence[Outcome]) -> "Source":
        return replace(self, outcomes=outcomes, whole=False)


def load(
    paths: Sequence[Path],
    together: bool = False,
    merge: bool = False,
    secret: bool = True,
    without: Collection[str] = (),
) -> Source:
    """The outcomes of all these files. A game counts once if several files have it.

    The rating settings are taken from the plans if all runs have the same, else they are the defaults.

    Args:
        together: Whether all versions of a bot count as one.
        merge: Whether the runs may have different rules.
        secret: Whether to read the secrets of runs that are not closed; without them there are no placings.
        without: The ids of games of runs to leave out.

    Raises:
        ConfigError: A file is neither a run nor results; or, without `merge`, the runs differ in game,
            version or options, and cannot be compared.
    """
    paths = list({real(path): path for path in paths}.values())
    found = {str(path): read_results(path) for path in paths if is_results(path)}
    run_paths = [path for path in paths if not is_results(path)]
    alone = len(paths) == 1 and not without
    runs = [read_run(path, alone, secret) for path in run_paths]
    mixed = _rule_differences(dict(zip(map(str, run_paths), runs, strict=True)))
    if mixed and not merge:
        raise ConfigError(f"these runs have different rules ({mixed}); --merge-anyway rates them together")
    voids: Counter[str] = reduce(or_, (run.voids for run in runs), Counter())  # Runs may share void games.
    current = versions((run.plan, run.coded.seatings) for run in runs)
    name: Namer = (lambda bots, _: bots) if together else namer(current)
    seatings = [each for run in runs for each in run.coded.seatings]
    outcomes: Sequence[Outcome]
    repeated = 0
    if alone and runs:
        (run,) = runs
        outcomes, faults = run.coded.outcomes(name, _prefix(run.plan)), run.faults
    else:
        games: dict[str, tuple[RunSource, Summary]] = {}
        for run in runs:
            for game in (each for each in run.games if each.id not in without):
                # The choice between two games with one id must not depend on the order of the files.
                if game.id not in games or _by_value(game) > _by_value(games[game.id][1]):
                    games[game.id] = run, game
        played = [to_outcome(game, name, run.plan) for run, game in games.values()]
        files = (NamedOutcomes(path, results.ids, results.outcomes) for path, results in found.items())
        outcomes, repeated = count_once([NamedOutcomes("", [*games], played), *files])
        faults = sum(game.faults for _, game in games.values())
    ratings = {run.facts.rating for run in runs}
    excluded = {bot: why for run in runs for bot, why in sorted(run.facts.excluded.items())}
    if excluded:
        outcomes = [left for outcome in outcomes if (left := outcome.without(excluded))]
    return Source(
        outcomes,
        ratings.pop() if len(ratings) == 1 else RatingSettings(),
        faults,
        sum(results.void for results in found.values()) + voids.total(),
        sum(results.unfinished for results in found.values()),
        excluded,
        skipped={bot: why for run in runs for bot, why in run.facts.skipped.items()},
        mixed=mixed,
        placings=runs[0].placings if alone and runs else Placings(),
        ungrouped=sum(results.ungrouped for results in found.values()),
        repeats=any(results.repeats for results in found.values()),
        repeated=repeated,
        outside=frozenset(_named(seatings, name, REMEMBERING.__contains__)),
        models=frozenset(_named(seatings, name, is_model)),
        own_deals=frozenset(run.plan["run"] for run in runs if run.plan.get("deals") == PER_GAME),
        widenings=frozenset(each for run in runs for each in _widenings(run.plan)),
    )


def _widenings(plan: Mapping[str, Any]) -> Collection[Widening]:
    try:
        return find(plan["format"]).widenings if plan else ()
    except ConfigError:  # Another version of the arena has the format.
        return ()


def _named(seatings: Iterable[StoredSeating], name: Namer, wanted: Callable[[str], bool]) -> Iterator[str]:
    """The standings' names of players whose fingerprint is `wanted`."""
    for seating in seatings:
        if any(map(wanted, seating.fingerprints)):
            named = zip(name(seating.bots, seating.fingerprints), seating.fingerprints, strict=True)
            yield from (bot for bot, made in named if wanted(made))


def _rule_differences(runs: Mapping[str, "RunSource"]) -> str:
    """How runs, by name, differ in game, version of the game, or options; "" if they do not."""
    plans = {name: run.plan for name, run in sorted(runs.items()) if run.plan}
    rules: dict[str, dict[str, Any]] = {
        name: {"game": plan["game"], "version": plan["version"], **plan["options"]}
        for name, plan in plans.items()
    }
    keys = dict.fromkeys(key for each in rules.values() for key in each)
    differing = [key for key in keys if len({json.dumps(each.get(key)) for each in rules.values()}) > 1]
    if "game" in differing:
        differing = ["game"]  # Each game has its own options.
    return "; ".join(
        f"{name}: {', '.join(f'{key} {each[key]}' for key in differing if key in each)}"
        for name, each in rules.items()
        if differing
    )


@dataclass(frozen=True, eq=False)
class CodedGames:
    """The games of a run for standings. Stores each distinct seating, result and group once; see `Outcomes`.

    A row of `rows` has the indices of a game in `seatings`, `results` and `groups`.
    """

    seatings: list[StoredSeating]
    results: list[Result]
    groups: list[str]
    rows: NDArray[np.int64]

    def outcomes(self, name: Namer, run: str) -> Outcomes:
        """The outcomes for standings.

        `run` is put before the name of each seed group, because other runs may have groups of the same name.
        """
        return Outcomes(
            [(name(each.bots, each.fingerprints), None) for each in self.seatings],
            self.results,
            [f"{run} {group}" for group in self.groups],
            self.rows,
        )


def _read_coded(store: Store) -> CodedGames:
    """All games of a run, in the order of play; raises errors like `Layout.summary`."""
    ends, groups, seatings = Codes[str](), Codes[str](), _Seatings(store.layout)
    codes = (
        (number := seatings[bots], ends[end], groups[seatings.known[number].lineup + group])
        for bots, end, group in store.coded()
    )
    rows: NDArray[np.int64] = np.fromiter(codes, np.dtype((np.int64, 3)))
    split = (end.split("/", 1) for end in ends)
    results: list[Result] = [(split_numbers(places), split_forfeits(lost)) for places, lost in split]
    seated = np.array([len(each.bots) for each in seatings.known], int)
    placed = np.array([len(each) for each, _ in results], int)
    if (seated[rows[:, 0]] != placed[rows[:, 1]]).any():
        raise ValueError("a game does not have one place for each seat")
    return CodedGames(seatings.known, results, [*map(full_name, groups)], rows)


class _Seatings(dict[str, int]):
    """The number of a seating by the text that `CODED` selects for it; `known` has the seatings by number."""

    def __init__(self, layout: Layout):
        self.known: list[StoredSeating] = []
        self._layout = layout

    def __missing__(self, text: str) -> int:
        self.known.append(self._layout.seating(text))
        self[text] = number = len(self)
        return number


class RunSource(NamedTuple):
    """The contents of a run file for standings; see `read_run`."""

    facts: RunFacts
    voids: Counter[str]
    faults: int
    coded: CodedGames
    games: list[Summary]
    placings: Placings

    @property
    def plan(self) -> Mapping[str, Any]:
        """The identity of its plan; empty if it has single games."""
        return self.facts.plan or {}


def read_run(path: Path, alone: bool = True, secret: bool = True) -> RunSource:
    """Read the games of a run for standings; they have placings if it is read `alone`, else a list of games.

    `secret` is as in `Store`.

    Raises:
        ConfigError: The file is not a run, or is damaged.
    """
    with Store(path, secret=secret) as store:
        with store.reading_rows():
            coded = _read_coded(store)
        games = [] if alone else list(store.games())
        placed = placings(store.facts, store.played()) if alone else Placings()
        return RunSource(store.facts, store.voids(), store.faults(), coded, games, placed)


def exclude(path: Path, bot: str, why: str | None) -> tuple[int, str | None]:
    """Exclude a bot from the standings of a run, or include it again if `why` is None. Its games are kept.

    Returns the number of its games, and why it was excluded before, or None.

    Raises:
        ConfigError: The run has no such bot, or another process writes it.
    """
    run = read_run(path)
    name = namer(versions([(run.plan, run.coded.seatings)]))
    named = [name(seating.bots, seating.fingerprints) for seating in run.coded.seatings]
    known = sorted({*run.facts.bots, *(each for names in named for each in names)})
    if bot not in known:
        raise ConfigError(f"{path}: no bot {bot!r}{suggestion(bot, known)}")
    games = sum(bot in named[seating] for seating in run.coded.rows[:, 0].tolist())
    with Store(path, writer=True) as store:
        excluded = dict(store.facts.excluded)
        before = excluded.pop(bot, None)
        if why is not None:
            excluded[bot] = one_line(why)
        if excluded != store.facts.excluded:
            store.write_facts(replace(store.facts, excluded=excluded))
    return games, before


def _by_value(game: Summary) -> tuple[Any, ...]:
    """A sort key for games that does not depend on their file."""
    return game.id, game.places, sorted(game.forfeits.items()), game.faults


def is_results(path: Path) -> bool:
    """Whether a file, by its name, has results without records: CSV or PGN."""
    return bool(kind_of_results(path))


def versions(runs: Iterable[tuple[Mapping[str, Any], Iterable[Summary | StoredSeating]]]) -> dict[str, str]:
    """The current fingerprint of each bot by name, from pairs of the plan and the games of each run.

    Plans decide for their bots, games for the others; "" if they disagree on a bot.
    """
    planned: dict[str, set[str]] = {}
    played: dict[str, set[str]] = {}
    for plan, games in runs:
        for name, made in plan.get("bots", {}).items():
            planned.setdefault(name, set()).add(made)
        for bots, fingerprints in {(game.bots, game.fingerprints) for game in games}:
            for name, made in zip(bots, fingerprints, strict=True):
                played.setdefault(name, set()).add(made)
    return {name: next(iter(made)) if len(made) == 1 else "" for name, made in {**played, **planned}.items()}


def to_outcome(game: Summary, name: Namer, plan: Mapping[str, Any]) -> Outcome:
    """A game for the rating. The name of its seed group is made different from the names in other runs."""
    seed_group = intern(f"{_prefix(plan)} {game.seed_group}")
    return Outcome(name(game.bots, game.fingerprints), game.places, seed_group, game.forfeits)


def _prefix(plan: Mapping[str, Any]) -> str:
    """The text that is put before the names of the seed groups of a run, for the rating."""
    return f"{plan.get('run', '')} {plan.get('game', '')}"


def namer(current: Mapping[str, str]) -> Namer:
    """A function that gives the names of bots in the standings, from the result of `versions`.

    A bot with the current fingerprint keeps its name; another version is NAME@ and six digits of its
    fingerprint.
    """

    @lru_cache(1 << 14)
    def names(bots: tuple[str, ...], fingerprints: tuple[str, ...]) -> tuple[str, ...]:
        named = tuple(
            bot if current[bot] == made else f"{bot}@{made[:6]}"
            for bot, made in zip(bots, fingerprints, strict=True)
        )
        return bots if named == bots else named  # One copy of a million equal line-ups saves memory.

    return names
