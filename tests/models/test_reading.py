"""The answer in a reply: a table of what counts, and of what does not."""

import pytest

from arena.models.asking import Reading
from arena.models.calls import LATE, ModelReply

OPTIONS = ("income", "coup:p2", "3000")


def read(text, is_late=False, **more):
    def legal(said):
        return next((option for option in OPTIONS if option == said.casefold()), "")

    return Reading.of(
        ModelReply(text=text, **more), is_late, legal, lambda said: "too poor" if said == "coup:p3" else ""
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"answer": "income"}', "income"),
        ('{"thoughts": "{\\"answer\\": \\"coup:p2\\"}", "answer": "income"}', "income"),
        ('I think so.\n```json\n{"answer": " Coup:P2 "}\n```\nDone.', "coup:p2"),
        ('{"answer": "coup:p2"} or rather {"answer": "income"}', "income"),
        ('{broken {"answer": "income"}', "income"),
        ('{"answer": 3000}', "3000"),
    ],
)
def test_the_last_object_has_the_answer(text, word):
    assert read(text) == Reading(word)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("income", "There is no JSON object"),
        ("I play income, of course.", "There is no JSON object"),
        ('["income"]', "There is no JSON object"),
        ('{"answer": "income"} {"thoughts": "or not"}', 'no text as its "answer"'),
        ('{"answer": ["income"]}', 'no text as its "answer"'),
        ('{"answer": true}', 'no text as its "answer"'),
        ('{"answer": ""}', 'no text as its "answer"'),
        (" ", "was empty"),
        ("{" * 10**5, "There is no JSON object"),
    ],
)
def test_without_an_answer_a_reply_is_unread(text, problem):
    reading = read(text)
    assert problem in reading.problem
    assert not reading.word
    assert not reading.is_illegal


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("I play income", "'I play income' is no legal answer."),
        ("incom", "'incom' is no legal answer."),
        ("coup:p3", "'coup:p3' is no legal answer: too poor."),
    ],
)
def test_an_answer_that_is_not_legal_gets_the_reason(said, problem):
    assert read(f'{{"answer": "{said}"}}') == Reading(problem=problem, is_illegal=True)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"finish": "length"}, "cut off"),
        ({"finish": "too long"}, "cut off"),
        ({"finish": "content_filter"}, "refused"),
        ({"refusal": "I would rather not"}, "refused"),
        ({"has_tool_call": True}, "called a tool"),
        ({"finish": LATE, "is_late": True}, "too late"),
    ],
)
def test_a_reply_that_ended_badly_is_unread_whatever_is_in_it(more, problem):
    assert problem in read('{"answer": "income"}', **more).problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"thoughts": "He said "no".", "answer": "income"}', 'front of a quotation mark, before \'no"."'),
        ('{"thoughts": "I will play', "a whole value is missing before '\"I will play'"),
        ('{"answer": "coup:p', "a whole value is missing before '\"coup:p'"),
    ],
)
def test_the_reason_why_an_object_cannot_be_read_is_told(text, problem):
    reading = read(text)
    assert reading.problem.startswith("The JSON object in your reply is broken: ")
    assert problem in reading.problem
    assert not reading.is_illegal
