"""What the map promises: a format is one file, and a plan key is declared once."""

import json
from dataclasses import dataclass, fields

import pytest

from arena import formats
from arena.core.conditions import ORIGINAL, Conditions, conditions_from_json
from arena.core.values import Word
from arena.plan.keys import PlanKeys
from arena.plan.load import load_plan
from arena.records.fixture import Fixture
from arena.tournament import schedule

DUELS = '''
"""Duels: the first bot plays all others, twice each."""

from dataclasses import dataclass

from arena.core.values import Count
from arena.formats.config import FormatConfig
from arena.formats.plan import Format
from arena.formats.seating import seed_group


@dataclass(frozen=True, kw_only=True)
class Config(FormatConfig):
    duels: Count = 2
    """How often each duel is played."""


def fixtures(plan, played):
    first, *others = plan.bots
    for number in range(plan.config.duels):
        for other in others:
            yield from seed_group(plan, (first, other), number, number)


def size(plan):
    return 2 * plan.config.duels * (len(plan.bots) - 1)


def describe(plan):
    return [f"{next(iter(plan.bots))} against each of the others, {size(plan)} games"]


FORMAT = Format("duels", Config, fixtures, size, describe)
'''


@pytest.fixture
def duels(tmp_path, monkeypatch):
    """A format that lies in another folder, found as those beside it are."""
    (tmp_path / "duels.py").write_text(DUELS)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    formats.planned.cache_clear()
    yield formats.find("duels")
    formats.planned.cache_clear()


def test_a_format_is_one_file(duels, plan_file):
    """It is found by its name; what it plays follows from the plan."""
    assert formats.planned()["duels"] is duels and duels.keys == {"duels"}
    plan = load_plan(plan_file("seed: 1\nseats: 2\n", bots=3)).in_format(duels, duels=3)
    games = list(schedule.fixtures(plan, {}))
    assert len(games) == schedule.size(plan) == 12
    assert {game.bots for game in games} == {
        ("bot0", "bot1"),
        ("bot1", "bot0"),
        ("bot0", "bot2"),
        ("bot2", "bot0"),
    }
    assert plan.identity()["duels"] == 3


def test_the_keys_of_a_plan_are_those_of_its_parts():
    """Each key is declared in one of them, and none twice with another meaning."""
    names = [each.name for each in fields(PlanKeys)]
    assert len(names) == len(set(names))
    for form in formats.planned().values():
        assert form.keys <= set(names)
    assert {each.name for each in fields(Conditions)} <= set(names)


@dataclass(frozen=True, kw_only=True)
class Later(Conditions):
    """The conditions of a later version, with one more key."""

    greeting: Word = ""


def test_a_key_that_comes_later_leaves_the_ids_of_fixtures_as_they_are():
    """Until it is set: then the games are others."""
    game = {"game": "complots", "version": 1, "options": {}, "bots": ("a", "b"), "fingerprints": ("", "")}
    before = Fixture(**game)
    assert set(ORIGINAL) == {each.name for each in fields(Conditions)}
    assert Fixture(**game, conditions=Later()).id == before.id
    assert Fixture(**game, conditions=Later(greeting="hello")).id != before.id
    assert Later(greeting="hello").plain()["greeting"] == "hello" and "greeting" not in Later().plain()


def test_conditions_are_the_same_from_json():
    made = Conditions(strikes=5, ponder=False)
    assert conditions_from_json(json.loads(json.dumps(made.plain()))) == made
