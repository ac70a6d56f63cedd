"""Checks a run: every game replays, every card came from its seed, every seed from the secret.

A run that was committed to its secret before the first game can have no other cards: whoever changed one
would have to find another secret with the same SHA-256.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.chance import Chance, ScriptError
from arena.deals import commitment, deal
from arena.games import find
from arena.records import Record, Summary
from arena.rules import Draw
from arena.store import Store, columns, summary


@dataclass
class Verdict:
    """What is wrong with a run: `run` has lines on the whole, `games` what is wrong with each, by its id.

    Of `checked` games so many belong to seed groups that are not `complete`; a stopped run may have them.
    """

    checked: int = 0
    commitment: str | None = None
    run: list[str] = field(default_factory=list)
    games: dict[str, str] = field(default_factory=dict)
    incomplete: int = 0


def verify(store: Store) -> Verdict:
    """Play all games of a run again. ConfigError: a record cannot be read."""
    about, attempts = store.about(), store.attempts()
    secret = about.get("secret")
    verdict = Verdict(commitment=about.get("commitment"))
    sizes: Counter[str] = Counter()
    foreign = {}  # games whose deal does not come from the secret
    for game in store.summaries():
        record = store.record(game.id)
        verdict.checked += 1
        sizes[game.seed_group] += 1
        if words := contradiction(game, record) or mistake(record):
            verdict.games[game.id] = words
        elif secret is not None and (words := wrong_deal(record, secret, attempts.get(game.seed_group, 0))):
            foreign[game.id] = words
    plan = about.get("plan", {})
    verdict.incomplete = sum(sizes[group] < group_size(group, plan) for group in sizes) if plan else 0
    if secret is None:
        return verdict
    secret_is_wrong = len(foreign) > 0 and len(foreign) + len(verdict.games) == verdict.checked
    fits = verdict.commitment in (None, commitment(about["committed"], secret))
    if secret_is_wrong:
        verdict.run.append("the secret was changed: the deals of the games do not come from it")
    else:
        verdict.games |= foreign
    if not fits and not secret_is_wrong:
        verdict.run.append(
            "the commitment does not fit, though the deals come from the secret: the commitment was changed, "
            "or the plan or the fingerprints of the bots that it was made for"
        )
    elif not fits:
        verdict.run.append("the secret is not the one that the commitment was made for")
    return verdict


def group_size(group: str, plan: Mapping[str, Any]) -> int:
    """How many games a seed group of this name has when it is complete."""
    seats = len(group.split()) - 1
    if plan["format"] == "series":
        return 1
    return 2 * (seats - 1) if plan.get("against") else seats


def contradiction(game: Summary, record: Record) -> str:
    """What the table is made from and the record does not say, in words; nothing if they agree."""
    if record.fixture.id != game.id:
        return f"the record is that of game {record.fixture.id}"
    told = summary(*columns(record))
    for name in Summary._fields:
        if getattr(told, name) != getattr(game, name):
            return f"{name} in the table: {getattr(game, name)}, in the record: {getattr(told, name)}"
    return ""


def wrong_deal(record: Record, secret: str, attempt: int) -> str:
    """What the secret of the run would give a game otherwise, in words; nothing if its deal comes from it."""
    fixture = record.fixture
    dealt = deal(fixture, secret, attempt)
    if fixture.attempt != attempt:
        return f"attempt {fixture.attempt} of its seed group, which was void {attempt} times"
    if fixture.seed != dealt.seed:
        return "its deal does not come from the secret of the run"
    if fixture.bot_seeds != dealt.bot_seeds:
        return "the seeds of its bots do not come from the secret of the run"
    return ""


def mistake(record: Record) -> str:
    """What is wrong with a record by itself, in words; nothing if it replays to the same game."""
    fixture = record.fixture
    game = find(fixture.game)
    if game is None:
        return f"no game {fixture.game}"
    if game.version != fixture.version:
        return f"recorded with version {fixture.version} of {game.name}, this is version {game.version}"
    chance = Chance(fixture.seed, fixture.draws)
    try:
        match = fixture.match(game)
        for number, reply in enumerate(record.replies):
            step = match.step
            if type(step) is Draw and (drawn := chance.pick(step.purpose, step.outcomes)) != reply:
                return f"reply {number}, {step.purpose}: recorded {reply!r}, the seed gives {drawn!r}"
            match.reply(reply)
    except ScriptError as error:
        return str(error)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        return f"does not replay: {error}"
    if match.result != record.result:
        return f"ends with {match.result}, recorded {record.result}"
    if match.digest() != record.digest:
        return f"digest {match.digest()}, recorded {record.digest}"
    return ""
