"""The calls of language models in the data of a game for the viewer."""

from stored_runs import random_record

from arena.models.calls import Call, CallId, Reply
from arena.show.pages.game_data import game_data
from arena.tournament.runs.moments import moments_of


def test_the_calls_of_a_model_are_beside_its_answers():
    """The prompt without the model's own words; if a game was begun twice, what was said the second time."""
    record = random_record(1, ("ann", "bob"))

    def call(at, attempt, text, problem="", thoughts=""):
        said = (("assistant", "before"), ("user", f"prompt {at}"))
        reply = Reply(text, thoughts=thoughts, finish="stop")
        return Call(CallId("g", 1, f"{at}{text}", 0), 3, at, attempt, "", 0, said, "1", reply, "", problem)

    calls = [
        call(4, 1, "cut off by a kill"),
        call(2, 1, "prose", "no JSON"),
        call(2, 2, '{"thoughts": "a <bluff>", "answer": "duchess"}', thoughts="apart"),
        call(4, 1, '{"answer": "pass"}'),
    ]
    data = game_data(record, record.fixture.bots, moments_of(record), calls)
    shown = [[[data["texts"][part] for part in each] for each in answer] for answer in data["calls"][1]]
    assert shown == [
        [
            ["prompt 2", "", "prose", "no JSON"],
            ["prompt 2", "apart\n\na <bluff>", '{"thoughts": "a <bluff>", "answer": "duchess"}', ""],
        ],
        [["prompt 4", "", '{"answer": "pass"}', ""]],
    ]
