"""What the map promises: a format is one file, and a plan key is declared once."""

import json
import re
from dataclasses import dataclass

import pytest

from arena.config.document import ConfigError
from arena.config.values import Text
from arena.referee.conditions import ORIGINAL, Conditions, conditions_from_json
from arena.referee.fixture import Fixture
from arena.tournament import formats, schedule
from arena.tournament.plan.keys import SHARED_KEYS
from arena.tournament.plan.load import load_plan
from arena.tournament.run import refuse_changes
from arena.tournament.runs.store import Store

DUELS = '''
"""Duels: the first bot plays all others, twice each."""

from dataclasses import dataclass
from typing import Literal

from arena.config.values import Count
from arena.tournament.formats.config import FormatConfig
from arena.tournament.formats.plan import Format
from arena.tournament.formats.seating import seed_group


@dataclass(frozen=True, kw_only=True)
class Config(FormatConfig):
    format: Literal["duels"] = "duels"
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


FORMAT = Format(Config, fixtures, size, describe)
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


def test_the_name_of_a_format_is_that_of_its_module(tmp_path, monkeypatch):
    """Or a run could not find it again."""
    (tmp_path / "hill.py").write_text(DUELS)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    formats.planned.cache_clear()
    with pytest.raises(TypeError, match="the format duels should be called hill"):
        formats.planned()
    formats.planned.cache_clear()


@pytest.mark.parametrize("name", ["nope", "config", "seating"])
def test_a_format_that_there_is_not(name):
    with pytest.raises(ConfigError, match=f"no format '{name}'; known are adaptive, "):
        formats.find(name)


@pytest.mark.parametrize(
    ("form", "began", "words"),
    [
        ("adaptive", {"groups": 10, "lineups": 500, "rounds": None}, None),  # as runs of old have them
        ("adaptive", {"greeting": "hello"}, "the run began with greeting: hello, not None"),
        ("round-robin", {"groups": 12}, "the run began with groups: 12, not 10"),
        ("round-robin", {"groups": 8}, None),
        ("round-robin", {"groups": None}, "the run began with groups: None, not 10"),
    ],
)
def test_a_run_does_not_go_on_with_a_key_less(plan_file, tmp_path, form, began, words):
    """But keys of other formats count for nothing; a run of old has them all."""
    plan = load_plan(plan_file("seed: 1\nseats: 2\n", bots=3)).in_format(formats.find(form))
    with Store(tmp_path / "run.db", writer=True) as store:
        if words is None:
            return refuse_changes(store, plan.identity() | began, plan.identity())
        with pytest.raises(ConfigError, match=words):
            refuse_changes(store, plan.identity() | began, plan.identity())


@pytest.mark.parametrize(
    ("text", "words"),
    [("rounds=[", "option rounds: cannot read '\\['"), ("x=yes", "option x: write true or false")],
)
def test_options_of_a_command_are_read_as_in_a_plan(refused, first_bot, text, words):
    assert re.search(words, refused("play", "complots", first_bot, first_bot, "--option", text))


def test_no_format_has_a_key_that_all_plans_have():
    """Its `Config` would not get it."""
    for form in formats.planned().values():
        assert not form.keys & set(SHARED_KEYS), form.name
    assert len(set(SHARED_KEYS)) == len(SHARED_KEYS)


@dataclass(frozen=True, kw_only=True)
class Later(Conditions):
    """The conditions of a later version, with one more key."""

    greeting: Text = ""


def test_a_key_that_comes_later_leaves_the_ids_of_fixtures_as_they_are():
    """Until it is set: then the games are others."""
    game = {"game": "complots", "version": 1, "options": {}, "bots": ("a", "b"), "fingerprints": ("", "")}
    before = Fixture(**game)
    assert before.conditions.as_json().keys() == {"control", *ORIGINAL} - {"clock"}
    assert Fixture(**game, conditions=Later()).id == before.id
    assert Fixture(**game, conditions=Later(greeting="hello")).id != before.id
    assert Later(greeting="hello").as_json()["greeting"] == "hello" and "greeting" not in Later().as_json()


def test_conditions_are_the_same_from_json():
    made = Conditions(strikes=5, ponder=False, deals="per-game")
    assert conditions_from_json(json.loads(json.dumps(made.as_json()))) == made
