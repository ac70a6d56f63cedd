"""The schema that editors use: the committed file is up to date, and the plans of the repository fit it."""

import json
import re

import pytest
import yaml
from jsonschema import Draft202012Validator

from arena.config.document import Document
from arena.games import GAMES, loadable
from arena.tournament.formats import planned
from arena.tournament.plan.keys import SHARED_KEYS
from arena.tournament.plan.schema import schema

LINE = "# yaml-language-server: $schema=plan.schema.json\n"
SCHEMA = schema(GAMES.values())


def faults(plan):
    return [error.json_path for error in Draft202012Validator(SCHEMA).iter_errors(plan)]


def keys(of, path="$"):
    """Every key of the schema, with its description."""
    for name, key in of.get("properties", {}).items():
        target = SCHEMA["$defs"][key["$ref"].rpartition("/")[2]] if "$ref" in key else key
        yield f"{path}.{name}", key.get("description") or target.get("description"), key
        yield from keys(target, f"{path}.{name}")


def test_it_is_a_schema_of_draft_2020_12():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["title"] == "A tournament plan of arena"
    Draft202012Validator.check_schema(SCHEMA)


def test_the_command_prints_it_and_the_committed_one_is_the_same(arena, checkout):
    done = arena("schema")
    assert done.returncode == 0 and json.loads(done.stdout) == schema(loadable()[0])
    committed = (checkout / "tournaments" / "plan.schema.json").read_text()
    assert committed == json.dumps(SCHEMA, indent=1) + "\n", "arena schema > tournaments/plan.schema.json"


def test_every_key_is_there_and_explained():
    found = [each for part in (SCHEMA, *map(SCHEMA["$defs"].get, ("Bot", "Anchor"))) for each in keys(part)]
    assert set(SCHEMA["properties"]) == {
        *SHARED_KEYS,
        *(key for form in planned().values() for key in form.keys),
    }
    assert not [path for path, words, _ in found if not words or not words.rstrip().endswith(".")]
    assert {"$.clock.move", "$.rating.anchor", "$.limits.memory"} <= {path for path, _, _ in found}


def test_it_shows_nothing_of_the_inside():
    text = json.dumps(SCHEMA)
    assert not re.search(r"Keys|arena\.|pydantic|\bNone\b|null", text)


def test_the_plans_that_it_is_of(checkout):
    paths = sorted((checkout / "tournaments").glob("*.yaml"))
    assert len(paths) >= 9
    for path in paths:
        assert path.read_text().startswith(LINE), path
        assert faults(Document(path).data) == [], path


def test_the_plans_of_the_pages(checkout):
    for page in ("README.md", "docs/plan.md", "tournaments/README.md"):
        for text in re.findall(r"```yaml\n(.*?)```", (checkout / page).read_text(), re.S):
            plan = yaml.safe_load(text)
            if "game" in plan:
                assert faults(plan) == [], text
    assert LINE in (checkout / "docs" / "plan.md").read_text()


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({}, []),
        ({"bots": ["entries/*"]}, []),
        ({"bots": "entries", "format": "ladder", "seats": 4}, []),
        ({"bots": {"a": {"run": ["sh", "a.sh"]}}, "include": ["b.yaml"]}, []),
        ({"bots": ["entries/*", "!entries/old", {"sam": "entries/x"}], "name_from": "folder"}, []),
        ({"bots": [{"sam": {"path": "entries/x", "author": "Ann"}}]}, []),
        ({"bots": [{"sam": {"author": "Ann"}}]}, ["$.bots"]),
        ({"name_from": "author"}, ["$.name_from"]),
        ({"clock": {"move": "250ms"}, "limits": {"memory": "1G"}}, []),
        ({"options": {"cast": "inquisitor", "max_turns": 7}}, []),
        ({"gruops": 3}, ["$"]),
        ({"groups": 0}, ["$.groups"]),
        ({"game": "chess"}, ["$.game"]),
        ({"bots": None}, ["$.bots"]),
        ({"bots": {"a": {"rnu": ["sh"]}}}, ["$.bots"]),
        ({"clock": {"move": 1}}, ["$.clock.move"]),
        ({"limits": {"memory": "lots"}}, ["$.limits.memory"]),
        ({"options": {"cast": "ambasador"}}, ["$.options.cast"]),
        ({"options": {"max_turns": 0}}, ["$.options.max_turns"]),
        ({"options": {"caast": "inquisitor"}}, ["$.options"]),
        ({"rating": {"anchor": {"bot": "a"}}}, ["$.rating.anchor"]),
        ({"rating": {"anchor": [{"bot": "a", "elo": 1}, {"bot": "b", "elo": 2}]}}, []),
        ({"rating": {"anchor": [{"bot": "a"}]}}, ["$.rating.anchor"]),
    ],
)
def test_what_fits_and_what_does_not(more, wrong):
    assert faults({"game": "complots", "bots": {"a": "a.py"}} | more) == wrong


def test_bots_are_needed():
    assert faults({"game": "complots"}) == ["$"]
    assert faults({"game": "complots", "include": "bots.yaml"}) == []


@pytest.mark.parametrize("game", GAMES)
def test_the_options_of_each_game(game):
    defaults = GAMES[game].defaults()
    assert faults({"game": game, "bots": {}, "options": defaults}) == []
    assert faults({"game": game, "bots": {}, "options": defaults | {"nothing": 1}}) == ["$.options"]
