"""The conditions under which a run was played, from the facts in its file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from arena import __version__
from arena.games import find
from arena.referee.conditions import deals_in_words
from arena.referee.record import reading
from arena.show.tables.table import Column, Table
from arena.tournament.runs.closing import missing_games
from arena.tournament.runs.facts import RunFacts
from arena.tournament.runs.sources import is_results
from arena.tournament.runs.store import Store

_NAMED = ("run", "game", "version", "options", "format", "clock", "limits", "bots", "seats", "deals")
_UNITS = {"memory": 2**20, "disk": 2**20, "output": 2**20}  # These limits are shown in MiB.


class RunConditions(NamedTuple):
    """The conditions of a file with results: `facts`, as labels and texts, and the table of its `bots`.

    `bots` is None if the file has no records of games. `contest` is the game and the format of its plan, or
    "" without a plan. `is_finished` says whether all games of the plan were played.
    """

    name: str
    facts: Sequence[tuple[str, str]]
    bots: Table | None
    contest: str = ""
    is_finished: bool = False


def run_of(path: Path) -> RunConditions:
    """The conditions of a run, or of a CSV or PGN file.

    Raises:
        ConfigError: The file is none of these.
    """
    if is_results(path):
        return RunConditions(path.name, [("Results", "from a file without records of the games")], None)
    with Store(path) as store, reading(f"{path}: the facts about the run"):
        facts = [*_facts_of(store.facts), ("Pages written by", f"arena {__version__}")]
        contest = ""
        if plan := store.facts.plan:
            game = find(plan["game"])
            contest = f"{game.name.capitalize() if game else plan['game']}, {plan['format']}"
        is_finished = missing_games(store.facts, {game.id: game for game in store.games()}) == 0
        return RunConditions(path.name, facts, _bots_of(store.facts), contest, is_finished)


def said_of_bots(paths: Iterable[Path]) -> dict[str, str]:
    """The version and author that each bot names, as text, from the last of these runs with them."""
    found: dict[str, str] = {}
    for path in paths:
        if not is_results(path):
            with Store(path) as store:
                for bot, said in store.facts.authors.items():
                    parts = (said.version and f"version {said.version}", said.author and f"by {said.author}")
                    found[bot] = " ".join(filter(None, parts))
    return found


def _facts_of(facts: RunFacts) -> Iterator[tuple[str, str]]:
    plan = facts.plan
    if plan is None:  # The file has single recorded games.
        return
    yield "Game", f"{plan['game']}, version {plan['version']} of its rules"
    yield "Options", _settings(plan["options"])
    yield "Seats", ", ".join(map(str, plan["seats"]))
    yield "Format", plan["format"]
    yield "Clock", _settings({key: f"{value:g} s" for key, value in plan["clock"].items() if value})
    yield "Other conditions", _settings({key: value for key, value in plan.items() if key not in _NAMED})
    limits = plan.get("limits", {})
    sessions = [f"arena {each.arena}, sandbox {each.sandbox}" for each in facts.sessions]
    yield "Played with", "; ".join(sessions)
    yield "Limits of a bot", _settings({key: _with_unit(key, value) for key, value in limits.items()})
    rating = {key: value for key, value in asdict(facts.rating).items() if value not in (None, ())}
    yield "Ratings", _settings(rating)
    yield "Deals", deals_in_words(plan)
    yield "Seeds", _seeds(facts)
    if facts.commitment:
        yield "Commitment", facts.commitment
    if facts.revealed:
        yield "Secret", str(facts.secret)


def _seeds(facts: RunFacts) -> str:
    if facts.open_seed:
        return "from the seed of the plan, which is not secret; so there is no commitment"
    if facts.revealed:
        published = (
            "a secret that is published; the run is closed, and anyone can compute and check all deals"
        )
        return f"from {published}"
    return "from a secret that is not published yet; the commitment is the SHA-256 of it and the plan"


def _bots_of(facts: RunFacts) -> Table:
    """The bots of the plan with their versions, and the reasons of bots without a standing."""
    out = {bot: f"excluded: {why}" for bot, why in facts.excluded.items()}
    out |= {bot: f"sits out: {why}" for bot, why in facts.skipped.items()}
    made = {**dict.fromkeys(out, ""), **facts.bots}
    says = facts.authors
    columns = {
        "bot": {bot: bot for bot in made},
        "version": {bot: said.version for bot, said in says.items()},
        "author": {bot: said.author for bot, said in says.items()},
        "fingerprint": made,
        "note": out,
    }
    filled = {heading: cells for heading, cells in columns.items() if any(cells.values())}
    rows = [{heading: cells.get(bot, "") for heading, cells in filled.items()} for bot in sorted(made)]
    headings = [Column(heading, heading, is_left=True) for heading in filled]
    return Table("bots", headings, rows, "Versions of the bots")


def _settings(values: Mapping[str, Any]) -> str:
    known = [f"{key} {_words(value)}" for key, value in values.items() if value is not None]
    return ", ".join(known) or "default"


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_words(each)}" for key, each in value.items())
    return " ".join(map(_words, value)) if isinstance(value, list | tuple) else str(value)


def _with_unit(key: str, value: Any) -> str:
    if key in _UNITS:
        return f"{value / _UNITS[key]:g} MiB"
    return f"{value:g} s" if key == "cpu" else str(value)
