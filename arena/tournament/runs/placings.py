"""Computes the places and rounds of a tournament from its run file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import games
from arena.programs.bot import Bot
from arena.referee.conditions import conditions_from_json
from arena.referee.placings import Placings
from arena.referee.record import Summary
from arena.tournament.runs.facts import RunFacts

if TYPE_CHECKING:  # It imports pydantic, which takes a quarter of a second.
    from arena.tournament.formats.plan import Plan


def placings(facts: RunFacts, played: Mapping[str, Summary]) -> Placings:
    """The placings so far of a run with these facts and games.

    They are empty without a plan or rounds, or if the run's version of the game is not installed.
    """
    if facts.plan is None or facts.secret is None or "seeds" not in facts.plan:  # Only rounds need seeds.
        return Placings()
    plan = plan_of(facts.plan, facts.secret)
    return plan.format.placings(plan, played) if plan and plan.format.placings else Placings()


def plan_of(identity: Mapping[str, Any], secret: str) -> "Plan | None":
    """A plan with this identity: it knows which games are due, but its bots have no files to play them.

    The result is None if the game is not installed, or in another version.
    """
    from arena.tournament import formats
    from arena.tournament.formats.plan import Plan

    game, form = games.find(identity["game"]), formats.find(identity["format"])
    if game is None or game.version != identity["version"]:
        return None
    teams = identity.get("teams")
    keys = {key: identity[key] for key in form.keys if identity.get(key) is not None and key != "teams"}
    lists = {key: tuple(value) for key, value in keys.items() if isinstance(value, list)}
    return Plan(
        name="",
        game=game,
        seats=tuple(identity["seats"]),
        options=identity["options"],
        bots={name: Bot(name, (), Path(), made) for name, made in identity["bots"].items()},
        format=form,
        config=form.config(**keys | lists),
        conditions=conditions_from_json({**identity, "control": identity["clock"]}),
        seed=secret,
        teams={bot: team for team, bots in teams.items() for bot in bots} if teams else {},
    )
