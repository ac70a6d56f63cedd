"""Compares a run's commitment, made before its first game, with its state now.

The commitment is a hash of the secret and of the plan with its settings. The final of a contest is committed
to its *list*, the plan with all entries, which was published at the deadline: its secret follows from the
list and the contest's secret. A run may grow after its commitment, as far as its format allows; a final may
not.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.config.document import open_regular
from arena.referee.deals import commitment, final_secret, hash_of, list_text, run_name
from arena.tournament.formats import find
from arena.tournament.formats.changes import changed_keys, refused_change
from arena.tournament.formats.plan import SETTINGS, Identity
from arena.tournament.runs.facts import RunFacts

_FINAL, _LIST = "final.db", "list.json"  # in the folder that a contest publishes
_MAX_LIST_BYTES = 2**24


def commitment_problems(facts: RunFacts) -> Iterator[str]:
    """Yield the problems with the secret, the commitment, and the committed plan."""
    plan, secret, began, published = facts.plan, facts.secret, facts.committed, facts.commitment
    if not (plan or secret or began or published):
        return  # single games
    if plan is None or secret is None or began is None:
        lost = "secret" if secret is None else "plan" if plan is None else "committed plan"
        yield f"the run has lost its {lost}"
    elif began.get("run") != run_name(secret):
        yield "the secret was changed: it is not the one with which the run began"
    elif published is None and not facts.open_seed:
        yield "the run has lost its commitment"
    elif published is not None and published != commitment(began, secret):
        yield "the commitment was changed, or the plan or the bots' fingerprints for which it was made"
    elif facts.origin is None and (change := refused_change(began, plan)):
        yield f"the plan is not the committed one: the run began with {change}"


def remarks_on_changes(facts: RunFacts) -> Iterator[str]:
    """Yield the permitted changes after the commitment: keys of the plan, settings, exclusions."""
    if facts.plan and facts.committed and not facts.origin:
        for key, before, now in _changes(facts, facts.committed, facts.plan):
            yield f"changed after the commitment: {key}: {now}, it was {before}"
    for name, why in facts.excluded.items():
        yield f"excluded from the standings, after the commitment: {name}: {why}"


def _changes(facts: RunFacts, began: Identity, now: Identity) -> Iterator[tuple[str, Any, Any]]:
    """The changed keys of the plan and its settings, except its bots, each with both values."""
    yield from changed_keys(began, now)
    if SETTINGS not in began:  # An earlier arena began the run.
        return
    before, after = dict(began[SETTINGS]), {**facts.free, "rating": facts.rating.as_json()}
    if "teams" in before:
        teams = facts.teams()  # Bots that joined later had no committed team.
        after["teams"] = {name: teams.get(name) for name in before["teams"]}
    before, after = _flat(before), _flat(after)
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            yield key, before.get(key), after.get(key)


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values by key; nested values by `key: name`."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        below = isinstance(value, Mapping)
        flat |= {f"{key}: {name}": each for name, each in value.items()} if below else {key: value}
    return flat


# The final of a contest


def hash_of_list(facts: RunFacts) -> str | None:
    """The SHA-256 of the list of a contest's final, as its page showed it; None for other runs."""
    return hash_of(list_text(facts.committed)) if facts.origin and facts.committed else None


def final_problems(run: Path, facts: RunFacts, games: int, missing: int | None) -> Iterator[str]:
    """Yield the differences between a final and the terms that its contest fixed in advance.

    Args:
        run: The run file.
        games: The number of its games.
        missing: The result of `missing_games`.
    """
    beside = run.with_name(_LIST) if run.name == _FINAL else None
    if facts.origin is None:
        if beside and beside.exists():
            yield f"the run has lost its origin: {_LIST} beside it is the list of a contest's final"
    elif facts.committed and facts.plan and facts.secret:
        yield from _origin_problems(facts, facts.committed, facts.secret)
        if beside and beside.exists():
            if _text_of(beside) != list_text(facts.committed):
                yield f"{_LIST} beside the run is not its list"
            if not facts.revealed:
                yield "the final was published, and its run is not closed"
        yield from _differences(facts, facts.committed, facts.plan)
        if facts.revealed or facts.origin.secret is not None:
            yield from _wrong_number(facts, facts.committed, games, missing)


def _origin_problems(facts: RunFacts, committed: Identity, secret: str) -> Iterator[str]:
    origin = facts.origin
    assert origin
    if origin.secret is None:
        if facts.revealed:
            yield "the run is closed, but has lost the secret of its contest"
    elif hash_of(origin.secret) != origin.sha256:
        yield "the secret of the contest is not the one whose SHA-256 was published"
    elif final_secret(origin.secret, list_text(committed)) != secret:
        yield "the secret of the run does not follow from that of the contest, the plan and its entries"


def _text_of(path: Path) -> str | None:
    """The text of a small regular file; None for anything else."""
    try:
        with open_regular(path) as file:
            return file.read(_MAX_LIST_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None


def _differences(facts: RunFacts, listed: Identity, plan: Identity) -> Iterator[str]:
    """Yield the differences from the list, none of which is allowed."""
    for name in sorted(listed["bots"].keys() | plan["bots"].keys()):
        before, now = (each["bots"].get(name) for each in (listed, plan))
        if before is None:
            yield f"bot {name} is not in the list of the final"
        elif now is None:
            yield f"bot {name} is in the list of the final, but not in the run"
        elif before != now:
            yield f"bot {name} is another version than in the list of the final"
    for name, why in facts.skipped.items():
        yield f"bot {name} did not play, and is in the list of the final: {why}"
    for key, before, now in _changes(facts, listed, plan):
        yield f"{key}: {now}, in the list of the final {before}"


def _wrong_number(facts: RunFacts, listed: Identity, games: int, missing: int | None) -> Iterator[str]:
    """Yield a problem if a finished final does not have the number of games that its list fixes."""
    if missing:
        yield f"the final lacks {missing} of the games that its list fixes"
    settings = listed.get(SETTINGS, {})
    if not find(listed["format"]).open_ended or not (due := settings.get("games")):
        return
    if games < due and not settings.get("target_error"):
        yield f"the final has {games} games, its list fixes {due}"
    elif games >= due + max(listed["seats"]):  # The last seed group is always played to its end.
        yield f"the final has {games} games, its list fixes {due}, plus the rest of a seed group"
