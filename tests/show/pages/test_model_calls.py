"""The calls of language models in the data of a game for the viewer."""

import json

import pytest
from chat_server import chat_server, last_option
from stored_runs import random_record

from arena.models.calls import CallId, ModelCall, ModelReply
from arena.show.pages.game_data import game_data
from arena.tournament.runs.ledger import CallStore
from arena.tournament.runs.moments import moments_of


def test_the_calls_of_a_model_are_beside_its_answers():
    """The prompt without the model's own words; if a game was begun twice, what was said the second time."""
    record = random_record(1, ("ann", "bob"))

    def call(at, attempt, text, problem="", thoughts=""):
        said = (("assistant", "before"), ("user", f"prompt {at}"))
        reply = ModelReply(text, thoughts=thoughts, finish="stop")
        return ModelCall(
            CallId("g", 1, f"{at}{text}", 0), 3, at, attempt, "", 0, said, "1", reply, "", problem
        )

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


ATTACK = "</script><script>window.attacked = true</script><img src=x onerror='window.attacked = true'>"


@pytest.mark.slow
@pytest.mark.browser
def test_prompt_thoughts_and_reply_are_beside_their_moment_and_are_only_text(
    page, arena, tmp_path, monkeypatch, first_bot
):
    """In a browser, in which nothing that a model has said may run."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def answer(number, body):
        answer = json.loads(last_option(number, body))["answer"]
        if number == 0:
            return f"I would play {answer} {ATTACK}"
        return json.dumps({"thoughts": f"thought {number} {ATTACK}", "answer": answer})

    with chat_server(answer) as server:
        plan, keys = tmp_path / "plan.yaml", f"model: chat-1, at: 'http://{server.host}/v1'"
        plan.write_text(
            f"game: complots\nseats: 2\nseed: 1\ngroups: 1\nbots:\n  gpt: {{{keys}}}\n  other: {first_bot}\n"
        )
        for words in (
            ("run", plan, "--out", "run.db", "--allow", server.host, "--model-games", 1),
            ("report", "run.db", "--out", "pages"),
        ):
            done = arena(*words)
            assert done.returncode == 0, done.stderr
    with CallStore(tmp_path / "run.db.calls", writer=False) as store:
        calls = [call for _, call in store.calls()]
    first = [call for call in calls if call.id.game == calls[0].id.game]
    page.goto(f"{(tmp_path / 'pages' / 'game.html').as_uri()}#{first[0].id.game}")
    page.wait_for_selector("#viewer:not([hidden])")
    pane, seen = page.locator("#model"), []
    while True:
        for reply in pane.locator("article").all():
            texts = reply.locator("pre").all_text_contents()
            if texts in seen:
                continue
            seen.append(texts)
            if len(texts) == 3:  # with thoughts: it is the answer of this moment
                word = json.loads(texts[-1])["answer"]
                assert word.split(":")[0] in page.locator("#list [aria-current]").inner_text()
        before = page.locator("#slider").input_value()
        page.keyboard.press(".")
        if page.locator("#slider").input_value() == before:
            break
    assert [texts[-1] for texts in seen] == [call.reply.text for call in first]
    assert seen[0][0] == "\n\n".join(text for role, text in first[0].messages if role != "assistant")
    assert first[0].problem == "There is no JSON object in your reply."
    assert all(ATTACK in texts[-2] for texts in seen[1:])
    assert page.evaluate("window.attacked") is None
