"""The lessons of the games: each is played by the rules, and so says nothing that they do not do."""

import re

import pytest
from asgi import app_for, get
from other_game import PAGE

from arena.config.document import ConfigError
from arena.games import GAMES
from arena.web import lessons
from arena.web.lessons import LessonReply


def lesson_of(name):
    path = lessons.path_of(GAMES[name])
    assert path
    return lessons.load(GAMES[name], path)


@pytest.mark.parametrize("name", GAMES)
def test_each_step_of_a_lesson_has_a_right_answer_which_says_why(name):
    lesson = lesson_of(name)
    assert 8 <= len(lesson.steps) <= 12
    for step in lesson.steps:
        assert step.text and step.question and step.scene.lines
        assert any(reply.right for reply in step.replies)
        assert all(reply.say and (reply.meaning or reply.word) for reply in step.replies)


def test_a_table_after_an_answer_is_what_the_rules_make_of_it():
    lie, truth = lesson_of("complots").steps[2].replies
    assert (lie.word, truth.word) == ("pass", "challenge")
    assert "p2 loses a card: contessa (a bluff that was caught)." in [said for _, said in truth.scene.news]
    assert any("p2 coins=3 cards=1 lost=contessa" in line for line in truth.scene.lines)


def test_a_lesson_shows_the_reader_no_hidden_card():
    for name in GAMES:
        for step in lesson_of(name).steps:
            scenes = [step.scene, *(reply.scene for reply in step.replies if reply.scene)]
            assert not any(
                "hand=" in line and not line.startswith("p1") for scene in scenes for line in scene.lines
            )


START = "title: T\nnames: [A, B, C]\nsteps:\n- text: T\n  position: {turn: p1}\n"
WRONG = [
    ("  answers:\n    fly: {say: S}\n", "step 1: fly is not one of income, aid, duchess"),
    ("  play: [{p2: income}]\n", "step 1: p2 is not asked, only p1"),
    ("  play: [until p2 bribe]\n  quiz: {}\n", "step 1: the game ends 'until p2 bribe'"),
    ("  play: [until]\n", "step 1: 'until' should be like 'until p2 bribe'"),
    ("  play: [{p1: income}]\n  answers:\n    income: {say: S}\n", "step 1: the rules do not ask p1 here"),
]


@pytest.mark.parametrize(("step", "message"), WRONG)
def test_a_step_that_the_rules_refuse_says_where(tmp_path, step, message):
    path = tmp_path / "lesson.yaml"
    hands = "hands: {p1: [duchess, captain], p2: [duchess, captain], p3: [duchess, captain]}, "
    path.write_text(START.replace("{turn", f"{{{hands}turn") + step)
    with pytest.raises(ConfigError) as caught:
        lessons.load(GAMES["complots"], path)
    assert message in str(caught.value)


def test_the_page_of_a_lesson_has_its_steps_and_no_script_of_its_own(tmp_path):
    answer = get(app_for(tmp_path), "/games/complots/lesson")
    assert answer.status == 200 and answer.body.count(b'<section class="step"') == 9
    assert b"<style" not in answer.body and b" style=" not in answer.body
    assert b"<script>" not in answer.body
    for name, status in (("local", 200), ("intrigue", 200), ("chess", 404)):
        assert get(app_for(tmp_path), f"/games/{name}/lesson").status == status


@pytest.mark.parametrize(
    ("path", "there", "absent"),
    [
        ("/games/complots/rules", b'id="rulings"', b"<h1>Complots"),
        ("/games/complots/rules?only=Blocks&only=A+turn", b'id="blocks"', b'id="set-up"'),
        ("/games/complots/rules?only=Nothing", b'id="rulings"', b"No such page"),
        ("/games/intrigue/rules?only=Terms", b"turn=&lt;who&gt;", b"<who>"),
    ],
)
def test_the_rules_are_a_page_and_their_sections_too(tmp_path, path, there, absent):
    body = get(app_for(tmp_path), path).body
    assert there in body and absent not in body


def test_the_lesson_on_the_page_about_games_is_one(tmp_path):
    path = tmp_path / "lesson.yaml"
    page = PAGE.read_text()
    path.write_text(re.search(r"```yaml\n(title.*?)```", page, re.S)[1])
    kuhn = {"__name__": "kuhn"}
    exec(re.search(r"```python\n(.*?)```", page, re.S)[1], kuhn)
    lesson = lessons.load(kuhn["GAME"], path)
    assert [[reply.word for reply in step.replies] for step in lesson.steps] == [
        ["bet", "check"],
        ["call", "fold"],
    ]


def test_a_reply_of_a_quiz_leaves_the_table_as_it_is():
    assert all(
        isinstance(reply, LessonReply) and reply.scene is None
        for reply in lesson_of("intrigue").steps[0].replies
    )
