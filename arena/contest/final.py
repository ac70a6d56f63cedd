"""The final: its deals were fixed on the first day, its entries are fixed at the deadline.

    secret (first day) ----- SHA-256 is published at once
       |
       '- HMAC-SHA256 - of the list: the plan and the fingerprints of all entries, published at the deadline
              |
              '- the secret of the run, from which all deals follow

Neither side can choose the deals: the organiser cannot change the secret, and does not know the list before
the deadline; the entrants do not know the secret. The setting `final` has what was fixed. It is written once,
and the run file does the rest: whenever the process is killed, the final goes on from there.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any

from arena.config.document import ConfigError
from arena.contest import entrants, entries
from arena.contest.contest import Contest, deadline, required
from arena.contest.database import put_setting, setting
from arena.programs.bot import Bot
from arena.programs.sandbox.policy import Sandbox, choose
from arena.referee.deals import final_secret, hash_of, list_text
from arena.tournament.formats.plan import Plan
from arena.tournament.ladder import playable
from arena.tournament.plan.load import load_terms, load_with
from arena.tournament.runs.closing import close
from arena.tournament.runs.facts import Origin
from arena.tournament.runs.store import Store
from arena.web.database import Database

VERDICTS_S = 3600.0  # after the deadline, for entries that came before it and have no verdict yet
Say = Callable[[str], None]


def read_secret(contest: Contest) -> str:
    """The secret of the contest. ConfigError: it is gone."""
    try:
        return contest.secret.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        why = "cannot be read: without the secret that was published on the first day there is no final"
        raise ConfigError(f"{contest.secret}: {why}") from None


def publish_commitment(contest: Contest, database: Database) -> None:
    """Publish the SHA-256 of the secret, once. ConfigError: the secret is not the one of the first day."""
    now = hash_of(read_secret(contest))
    published = setting(database, "commitment")
    if published is None:
        put_setting(database, "commitment", {"sha256": now})
    elif published["sha256"] != now:
        raise ConfigError(f"{contest.secret}: is not the secret whose SHA-256 was published")


def is_due(contest: Contest, database: Database, now: float) -> bool:
    """Whether the entries can be fixed: the deadline is over, and those that came before it have a verdict."""
    late = now - deadline(contest, database).timestamp()
    return late > 0 and (late > VERDICTS_S or not entries.pending(database))


def sandbox_of(contest: Contest) -> Sandbox:
    """The box of the final. ConfigError: this machine has none, and the plan does not do without."""
    terms = load_terms(contest.final)
    return choose(terms.conditions.limits, terms.run.sandbox, required(contest.final))


def fix(contest: Contest, database: Database, sandbox: Sandbox, jobs: int, say: Say) -> None:
    """Fix the plan and the entries, once. ConfigError: an entry cannot play, or the plan is wrong."""
    marks = {each["entrant"]: each["fingerprint"] for each in entries.playing(database)}
    bots = _bots(contest, marks, contest.entries, sandbox, jobs, say)
    text = list_text(load_with(contest.final, bots).identity())
    found = {
        "state": "playing",
        "at": time(),
        "plan": contest.final.read_text(encoding="utf-8"),
        "list": sorted([name, bot.fingerprint] for name, bot in bots.items()),
        "text": text,
        "list_sha256": hash_of(text),
        "played": 0,
        "total": None,
        "why": "",
    }
    with database.transaction():
        if setting(database, "final") is None:
            put_setting(database, "final", found)


def _bots(
    contest: Contest, marks: Mapping[str, str], folder: Path, sandbox: Sandbox, jobs: int, say: Say
) -> dict[str, Bot]:
    """The entries with these fingerprints, from copies that only the final plays. ConfigError: one cannot play."""
    copies, failed = _copies(contest), dict[str, str]()
    found = {}
    for name, mark in marks.items():
        copy = copies / f"{name}-{mark}" / name
        found[name] = (copy if copy.exists() else folder / name), mark
    problems: dict[str, str] = {}
    bots = playable(found, copies, failed, say, sandbox, (), None, jobs, problems.__setitem__)
    for name, why in problems.items():
        raise ConfigError(f"the final waits: entry {name}: {why}; judge it again, or exclude it")
    for name, bot in bots.items():
        if bot.fingerprint != marks[name]:
            raise ConfigError(
                f"the final waits: entry {name} was changed since it was checked; judge it again"
            )
    return bots


def _copies(contest: Contest) -> Path:
    return run_file(contest).with_suffix(".bots")


def run_file(contest: Contest) -> Path:
    return contest.runs / "final.db"


def plan_of(contest: Contest, database: Database, sandbox: Sandbox, jobs: int, say: Say) -> Plan:
    """The plan as it was fixed, with the secret of its run. ConfigError: its file was changed since."""
    fixed = setting(database, "final")
    bots = _bots(contest, dict(fixed["list"]), contest.entries, sandbox, jobs, say)
    plan = load_with(contest.final, bots)
    if list_text(plan.identity()) != fixed["text"]:
        why = "is not the plan that was published at the deadline; the page of the final has it: restore it"
        raise ConfigError(f"{contest.final}: {why}")
    seed = final_secret(read_secret(contest), fixed["text"])
    # Each entry has started before: one that does not start now loses the games for which it does not.
    return replace(plan, seed=seed, run=replace(plan.run, broken="forfeit"))


def note_origin(store: Store, sha256: str) -> None:
    """Write into the run file what its secret follows from; before the first game."""
    if store.facts.origin is None:
        store.write_facts(replace(store.facts, origin=Origin(sha256=sha256)))


def update(database: Database, **values: Any) -> None:
    """Change what pages show of the final: how far it is."""
    put_setting(database, "final", {**setting(database, "final"), **values})


def places(contest: Contest, database: Database) -> list[dict[str, Any]]:
    """The result, the best first: by Elo; those that are excluded have no place."""
    from arena.show.tables.report import Report
    from arena.tournament.runs.sources import load

    source = load([run_file(contest)])
    rows = Report(source, source.settings).rows
    teams = {each["name"]: each["team"] for each in entrants.all_entrants(database)}
    return [
        {
            "place": place,
            "name": row.bot,
            "team": teams.get(row.bot, ""),
            "elo": None if row.unrated else row.elo,
            "error": row.shown["error"],
            "los": row.shown["los"],
            "games": row.games,
        }
        for place, row in enumerate(rows, 1)
    ]


def reveal(contest: Contest) -> None:
    """Close the run of the final for good, with both secrets in it, so that anybody can verify it."""
    with Store(run_file(contest), writer=True) as store:
        origin = store.facts.origin
        assert origin
        store.write_facts(replace(store.facts, origin=replace(origin, secret=read_secret(contest))))
        if not store.facts.revealed:
            close(store)
