"""The review of a bot: its decisions against the field, its seats, and the games that tell most."""

import json

import pytest
from stored_runs import stored_run

from arena.config.document import ConfigError
from arena.games import GAMES
from arena.rating.outcomes import Tallied
from arena.rating.settings import RatingSettings
from arena.show.tables.report import Report
from arena.show.tables.review import decisions, decisions_table, review, telling_moment
from arena.show.tables.text import text_grid
from arena.tournament.runs.behaviour import BehaviourTally
from arena.tournament.runs.game_list import shown_records
from arena.tournament.runs.sources import load

GAME = GAMES["complots"]


def tallied(*groups) -> Tallied:
    found = Tallied()
    for number, (counted, of) in enumerate(groups):
        found.add(counted, of, f"{number}")
    return found


@pytest.fixture
def run(tmp_path):
    return stored_run(tmp_path / "run.db", games=24)


@pytest.fixture
def reviewed(run):
    return {table.name: table for table in review(Report(load([run]), RatingSettings(), runs=[run]), "ann")}


def test_a_bot_is_marked_where_it_surely_differs_from_the_others():
    tallies = {
        "ann": BehaviourTally(
            40, {"bluffs": tallied(*[(9, 10)] * 20, (8, 10)), "right": tallied((1, 2), (0, 1))}
        ),
        "bob": BehaviourTally(
            40, {"bluffs": tallied(*[(1, 10)] * 20, (2, 10)), "right": tallied((1, 2), (1, 1))}
        ),
        "cat": BehaviourTally(40, {"bluffs": tallied(*[(2, 10)] * 20, (1, 10))}),
    }
    rows = {row.kind: row for row in decisions(GAME, tallies, "ann")}
    bluffs, right = rows["bluffs"], rows["right"]
    assert (bluffs.counted, bluffs.of, bluffs.differs) == (188, 210, "more")
    assert bluffs.others == pytest.approx((22 + 41) / 420)
    assert bluffs.interval[0] < bluffs.value < bluffs.interval[1]
    assert (right.counted, right.of, right.differs) == (1, 3, ""), "two groups tell nothing for sure"
    assert rows["blocks"].value is None and rows["blocks"].interval is None
    assert {row.differs for row in decisions(GAME, tallies, "bob") if row.kind == "bluffs"} == {"less"}
    lines = text_grid(decisions_table(GAME, list(rows.values()))).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["bluffs", "right"], (
        "kinds without a chance are left out"
    )


def test_the_decisions_of_a_run_are_all_that_the_rules_told(run, reviewed):
    lost = sum(
        text.startswith(f"lose {seat}") and "cause=challenge" in text
        for played, record in shown_records([run])
        for seat in [f"p{number}" for number, name in enumerate(played.names, 1) if name == "ann"]
        for text in told(record)
    )
    (row,) = (row for row in reviewed["decisions"].for_programs.rows if row["kind"] == "by_challenge")
    assert row["counted"] == lost > 0 and row["of"] == sum(each["games"] for each in reviewed["seats"].rows)


def told(record):
    return [step.text for step, _ in record.fixture.match(GAME, record.replies).log if hasattr(step, "text")]


def test_the_most_telling_games_are_those_far_below_the_expected_score(run, reviewed):
    rows = list(reviewed["telling"].for_programs.records())
    shortfalls = [row["expected"] - row["score"] for row in rows]
    assert len(rows) == 3 and shortfalls == sorted(shortfalls, reverse=True) and shortfalls[-1] > 0
    for row in rows:
        assert row["command"].split()[-3:] == [str(row["game"]), "--at", str(row["moment"])]
        assert row["text"].startswith(f"p{row['seat']} loses a card")


def test_the_moment_is_that_of_an_own_decision_if_there_is_one(run):
    """A wrong challenge, or a bluff that was caught, tells more than a coup."""
    for played, record in shown_records([run]):
        for seat, _ in enumerate(played.names):
            own = [
                text
                for text in told(record)
                if text.startswith(f"lose p{seat + 1}") and text.endswith(("=challenge", "=bluff"))
            ]
            telling = telling_moment(record, seat)
            if own:
                assert "challenge of a true claim" in telling.text or "bluff" in telling.text


def test_seats_and_opponents_of_a_bot_have_the_expected_score_beside_the_score(reviewed):
    seats = list(reviewed["seats"].for_programs.records())
    assert [(row["size"], row["seat"]) for row in seats] == [(3, 1), (3, 2), (3, 3)]
    assert all(0 < row["expected"] < 1 and row["error"] > 0 for row in seats)
    assert {row["bot"] for row in reviewed["opponents"].for_programs.records()} == {"bob", "cat", "dan", ""}


def test_a_bot_that_is_not_in_the_run_is_an_error(run):
    with pytest.raises(ConfigError, match="review: no bot 'anne'; did you mean ann"):
        review(Report(load([run]), RatingSettings(), runs=[run]), "anne")


def test_the_command_shows_the_review_in_80_columns_and_as_json(run, arena):
    shown = arena("review", str(run), "ann").stdout
    assert max(map(len, shown.splitlines())) <= 80
    for title in "Decisions in complots:", "Seats:", "Record against each opponent:", "Where it lost most:":
        assert title in shown
    found = json.loads(arena("review", str(run), "ann", "--format", "json").stdout)
    assert [*found] == ["bot", "standing", "decisions", "seats", "opponents", "telling"]
    assert found["decisions"][0]["kind"] == "bluffs" and 0 < found["decisions"][0]["low"] < 1
