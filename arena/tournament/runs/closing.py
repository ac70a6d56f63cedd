"""Closes runs, and finds missing games of the plan and bots that the commitment does not have.

A run that is closed early records how many games of its plan are missing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from math import comb
from typing import TYPE_CHECKING

from arena.referee.record import DAMAGE, Summary
from arena.tournament.formats import find
from arena.tournament.runs.facts import Closing, RunFacts
from arena.tournament.runs.placings import plan_of
from arena.tournament.runs.store import Store
from arena.tournament.schedule import due

if TYPE_CHECKING:
    from arena.referee.fixture import Fixture
    from arena.tournament.formats.plan import Plan

MAX_MISSING = 100_000  # The count of missing games stops here.
_MAX_LINEUPS = 1_000_000  # A stranger's plan may have too many to list them in any reasonable time.


def close(store: Store) -> int | None:
    """Close a run: its secret may be shown now, so no more games can be added. Returns `missing_games`."""
    played = dict(store.played())
    missing = missing_games(store.facts, played)
    store.write_facts(replace(store.facts, revealed=True, closed=Closing(games=len(played), missing=missing)))
    return missing


def missing_games(facts: RunFacts, played: Mapping[str, Summary]) -> int | None:
    """The number of games of its plan that a run lacks, at most `MAX_MISSING`.

    Games that depend on the results of missing games are not counted. The result is None if the games cannot
    be known: the run has no plan or no secret, its format has no fixed number of games, there are too many
    line-ups, or this arena cannot read the plan.

    Raises:
        ConfigError: This arena does not have the format.
    """
    try:
        plan = _due_plan(facts)
        return None if plan is None else sum(1 for _ in islice(_missing(plan, played), MAX_MISSING))
    except DAMAGE:
        return None


def _missing(plan: "Plan", played: Mapping[str, Summary]) -> "Iterator[Fixture]":
    """The unplayed games of a plan, up to the first game that depends on their results."""
    lacks = False
    for fixture in due(plan, played):
        if fixture is None and lacks:
            return
        if fixture is not None:
            lacks = True
            yield fixture


def _due_plan(facts: RunFacts) -> "Plan | None":
    """The plan of a run with its bots, except skipped ones; None where `missing_games` is None."""
    if facts.plan is None or facts.secret is None:
        return None
    identity, bots = facts.plan, facts.bots
    form = find(identity["format"])
    lineups = max(comb(len(bots), seats) for seats in identity["seats"])
    if form.open_ended or min(lineups, identity.get("lineups") or lineups) > _MAX_LINEUPS:
        return None
    teams = identity.get("teams")
    if teams == "apart":  # Formats without rounds do not store the teams; they follow from the authors.
        teams = {}
        for bot, team in facts.teams().items():
            teams.setdefault(team, []).append(bot)
    playing = {name: made for name, made in bots.items() if name not in facts.skipped}
    return plan_of({**identity, "bots": playing, "teams": teams}, facts.secret)


def closing_problems(facts: RunFacts, count: int, missing: int | None) -> Iterator[str]:
    """Yield the differences from the closing of a run; none if the run is not closed.

    The run has `count` games now, and `missing` is the result of `missing_games`.
    """
    closed = facts.closed
    if closed and closed.games != count:
        yield f"the run has {count} games, and had {closed.games} when it was closed"
    elif facts.revealed and missing and not (closed and closed.missing):
        words = games_in_words(missing)
        yield f"the run is closed and lacks {words} of its plan; no early closing is recorded"


def remarks(facts: RunFacts, played: Iterable[Summary], missing: int | None) -> Iterator[str]:
    """Yield remarks for readers of the results, one line each; they are not problems.

    `missing` is the result of `missing_games`.
    """
    if facts.open_seed:
        yield "open seed: bots may have known the deals"
    if not facts.revealed:
        so_far = f", {games_in_words(missing)} of its plan missing so far" if missing else ""
        yield f"not closed: games may follow{so_far}"
    elif missing:
        yield f"closed early: {games_in_words(missing)} of its plan not played"
    if missing is None and facts.plan:
        form = find(facts.plan["format"])
        why = f"{form.name} has no fixed number of games" if form.open_ended else "its plan cannot be read"
        yield f"omitted games cannot be seen: {why}"
    if facts.commitment and facts.committed:
        yield from _joined(facts.committed["bots"], played)


def _joined(committed: Mapping[str, str], played: Iterable[Summary]) -> Iterator[str]:
    """A line for each version of a bot that is missing from the commitment, or is in it without games."""
    counts = Counter(made for game in played for made in {*zip(game.bots, game.fingerprints, strict=True)})
    for name, made in sorted(counts.keys() - committed.items()):
        yield f"joined after the commitment: {name}@{made[:6]}, {games_in_words(counts[name, made])}"
    for name, made in committed.items():
        if (name, made) not in counts:
            yield f"in the commitment, without games: {name}@{made[:6]}"


def games_in_words(count: int) -> str:
    at_least = "at least " if count == MAX_MISSING else ""
    return f"{at_least}{count} game{'s' * (count != 1)}"
