"""The tables of language models: the share of answers that were their own, costs, games without failures."""

import re
from dataclasses import replace

import pytest
from stored_runs import random_record, write_run

from arena import games
from arena.models.calls import CallId, ModelCall, ModelReply, Usage
from arena.models.spec import Price
from arena.referee.conditions import REMOTE
from arena.referee.seat import Fault
from arena.tournament.runs.ledger import CallStore, calls_file

GAMES = 40


def with_model(number: int, *kinds: str, field=("ann", "bob")):
    """A random game of `field` in which ann, a language model, has these faults."""
    record = random_record(number, field[:: 1 if number % 2 else -1])
    bots = record.fixture.bots
    made = tuple("model-0123456789" if bot == "ann" else f"f{bot}" for bot in bots)
    faults = tuple(Fault(bots.index("ann"), kind, 0, "") for kind in kinds)
    return replace(record, fixture=replace(record.fixture, fingerprints=made), faults=faults)


@pytest.fixture
def run(tmp_path):
    """A run in which 3 answers of the model were not its own, and one has come too early."""
    faults = {0: ("unread", "late"), 5: ("illegal",), 6: ("early",)}
    records = [with_model(number, *faults.get(number, ())) for number in range(GAMES)]
    path = write_run(tmp_path / "run.db", records)
    with CallStore(calls_file(path)) as calls:
        for number, record in enumerate(records):
            id = CallId(record.fixture.id, 0, f"key{number}", 0)
            reply = ModelReply("x", finish="stop", usage=Usage(900, 100, 300), latency_s=2.0)
            call = ModelCall(id, 3, 0, 1, "", 0, (("user", "?"),), "1", reply)
            calls.store(calls.reserve(id, "ann", 1.0), call, Price(input=1, output=10, cached=0))
    return path


def test_the_share_of_own_answers_is_shown_and_a_low_one_is_warned_of(run, told):
    told_models = told("table", "models", run)
    ann = next(line for line in told_models.splitlines() if line.startswith("ann"))
    asks = int(ann.split()[2])
    share = f"{1 - 3 / asks:.1%}"
    assert ann.split()[3:7] == [share, "1", "1", "1"] and "all calls cost 0.064" in told_models
    standings = told("table", run)
    assert share in next(line for line in standings.splitlines() if " ann " in line)
    assert ("too few answers of their own (ann" in standings) == (1 - 3 / asks < 0.98)


def test_a_model_without_any_answer_of_its_own_is_warned_of(told, tmp_path):
    records = []
    for record in map(with_model, range(4)):
        ann = record.fixture.bots.index("ann")
        asks = sum(isinstance(reply, dict) and ann in reply for reply in record.replies)
        records.append(replace(record, faults=(Fault(ann, "late", 0, ""),) * asks))
    path = write_run(tmp_path / "run.db", records)
    for view in ("models", "standings"):
        assert "too few answers of their own (ann 0.0%; at least 98% is play)" in told("table", view, path)


def test_answers_after_a_forfeit_are_not_answers_of_the_model(told, tmp_path):
    record = with_model(0)
    ann = record.fixture.bots.index("ann")
    asked = [at for at, reply in enumerate(record.replies) if isinstance(reply, dict) and ann in reply]
    faults = tuple(Fault(ann, "late", at, "") for at in asked[1:3])  # it forfeits by the second of them
    path = write_run(tmp_path / "run.db", [replace(record, faults=faults, replies=(*record.replies, (ann,)))])
    ann_row = next(line for line in told("table", "models", path).splitlines() if line.startswith("ann"))
    assert len(asked) > 3 and ann_row.split()[1:4] == ["1", "3", "33.3%"]


def test_the_table_of_clean_games_says_that_it_is_conditional(run, told):
    clean = told("table", "clean", run)
    assert "  own" not in clean, "all answers of these games are"
    assert "Standings, conditional: failed games left out (2 games)" in clean
    assert f"{GAMES - 2} games in {GAMES - 2} seed groups" in clean
    assert f"{GAMES} games in {GAMES} seed groups" in told("table", run)


def test_the_clean_games_of_each_size_are_those_of_this_size(told, tmp_path):
    """Four games of two seats, of which one failed, and six of three seats, of which two failed."""
    two = [with_model(number, *["late"] * (number == 0)) for number in range(4)]
    field = ("ann", "bob", "cat")
    three = [with_model(number, *["unread"] * (number in (4, 7)), field=field) for number in range(4, 10)]
    path = write_run(tmp_path / "run.db", [*two, *three])
    clean = told("table", "clean", path, "--by-size")
    assert [int(count) for count in re.findall(r"^(\d+) games in", clean, re.M)] == [3, 4]
    assert re.findall(r"left out \((.*?)\)", clean) == ["1 game", "2 games"]


def test_without_models_there_is_nothing_of_this(told, tmp_path):
    path = write_run(tmp_path / "run.db", [random_record(number, ("ann", "bob")) for number in range(4)])
    assert "own" not in told("table", path) and "no games with language models" in told(
        "table", "models", path
    )


@pytest.mark.parametrize(
    "own, plan, count",
    [("fcat", {}, 1), ("fcat", {"deals": "per-game"}, 0), (REMOTE, {}, 0)],
    ids=["shared", "per game", "with a remote bot"],
)
def test_models_are_compared_only_at_deals_that_they_share(told, tmp_path, own, plan, count):
    records = []
    for number, model in enumerate(("ann", "bob") * 4):
        record = random_record(number, (model, "cat"))
        fixture = replace(record.fixture, fingerprints=(f"model-{model}", own))
        fixture = replace(fixture, group=f"{model} cat {number // 2}")
        records.append(replace(record, fixture=fixture))
    rules = {"run": "run", "game": "complots", "version": games.GAMES["complots"].version, "options": {}}
    shape = {"seats": [2], "format": "round-robin", "clock": {}, "bots": {}}
    path = write_run(tmp_path / "run.db", records, plan=rules | shape | plan)
    rows = [line for line in told("table", "paired", path).splitlines() if re.match(r"ann +bob +4 ", line)]
    assert len(rows) == count
